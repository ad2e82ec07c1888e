import fc from 'fast-check';
import { type ExecutionResult, parse } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { JsonText } from '../src/execution/json-text.ts';
import { holdersIn } from '../src/execution/result.ts';
import { shareResults } from '../src/execution/shared.ts';
import { createExecutor, type Execution } from '../src/executor.ts';
import { anyRecords, type RawRecord, schema, texts } from './executor-records.ts';
import { printed } from './printed.ts';

const inObjects = createExecutor(schema, { projectAfter: Number.POSITIVE_INFINITY });

const share = (records: readonly RawRecord[]): void => {
  for (const record of records) shareResults(record);
  shareResults(records);
};

/** What an executor that compiles at once gives of shared records, once everything of the document is compiled. */
const executeCompiled = async (
  text: string,
  records: readonly RawRecord[],
): Promise<ExecutionResult> => {
  share(records);
  const execution: Execution = { document: parse(text), contextValue: { records }, texts: true };
  const executor = createExecutor(schema, { projectAfter: 1 });
  await executor(execution);
  return executor(execution);
};

/** The members of the data, without what is noted with it. */
const membersOf = ({ data }: ExecutionResult) => Object.fromEntries(Object.entries(data ?? {}));

describe.each(Object.entries(texts))('what is printed of %s', (_, text) => {
  it('is what JSON.stringify gives of objects, at first, compiled and shared', async () => {
    const property = fc.asyncProperty(anyRecords, async (records) => {
      const execution = { document: parse(text), contextValue: { records } };
      const expected = JSON.stringify(await inObjects(execution));
      const executor = createExecutor(schema, { projectAfter: 2 });
      const times = ['first', 'second', 'compiled', 'compiled again'];
      for (const time of times) {
        const result = await executor({ ...execution, texts: true });
        expect(printed(result), time).toBe(expected);
      }
      share(records);
      for (const time of ['shared', 'shared again']) {
        const result = await executor({ ...execution, texts: true });
        expect(printed(result), time).toBe(expected);
        expect(JSON.stringify(await executor(execution)), `${time}, in objects`).toBe(expected);
      }
    });
    await fc.assert(property, { numRuns: 60, seed: 1 });
  });
});

describe('a text', () => {
  const a: RawRecord = { id: 'a', name: 'A', flag: true, link: { to: 1, how: 'at once' } };
  const b: RawRecord = { id: 'b', name: 'B', flag: false, link: { to: 1, how: 'at once' } };

  it('is an object, or a list, of plain fields, and stands in no list', async () => {
    const result = await executeCompiled('{ item { id } items { id } rows { id } }', [a, b]);
    expect(membersOf(result)).toEqual({
      item: new JsonText('{"id":"a"}'),
      items: new JsonText('[{"id":"a"},{"id":"b"}]'),
      rows: [[{ id: 'a' }, { id: 'b' }], null, [], [{ id: 'a' }, { id: 'b' }]],
    });
  });

  it('has null for an item that is null where it may be, and is not made where it may not', async () => {
    const records = [a, null as unknown as RawRecord];
    const result = await executeCompiled('{ items { id } strict { id } }', records);
    expect(membersOf(result)).toEqual({ items: new JsonText('[{"id":"a"},null]'), strict: null });
  });

  it.each([
    ['an error', new Error('in its place')],
    ['a promise', Promise.resolve(b)],
    ['not as expected', { ...b, name: { not: 'text' } }],
    ['no object', 7],
  ])('is not made of a list of which an item is %s', async (_, item) => {
    const records = [a, item as RawRecord, b];
    const text = '{ items { name } }';
    const result = await executeCompiled(text, records);
    expect(result.data?.items).toBeInstanceOf(Array);
    const expected = await inObjects({ document: parse(text), contextValue: { records } });
    expect(printed(result)).toBe(JSON.stringify(expected));
  });

  it('stands in an object that has other fields, unless a list lies above it', async () => {
    const { data } = await executeCompiled(
      '{ items { id link { name } } item { link { id } name } }',
      [a, b],
    );
    expect(data?.items).toEqual([
      { id: 'a', link: { name: 'B' } },
      { id: 'b', link: { name: 'B' } },
    ]);
    const { item } = data ?? {};
    expect(item).toEqual({ link: new JsonText('{"id":"b"}'), name: 'A' });
    expect(holdersIn(data ?? {})).toEqual([data, item]);
  });

  it('is what it says too where another printer meets it', async () => {
    const result = await executeCompiled('{ item { id } items { id } }', [a, b]);
    expect(JSON.stringify({ data: { ...result.data } })).toBe(printed(result));
  });

  it('is not made unless it is asked for', async () => {
    const execution = { document: parse('{ items { id } }'), contextValue: { records: [a] } };
    const executor = createExecutor(schema, { projectAfter: 1 });
    for (let time = 0; time < 3; time += 1) {
      expect(JSON.stringify(await executor(execution))).toBe('{"data":{"items":[{"id":"a"}]}}');
    }
  });
});

describe('a result without texts', () => {
  const execution = {
    document: parse('{ item { name link { name } } }'),
    contextValue: { records: [{ name: 'A', link: { to: 0, how: 'at once' } }] },
    texts: true,
  };

  it('is printed by one JSON.stringify', async () => {
    const result = await inObjects(execution);
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      expect(printed(result)).toBe('{"data":{"item":{"name":"A","link":{"name":"A"}}}}');
      expect(stringify.mock.calls).toEqual([[result]]);
    } finally {
      stringify.mockRestore();
    }
  });
});

it('prints the members of a result in their order, and leaves out those that are undefined', async () => {
  const { data } = await executeCompiled('{ items { id } }', [{ id: 'a' }]);
  const extensions = { list: [undefined, { a: undefined }], date: new Date(0) };
  for (const result of [
    { errors: [], data, extensions },
    { data, errors: undefined, extensions },
  ]) {
    const whole = { ...result, data: { items: [{ id: 'a' }] } };
    expect(printed(result as ExecutionResult)).toBe(JSON.stringify(whole));
  }
});

describe('what a scalar gives that JSON cannot write', () => {
  const give = (json: unknown) => ({ id: 'a', json, link: { to: 0, how: 'at once' } });
  const all =
    '{ item { id json } items { id json link { id } } strict { json } again: items { json2 id } }';

  it.each([
    ['no JSON', Symbol('none')],
    ['what becomes no JSON', { toJSON: () => undefined }],
    ['a date', new Date(0)],
  ])('is printed as ever: %s', async (_, json) => {
    const records = [give(json)] as readonly RawRecord[];
    const execution = { document: parse(all), contextValue: { records } };
    const expected = JSON.stringify(await inObjects(execution));
    expect(printed(await executeCompiled(all, records))).toBe(expected);
  });

  it.each([
    ['a bigint', 7n],
    [
      'what throws',
      {
        toJSON: () => {
          throw new TypeError('no JSON');
        },
      },
    ],
  ])('fails when all is printed, and not before: %s', async (_, json) => {
    const result = await executeCompiled(all, [give(json)] as readonly RawRecord[]);
    expect(result.errors).toBeUndefined();
    expect(() => printed(result)).toThrow(TypeError);
  });
});

describe('an execution', () => {
  const executor = createExecutor(schema);
  const document = parse('{ item { mustLink { id } } }');
  const resultOf = (how: string) =>
    executor({ document, contextValue: { records: [{ id: 'a', link: { to: 0, how } }] } });

  it('gives its result directly where nothing is awaited', () => {
    expect(JSON.stringify(resultOf('at once'))).toBe('{"data":{"item":{"mustLink":{"id":"a"}}}}');
    expect(resultOf('fails')).toMatchObject({ data: { item: null }, errors: [{}] });
    expect(executor({ document, operationName: 'none' })).toMatchObject({ errors: [{}] });
  });

  it('gives a promise of it where something is', async () => {
    for (const how of ['later', 'fails later']) expect(resultOf(how)).toBeInstanceOf(Promise);
    expect(JSON.stringify(await resultOf('later'))).toBe(
      '{"data":{"item":{"mustLink":{"id":"a"}}}}',
    );
    expect(await resultOf('fails later')).toMatchObject({ data: { item: null }, errors: [{}] });
  });
});
