import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
import { type GraphQLObjectType, GraphQLScalarType } from 'graphql';
import { ofParent } from '../src/execution/of-parent.ts';
import { fail, later } from './executor-tree.ts';

/** What a field with a resolver gives: the record of the number, at once or later, or an error. */
interface Link {
  readonly to: number;
  readonly how: 'at once' | 'later' | 'null' | 'fails' | 'fails later';
}

/** A raw record, as JSON.parse gives one. */
export type RawRecord = Readonly<Record<string, unknown>>;

interface Context {
  readonly records: readonly RawRecord[];
}

const typeDefs = `
  scalar Json
  enum Color { RED GREEN }
  interface Named { name: String }
  union Thing = Item | Other
  type Query {
    item: Item
    items: [Item]
    strict: [Item!]
    rows: [[Item!]]
    things: [Thing]
    named: Named
  }
  type Mutation { items: [Item] }
  type Other implements Named { name: String }
  type Item implements Named {
    id: ID!
    name: String
    number: Float
    whole: Int
    flag: Boolean!
    color: Color
    json: Json
    words: [String!]
    numbers: [[Float]]
    inner: Item
    inners: [Item]
    shout: String!
    link: Item
    mustLink: Item!
    links: [Item]
    json2: Json
    text: String
  }
`;

const follow = ({ to, how }: Link, { records }: Context): unknown => {
  const give = () => {
    if (how.startsWith('fails')) return fail(`link ${to}`);
    return how === 'null' ? null : records[to % records.length];
  };
  return how.endsWith('later') ? later(to % 4, give) : give();
};

const linkOf = ({ link }: RawRecord, _: unknown, context: Context) => follow(link as Link, context);

/** Records whose fields are plain, but for links to others and two that have resolvers. */
export const schema = makeExecutableSchema({
  typeDefs,
  resolvers: {
    Json: new GraphQLScalarType({ name: 'Json' }),
    Query: {
      item: (_: unknown, __: unknown, { records }: Context) => records[0],
      items: (_: unknown, __: unknown, { records }: Context) => records,
      strict: (_: unknown, __: unknown, { records }: Context) => records,
      rows: (_: unknown, __: unknown, { records }: Context) => [records, null, [], records],
      things: (_: unknown, __: unknown, { records }: Context) => [
        ...records,
        { __typename: 'Other', name: 'other' },
      ],
      named: (_: unknown, __: unknown, { records }: Context) => records[0],
    },
    Mutation: { items: (_: unknown, __: unknown, { records }: Context) => records },
    Item: {
      link: linkOf,
      mustLink: linkOf,
      links: ({ link }: RawRecord, _: unknown, context: Context) => [
        follow(link as Link, context),
        null,
        follow(link as Link, context),
      ],
      json2: ({ json }: RawRecord) => json,
      text: ({ name }: RawRecord) => name,
    },
  },
});

// graphql-tools would bind the resolver, and the mark be lost.
const field = (schema.getType('Item') as GraphQLObjectType).getFields().shout;
if (field) field.resolve = ofParent(({ name }: RawRecord) => `${name}!`);

/** Texts that JSON writes in some way of its own: whole surrogates and lone ones, quotes, controls, long ones. */
const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', ' ', '\u2028', '\ud800', '\udfff'),
      fc.constantFrom('😀', '\ude00\ud83d', 'é', 'long '.repeat(20), '__proto__'),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

const orNull = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null | undefined> =>
  fc.oneof({ arbitrary, weight: 8 }, { arbitrary: fc.constantFrom(null, undefined), weight: 1 });

const anyNumber = fc.oneof(
  fc.constantFrom(0, -0, 1e21, 1e-7, 5e-324, 1 / 3, 2 ** 53, -1.5, Number.MAX_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const link: fc.Arbitrary<Link> = fc.record({
  to: fc.nat({ max: 7 }),
  how: fc.oneof(
    { arbitrary: fc.constantFrom<Link['how']>('at once', 'later'), weight: 8 },
    { arbitrary: fc.constantFrom<Link['how']>('null', 'fails', 'fails later'), weight: 1 },
  ),
});

const { node } = fc.letrec<{ node: RawRecord }>((tie) => ({
  node: fc.record({
    __typename: fc.constant('Item'),
    id: fc.oneof({ arbitrary: anyText, weight: 12 }, { arbitrary: fc.constant(null), weight: 1 }),
    name: orNull(anyText),
    number: orNull(anyNumber),
    whole: orNull(fc.integer({ min: -5, max: 5 })),
    flag: fc.boolean(),
    color: fc.constantFrom('RED', 'GREEN', 'RED', null),
    json: orNull(fc.oneof(anyText, anyNumber, fc.jsonValue())),
    words: orNull(fc.array(anyText, { maxLength: 3 })),
    numbers: orNull(
      fc.array(orNull(fc.array(orNull(anyNumber), { maxLength: 2 })), { maxLength: 2 }),
    ),
    inner: fc.option(tie('node'), { maxDepth: 2, depthIdentifier: 'record' }),
    inners: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'record' },
      fc.constantFrom(null, []),
      fc.array(fc.option(tie('node')), { maxLength: 2, depthIdentifier: 'record' }),
    ),
    link,
  }),
}));

/** At least one, some of which may lack what they may not. */
export const anyRecords: fc.Arbitrary<readonly RawRecord[]> = fc.array(node, {
  minLength: 1,
  maxLength: 6,
});

const plain = `id name number whole flag color json words numbers shout
  __proto__: name constructor: id kind: __typename toJSON: name`;

/** Documents that select of records in each way, once their selections are compiled. */
export const texts: Readonly<Record<string, string>> = {
  'a plain object': `{ item { ${plain} inner { ${plain} } inners { id words } } again: item { name } }`,
  'plain lists': `{ items { ${plain} inner { name } } strict { ${plain} } rows { id inners { name } } }`,
  'an object outside lists with a link': `{ item { name __proto__: link { ${plain} } json inner { id } } }`,
  'objects in a list with links': `{ items { ${plain} link { ${plain} } inner { id } mustLink { name } last: name } }`,
  'links only': '{ strict { link { id } __proto__: link { number } } }',
  'links of links': `{ items { link { id link { name links { flag link { id } } } } a: link { name } } }`,
  'a list of links': `{ items { name links { ${plain} links { id } } inners { link { name } color } } }`,
  'objects of several types': `{ things { __typename ... on Item { ${plain} link { name } } ... on Other { name } }
    named { name ... on Item { link { ... on Named { name } } inners { id } } } }`,
  'scalars of resolvers': `{ items { json json2 text } strict { text name } item { json2 text json } }`,
  'what is left out': `query ($yes: Boolean = true, $no: Boolean = false) {
    items { id @skip(if: $yes) name link @include(if: $yes) { id @skip(if: $no) name @include(if: $no) } }
    none: item { id @skip(if: $yes) }
    strict @include(if: $yes) { ... @skip(if: $yes) { name } flag }
  }`,
  'a mutation': '{ items { id link { name } } }'.replace('{', 'mutation {'),
};
