import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { markOf, readsOf, type SchemaReads } from '../src/schema/reads.ts';
import { type UpstreamName, upstreamNames } from '../src/upstream/error.ts';

type Field = GraphQLField<unknown, unknown>;

/** A line of the tree: fields, the type that they lead to, and what is below it. */
interface Branch {
  readonly text: string;
  readonly below: readonly string[];
}

/** The column of the fields of `Query`. */
const column = 41;

const fieldsOf = (type: GraphQLObjectType): readonly Field[] => Object.values(type.getFields());
const queryOf = (schema: GraphQLSchema): readonly Field[] =>
  Object.values(schema.getQueryType()?.getFields() ?? {});
const typeOf = ({ type }: Field): string => getNamedType(type).name;
const isList = ({ type }: Field): boolean => isListType(getNullableType(type));

const called = ({ name, args }: Field): string =>
  args.length === 0 ? name : `${name}(${args.map((arg) => arg.name).join(', ')})`;

const listed = (fields: readonly Field[]): string => fields.map(called).join(', ');

const profileOf = (field: Field): string => markOf(field)?.profiles.join(', ') ?? '';

const withProfile = (text: string, profile: string): string =>
  profile === '' ? text : `${text} (with the profile ${profile})`;

/** A text with the fields of `Query` that lead there, which `aligned` puts into their column. */
const withRoots = (text: string, roots: readonly Field[]): string =>
  roots.length === 0 ? text : `${text}\t${listed(roots)}`;

const aligned = (line: string): string => {
  const [text = '', roots] = line.split('\t');
  return roots === undefined ? text : text.padEnd(column) + roots;
};

/** The lines of branches, with their lines between them. */
const drawn = (branches: readonly Branch[]): readonly string[] =>
  branches.flatMap(({ text, below }, index) => {
    const [joint, indent] = index === branches.length - 1 ? ['└── ', '    '] : ['├── ', '│   '];
    return [joint + text, ...below.map((line) => indent + line)];
  });

class Tree {
  readonly #schema: GraphQLSchema;
  readonly #reads: SchemaReads;
  readonly #entities: readonly GraphQLObjectType[];

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    this.#reads = readsOf(schema);
    this.#entities = Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType => isObjectType(type) && this.#isEntity(type.name),
    );
  }

  /** Whether more than a list leads to objects of the type. */
  #isEntity(name: string): boolean {
    return this.#reads.entityOf(name)?.read.isList === false;
  }

  /** The fields of `Query` that lead to a type. */
  #rootsOf(name: string): readonly Field[] {
    return queryOf(this.#schema).filter((field) => typeOf(field) === name);
  }

  /** The entities that an entity has lists of. */
  #listsOf(type: GraphQLObjectType): readonly string[] {
    return [
      ...new Set(
        fieldsOf(type)
          .filter((field) => isList(field) && this.#isEntity(typeOf(field)))
          .filter((field) => markOf(field)?.isOfFewer !== true)
          .map(typeOf),
      ),
    ];
  }

  /** Whether the entity is shown in full below this one: where several have lists of it, below the outermost. */
  #isHome(type: GraphQLObjectType, child: string): boolean {
    const parents = this.#entities.filter((each) => this.#listsOf(each).includes(child));
    const isInner = (each: GraphQLObjectType): boolean =>
      parents.some((other) => this.#listsOf(other).includes(each.name));
    return parents.filter((each) => !isInner(each))[0] === type;
  }

  /** What a field of the type shows that is no list of entities: reads, and links within its parts. */
  #leavesOf(type: GraphQLObjectType): readonly Branch[] {
    const lists = this.#listsOf(type);
    const parts = new Set<GraphQLObjectType>();
    const own = fieldsOf(type).flatMap((field): readonly (readonly [string, string])[] => {
      const to = getNamedType(field.type);
      if (lists.includes(to.name)) return [];
      const mark = markOf(field);
      if (mark?.isOfFewer && isList(field)) return [[called(field), profileOf(field)]];
      if (this.#isEntity(to.name)) return mark ? [[`${field.name} ▲`, profileOf(field)]] : [];
      if (mark) return [[called(field), profileOf(field)]];
      // A part that comes alone and in a list is shown once.
      if (!isObjectType(to) || parts.has(to)) return [];
      parts.add(to);
      const links = fieldsOf(to).filter((each) => markOf(each)?.kind === 'link');
      const [link] = links;
      return link ? [[`${field.name}: ${listed(links)}`, profileOf(link)]] : [];
    });
    return [...Map.groupBy(own, ([, profile]) => profile)].map(([profile, leaves]) => ({
      text: withProfile(leaves.map(([text]) => text).join(', '), profile),
      below: [],
    }));
  }

  linesOf(type: GraphQLObjectType): readonly string[] {
    const children = this.#listsOf(type).map((name): Branch => {
      const fields = fieldsOf(type).filter((field) => typeOf(field) === name);
      const child = this.#entities.find((each) => each.name === name);
      const isHome = child !== undefined && this.#isHome(type, name);
      const text = `${listed(fields)}: ${name}`;
      if (!isHome) return { text, below: [] };
      const roots = this.#rootsOf(name);
      const below = this.linesOf(child);
      return text.length < column / 2
        ? { text: withRoots(text, roots), below }
        : { text, below: [withRoots('│', roots), ...below] };
    });
    return drawn([...this.#leavesOf(type), ...children]);
  }

  /** The entities of an upstream that no other has a list of, and then the fields of `Query` that lead to no entity. */
  of(upstream: UpstreamName): readonly string[] {
    const outermost = this.#entities.filter(
      ({ name }) =>
        this.#reads.entityOf(name)?.read.upstream === upstream &&
        !this.#entities.some((each) => this.#listsOf(each).includes(name)),
    );
    const others = queryOf(this.#schema).filter(
      (field) => markOf(field)?.operation.upstream === upstream && !this.#isEntity(typeOf(field)),
    );
    return [
      upstream,
      ...outermost.flatMap((type) => [
        withRoots(type.name, this.#rootsOf(type.name)),
        ...this.linesOf(type),
      ]),
      ...[...Map.groupBy(others, profileOf)].map(([profile, fields]) =>
        withProfile(withRoots(fields.map(typeOf).join(', '), fields), profile),
      ),
    ];
  }
}

/** For docs/clients.md: which fields lead to which objects, as a block of text. */
export const treeOf = (schema: GraphQLSchema): string => {
  const tree = new Tree(schema);
  const unread = queryOf(schema).filter((field) => !markOf(field));
  return [
    '```text',
    ...upstreamNames.flatMap((upstream) => [...tree.of(upstream), '']),
    'both',
    ...[...Map.groupBy(unread, typeOf)].map(([name, fields]) => withRoots(name, fields)),
    '```',
  ]
    .map(aligned)
    .join('\n');
};
