import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { checkNullVariables } from '../../src/documents/null-variables.ts';
import { runsOf, seed } from '../support/random/runs.ts';

const fields =
  'name: String things(n: Int!): [Thing] one(in: In): [One] list(of: [Int!]! = [1]): [One]';
const typeNames = ['One', 'Two', 'Three'];

/** A list of an abstract type has a value of each of its types, so that all that can be reached is. */
const schema = makeExecutableSchema({
  typeDefs: `
    input In { n: Int! = 3 list: [Int!] in: In }
    interface Thing { ${fields} }
    type One implements Thing { ${fields} own(n: Int!): [Two] }
    type Two implements Thing { ${fields} own(n: Int): [Both] }
    type Three implements Thing { ${fields} }
    union Both = One | Two
    type Query { ${fields} both: [Both] }
  `,
  resolvers: Object.fromEntries(
    ['Query', ...typeNames].map((type) => [
      type,
      {
        things: () => typeNames.map((__typename) => ({ __typename })),
        one: () => [{ __typename: 'One' }],
        list: () => [{ __typename: 'One' }],
        ...(type === 'Query' && { both: () => [{ __typename: 'One' }, { __typename: 'Two' }] }),
        ...(type === 'One' && { own: () => [{ __typename: 'Two' }] }),
        ...(type === 'Two' && { own: () => [{ __typename: 'One' }, { __typename: 'Two' }] }),
      },
    ]),
  ),
});

const number = fc.constantFrom('1', '$n', '$m');
const condition = fc.constantFrom('true', 'false', '$b', '$c');
const directives = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  condition.map((value) => `@skip(if: ${value})`),
  fc.tuple(condition, condition).map(([one, other]) => `@include(if: ${one}) @skip(if: ${other})`),
);
const fieldsOf = [
  'things(n: #)',
  'one(in: { n: # })',
  'one(in: { in: { list: [1, #] } })',
  'list(of: [#])',
];
const argument = fc
  .tuple(fc.constantFrom(...fieldsOf), number)
  .map(([field, value]) => field.replace('#', value));
const type = fc.constantFrom('One', 'Two', 'Three', 'Thing', 'Both');

/** Fields of one name and other arguments cannot stand side by side, so each has an alias of its own. */
let aliases = 0;
const aliased = (parts: readonly string[]): string => {
  aliases += 1;
  return `a${aliases}: ${parts.join(' ')}`;
};

const { set } = fc.letrec<{ readonly selection: string; readonly set: string }>((tie) => ({
  set: fc
    .array(tie('selection'), { minLength: 1, maxLength: 3 })
    .map((selections) => `{ ${selections.join(' ')} }`),
  selection: fc.oneof(
    { maxDepth: 4 },
    directives.map((given) => aliased(['name', given])),
    fc.constant('...F'),
    fc.tuple(argument, directives, tie('set')).map(aliased),
    fc.tuple(type, directives, tie('set')).map((parts) => `... on ${parts.join(' ')}`),
    fc
      .tuple(fc.constantFrom('One', 'Two'), directives, number, tie('set'))
      .map(([on, given, n, set]) => `... on ${on} ${given} { ${aliased([`own(n: ${n})`, set])} }`),
  ),
}));

const oneOf = <Value>(...values: readonly Value[]) =>
  fc.option(fc.constantFrom<Value | undefined>(...values, undefined), { nil: null });

const variables = fc.record({
  n: oneOf(2),
  m: oneOf(3),
  b: oneOf(true, false),
  c: oneOf(true, false),
});

const present = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

it('refuses an operation exactly if graphql-js fails for null in some place that can be reached', () => {
  const met = { refused: 0, executed: 0 };
  const property = (body: string, fragment: string, values: object): void => {
    const document = parse(
      `query ($n: Int = 2, $m: Int = 3, $b: Boolean = true, $c: Boolean = false) ${body}
       fragment F on Thing ${fragment.replaceAll('...F', 'name')}`,
    );
    const variableValues = present(values);
    const refused = checkNullVariables(schema, { document, variableValues });
    const result = execute({ schema, document, variableValues });
    if (result instanceof Promise) throw new TypeError('nothing is asynchronous here');
    const messages = (result.errors ?? []).map(({ message }) => message);
    for (const message of messages) {
      expect(message).toMatch(
        /^Argument "\w+" (?:of non-null type .* must not be null|has invalid value)/,
      );
    }
    expect(refused !== undefined).toBe(messages.length > 0);
    met[refused ? 'refused' : 'executed'] += 1;
  };
  fc.assert(fc.property(set, set, variables, property), { numRuns: runsOf(1500, 20_000), seed });
  expect(Math.min(met.refused, met.executed)).toBeGreaterThan(100);
});
