import { samples } from './fuzz-samples.ts';
import type { Random } from './random.ts';

/** The body of a POST: bytes that claim to be JSON. */
export type RandomBody = string | Buffer;

const pickFrom = <Item>(random: Random, items: readonly Item[]): Item =>
  items[random.below(items.length)] as Item;

const oddNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 1e-320];
const oddTexts = [
  ...['', ' ', '..', 'a', '\u0000', '\ud800', '\udc00\ud83d', '😀', '\uFEFF', '__proto__'],
  ...['constructor', '"""', '\\', '%2e%2e%2f', 'x'.repeat(3000), '2026-03-10T10:00:00Z'],
  ...['null', '1e999'],
];
const oddKeys = [
  ...'__proto__ constructor toString then id name query length a input'.split(' '),
  '',
];

/** Any JSON value, sometimes a deep or a wide one. */
export const randomJson = (random: Random, depth = 3): unknown => {
  const kind = random.below(depth > 0 ? 9 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(50);
  if (kind === 2) return pickFrom(random, oddNumbers);
  if (kind <= 4) return pickFrom(random, oddTexts);
  if (kind <= 6) {
    const length = random.chance(3) ? 500 : random.below(4);
    return Array.from({ length }, () => randomJson(random, depth - 1));
  }
  if (kind === 7 && random.chance(10)) {
    let value: unknown = null;
    for (let level = 0; level < 300; level += 1) value = random.chance(50) ? [value] : { a: value };
    return value;
  }
  // `Object.fromEntries` makes "__proto__" an own member, as JSON.parse does.
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [
      pickFrom(random, oddKeys),
      randomJson(random, depth - 1),
    ]),
  );
};

const words = [
  ...'! { } ( ) [ ] : = | & $ @ , { } { } ( ) { } ... ...F query mutation subscription fragment on'.split(
    ' ',
  ),
  ...'true false null schema type extend directive organizations alerts dashboards name id'.split(
    ' ',
  ),
  ...'__typename __schema @oneOf @defer $v "text" "unclosed """block""" """ # 0 -1.5e300 01'.split(
    ' ',
  ),
  ...'1e .5 99999999999999999999 ä 😀 \\ ` % __proto__ constructor "\\u{110000}" "\\ud800"'.split(
    ' ',
  ),
  ...['... on Alert', 'fragment F on Query', 'alert(id: "alert-1")', 'nodes(nodeIds: [])', 'a: id'],
  ...['__type(name: "Query")', '@include(if: true)', '@skip(if: $v)', '$v: ID!', '# comment\n'],
  ...['query Q($v: [ID!]! = [])', '\u0000', '\uFEFF'],
];

const soup = (random: Random): string => {
  const length = 1 + random.below(random.chance(5) ? 400 : 40);
  const separator = random.chance(80) ? ' ' : '';
  return Array.from({ length }, () => pickFrom(random, words)).join(separator);
};

const randomText = (random: Random): string =>
  Array.from({ length: random.below(200) }, () =>
    String.fromCharCode(random.chance(70) ? random.below(128) : random.below(65_536)),
  ).join('');

const tokensOf = (text: string): string[] =>
  text.match(/"(?:\\.|[^"\\])*"|\.\.\.|\w+|\s+|[^\w\s]/gu) ?? [];

/** A text in which some words are removed, doubled, moved or replaced. */
const mutatedText = (random: Random, text: string): string => {
  const tokens = tokensOf(text);
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time += 1) {
    const at = random.below(tokens.length + 1);
    const length = 1 + random.below(random.chance(20) ? 20 : 3);
    const other = tokensOf(pickFrom(random, samples).query);
    const from = random.below(other.length);
    const changes = [
      () => tokens.splice(at, length),
      () => tokens.splice(at, 0, ...tokens.slice(at, at + length)),
      () => tokens.splice(at, random.below(2), pickFrom(random, words)),
      () => tokens.splice(at, length, ...other.slice(from, from + length)),
      () => tokens.splice(at, 0, ...tokens.splice(random.below(tokens.length + 1), length)),
      () => tokens.splice(at, 1, JSON.stringify(pickFrom(random, oddTexts))),
    ];
    pickFrom(random, changes)();
  }
  return tokens.join('');
};
const mutatedSample = (random: Random): string =>
  mutatedText(random, pickFrom(random, samples).query);

/** A JSON text with some of its bytes changed. */
const mutatedBytes = (random: Random, text: string): Buffer => {
  const bytes = Buffer.from(text);
  const times = 1 + random.below(5);
  for (let time = 0; time < times; time += 1) bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(20) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
};

const makers: readonly ((random: Random) => unknown)[] = [
  (random) => ({ query: soup(random), variables: randomJson(random, 2) }),
  (random) => ({ ...pickFrom(random, samples), query: mutatedSample(random) }),
  (random) => ({ ...pickFrom(random, samples), query: mutatedText(random, mutatedSample(random)) }),
  (random) => {
    const { query, variables } = pickFrom(random, samples);
    const replaced = Object.keys(variables).map((name) => [name, randomJson(random)]);
    const isObject = random.chance(70);
    return { query, variables: isObject ? Object.fromEntries(replaced) : randomJson(random) };
  },
  (random) => ({ query: randomText(random) }),
  (random) => ({
    query: random.chance(70) ? pickFrom(random, samples).query : randomJson(random),
    ...(random.chance(50) && { variables: randomJson(random) }),
    ...(random.chance(50) && { operationName: randomJson(random, 1) }),
    ...(random.chance(50) && { extensions: randomJson(random) }),
    ...(random.chance(20) && { documentId: randomJson(random, 1) }),
  }),
  (random) => pickFrom(random, samples),
  (random) => randomJson(random, 4),
  (random) => mutatedBytes(random, JSON.stringify(pickFrom(random, samples))),
  (random) => Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
];

/** The gateway stops reading a body that is far too long. */
const longest = 300_000;

/** A random body that is rarely valid, but often nearly valid. */
export const randomBody = (random: Random): RandomBody => {
  const body = pickFrom(random, makers)(random);
  return (Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? '')).slice(0, longest);
};
