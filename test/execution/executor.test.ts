import { setImmediate as drained } from 'node:timers/promises';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type ExecutionResult,
  execute,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  parse,
} from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createExecutor,
  type Execution,
  type ExecutorOptions,
} from '../../src/execution/executor.ts';
import { outcomeOf } from '../support/execution/compare.ts';

// What random operations and worlds do not show (executor-equivalence.long.test.ts).

const typeDefs = `
  directive @note(on: Remark) on FIELD
  input Remark { text: String }
  type Query { tree: Tree strict: Tree! named: Named info(number: Int = 1): String }
  type Mutation { first: Tree second: Tree third: Tree! fourth: Tree }
  interface Named { name: String }
  type Tree implements Named {
    name: String must: String! child: Tree mustChild: Tree! children: [Tree!] words: [String!] rows: [[String!]!]
  }
`;

type Source = Readonly<Record<string, unknown>>;
/** What the context has of a name is the root field's value. */
const fromContext = (_: unknown, __: unknown, context: Source, info: GraphQLResolveInfo) =>
  context[info.fieldName];
const createSchema = (resolvers: Parameters<typeof makeExecutableSchema>[0]['resolvers'] = {}) =>
  makeExecutableSchema({
    typeDefs,
    resolvers: [
      { Query: { tree: fromContext, strict: fromContext, named: fromContext } },
      resolvers,
    ].flat(),
    resolverValidationOptions: { requireResolversForResolveType: 'ignore' },
  });
const schema = createSchema();
const executor = createExecutor(schema);

/** The executor's result, which is first compared with that of graphql-js: a document is executed twice, as it is planned once. */
const run = async (
  text: string,
  { of = schema, ...rest }: Omit<Execution, 'document'> & { readonly of?: GraphQLSchema } = {},
): Promise<ExecutionResult> => {
  const document = parse(text);
  const options = { maxCoercionErrors: 10 };
  const expected = outcomeOf(await execute({ schema: of, document, options, ...rest }), []);
  const own = of === schema ? executor : createExecutor(of);
  for (const _ of ['first', 'second']) {
    const { data, errors } = outcomeOf(await own({ document, ...rest }), []);
    expect([data, errors]).toEqual([expected.data, expected.errors]);
  }
  return own({ document, ...rest });
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const fail = (message: string): never => {
  throw new Error(message);
};
/** Settles after some turns of the microtask queue. */
const later = async <Value>(turns: number, value: () => Value): Promise<Value> => {
  for (let turn = 0; turn < turns; turn += 1) await undefined;
  return value();
};

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await drained();
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

it('leaves out an error below what is null already', async () => {
  const child = {
    name: () => later(20, () => fail('too late')),
    must: () => later(2, () => fail('in time')),
  };
  const contextValue = { tree: { name: () => later(40, () => 'a'), child }, strict: child };
  for (const text of [
    '{ tree { name child { name must } } }',
    '{ tree { child { name } name } strict { must } }',
  ]) {
    const { errors } = await run(text, { contextValue });
    expect(errors?.map(({ message }) => message)).toEqual(['in time']);
  }
});

it('ends a list of nulls once the response is full', async () => {
  const of = makeExecutableSchema({ typeDefs: 'type Query { list: [String] }' });
  const list = Array.from({ length: 200 }, () => null);
  const full = createExecutor(of, { maxSize: 199 });
  const { data, errors } = await full({ document: parse('{ list }'), rootValue: { list } });
  expect(plain(data)).toEqual({ list: null });
  expect(errors).toMatchObject([{ extensions: { limit: 'responseSize', allowed: 199 } }]);
});

it('keeps the path of an error that has one already', async () => {
  const located = Object.assign(new Error('elsewhere'), { path: ['far', 0] });
  const tree = { name: () => Promise.reject(located), must: 'a', words: [located] };
  const { errors } = await run('{ tree { name must words } }', { contextValue: { tree } });
  expect(errors?.map(({ path }) => path)).toContainEqual(['far', 0]);
});

describe('a request that cannot be executed', () => {
  it.each([
    ['query A { __typename } query B { __typename }', undefined],
    ['query A { __typename }', 'B'],
    ['query A { __typename }', ''],
    ['query A { __typename }', 'constructor'],
    ['fragment F on Query { __typename }', null],
  ])('%s by the name %j gives an error and no data', async (text, operationName) => {
    expect(Object.keys(await run(text, { operationName }))).toEqual(['errors']);
  });

  it('as its variables do not fit gives each of them an error, up to a limit', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `v${index}`);
    const declarations = names.map((name) => `$${name}: Int`).join(', ');
    const uses = names.map((name) => `${name}: info(number: $${name})`).join(' ');
    const variableValues = Object.fromEntries(names.map((name) => [name, 'text']));
    const { errors } = await run(`query (${declarations}) { ${uses} }`, { variableValues });
    expect(errors).toHaveLength(11);
  });

  it('as the schema has no such root gives an error', async () => {
    const of = makeExecutableSchema({ typeDefs: 'type Query { name: String }' });
    for (const text of ['mutation { name }', 'subscription { name }'])
      expect((await run(text, { of })).errors).toHaveLength(1);
  });
});

it('makes plain objects, which V8 prints fastest, of all but those with __proto__ as a key', async () => {
  const contextValue = { tree: { name: 'a', child: { name: 'b' } } };
  const text = '{ tree { name child { name } } bare: tree { __proto__: name child { name } } }';
  const { data } = await run(text, { contextValue });
  const { tree, bare } = data as Readonly<Record<string, { readonly child: object }>>;
  for (const result of [data, tree, tree?.child, bare?.child])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(bare)).toBe(null);
});

describe('a plan', () => {
  /** Counts how often the type's fields are looked at, which only planning does, in one execution and in two. */
  const planned = async (text: string, contextValue: object, options?: ExecutorOptions) => {
    const own = createSchema();
    const type = own.getType('Tree');
    if (!isObjectType(type)) throw new Error('no type Tree');
    const executeOnce = createExecutor(own, options);
    const looks = vi.spyOn(type, 'getFields');
    const document = parse(text);
    await executeOnce({ document, contextValue });
    const once = looks.mock.calls.length;
    await executeOnce({ document, contextValue });
    return [once, looks.mock.calls.length] as const;
  };
  const contextValue = { tree: { name: 'a', child: { name: 'b' } } };
  const small = '{ tree { name child { name } } }';

  it('is made once for all executions of a document, unless it may not be kept', async () => {
    const [once, twice] = await planned(small, contextValue);
    expect([once > 0, twice]).toEqual([true, once]);
    const [first, second] = await planned(small, contextValue, { mayKeep: () => false });
    expect(second).toBe(2 * first);
  });

  it('is not kept when it has grown to thousands of fields', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}: name`).join(' ');
    const children = Array.from({ length: 70 }, (_, index) => `c${index}: child { ...F }`);
    const large = `{ tree { ${children.join(' ')} } } fragment F on Tree { ${names} }`;
    const [once, twice] = await planned(large, contextValue);
    expect(twice).toBe(2 * once);
  });

  it('has no more of a document than values are there for', async () => {
    const fragments = Array.from({ length: 21 }, (_, level) => {
      const below = level < 20 ? `...F${level + 1}` : 'name';
      return `fragment F${level} on Tree { a: child { ${below} } b: child { ${below} } }`;
    });
    const tree = { child: { child: null } };
    const [once] = await planned(`{ tree { ...F0 } } ${fragments.join('\n')}`, { tree });
    expect(once).toBeLessThan(100);
  });
});

it('tells resolvers what graphql-js tells them', async () => {
  const infos: GraphQLResolveInfo[] = [];
  const of = createSchema({
    Query: {
      info: (_: unknown, args: unknown, __: unknown, info: GraphQLResolveInfo) => {
        infos.push(info);
        return JSON.stringify(args);
      },
    },
  });
  const text =
    'query Named($n: Int) { info(number: $n) ...F } fragment F on Query { info(number: $n) other: info }';
  await run(text, { of, operationName: 'Named', variableValues: { n: 3 }, rootValue: { root: 1 } });
  const [first, second, ...rest] = infos;
  expect(rest).toHaveLength(6);
  for (const [index, info] of rest.entries()) {
    const { schema: ofInfo, parentType, ...others } = (index % 2 === 0 ? first : second) ?? info;
    expect(Object.keys(info).sort()).toEqual(Object.keys(first ?? {}).sort());
    expect([info.schema === ofInfo, info.parentType === parentType]).toEqual([true, true]);
    expect(info).toMatchObject(others);
  }
});
