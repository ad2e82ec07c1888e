import { setImmediate as drained } from 'node:timers/promises';
import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
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

describe.each([
  ['at once', (value: () => unknown) => value()],
  ['later', (value: () => unknown) => later(3, value)],
])('an error that comes %s', (_, give) => {
  const broken = { must: () => give(() => fail('broken')), name: 'a' };
  const nested = { name: 'a', child: { mustChild: { mustChild: broken } } };
  const lists = { name: 'a', children: [{ must: 'b' }, broken], rows: [['c'], [null]] };

  it.each([
    [
      '{ tree { name child { mustChild { mustChild { must } } } } }',
      { tree: nested },
      { tree: { name: 'a', child: null } },
    ],
    ['{ tree { name } strict { must } }', { tree: nested, strict: broken }, null],
    [
      '{ tree { name children { must } rows } }',
      { tree: lists },
      { tree: { name: 'a', children: null, rows: null } },
    ],
  ])('nulls the nearest place that may be null: %s', async (text, contextValue, expected) => {
    expect(plain((await run(text, { contextValue })).data)).toEqual(expected);
  });
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

describe('what resolvers may give', () => {
  it('are functions that can be awaited, and members that throw', async () => {
    const awaited = Object.assign(() => 'called', {
      // biome-ignore lint/suspicious/noThenProperty: executors take anything with a `then` for a promise
      then: (settle: (value: string) => void) => settle('awaited'),
    });
    const child = {
      get name() {
        return fail('no name');
      },
    };
    const contextValue = { tree: { name: () => awaited, child } };
    const { data } = await run('{ tree { name child { name } } }', { contextValue });
    expect(plain(data)).toEqual({ tree: { name: 'awaited', child: { name: null } } });
  });

  it('are errors that have a path already, and lists of errors', async () => {
    const located = Object.assign(new Error('elsewhere'), { path: ['far', 0] });
    const tree = { name: () => Promise.reject(located), must: 'a', words: [located] };
    const { errors } = await run('{ tree { name must words } }', { contextValue: { tree } });
    expect(errors?.map(({ path }) => path)).toContainEqual(['far', 0]);
  });

  it.each([undefined, null, 7, { name: 'Tree' }, true, '', 'Nothing', 'Named', 'Query', 'Remark'])(
    'are types %j for an object of an interface, which are none',
    async (type) => {
      const of = createSchema({ Named: { __resolveType: () => type } });
      for (const named of [{ name: 'a' }, { __typename: type, name: 'a' }]) {
        const { data } = await run('{ named { name } }', { of, contextValue: { named } });
        expect(plain(data)).toEqual({ named: null });
        const own = await run('{ named { name } }', { contextValue: { named } });
        expect(plain(own.data)).toEqual({ named: null });
      }
    },
  );

  const isA = (value: unknown) => (value as { name: string }).name === 'a';
  const broken = { name: 'broken' };
  it.each([
    ['at once', isA],
    ['later', (value: unknown) => later(2, () => isA(value))],
    ['or fails', (value: unknown) => (value === broken ? fail('unsure') : isA(value))],
    ['or fails later', (value: unknown) => later(1, () => value !== broken || fail('unsure'))],
  ])('are objects of which isTypeOf tells the type %s', async (_, isTypeOf) => {
    const of = makeExecutableSchema({
      typeDefs: `type Query { one: A some: [Some] } union Some = A | B
        type A { name: String } type B { name: String }`,
      resolvers: {
        A: { __isTypeOf: isTypeOf },
        B: { __isTypeOf: ({ name }: { name: string }) => name !== 'none' },
      },
    });
    const text = '{ some { __typename ... on A { name } ... on B { b: name } } one { name } }';
    for (const some of [[{ name: 'a' }, { name: 'b' }, null], [{ name: 'none' }], [broken]])
      await run(text, { of, rootValue: { some, one: some[0] } });
  });
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

describe('conditions by variables', () => {
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const selections = names.map((name, index) => {
    const directive = index % 2 === 0 ? `@skip(if: $${name})` : `@include(if: $${name})`;
    return [
      `f${index}: name ${directive}`,
      `... ${directive} { f${index}: name child { f${index}: name } }`,
      `...F ${directive} child ${directive} { g${index}: name }`,
    ][index % 3];
  });
  const document = parse(`query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) {
    tree { name ${selections.join(' ')} } } fragment F on Tree { must child { must @skip(if: $c1) } }`);
  const contextValue = { tree: { name: 'a', must: 'b', child: { name: 'c', must: 'd' } } };
  const executions = fc
    .array(fc.boolean(), { minLength: 12, maxLength: 12 })
    .map((values) => Object.fromEntries(names.map((name, index) => [name, values[index]])))
    .map((variableValues) => ({ document, contextValue, variableValues }));

  it('are obeyed in many combinations of one document at the same time', async () => {
    const many = fc.sample(executions, { numRuns: 300, seed: 1 });
    const expected = await Promise.all(many.map((each) => execute({ schema, ...each })));
    expect(JSON.stringify(await Promise.all(many.map(executor)))).toBe(JSON.stringify(expected));
  });

  it('fail with null where they are reached, and are apart from the arguments of other directives', async () => {
    const text = `query ($c: Boolean = true, $r: Remark) {
      tree { name @note(on: $r) child { name @skip(if: $c) } } }`;
    const variableValues = { c: null, r: { text: 'why' } };
    const { data } = await run(text, { contextValue, variableValues });
    expect(plain(data)).toEqual({ tree: { name: 'a', child: null } });
    await run(text, { contextValue: { tree: { name: 'a' } }, variableValues });
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

it('a mutation runs one field after the other with all below it, and stops where one fails that may not be null', async () => {
  const log: string[] = [];
  const field = (name: string, turns: number, give: () => unknown) => () => {
    log.push(`${name} starts`);
    return later(turns, () => {
      log.push(`${name} ends`);
      return give();
    });
  };
  const leaf = (name: string) => ({ name: field(`${name}.name`, 6, () => name) });
  const of = createSchema({
    Mutation: {
      first: field('first', 9, () => leaf('first')),
      second: field('second', 1, () => fail('second')),
      third: field('third', 0, () => fail('third')),
      fourth: field('fourth', 0, () => leaf('fourth')),
    },
  });
  const text =
    'mutation { fourth { name } second { name } first { name } third { name } again: first { name } }';
  const { data } = await createExecutor(of)({ document: parse(text) });
  expect(data).toBeNull();
  const names = ['fourth', 'fourth.name', 'second', 'first', 'first.name', 'third'];
  expect(log).toEqual(names.flatMap((name) => [`${name} starts`, `${name} ends`]));
  await run(text, { of });
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
