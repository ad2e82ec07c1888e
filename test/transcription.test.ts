import { expect, it, vi } from 'vitest';
import { inputEnd, inputStart, outputEnd, outputStart } from '../src/transcription/memory.ts';
import type { FieldText, Leaf, RowPlan, Shape, Slot } from '../src/transcription/plan.ts';
import { createTranscribe } from '../src/transcription/transcribe.ts';

const leaf = (asItIs: Leaf['asItIs']): Leaf => ({ asItIs, serialize: (value) => value });
const text: Shape = { kind: 'leaf', nullable: true, leaf: leaf('string') };
const number: Shape = { kind: 'leaf', nullable: true, leaf: leaf('float') };

/** Rows of those members, each a field by the same name. */
const planOf = (members: Readonly<Record<string, Shape>>, others: readonly FieldText[] = []) => {
  const entries = Object.entries({ id: text, ...members });
  const slots = entries.map(
    ([member, shape]): Slot => ({ member, shape: shape.kind === 'leaf' ? undefined : shape }),
  );
  const fields = entries.map(
    ([key, shape], slot): FieldText => ({ key, kind: 'member', slot, shape }),
  );
  return { slots, fields: [...fields, ...others], gapMembers: [] } satisfies RowPlan;
};

const transcribe = (plan: RowPlan, json: string, placed = {}) =>
  createTranscribe(plan)?.(Buffer.from(json), json.indexOf('['), placed);

const windowBytes = inputEnd - inputStart;
const outputBytes = outputEnd - outputStart;

const rowsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `row ${index}`, name }));

it.each([
  ['one byte less than is read at a time', Math.floor(windowBytes / 2) - 100, 2],
  ['many times what is read at a time', 1000, 2000],
  ['many times what is written at a time', 60_000, 3 * Math.ceil(outputBytes / 60_000)],
])('rows of %s', (_, length, count) => {
  // Every place in a row comes to be where a part ends.
  for (const more of [0, 1, 2, 17]) {
    const rows = rowsOf(count, 'é'.repeat(length / 2 + more));
    const json = `{"data":${JSON.stringify(rows)}}`;
    const { slots, fields } = planOf({ name: text });
    // First of all, so that it has been met already where a row turns out not to fit.
    const plan = {
      slots,
      fields: [{ key: 'other', kind: 'gap' }, ...fields],
      gapMembers: ['id'],
    } satisfies RowPlan;
    const made = transcribe(plan, json);
    expect(made?.end).toBe(Buffer.byteLength(json) - 1);
    expect(made?.parents).toEqual(rows.map(({ id }) => ({ id })));
    expect(made?.gaps).toHaveLength(count);
    const bytes = Buffer.from(made?.text ?? '');
    expect(made?.bytes).toBe(bytes.length);
    let whole = '';
    let start = 0;
    for (const at of made?.gaps ?? []) {
      whole += `${bytes.subarray(start, at)}null`;
      start = at;
    }
    whole += bytes.subarray(start);
    expect(whole === JSON.stringify(rows.map((row) => ({ other: null, ...row })))).toBe(true);
  }
});

it('a row is left to others that is longer than what is read, or written, at a time', () => {
  const plan = planOf({ name: text });
  const fits = rowsOf(3, 'x'.repeat(windowBytes - 100));
  expect(transcribe(plan, JSON.stringify(fits))?.text).toBe(JSON.stringify(fits));
  expect(transcribe(plan, JSON.stringify(rowsOf(3, 'x'.repeat(windowBytes))))).toBeUndefined();

  const again = planOf({ name: text }, [
    { key: 'b', kind: 'member', slot: 1, shape: text },
    { key: 'c', kind: 'member', slot: 1, shape: text },
  ]);
  expect(transcribe(again, JSON.stringify(fits))).toBeUndefined();
  const made: FieldText = {
    key: 'long',
    kind: 'made',
    members: ['id'],
    make: () => 'x'.repeat(outputBytes / 3),
    leaf: leaf(undefined),
    nullable: true,
  };
  expect(transcribe(planOf({}, [made]), '[{"id":"a"}]')).toBeUndefined();
});

it('rows may stand further apart than what is read at a time', () => {
  const rows = rowsOf(3, 'é');
  for (const spaces of [windowBytes - 60, windowBytes, outputStart - inputStart + 10, 10 ** 6]) {
    const json = `[${rows.map((row) => JSON.stringify(row)).join(`,${' '.repeat(spaces)}`)} ]`;
    expect(transcribe(planOf({ name: text }), json)?.text).toBe(JSON.stringify(rows));
  }
});

it('long names that nobody reads take no room from others', () => {
  const run = createTranscribe(planOf({ n: number }));
  const askWith = (name: string) =>
    run?.(Buffer.from(JSON.stringify([{ id: 'a', [name]: 1, n: 2 }])), 0, {})?.text;
  for (const length of [60_000, 5000, 4000, 800, 100, 50, 30]) {
    for (let time = 0; time < 100; time += 1) {
      expect(askWith('x'.repeat(length) + time)).toBe('[{"id":"a","n":2}]');
    }
  }
  expect(askWith('\\u006e')).toBe('[{"id":"a","n":2}]');
});

it('objects of more members than there is room for are left to others', () => {
  const item: Shape = { kind: 'object', nullable: true, plan: planOf({ name: text }) };
  const plan = planOf({ many: { kind: 'list', nullable: true, item } });
  const many = (count: number) => Array.from({ length: count }, () => ({ id: '', name: null }));
  const rows = (count: number) => [{ id: 'a', many: many(count) }];
  expect(transcribe(plan, JSON.stringify(rows(1000)))?.text).toBe(JSON.stringify(rows(1000)));
  expect(transcribe(plan, JSON.stringify(rows(6000)))).toBeUndefined();
  expect(transcribe(plan, JSON.stringify(rows(3)))?.text).toBe(JSON.stringify(rows(3)));
});

it('a plan is refused that takes more room than there is', () => {
  const members = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`member${index}`, text]),
  );
  expect(createTranscribe(planOf(members))).toBeUndefined();
});

it('names that nobody reads may be any, and so many that none is remembered', () => {
  const plan = planOf({ n: number });
  const run = createTranscribe(plan);
  for (let round = 0; round < 20; round += 1) {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      [`name ${round} ${index}`]: index,
      '': 1,
      id: `${index}`,
      [`"${index}`]: {},
      n: index,
    }));
    const json = Buffer.from(JSON.stringify(rows));
    expect(run?.(json, 0, {})?.text).toBe(JSON.stringify(rows.map(({ id, n }) => ({ id, n }))));
  }
});

it('what is read is found by any spelling, as far as there is room for these', () => {
  const run = createTranscribe(planOf({ member: text }));
  const spellings = Array.from({ length: 64 }, (_, bits) =>
    [...'member']
      .map((letter, at) =>
        (bits >> at) & 1 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
      )
      .join(''),
  );
  for (const spelled of spellings) {
    const json = Buffer.from(`[{"id":"a","${spelled}":"b"}]`);
    expect(run?.(json, 0, {})?.text).toBe('[{"id":"a","member":"b"}]');
  }
});

it('a plan whose function threw is no worse for it, nor is another', () => {
  const failing: FieldText = {
    key: 'made',
    kind: 'made',
    members: ['id'],
    make: (parent) => {
      if ('id' in parent && parent.id === 'bad') throw new Error('no');
      return 'made';
    },
    leaf: leaf(undefined),
    nullable: true,
  };
  const first = createTranscribe(planOf({}, [failing]));
  const second = createTranscribe(planOf({ name: text }));
  for (const id of ['good', 'bad', 'good']) {
    const expected = id === 'bad' ? undefined : `[{"id":"${id}","made":"made"}]`;
    expect(first?.(Buffer.from(`[{"id":"${id}"}]`), 0, {})?.text).toBe(expected);
    const json = `[{"id":"${id}","name":"n"}]`;
    expect(second?.(Buffer.from(json), 0, {})?.text).toBe(json);
  }
});

it('of what was transcribed, nothing is left in the memory', async () => {
  const memories: WebAssembly.Memory[] = [];
  class Watched extends WebAssembly.Instance {
    constructor(...given: ConstructorParameters<typeof WebAssembly.Instance>) {
      super(...given);
      const { memory } = this.exports;
      if (memory instanceof WebAssembly.Memory) memories.push(memory);
    }
  }
  const spy = vi.spyOn(WebAssembly, 'Instance').mockImplementation(Watched);
  vi.resetModules();
  const fresh = await import('../src/transcription/transcribe.ts');
  const run = fresh.createTranscribe(planOf({ name: text }));
  spy.mockRestore();
  const long = JSON.stringify(rowsOf(20, 'secret'.repeat(10_000)));
  const rows = ['{"id":"a","name":"secret"}', '{"id":"b","name":"secret"}'];
  const whole = `[${rows}]`;
  for (const json of [long, long.slice(0, -3), whole, whole.slice(0, -3), `[${rows},{}]`]) {
    run?.(Buffer.from(json), 0, {});
    expect(memories).toHaveLength(1);
    for (const { buffer } of memories) expect(Buffer.from(buffer).includes('secret')).toBe(false);
  }
});
