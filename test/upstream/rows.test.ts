import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Rows } from '../../src/upstream/rows.ts';

interface Row {
  readonly id: string;
  readonly n?: unknown;
}

const enclosesList = (envelope: string): boolean => {
  try {
    const body: unknown = JSON.parse(envelope);
    return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data);
  } catch {
    return false;
  }
};

/** The rows of a body, with spies on how they are read. */
const rowsOf = (body: string) => {
  const reading = {
    whole: vi.fn((): readonly unknown[] =>
      JSON.parse(body).data.filter((row: Row | number | null) => row && typeof row === 'object'),
    ),
    enclosesList: vi.fn(enclosesList),
    finish: vi.fn<(row: object) => void>(),
    placed: { names: [], values: {} },
  };
  const rows = new Rows<Row>(Buffer.from(body), reading);
  return { rows, ...reading };
};

const bodyOf = (...rows: readonly string[]): string => `{"data":[${rows.join(',')}]}`;
const rowTexts = ['a', 'b', 'c', 'd', 'e'].map((id) => `{"id":"${id}","n":1}`);
const plain = bodyOf(...rowTexts);

/** What JSON.parse is given meanwhile. */
const parsedIn = (act: () => void): readonly string[] => {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    act();
    return parse.mock.calls.map(([text]) => text);
  } finally {
    parse.mockRestore();
  }
};

describe('pick', () => {
  it('of a few rows parses these alone, each once', () => {
    const { rows, whole, enclosesList: holds } = rowsOf(plain);
    holds.mockReturnValue(true);
    const parsed = parsedIn(() => {
      rows.pick(['d', 'b']);
      rows.pick(['b']);
      rows.pick(['d', 'a']);
    });
    expect(parsed).toEqual([rowTexts[3], rowTexts[1], rowTexts[0]]);
    expect(rows.pick(['a'])).toEqual(
      new Map(['a', 'b', 'd'].map((id) => [id, { id, n: 1 }] as const)),
    );
    expect(holds.mock.calls).toEqual([['{"data":[]}']]);
    expect(whole).not.toHaveBeenCalled();
  });

  it('gives the same row each time', () => {
    const { rows } = rowsOf(plain);
    const first = rows.pick(['b']).get('b');
    expect(first).toBeDefined();
    expect(rows.pick(['a', 'b']).get('b')).toBe(first);
  });

  it('gives the last of rows with one id', () => {
    const { rows, whole } = rowsOf(bodyOf('{"id":"a","n":0}', ...rowTexts, '{"id":"b","n":2}'));
    expect([rows.pick(['a']).get('a')?.n, rows.pick(['b']).get('b')?.n]).toEqual([1, 2]);
    expect(whole).not.toHaveBeenCalled();
  });

  it('lacks what is not there', () => {
    const { rows } = rowsOf(plain);
    const found = rows.pick(['x', 'a']);
    expect([found.has('x'), found.has('a')]).toEqual([false, true]);
  });

  it('of half of the rows parses them one by one, and of more the whole', () => {
    const half = rowsOf(bodyOf(...rowTexts.slice(0, 4)));
    half.rows.pick(['a', 'b']);
    expect(half.whole).not.toHaveBeenCalled();
    half.rows.pick(['a', 'b', 'c']);
    expect(half.whole).toHaveBeenCalledOnce();
  });

  it.each([
    ['more than half of the rows', ['a', 'b', 'c'], plain],
    ['what is not there and more than half', ['a', 'b', 'x'], plain],
    ['a row that ends in no known place', ['e'], plain.replace(/}$/, ',"note":"},{ }"}')],
    ['a row that has its id twice', ['b'], bodyOf(...rowTexts, '{"id":"b","id":"x"}')],
    [
      'a row that has its id twice, once escaped',
      ['x'],
      bodyOf('{"id":"x","\\u0069d":"y"}', ...rowTexts),
    ],
    ['a row of an envelope that is refused', ['a'], plain.replace(/}$/, ',"data":{}}')],
    ['a row of a list within a member', ['a'], `{"data":${plain}}`],
    ['a row of pretty-printed JSON', ['a'], JSON.stringify(JSON.parse(plain), null, 2)],
    ['a row among rows with lists', ['a'], bodyOf('{"id":"x","tags":[1]}', ...rowTexts)],
    ['a row of an empty list', ['a'], bodyOf()],
  ])('of %s reads the whole once, and gives that', (_, ids, body) => {
    const { rows, whole, finish } = rowsOf(body);
    const all = [...rowTexts, '{"id":"a","n":2}'].map((text): Row => JSON.parse(text));
    whole.mockReturnValue(all);
    for (let time = 0; time < 2; time += 1) {
      const found = rows.pick(ids);
      expect([...found.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
      for (const [id, row] of found) expect(row).toBe(all.findLast((each) => each.id === id));
    }
    expect(whole).toHaveBeenCalledOnce();
    expect(finish).not.toHaveBeenCalled();
  });

  it('gives no row of its own beside those of the whole', () => {
    const { rows, whole } = rowsOf(bodyOf('{"id":"x","id":"y"}', ...rowTexts));
    const found = rows.pick(['a', 'x']);
    expect(rows.all().map((row) => found.get(row.id) === row)).not.toContain(false);
    expect(whole).toHaveBeenCalledOnce();
  });

  // Each of them is in the list as JSON.parse reads it, but not where it could be located.
  it.each([
    ['after a null', bodyOf('{"id":"x"}', 'null', ...rowTexts)],
    ['after a number', bodyOf('{"id":"x"}', '7', ...rowTexts)],
    ['after a space', bodyOf('{"id":"x"}', ` ${rowTexts[0]}`, ...rowTexts.slice(1))],
    ['whose id is escaped', bodyOf('{"id":"\\u0061","n":1}', ...rowTexts.slice(1))],
    ['whose id comes twice', bodyOf('{"id":"x","id":"a","n":1}', ...rowTexts.slice(1))],
  ])('finds a row %s', (_, body) => {
    expect(rowsOf(body).rows.pick(['a']).get('a')).toEqual({ id: 'a', n: 1 });
  });

  it('gives for every id what the list gives for it', () => {
    const fragments = ['},{', '}]', '{"id":"', '"', '\\', '\n', '\u2028', '😀', '[', ']', '{', '}'];
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.array(fc.constantFrom(...fragments), { maxLength: 4 }).map((parts) => parts.join('')),
    );
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ä😀', '}]', '{', '__proto__');
    const tame = fc.oneof(fc.integer(), fc.constantFrom('x', '}', '}]', 'ä', null, { id: 'a' }));
    const row = fc.record({ id, n: fc.oneof(tame, text, fc.record({ id, n: text })) });
    const tameRow = fc.record({ id, n: tame });
    const list = fc.oneof(fc.array(row), fc.array(tameRow, { minLength: 4 }));
    const asked = fc.array(fc.array(id, { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(list, asked, (items, picks) => {
        const body = JSON.stringify({ data: items });
        const { rows } = rowsOf(body);
        const last = new Map(items.map((item) => [item.id, item]));
        for (const ids of picks) {
          const found = rows.pick(ids);
          for (const each of ids) expect(found.get(each)).toEqual(last.get(each));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the whole is read once', () => {
  it('by all, however often', () => {
    const { rows, whole, finish } = rowsOf(plain);
    const all = rows.all();
    expect(all.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(rows.all()).toBe(all);
    expect(whole).toHaveBeenCalledOnce();
    expect(finish).not.toHaveBeenCalled();
  });

  it('by all after pick, and by pick after that, which gives the rows of the whole', () => {
    const { rows, whole } = rowsOf(plain);
    rows.pick(['b']);
    const all = rows.all();
    for (const row of all) expect(rows.pick(['b']).get(row.id)).toBe(row);
    expect(whole).toHaveBeenCalledOnce();
  });

  it('by all after a pick that had read it', () => {
    const { rows, whole } = rowsOf(plain);
    const found = rows.pick(['a', 'b', 'c']);
    expect(rows.all().map((row) => found.get(row.id) === row)).not.toContain(false);
    expect(whole).toHaveBeenCalledOnce();
  });

  it('by pick after all, which parses nothing more', () => {
    const { rows, whole, finish } = rowsOf(plain);
    const all = rows.all();
    expect(parsedIn(() => rows.pick(['b']))).toEqual([]);
    expect(rows.pick(['b']).get('b')).toBe(all[1]);
    expect(whole).toHaveBeenCalledOnce();
    expect(finish).not.toHaveBeenCalled();
  });
});

describe('an answer without a list', () => {
  const failing = (body: string) => {
    const error = new Error('no list');
    const read = rowsOf(body);
    read.whole.mockImplementation(() => {
      throw error;
    });
    const thrown = (act: () => void): unknown => {
      try {
        act();
      } catch (caught) {
        return caught;
      }
      return undefined;
    };
    const { rows } = read;
    const all = () => thrown(() => rows.all());
    const pick = (...ids: readonly string[]) => thrown(() => rows.pick(ids));
    return { ...read, error, all, pick };
  };

  it('fails each time with the same error, and is read once', () => {
    const { all, pick, error, whole } = failing('');
    expect([all(), pick('a'), all(), pick(), pick('a', 'b')]).toEqual(Array(5).fill(error));
    expect(all()).toBe(error);
    expect(pick('a')).toBe(error);
    expect(whole).toHaveBeenCalledOnce();
  });

  it('fails so for pick first too', () => {
    const { all, pick, error, whole } = failing('<p>');
    expect(pick('a')).toBe(error);
    expect(pick('a')).toBe(error);
    expect(all()).toBe(error);
    expect(whole).toHaveBeenCalledOnce();
  });
});

describe('a row that is picked by itself', () => {
  it('is finished once, before anybody sees it', () => {
    const { rows, finish } = rowsOf(plain);
    finish.mockImplementation((row) => Object.assign(row, { n: 'finished' }));
    for (const ids of [['a'], ['a', 'b'], ['b']]) rows.pick(ids);
    expect([...rows.pick(['a']).values()].map(({ n }) => n)).toEqual(['finished', 'finished']);
    expect(finish.mock.calls.map(([row]) => row)).toEqual([...rows.pick([]).values()]);
  });
});
