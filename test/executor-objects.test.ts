import { buildSchema, execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { createExecutor } from '../src/executor.ts';
import { requireObjects } from '../src/schema/objects.ts';

const schema = requireObjects(
  buildSchema(`
    type Query { rows: [Row!]! }
    type Row { part: Part parts: [Part] }
    type Part { name: String part: Part }
  `),
);

class Instance {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }
}

const document = parse('{ rows { part { name part { name } } parts { name } } }');

const rows = schema.getQueryType()?.getFields().rows;
if (rows) rows.resolve = (_, __, context) => context;

/** A selection that meets one object is compiled. */
const compiling = createExecutor(schema, { projectAfter: 1 });

const seen = async (result: unknown): Promise<unknown> => JSON.parse(JSON.stringify(await result));

/** What stands for a part, made anew for each execution. */
const parts: readonly (readonly [name: string, make: () => unknown])[] = [
  ['an object', () => ({ name: 'a', part: { name: 'b' } })],
  ['an object without prototype', () => Object.assign(Object.create(null), { name: 'a' })],
  ['an instance', () => new Instance('a')],
  ['nothing', () => undefined],
  ['null', () => null],
  ['an empty list', () => []],
  ['a list with a name', () => Object.assign([1], { name: 'a' })],
  ['a text', () => 'a'],
  ['a number', () => 1],
  ['a function', () => () => ({ name: 'a' })],
  ['an error', () => new TypeError('no part')],
  ['an error with a name', () => Object.assign(new TypeError('no part'), { name: 'a' })],
  ['a promise', () => Promise.resolve({ name: 'a' })],
  ['a promise that rejects', () => Promise.reject(new TypeError('no part'))],
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
  ['what is like a promise', () => ({ name: 'a', then: (done: (x: unknown) => void) => done({}) })],
  ['an object with a part that is none', () => ({ name: 'a', part: ['b'] })],
];

it.each(parts)('means the same in a compiled selection: %s', async (_, make) => {
  const usual = [{ part: { name: 'x', part: { name: 'y' } }, parts: [{ name: 'z' }] }];
  const fine = await seen(compiling({ document, contextValue: usual }));
  expect(fine).toEqual({ data: { rows: usual } });
  const odd = () => [{ part: make(), parts: [make()] }];
  const expected = await seen(execute({ schema, document, contextValue: odd() }));
  expect(await seen(compiling({ document, contextValue: odd() }))).toEqual(expected);
});

it('a compiled selection leaves the lists of its objects as they are', async () => {
  const record = { part: { name: 'p' }, parts: [{ name: 'a', part: { name: 'b' } }, null] };
  const contextValue = [record];
  const before = structuredClone(record);
  const ask = async (fields: string) => {
    const asked = parse(`{ rows { parts { ${fields} } } }`);
    const expected = await seen(execute({ schema, document: asked, contextValue }));
    for (const _ of ['compiles', 'compiled']) {
      expect(await seen(compiling({ document: asked, contextValue }))).toEqual(expected);
      expect(record).toEqual(before);
    }
  };
  await ask('part { name }');
  await ask('name');
});
