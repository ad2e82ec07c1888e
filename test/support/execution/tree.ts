import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type ExecutionResult,
  execute,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  parse,
} from 'graphql';
import { expect } from 'vitest';
import { createExecutor, type Execution } from '../../../src/execution/executor.ts';
import { outcomeOf } from './compare.ts';

/** Objects whose fields have no resolvers, `friend` apart. */
export const typeDefs = `
  directive @note(on: Remark) on FIELD
  input Remark { text: String }
  type Query { tree: Tree strict: Tree! trees: [Tree!] named: Named info(number: Int = 1): String }
  type Mutation { first: Tree second: Tree third(fails: Boolean = false): Tree! fourth: Tree }
  interface Named { name: String }
  type Tree implements Named {
    name: String
    must: String!
    child: Tree
    friend: Tree
    mustChild: Tree!
    children: [Tree!]
    words: [String!]
    rows: [[String!]!]
  }
`;

export type Source = Readonly<Record<string, unknown>>;

/** What the context has of a name is the root field's value. */
export const fromContext = (
  _: unknown,
  __: unknown,
  context: Source,
  { fieldName }: GraphQLResolveInfo,
) => context[fieldName];

export const schema = makeExecutableSchema({
  typeDefs,
  resolvers: {
    Query: { tree: fromContext, strict: fromContext, trees: fromContext, named: fromContext },
    Tree: { friend: ({ friend }: Source) => friend },
  },
});
export const executor = createExecutor(schema);

type Request = Omit<Execution, 'document'> & { readonly of?: GraphQLSchema };

/** The executor's result for a text, which is first compared with that of graphql-js. */
export const run = async (
  text: string,
  { of = schema, ...rest }: Request = {},
): Promise<ExecutionResult> => {
  const document = parse(text);
  const options = { maxCoercionErrors: 10 };
  const expected = outcomeOf(await execute({ schema: of, document, options, ...rest }), []);
  const own = of === schema ? executor : createExecutor(of);
  for (const time of ['first', 'second']) {
    const actual = outcomeOf(await own({ document, ...rest }), []);
    expect(actual.data, `${time} time`).toBe(expected.data);
    expect(actual.errors, `${time} time`).toEqual(expected.errors);
  }
  return own({ document, ...rest });
};

export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

export const fail = (message: string): never => {
  throw new Error(message);
};

/** Settles after some turns of the microtask queue. */
export const later = async <Value>(turns: number, value: () => Value): Promise<Value> => {
  for (let turn = 0; turn < turns; turn += 1) await undefined;
  return value();
};
