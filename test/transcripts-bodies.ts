import { sources, wirePipe } from './pipe-samples.ts';

/** Numbers below a bound, the same for the same seed. */
export type Pick = (below: number) => number;

export const picker = (seed: number): Pick => {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const clone = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

const alertOf = (index: number): Json => ({
  id: `a1e7${index}`,
  name: index % 3 === 0 ? null : `alert "${index}" \\ ü 🙂`,
  message: 'first line\nsecond\tline / end',
  threshold: index / 4,
  interval: '5m',
  thresholdType: index % 2 === 0 ? 'above' : 'sideways',
  source: 'tile',
  state: 'OK',
  channel:
    index % 4 === 0 ? null : { type: 'webhook', webhookId: 'b0b0', more: [{ deep: [1, []] }] },
  team: 'c0c0',
  tileId: `tile-${index % 2}`,
  dashboard: `da5b${index % 2}`,
  silenced: index % 2 === 0,
  createdAt: '2026-03-10T10:00:00Z',
  updatedAt: '2026-03-10T10:00:00.123+01:00',
});

const dashboardOf = (index: number): Json => ({
  id: `da5b${index}`,
  name: `dashboard ${index}`,
  tiles: [0, 1].map((tile) => ({ id: `tile-${tile}`, name: `tile ${tile}`, x: 1.5, series: [] })),
});

const rows = <Row>(count: number, rowOf: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => rowOf(index));

export const usualAlerts = (count = 4): Json[] => rows(count, alertOf);
export const usualDashboards = (): Json[] => rows(2, dashboardOf);
const kinds = Object.keys(sources) as (keyof typeof sources)[];
export const usualPipes = (): Json[] =>
  kinds.map((kind, index) => ({
    ...clone(wirePipe(kind) as unknown as { [name: string]: Json }),
    id: `919e000${index}-0000-4000-8000-000000000001`,
    serviceId: 'of another service',
  }));

const oddValues: readonly Json[] = [
  null,
  true,
  false,
  '',
  'plain',
  'quote " solidus / back \\ line \n control \u0001 ü \u2028 🙂',
  '\ud800 alone',
  '2026-02-30T00:00:00Z',
  'above',
  0,
  -0,
  1,
  -1.5,
  0.000_000_1,
  1e21,
  2_147_483_647,
  2_147_483_648,
  9_007_199_254_740_991,
  [],
  [null],
  [[1]],
  ['a', 1],
  {},
  { id: 'x' },
  { kafka: {}, kinesis: { region: 'a' } },
];

/** All places of a value in which another one could stand. */
const placesIn = (value: Json, found: { parent: Json; key: string | number }[] = []) => {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    found.push({ parent: value, key: Array.isArray(value) ? Number(key) : key });
    placesIn(child, found);
  }
  return found;
};

/** Puts other values into a few places, takes some out, or puts some in. */
export const disturb = (value: Json, pick: Pick, count: number): Json => {
  const changed = clone(value);
  for (let done = 0; done < count; done += 1) {
    const places = placesIn(changed);
    const place = places[pick(places.length)];
    if (!place) break;
    const odd = clone(oddValues[pick(oddValues.length)] ?? null);
    const { parent, key } = place;
    if (Array.isArray(parent)) {
      if (pick(3) === 0) parent.splice(Number(key), 1);
      else parent[Number(key)] = odd;
    } else if (typeof parent === 'object' && parent !== null) {
      if (pick(3) === 0) delete parent[key];
      else parent[pick(4) === 0 ? `more${pick(200)}` : key] = odd;
    }
  }
  return changed;
};

const spellString = (text: string, pick: Pick, odd: boolean): string => {
  if (!odd || pick(4) !== 0) return JSON.stringify(text);
  const spelled = [...text].map((character) => {
    if (pick(3) !== 0) return JSON.stringify(character).slice(1, -1);
    if (character === '/') return '\\/';
    return Array.from(character, () => '')
      .concat(
        character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      )
      .join('');
  });
  return `"${spelled.join('')}"`;
};

const spellNumber = (value: number, pick: Pick, odd: boolean): string => {
  const text = Object.is(value, -0) ? '-0' : String(value);
  if (!odd || pick(3) !== 0 || /e/.test(text)) return text;
  const forms = [`${text}e0`, `${text}E+0`, text.includes('.') ? `${text}0` : `${text}.0`];
  return forms[pick(forms.length)] ?? text;
};

/** JSON as an upstream might write it: with odd escapes, numbers, spaces, orders and names that come twice. */
export const spell = (value: Json, pick: Pick, odd: boolean): string => {
  const space = (): string => (odd && pick(6) === 0 ? ([' ', '\n', '\t\r '][pick(3)] ?? '') : '');
  const write = (each: Json): string => {
    if (typeof each === 'string') return spellString(each, pick, odd);
    if (typeof each === 'number') return spellNumber(each, pick, odd);
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    if (Array.isArray(each)) {
      return `[${space()}${each.map((item) => `${write(item)}${space()}`).join(`,${space()}`)}]`;
    }
    const members = Object.entries(each);
    if (odd && pick(8) === 0) members.reverse();
    const again = odd && pick(30) === 0 ? members.slice(0, 1) : [];
    const texts = [...members, ...again].map(
      ([name, member]) =>
        `${spellString(name, pick, odd)}${space()}:${space()}${write(member)}${space()}`,
    );
    return `{${space()}${texts.join(`,${space()}`)}}`;
  };
  return write(value);
};

/** The bytes with one of them lost, changed or said twice. */
export const damage = (body: Buffer, pick: Pick): Buffer => {
  const at = pick(body.length);
  const odd = Buffer.from([
    [0, 0x22, 0x5c, 0x2c, 0x7d, 0x5d, 0x5b, 0x30, 0x2d, 0xff, 0x0a][pick(11)] ?? 0,
  ]);
  const [before, after] = [body.subarray(0, at), body.subarray(at + 1)];
  const forms = [
    Buffer.concat([before, after]),
    Buffer.concat([before, odd, after]),
    Buffer.concat([before, odd, body.subarray(at)]),
    before,
  ];
  return forms[pick(forms.length)] ?? body;
};
