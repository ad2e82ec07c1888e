import { describe, expect, it } from 'vitest';
import type { Leaf, RowPlan, Shape } from '../src/transcription/plan.ts';
import { createTranscribe } from '../src/transcription/transcribe.ts';
import { values } from './json-values.ts';

/** Takes what its kind is, as the scalars of the specification do. */
const leaf = (asItIs: Leaf['asItIs'], fits: (value: unknown) => boolean): Leaf => ({
  asItIs,
  serialize: (value) => {
    if (fits(value)) return value;
    throw new TypeError('no');
  },
});
const leaves = {
  string: leaf('string', (value) => typeof value === 'string'),
  boolean: leaf('boolean', (value) => typeof value === 'boolean'),
  int: leaf('int', (value) => typeof value === 'number' && (value | 0) === value),
  float: leaf('float', Number.isFinite),
  any: leaf(undefined, () => true),
};
const id: Shape = { kind: 'leaf', nullable: true, leaf: leaves.string };

/** Rows of an identifier and, if there is a shape, of a member. */
const planOf = (shape?: Shape, member = 'n'): RowPlan => ({
  slots: [{ member: 'id', shape: undefined }, ...(shape ? [{ member, shape: undefined }] : [])],
  fields: [
    { key: 'id', kind: 'member', slot: 0, shape: id },
    ...(shape ? [{ key: 'n', kind: 'member', slot: 1, shape } as const] : []),
  ],
  gapMembers: [],
});

const transcribe = (plan: RowPlan, json: string | Buffer): string | undefined =>
  createTranscribe(plan)?.(Buffer.from(json), 0, {})?.text;

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

describe('a value is taken if JSON has it', () => {
  it.each(values.map((value) => [value]))('%s, where nobody reads it', (value) => {
    for (const json of [
      `[{"n":${value},"id":"a"}]`,
      `[{"id":"a","n":${value}}]`,
      `[{"id":"a","n": ${value} } ]`,
    ]) {
      const expected = parse(json) === undefined ? undefined : '[{"id":"a"}]';
      expect(transcribe(planOf(), json), json).toBe(expected);
    }
  });

  it.each(Object.entries(leaves))('and written as JSON.stringify writes it: as %s', (_, kind) => {
    for (const nullable of [true, false]) {
      for (const value of values) {
        const rows = parse(`[{"id":"a","n":${value}}]`);
        const n: unknown = Array.isArray(rows) ? rows[0].n : undefined;
        const fits =
          n === null ? nullable : typeof n !== 'object' && n !== undefined && attempt(kind, n);
        const expected = fits ? JSON.stringify(rows) : undefined;
        const plan = planOf({ kind: 'leaf', nullable, leaf: kind });
        expect(transcribe(plan, `[{"id":"a","n":${value}}]`), value).toBe(expected);
        if (n === undefined) continue;
        const item: Shape = { kind: 'leaf', nullable, leaf: kind };
        const listed = planOf({ kind: 'list', nullable: true, item });
        expect(transcribe(listed, `[{"id":"a","n":[${value}, ${value}]}]`), value).toBe(
          fits ? JSON.stringify([{ id: 'a', n: [n, n] }]) : undefined,
        );
      }
    }
  });
});

const attempt = ({ serialize }: Leaf, value: unknown): boolean => {
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
};

it('lists end with their last row', () => {
  const plan = planOf();
  expect(transcribe(plan, '[{"id":"a"} , {"id":"b"} ]')).toBe('[{"id":"a"},{"id":"b"}]');
  const broken = [
    '[{"id":"a"},]',
    '[{"id":"a"}',
    '[{"id":"a"} {"id":"b"}]',
    '[{"id":"a"},,{"id":"b"}]',
    '[,{"id":"a"}]',
  ];
  for (const json of [
    ...broken,
    '[',
    '[null]',
    '[[]]',
    '["a"]',
    '[{}]',
    '[{"id":1}]',
    '[{"id":""}]',
    '[{"id":null}]',
  ]) {
    expect(transcribe(plan, json), json).toBeUndefined();
  }
});

it('a member that comes twice is left to others, but for one that nobody reads', () => {
  const plan = planOf({ kind: 'leaf', nullable: true, leaf: leaves.any });
  expect(transcribe(plan, '[{"id":"a","n":1,"n":2}]')).toBeUndefined();
  expect(transcribe(plan, '[{"id":"a","n":1,"\\u006e":2}]')).toBeUndefined();
  expect(transcribe(plan, '[{"id":"a","n":1,"id":"b"}]')).toBeUndefined();
  expect(transcribe(plan, '[{"id":"a","m":1,"n":2,"m":3}]')).toBe('[{"id":"a","n":2}]');
});

it('names are told apart by each of their letters', () => {
  for (let length = 1; length < 40; length += 1) {
    const name = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnop'.slice(0, length);
    const run = createTranscribe(planOf({ kind: 'leaf', nullable: true, leaf: leaves.int }, name));
    const read = (other: string) => run?.(Buffer.from(`[{"id":"a","${other}":1}]`), 0, {})?.text;
    expect(read(name)).toBe('[{"id":"a","n":1}]');
    for (let at = 0; at < length; at += 1) {
      // It was the one expected here.
      expect(read(name)).toBe('[{"id":"a","n":1}]');
      expect(read(`${name.slice(0, at)}_${name.slice(at + 1)}`)).toBe('[{"id":"a","n":null}]');
    }
    expect(read(`${name}_`)).toBe('[{"id":"a","n":null}]');
    expect(read(name.slice(1))).toBe('[{"id":"a","n":null}]');
  }
});

it('values of any depth do no harm', () => {
  for (const depth of [10, 60, 100, 100_000]) {
    const json = `[{"id":"a","n":${'['.repeat(depth)}${']'.repeat(depth)}}]`;
    expect(transcribe(planOf(), json)).toBe(depth > 60 ? undefined : '[{"id":"a"}]');
  }
});
