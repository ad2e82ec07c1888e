import { setImmediate as drained } from 'node:timers/promises';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError, parse } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExecutor } from '../../src/execution/executor.ts';
import { executor, fail, later, plain, run, typeDefs } from '../support/execution/tree.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => process.on('unhandledRejection', note));
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

  it('nulls the field that may be null', async () => {
    const tree = { name: () => give(() => fail('broken')), must: 'b' };
    const { data, errors } = await run('{ tree { name must } }', { contextValue: { tree } });
    expect(plain(data)).toEqual({ tree: { name: null, must: 'b' } });
    expect(errors).toMatchObject([{ message: 'broken', path: ['tree', 'name'] }]);
  });

  it('nulls the nearest parent that may be null', async () => {
    const tree = { name: 'a', child: { mustChild: { mustChild: broken } } };
    const text = '{ tree { name child { mustChild { mustChild { name must } } } } }';
    const { data, errors } = await run(text, { contextValue: { tree } });
    expect(plain(data)).toEqual({ tree: { name: 'a', child: null } });
    expect(errors?.[0]?.path).toEqual(['tree', 'child', 'mustChild', 'mustChild', 'must']);
  });

  it('nulls all data where no parent may be null', async () => {
    const { data, errors } = await run('{ tree { name } strict { must } }', {
      contextValue: { tree: { name: 'a' }, strict: broken },
    });
    expect(data).toBeNull();
    expect(errors).toHaveLength(1);
  });

  it('nulls the list whose items may not be null', async () => {
    const tree = { name: 'a', children: [{ must: 'b' }, broken], rows: [['c'], [null]] };
    const text = '{ tree { name children { must } rows } }';
    const { data, errors } = await run(text, { contextValue: { tree } });
    expect(plain(data)).toEqual({ tree: { name: 'a', children: null, rows: null } });
    expect(errors?.map(({ path }) => path?.join('.')).sort()).toEqual([
      'tree.children.1.must',
      'tree.rows.1.0',
    ]);
  });
});

it('leaves out an error below what is null already', async () => {
  const child = {
    name: () => later(20, () => fail('too late')),
    must: () => later(2, () => fail('in time')),
  };
  const contextValue = { tree: { name: () => later(40, () => 'a'), child } };
  const { errors } = await run('{ tree { name child { name must } } }', { contextValue });
  expect(errors?.map(({ message }) => message)).toEqual(['in time']);
  const { errors: whole } = await run('{ tree { name } strict { must } }', {
    contextValue: { tree: child, strict: child },
  });
  expect(whole?.map(({ message }) => message)).toEqual(['in time']);
});

it('ends a list of nulls once the response is full', async () => {
  const of = makeExecutableSchema({ typeDefs: 'type Query { list: [String] }' });
  const list = Array.from({ length: 200 }, () => null);
  const full = createExecutor(of, { maxSize: 199 });
  const { data, errors } = await full({ document: parse('{ list }'), rootValue: { list } });
  expect(plain(data)).toEqual({ list: null });
  expect(errors).toMatchObject([{ extensions: { limit: 'responseSize', allowed: 199 } }]);
});

describe('a rejection that nobody waits for', () => {
  const late = () => later(5, () => fail('late'));

  it.each([
    ['beside a field', '{ tree { must strict: must name } }', { must: late, name: late }],
    [
      'beside one that throws',
      '{ tree { a: name b: must c: must must mustChild { name } } }',
      {
        name: late,
        must: late,
        mustChild: () => fail('at once'),
      },
    ],
    ['in a list', '{ tree { words } }', { words: () => [late(), late(), new Error('now')] }],
    ['in a list of lists', '{ tree { rows } }', { rows: () => [[late()], [late()], 7] }],
    [
      'below a list',
      '{ tree { children { must } } }',
      {
        children: [{ must: late }, { must: late }, { must: () => fail('at once') }],
      },
    ],
  ])('is handled all the same %s', async (_, text, tree) => {
    // graphql-js itself leaves some unhandled, so that it cannot be asked.
    const { data, errors } = await executor({ document: parse(text), contextValue: { tree } });
    expect(errors?.length).toBeGreaterThan(0);
    expect(Object.values(data?.tree ?? {}).filter((value) => value !== null)).toEqual([]);
    await drained();
    expect(unhandled).toEqual([]);
  });
});

describe('what resolvers may give', () => {
  it('are lists that break off', async () => {
    function* breaking() {
      yield 'a';
      yield new Error('in the list');
      throw new Error('broken off');
    }
    const { errors } = await run('{ tree { words } }', {
      contextValue: {
        get tree() {
          return { words: breaking() };
        },
      },
    });
    expect(errors).toHaveLength(1);
  });

  it('are errors that have a path already', async () => {
    const located = new GraphQLError('elsewhere', { path: ['far', 0] });
    const tree = { name: () => Promise.reject(located), must: 'a', words: [located] };
    const { errors } = await run('{ tree { name must words } }', { contextValue: { tree } });
    expect(errors?.map(({ path }) => path)).toContainEqual(['far', 0]);
  });

  it('are members that throw', async () => {
    const tree = {
      get name() {
        return fail('no name');
      },
    };
    const { data, errors } = await run('{ tree { name } }', { contextValue: { tree } });
    expect(plain(data)).toEqual({ tree: { name: null } });
    expect(errors).toMatchObject([{ message: 'no name', path: ['tree', 'name'] }]);
  });

  it.each([undefined, null, 7, { name: 'Tree' }, '', 'Nothing', 'Named', 'Query', 'Remark'])(
    'are objects whose __typename is %o',
    async (typename) => {
      const named = { __typename: typename, name: 'a' };
      const { data } = await run('{ named { name } }', { contextValue: { named } });
      expect(plain(data)).toEqual({ named: null });
    },
  );

  it('are functions that can be awaited', async () => {
    const awaited = Object.assign(() => 'called', {
      // biome-ignore lint/suspicious/noThenProperty: executors take anything with a `then` for a promise
      then: (settle: (value: string) => void) => settle('awaited'),
    });
    const tree = { name: () => awaited };
    const { data } = await run('{ tree { name } }', { contextValue: { tree } });
    expect(plain(data)).toEqual({ tree: { name: 'awaited' } });
  });

  it('is one object at many places', async () => {
    const whole = { name: 'a', child: { name: 'b' } };
    const broken = { name: () => fail('broken'), must: 'c' };
    const late = { name: () => later(3, () => fail('late')), must: () => later(1, () => 'd') };
    const trees = [whole, broken, late, whole, broken, late].map((friend) => ({ friend }));
    const text = '{ trees { friend { name child { name } } again: friend { name must } } }';
    const { errors } = await run(text, { contextValue: { trees } });
    expect(errors?.map(({ path }) => path?.[1])).toEqual(
      expect.arrayContaining([0, 1, 2, 3, 4, 5]),
    );
  });

  it.each([7, { name: 'Tree' }, true])('is an error where resolveType gives %j', async (type) => {
    const of = makeExecutableSchema({
      typeDefs,
      resolvers: { Named: { __resolveType: () => type } },
      resolverValidationOptions: { requireResolversForResolveType: 'ignore' },
    });
    const { errors } = await run('{ named { name } }', { of, rootValue: { named: { name: 'a' } } });
    expect(errors?.map(({ message }) => message)).toEqual([
      'Abstract type "Named" must resolve to the name of a type.',
    ]);
  });

  it('is one promise at many places', async () => {
    const child = later(3, () => ({ name: 'a', must: () => fail('broken') }));
    const tree = { child, mustChild: child, children: [child, child] };
    const text = `{ tree { child { name } mustChild { name } children { name } } trees { child { must } } }`;
    const { data } = await run(text, { contextValue: { tree, trees: [tree, tree, tree] } });
    const a = { name: 'a' };
    expect(plain(data)).toEqual({
      tree: { child: a, mustChild: a, children: [a, a] },
      trees: [{ child: null }, { child: null }, { child: null }],
    });
  });
});

describe('a request that cannot be executed', () => {
  it.each([
    [
      'of several operations names none',
      'query A { __typename } query B { __typename }',
      undefined,
    ],
    ['names an operation that is not there', 'query A { __typename }', 'B'],
    ['names an operation of no name', 'query A { __typename }', ''],
    ['names what every object has', 'query A { __typename }', 'constructor'],
    ['has no operation', 'fragment F on Query { __typename }', null],
  ])('as it %s gives an error and no data', async (_, text, operationName) => {
    const result = await run(text, { operationName });
    expect(Object.keys(result)).toEqual(['errors']);
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
    await run('mutation { name }', { of });
    await run('subscription { name }', { of });
  });
});

describe('isTypeOf', () => {
  const of = (isTypeOf: (value: unknown) => unknown) =>
    makeExecutableSchema({
      typeDefs: `type Query { one: A some: [Some] } union Some = A | B
        type A { name: String } type B { name: String }`,
      resolvers: {
        Query: {
          one: (_: unknown, __: unknown, { some }: { some: unknown[] }) => some[0],
          some: (_: unknown, __: unknown, { some }: { some: unknown[] }) => some,
        },
        A: { __isTypeOf: isTypeOf },
        B: { __isTypeOf: ({ name }: { name: string }) => name !== 'none' },
      },
    });
  const isA = (value: unknown) => (value as { name: string }).name === 'a';
  const broken = { name: 'broken' };

  it.each([
    ['at once', isA],
    ['later', (value: unknown) => later(2, () => isA(value))],
    ['or fails', (value: unknown) => (value === broken ? fail('unsure') : isA(value))],
    ['or fails later', (value: unknown) => later(1, () => value !== broken || fail('unsure'))],
  ])('says %s which type a value has', async (_, isTypeOf) => {
    const text = '{ some { __typename ... on A { name } ... on B { b: name } } one { name } }';
    for (const some of [[{ name: 'a' }, { name: 'b' }, null], [{ name: 'none' }], [broken]]) {
      await run(text, { of: of(isTypeOf), contextValue: { some } });
    }
  });
});

it('gives root fields the root value', async () => {
  const of = makeExecutableSchema({ typeDefs: 'type Query { name: String }' });
  const { data } = await run('{ name }', { of, rootValue: { name: 'root' } });
  expect(plain(data)).toEqual({ name: 'root' });
});

it('executes the queries of a schema that has subscriptions', async () => {
  const of = makeExecutableSchema({
    typeDefs: 'type Query { name: String } type Subscription { name: String }',
  });
  const { data } = await run('{ name }', { of, rootValue: { name: 'root' } });
  expect(plain(data)).toEqual({ name: 'root' });
});
