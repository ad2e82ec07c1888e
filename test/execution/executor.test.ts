import { setImmediate as drained } from 'node:timers/promises';
import { buildSchema, execute, type GraphQLResolveInfo, isObjectType, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createExecutor,
  type Execution,
  type ExecutorOptions,
} from '../../src/execution/executor.ts';
import { outcomeOf } from './compare.ts';

// What random operations and worlds do not show (executor-equivalence.long.test.ts).

const createSchema = () =>
  buildSchema(`
    type Query { tree: Tree strict: Tree! list: [String] info(number: Int = 1): String }
    type Tree { name: String must: String! child: Tree words: [String!] }
  `);
const schema = createSchema();
const executor = createExecutor(schema);

/** The executor's result, which is first compared with that of graphql-js: a document is executed twice, as it is planned once. */
const run = async (text: string, rest: Omit<Execution, 'document'> = {}) => {
  const document = parse(text);
  const options = { maxCoercionErrors: 10 };
  const expected = outcomeOf(await execute({ schema, document, options, ...rest }), []);
  for (const _ of ['first', 'second']) {
    const { data, errors } = outcomeOf(await executor({ document, ...rest }), []);
    expect([data, errors]).toEqual([expected.data, expected.errors]);
  }
  return executor({ document, ...rest });
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
  const rootValue = { tree: { name: () => later(40, () => 'a'), child }, strict: child };
  for (const text of [
    '{ tree { name child { name must } } }',
    '{ tree { child { name } name } strict { must } }',
  ]) {
    const { errors } = await run(text, { rootValue });
    expect(errors?.map(({ message }) => message)).toEqual(['in time']);
  }
});

it('ends a list of nulls once the response is full', async () => {
  const list = Array.from({ length: 200 }, () => null);
  const full = createExecutor(schema, { maxSize: 199 });
  const { data, errors } = await full({ document: parse('{ list }'), rootValue: { list } });
  expect(plain(data)).toEqual({ list: null });
  expect(errors).toMatchObject([{ extensions: { limit: 'responseSize', allowed: 199 } }]);
});

it('hears the error of a value for which the response has no room', async () => {
  const full = createExecutor(schema, { maxSize: 700 });
  const rootValue = { tree: { name: () => later(2, () => fail('late')) } };
  const { errors } = await full({ document: parse('{ tree { name again: name } }'), rootValue });
  const [first] = errors ?? [];
  expect(first?.extensions).toMatchObject({ limit: 'responseSize', allowed: 700 });
});

it('hears the errors of the items behind one that fails at once', async () => {
  const others = process.listeners('unhandledRejection');
  const unheard: unknown[] = [];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => unheard.push(reason));
  try {
    const words = [null, later(2, () => fail('late')), Promise.reject(new Error('at once'))];
    const { data } = await executor({
      document: parse('{ tree { words } }'),
      rootValue: { tree: { words } },
    });
    await drained();
    expect([plain(data), unheard]).toEqual([{ tree: { words: null } }, []]);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  }
});

it('keeps the path of an error that has one already', async () => {
  const located = Object.assign(new Error('elsewhere'), { path: ['far', 0] });
  const tree = { name: () => Promise.reject(located), must: 'a', words: [located] };
  const { errors } = await run('{ tree { name must words } }', { rootValue: { tree } });
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
    for (const text of ['mutation { name }', 'subscription { name }'])
      expect((await run(text)).errors).toHaveLength(1);
  });
});

it('makes plain objects, which V8 prints fastest, of all but those with __proto__ as a key', async () => {
  const rootValue = { tree: { name: 'a', child: { name: 'b' } } };
  const text = '{ tree { name child { name } } bare: tree { __proto__: name child { name } } }';
  const { data } = await run(text, { rootValue });
  const { tree, bare } = data as Readonly<Record<string, { readonly child: object }>>;
  for (const result of [data, tree, tree?.child, bare?.child])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(bare)).toBe(null);
});

describe('a plan', () => {
  /** Counts how often the type's fields are looked at, which only planning does, in one execution and in two. */
  const planned = async (text: string, rootValue: object, options?: ExecutorOptions) => {
    const own = createSchema();
    const type = own.getType('Tree');
    if (!isObjectType(type)) throw new Error('no type Tree');
    const executeOnce = createExecutor(own, options);
    const looks = vi.spyOn(type, 'getFields');
    const document = parse(text);
    await executeOnce({ document, rootValue });
    const once = looks.mock.calls.length;
    await executeOnce({ document, rootValue });
    return [once, looks.mock.calls.length] as const;
  };
  const rootValue = { tree: { name: 'a', child: { name: 'b' } } };
  const small = '{ tree { name child { name } } }';

  it('is made once for all executions of a document, unless it may not be kept', async () => {
    const [once, twice] = await planned(small, rootValue);
    expect([once > 0, twice]).toEqual([true, once]);
    const [first, second] = await planned(small, rootValue, { mayKeep: () => false });
    expect(second).toBe(2 * first);
  });

  it('is not kept when it has grown to thousands of fields', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}: name`).join(' ');
    const children = Array.from({ length: 70 }, (_, index) => `c${index}: child { ...F }`);
    const large = `{ tree { ${children.join(' ')} } } fragment F on Tree { ${names} }`;
    const [once, twice] = await planned(large, rootValue);
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

/** What graphql 17 adds, for resolvers that end early. */
const of17 = new Set(['getAbortSignal', 'getAsyncHelpers']);

it('tells resolvers what graphql-js tells them', async () => {
  const infos: GraphQLResolveInfo[] = [];
  const rootValue = {
    info: (args: unknown, _: unknown, info: GraphQLResolveInfo) => {
      const told = Object.entries(info).filter(([name]) => !of17.has(name));
      infos.push(Object.fromEntries(told) as never);
      return JSON.stringify(args);
    },
  };
  const text =
    'query Named($n: Int) { info(number: $n) ...F } fragment F on Query { info(number: $n) other: info }';
  await run(text, { operationName: 'Named', variableValues: { n: 3 }, rootValue });
  const [first, second, ...rest] = infos;
  expect(rest).toHaveLength(6);
  for (const [index, info] of rest.entries()) {
    const { schema: ofInfo, parentType, ...others } = (index % 2 === 0 ? first : second) ?? info;
    expect(Object.keys(info).sort()).toEqual(Object.keys(first ?? {}).sort());
    expect([info.schema === ofInfo, info.parentType === parentType]).toEqual([true, true]);
    expect(info).toMatchObject(others);
  }
});
