import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
import { execute, type GraphQLResolveInfo, isObjectType, parse } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { createExecutor, type ExecutorOptions } from '../../src/execution/executor.ts';
import {
  executor,
  fail,
  fromContext,
  later,
  plain,
  run,
  schema,
  typeDefs,
} from '../support/execution/tree.ts';

describe('conditions by variables', () => {
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const declarations = names.map((name) => `$${name}: Boolean!`).join(', ');
  const selections = names.map((name, index) => {
    const directive = index % 2 === 0 ? `@skip(if: $${name})` : `@include(if: $${name})`;
    const kinds = [
      `f${index}: name ${directive}`,
      `... ${directive} { f${index}: name child { f${index}: name } }`,
      `...F ${directive} child ${directive} { g${index}: name }`,
    ];
    return kinds[index % kinds.length];
  });
  const text = `query (${declarations}) { tree { name ${selections.join(' ')} } }
    fragment F on Tree { must child { must @skip(if: $c1) } }`;
  const contextValue = { tree: { name: 'a', must: 'b', child: { name: 'c', must: 'd' } } };
  const document = parse(text);

  const variables = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }).map((values) => {
    return Object.fromEntries(names.map((name, index) => [name, values[index]]));
  });

  it('are obeyed in each of many combinations of one document', async () => {
    const property = fc.asyncProperty(variables, async (variableValues) => {
      const execution = { document, contextValue, variableValues };
      const expected = await execute({ schema, ...execution });
      expect(JSON.stringify(await executor(execution))).toBe(JSON.stringify(expected));
    });
    await fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it('are obeyed by executions at the same time', async () => {
    const tree = { ...contextValue.tree, child: () => later(4, () => contextValue.tree.child) };
    const executions = fc.sample(variables, { numRuns: 50, seed: 2 }).map((variableValues) => ({
      document,
      variableValues,
      contextValue: { tree },
    }));
    const results = await Promise.all(executions.map(executor));
    const expected = await Promise.all(executions.map((each) => execute({ schema, ...each })));
    expect(JSON.stringify(results)).toBe(JSON.stringify(expected));
  });

  it('fail with null where they are reached, and only there', async () => {
    const nullable = 'query ($c: Boolean = true) { tree { name child { name @skip(if: $c) } } }';
    const variableValues = { c: null };
    const { data } = await run(nullable, { contextValue, variableValues });
    expect(plain(data)).toEqual({ tree: { name: 'a', child: null } });
    await run(nullable, { contextValue: { tree: { name: 'a' } }, variableValues });
    await run('query ($c: Boolean = true) { tree @include(if: $c) { name } }', { variableValues });
  });

  it('are apart from the arguments of other directives', async () => {
    await run('query ($r: Remark) { tree { name @note(on: $r) } }', {
      contextValue,
      variableValues: { r: { text: 'why' } },
    });
  });
});

it('gives __proto__, constructor and toString as keys of their own', async () => {
  const text = '{ __proto__: tree { __proto__: name constructor: must toString: child { must } } }';
  for (const give of [(value: unknown) => value, (value: unknown) => later(2, () => value)]) {
    const tree = { name: () => give('a'), must: () => give('b'), child: () => give({ must: 'c' }) };
    const { data } = await run(text, { contextValue: { tree } });
    expect(JSON.stringify(data)).toBe(
      '{"__proto__":{"__proto__":"a","constructor":"b","toString":{"must":"c"}}}',
    );
    expect(Object.hasOwn(data ?? {}, '__proto__')).toBe(true);
  }
});

it('makes plain objects, which V8 prints fastest, of all but those with __proto__ as a key', async () => {
  const contextValue = { tree: { name: 'a', child: { name: 'b' } } };
  const text = '{ tree { name child { name } } bare: tree { __proto__: name child { name } } }';
  const { data } = await run(text, { contextValue });
  const { tree, bare } = data as Readonly<Record<string, { readonly child: object }>>;
  for (const result of [data, tree, tree?.child, bare?.child]) {
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  }
  expect(Object.getPrototypeOf(bare)).toBe(null);
});

it('plans no more of a document than values are there for', async () => {
  const levels = 21;
  const fragments = Array.from({ length: levels }, (_, level) => {
    const below = level + 1 < levels ? `...F${level + 1}` : 'name';
    return `fragment F${level} on Tree { a: child { ${below} } b: child { ${below} } }`;
  });
  const own = makeExecutableSchema({ typeDefs, resolvers: { Query: { tree: fromContext } } });
  const type = own.getType('Tree');
  if (!isObjectType(type)) throw new Error('no type Tree');
  const execution = {
    document: parse(`{ tree { ...F0 } } ${fragments.join('\n')}`),
    contextValue: { tree: { child: { child: null } } },
  };
  const executeOnce = createExecutor(own);
  const looks = vi.spyOn(type, 'getFields');
  const leaf = { a: null, b: null };
  expect(plain(await executeOnce(execution))).toEqual({ data: { tree: { a: leaf, b: leaf } } });
  expect(looks.mock.calls.length).toBeLessThan(100);
});

describe('a plan', () => {
  /** Counts how often the type's fields are looked at, which only planning does. */
  const start = (options?: ExecutorOptions) => {
    const own = makeExecutableSchema({ typeDefs, resolvers: { Query: { tree: fromContext } } });
    const type = own.getType('Tree');
    if (!isObjectType(type)) throw new Error('no type Tree');
    return { execute: createExecutor(own, options), looks: vi.spyOn(type, 'getFields') };
  };
  const document = parse('{ tree { name child { name } } }');
  const contextValue = { tree: { name: 'a', child: { name: 'b' } } };

  it('is made once for all executions of a document', async () => {
    const { execute: executeOnce, looks } = start();
    await executeOnce({ document, contextValue });
    const { length } = looks.mock.calls;
    expect(length).toBeGreaterThan(0);
    for (const _ of ['second', 'third']) await executeOnce({ document, contextValue });
    expect(looks.mock.calls).toHaveLength(length);
  });

  it('is not kept of a document that may not be', async () => {
    const { execute: executeOnce, looks } = start({ mayKeep: (asked) => asked !== document });
    await executeOnce({ document, contextValue });
    const { length } = looks.mock.calls;
    await executeOnce({ document, contextValue });
    expect(looks.mock.calls).toHaveLength(2 * length);
  });

  it('is not kept when it has grown to thousands of fields', async () => {
    const { execute: executeOnce, looks } = start();
    const names = Array.from({ length: 100 }, (_, index) => `n${index}: name`).join(' ');
    const children = Array.from({ length: 70 }, (_, index) => `c${index}: child { ...F }`);
    const large = parse(`{ tree { ${children.join(' ')} } } fragment F on Tree { ${names} }`);
    await executeOnce({ document: large, contextValue });
    const { length } = looks.mock.calls;
    await executeOnce({ document: large, contextValue });
    expect(looks.mock.calls).toHaveLength(2 * length);
  });
});

describe('a mutation', () => {
  /** Fields note when they start and when all below them has ended. */
  const start = () => {
    const log: string[] = [];
    const field = (name: string, turns: number, give: () => unknown) => () => {
      log.push(`${name} starts`);
      return later(turns, () => {
        log.push(`${name} ends`);
        return give();
      });
    };
    const leaf = (name: string) => ({ name: field(`${name}.name`, 6, () => name) });
    const resolvers = {
      Mutation: {
        first: field('first', 9, () => leaf('first')),
        second: field('second', 1, () => fail('second')),
        third: (_: unknown, { fails }: { fails: boolean }) =>
          field('third', 0, () => (fails ? fail('third') : leaf('third')))(),
        fourth: field('fourth', 0, () => leaf('fourth')),
      },
    };
    return { log, of: makeExecutableSchema({ typeDefs, resolvers }) };
  };
  const text = (fails: boolean) =>
    `mutation { fourth { name } second { name } first { name } third(fails: ${fails}) { name }
      again: first { name } }`;
  const steps = (...names: string[]) => names.flatMap((name) => [`${name} starts`, `${name} ends`]);
  const all = (name: string) => steps(name, `${name}.name`);

  it('runs its fields one after the other, with all that is below them', async () => {
    const { log, of } = start();
    const document = parse(text(false));
    const { data } = await createExecutor(of)({ document });
    expect(Object.keys(data ?? {})).toEqual(['fourth', 'second', 'first', 'third', 'again']);
    const expected = [all('fourth'), steps('second'), all('first'), all('third'), all('first')];
    expect(log).toEqual(expected.flat());
    await run(text(false), { of });
  });

  it('stops at a field that fails and may not be null', async () => {
    const { log, of } = start();
    const { data } = await createExecutor(of)({ document: parse(text(true)) });
    expect(data).toBeNull();
    const expected = [all('fourth'), steps('second'), all('first'), steps('third')];
    expect(log).toEqual(expected.flat());
    await run(text(true), { of });
  });
});

it('tells resolvers what graphql-js tells them', async () => {
  const infos: GraphQLResolveInfo[] = [];
  const of = makeExecutableSchema({
    typeDefs,
    resolvers: {
      Query: {
        info: (_: unknown, args: unknown, __: unknown, info: GraphQLResolveInfo) => {
          infos.push(info);
          return JSON.stringify(args);
        },
      },
    },
  });
  const text = `query Named($n: Int) { info(number: $n) ...F }
    fragment F on Query { info(number: $n) other: info }`;
  const variableValues = { n: 3 };
  await run(text, { of, operationName: 'Named', variableValues });
  const [first, second, ...rest] = infos;
  expect(Object.keys(rest[0] ?? {}).sort()).toEqual(Object.keys(first ?? {}).sort());
  for (const [index, info] of rest.entries()) {
    const { schema: ofInfo, parentType, ...others } = (index % 2 === 0 ? first : second) ?? info;
    expect(info.schema).toBe(ofInfo);
    expect(info.parentType).toBe(parentType);
    expect(info).toMatchObject(others);
  }
});
