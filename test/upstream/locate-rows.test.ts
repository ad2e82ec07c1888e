import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/is-object.ts';
import { locateRows } from '../../src/upstream/locate-rows.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a search for the ends of rows could stumble over. */
const fragments = [
  '},{',
  '}]',
  '{"id":"',
  '},{"id":"a"',
  '{"id":"a"}',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  '\\',
  '\\"',
  '\n',
  '\0',
  '\u2028',
  '\ud800',
  'ä',
  '😀',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
/** Text that never looks like a list or like the space between two rows. */
const tameText = text.map((value) =>
  value.replaceAll('[', '(').replaceAll(']', ')').replaceAll('},{', '};{'),
);
const id = fc.constantFrom('a', 'b', 'c', 'ä😀', 'x'.repeat(40), '__proto__');
const oddId = fc.oneof(id, text);

/** Members without lists; objects among them have identifiers of their own. */
const membersOf = (texts: fc.Arbitrary<string>, keys: fc.Arbitrary<string>) => {
  const scalar = fc.oneof(texts, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
  const { members } = fc.letrec<{ value: unknown; members: Json }>((tie) => ({
    value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, tie('members')),
    members: fc.dictionary(fc.oneof(fc.constant('id'), keys), tie('value'), { maxKeys: 4 }),
  }));
  return members;
};
// Of names with escapes JSON.parse itself makes others now and then (V8 13.6): "m\n" may become "m\\".
const withoutEscapes = (name: string): boolean => !JSON.stringify(name).includes('\\');
const names = fc.oneof(text, fc.constantFrom('name', 'data', '7')).filter(withoutEscapes);
const members = membersOf(text, names);
// Of numbers as names JSON.stringify would put those first.
const tameNames = tameText.filter(withoutEscapes).map((key) => `m${key}`);
const tameMembers = membersOf(tameText, tameNames);

interface Body {
  readonly name: string;
  /** What the list stands among. */
  readonly before: Json;
  readonly after: Json;
  readonly rows: readonly (Json & { readonly id: string })[];
}

const bodies = (ids: fc.Arbitrary<string>, rest: fc.Arbitrary<Json>): fc.Arbitrary<Body> => {
  const row = fc
    .tuple(ids, rest)
    // The identifier comes first, whatever else has its name.
    .map(([given, more]) => ({ ...{ id: given }, ...more, id: given }));
  return fc.record({
    name: fc.constantFrom('data', 'result'),
    before: fc.oneof(
      fc.constant({}),
      fc.record({ status: fc.constant(200), requestId: fc.constant('6f1d8a52-4c0e') }),
      rest,
    ),
    rows: fc.array(row, { minLength: 1, maxLength: 8 }),
    after: fc.oneof(fc.constant({}), rest),
  });
};

const print = ({ name, before, rows, after }: Body): string =>
  JSON.stringify({ ...before, [name]: rows, ...after });

/** The last row with each identifier, as JSON.parse reads the body. */
const lastRowsIn = (json: string, { name }: Body): ReadonlyMap<unknown, Json> => {
  const list: unknown = JSON.parse(json)[name];
  // A member after the list may have its name.
  return new Map(Array.isArray(list) ? list.map((row: Json) => [row.id, row]) : []);
};

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

/** The rows that are what they were found as, by their identifiers. */
const foundIn = (json: Buffer): ReadonlyMap<string, Json> => {
  const found = new Map<string, Json>();
  for (const [key, [start, end]] of locateRows(json)?.spans ?? []) {
    const row = parse(json.toString('utf8', start, end));
    if (isObject(row) && row.id === key) found.set(key, row);
  }
  return found;
};

/** The items of every list in it. */
const itemsIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return [...value, ...value.flatMap(itemsIn)];
  return isObject(value) ? Object.values(value).flatMap(itemsIn) : [];
};

const expectRowsAlone = (json: Buffer): void => {
  const found = foundIn(json);
  const body = parse(json.toString());
  if (body === undefined) return;
  const items = itemsIn(body);
  for (const row of found.values()) expect(items).toContainEqual(row);
};

describe('locateRows', () => {
  it('finds rows where they stand, and what stands around them', () => {
    const json = '{"status":200,"result":[{"id":"a","n":{"id":"x"}},{"id":"ä"}],"more":{}}';
    const located = locateRows(Buffer.from(json));
    expect([...(located?.spans ?? [])]).toEqual([
      ['a', [24, 49]],
      ['ä', [50, 61]],
    ]);
    expect(located?.envelope).toBe('{"status":200,"result":[],"more":{}}');
  });

  it('finds the last of rows with one id', () => {
    const json = Buffer.from('{"data":[{"id":"a","n":1},{"id":"b"},{"id":"a","n":2}]}');
    expect(foundIn(json).get('a')).toEqual({ id: 'a', n: 2 });
  });

  it('takes no row for another or for a part of one, whatever it holds', () => {
    let found = 0;
    fc.assert(
      fc.property(bodies(oddId, members), (body) => {
        const json = print(body);
        const last = lastRowsIn(json, body);
        for (const [key, row] of foundIn(Buffer.from(json))) {
          expect(row).toEqual(last.get(key));
          found += 1;
        }
      }),
      { numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(0);
  });

  it('finds all rows where no text looks like a list or like the space between rows', () => {
    fc.assert(
      fc.property(bodies(id, tameMembers), (body) => {
        const json = Buffer.from(print(body));
        const last = lastRowsIn(json.toString(), body);
        expect(foundIn(json)).toEqual(last);
        expect(locateRows(json)?.spans.size).toBe(last.size);
        const envelope: unknown = JSON.parse(locateRows(json)?.envelope ?? '');
        expect(envelope).toEqual(JSON.parse(print({ ...body, rows: [] })));
      }),
      { numRuns: 500 },
    );
  });

  it('finds nothing but items of lists in any JSON, and never throws for any other text', () => {
    const pieces = fc.array(fc.constantFrom(...fragments)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.json(), pieces), (json) => expectRowsAlone(Buffer.from(json))),
      { numRuns: 500 },
    );
  });

  it('finds nothing but items of lists in a changed body, and never throws', () => {
    const change = fc.record({
      at: fc.nat(),
      length: fc.nat({ max: 3 }),
      bytes: fc.oneof(
        fc.constantFrom(...fragments, 'null,', ' ', '"id":"b",').map((piece) => Buffer.from(piece)),
        fc.uint8Array({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(
        bodies(id, fc.oneof(members, tameMembers)),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (body, changes) => {
          let json = Buffer.from(print(body));
          for (const { at, length, bytes } of changes) {
            const start = at % (json.length + 1);
            json = Buffer.concat([json.subarray(0, start), bytes, json.subarray(start + length)]);
          }
          expectRowsAlone(json);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('ends a row too late, so that it is no JSON, where a text after the list looks like the end of one', () => {
    const json = Buffer.from('{"data":[{"id":"a"},{"id":"b"}],"note":"}]"}');
    expect([...(locateRows(json)?.spans.keys() ?? [])]).toEqual(['a', 'b']);
    expect([...foundIn(json).keys()]).toEqual(['a']);
  });

  it.each([
    ['a list within a row', '{"data":[{"id":"a","tags":["x"]},{"id":"b"}]}'],
    ['an empty list within a row', '{"data":[{"id":"a","tags":[]}]}'],
    ['a bracket in a text of a row', '{"data":[{"id":"a","name":"["}]}'],
    ['a text like the space between rows', '{"data":[{"id":"a","name":"},{"}]}'],
    ['pretty-printed JSON', JSON.stringify({ data: [{ id: 'a' }, { id: 'b' }] }, null, 2)],
    ['a space before an identifier', '{"data":[{"id": "a"}]}'],
    ['an identifier that is not first', '{"data":[{"id":"a"},{"name":"b","id":"b"}]}'],
    ['an identifier that is no text', '{"data":[{"id":7}]}'],
    ['an empty identifier', '{"data":[{"id":"a"},{"id":""}]}'],
    ['a row without members', '{"data":[{"id":"a"},{}]}'],
    ['a list of no rows', '{"data":["a"]}'],
    ['a list of lists', '{"data":[[{"id":"a"}]]}'],
    ['a second list before', '{"links":[],"data":[{"id":"a"}]}'],
    ['a second list after', '{"data":[{"id":"a"}],"links":[{"id":"b"}]}'],
    ['an empty list', '{"data":[]}'],
    ['an empty list and a text like the end of one', '{"data":[],"note":"}]"}'],
    ['an object', '{"data":{"id":"a"}}'],
    ['a body cut in its first row', '{"data":[{"id":"a'],
    ['HTML', '<!doctype html><p>502</p>'],
    ['an empty body', ''],
  ])('finds nothing in a body with %s', (_, json) => {
    expect(locateRows(Buffer.from(json))).toBeUndefined();
  });
});
