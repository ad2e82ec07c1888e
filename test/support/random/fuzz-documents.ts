import { samples } from './fuzz-samples.ts';
import type { Random } from './random.ts';

/** What a POST carries: bytes that claim to be JSON. */
export type RandomBody = string | Buffer;

const oddNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 1e-320] as const;
const oddTexts = [
  '',
  ' ',
  '..',
  'a',
  '\u0000',
  '\ud800',
  '\udc00\ud83d',
  '😀',
  '\uFEFF',
  '__proto__',
  'constructor',
  '"""',
  '\\',
  '%2e%2e%2f',
  'x'.repeat(3000),
  '2026-03-10T10:00:00Z',
  'null',
  '1e999',
] as const;

const oddKeys = [
  '__proto__',
  'constructor',
  'toString',
  'then',
  'id',
  'name',
  'query',
  'length',
  '',
  'a',
  'input',
] as const;

/** Any JSON value, now and then a deep or a wide one. */
export const randomJson = (random: Random, depth = 3): unknown => {
  const kind = random.below(depth > 0 ? 9 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(50);
  if (kind === 2) return random.pick(oddNumbers);
  if (kind <= 4) return random.pick(oddTexts);
  if (kind <= 6) {
    const length = random.chance(3) ? 500 : random.below(4);
    return Array.from({ length }, () => randomJson(random, depth - 1));
  }
  if (kind === 7 && random.chance(10)) {
    let value: unknown = null;
    for (let level = 0; level < 300; level += 1) value = random.chance(50) ? [value] : { a: value };
    return value;
  }
  // `Object.fromEntries` makes a member of its own of "__proto__", as JSON.parse does.
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [
      random.pick(oddKeys),
      randomJson(random, depth - 1),
    ]),
  );
};

const words = [
  '!',
  ...'{}()[]:=|&$@,'.split(''),
  ...'{}{}(){}'.split(''),
  '...',
  '... on Alert',
  '...F',
  'query',
  'mutation',
  'subscription',
  'fragment F on Query',
  'fragment',
  'on',
  'true',
  'false',
  'null',
  'schema',
  'type',
  'extend',
  'directive',
  'organizations',
  'alerts',
  'alert(id: "alert-1")',
  'dashboards',
  'nodes(nodeIds: [])',
  'name',
  'id',
  'a: id',
  '__typename',
  '__schema',
  '__type(name: "Query")',
  '@include(if: true)',
  '@skip(if: $v)',
  '@oneOf',
  '@defer',
  '$v: ID!',
  '$v',
  'query Q($v: [ID!]! = [])',
  '"text"',
  '"unclosed',
  '"\\u{110000}"',
  '"\\ud800"',
  '"""block"""',
  '"""',
  '# comment\n',
  '#',
  '0',
  '-1.5e300',
  '01',
  '1e',
  '.5',
  '99999999999999999999',
  '\u0000',
  '\uFEFF',
  'ä',
  '😀',
  '\\',
  '`',
  '%',
  '__proto__',
  'constructor',
] as const satisfies readonly [string, ...string[]];

const soup = (random: Random): string => {
  const length = 1 + random.below(random.chance(5) ? 400 : 40);
  const separator = random.chance(80) ? ' ' : '';
  return Array.from({ length }, () => random.pick(words)).join(separator);
};

const randomText = (random: Random): string =>
  Array.from({ length: random.below(200) }, () =>
    String.fromCharCode(random.chance(70) ? random.below(128) : random.below(65_536)),
  ).join('');

const tokensOf = (text: string): string[] =>
  text.match(/"(?:\\.|[^"\\])*"|\.\.\.|\w+|\s+|[^\w\s]/gu) ?? [];

/** A text with some of its words taken out, doubled, moved or put in another’s place. */
export const mutatedText = (random: Random, text: string): string => {
  const tokens = tokensOf(text);
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time += 1) {
    const at = random.below(tokens.length + 1);
    const length = 1 + random.below(random.chance(20) ? 20 : 3);
    const other = tokensOf(random.pick(samples).query);
    const from = random.below(other.length);
    switch (random.below(7)) {
      case 0:
        tokens.splice(at, length);
        break;
      case 1:
        tokens.splice(at, 0, ...tokens.slice(at, at + length));
        break;
      case 2:
        tokens.splice(at, 1, random.pick(words));
        break;
      case 3:
        tokens.splice(at, 0, random.pick(words));
        break;
      case 4:
        tokens.splice(at, length, ...other.slice(from, from + length));
        break;
      case 5:
        tokens.splice(at, 0, ...tokens.splice(random.below(tokens.length + 1), length));
        break;
      default:
        tokens.splice(at, 1, JSON.stringify(random.pick(oddTexts)));
    }
  }
  return tokens.join('');
};

/** A JSON text with some of its bytes changed. */
const mutatedBytes = (random: Random, text: string): Buffer => {
  const bytes = Buffer.from(text);
  const times = 1 + random.below(5);
  for (let time = 0; time < times; time += 1) bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(20) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
};

const makers: readonly [(random: Random) => RandomBody, ...((random: Random) => RandomBody)[]] = [
  (random) => JSON.stringify({ query: soup(random) }),
  (random) => JSON.stringify({ query: soup(random), variables: randomJson(random, 2) }),
  (random) => {
    const { query, variables } = random.pick(samples);
    return JSON.stringify({ query: mutatedText(random, query), variables });
  },
  (random) => {
    const { query, variables } = random.pick(samples);
    return JSON.stringify({ query: mutatedText(random, mutatedText(random, query)), variables });
  },
  (random) => {
    const { query, variables = {} } = random.pick(samples);
    const replaced = Object.keys(variables).map((name) => [name, randomJson(random)]);
    return JSON.stringify({
      query,
      variables: random.chance(70) ? Object.fromEntries(replaced) : randomJson(random),
    });
  },
  (random) => JSON.stringify({ query: randomText(random) }),
  (random) =>
    JSON.stringify({
      query: random.chance(70) ? random.pick(samples).query : randomJson(random),
      ...(random.chance(50) && { variables: randomJson(random) }),
      ...(random.chance(50) && { operationName: randomJson(random, 1) }),
      ...(random.chance(50) && { extensions: randomJson(random) }),
      ...(random.chance(20) && { documentId: randomJson(random, 1) }),
    }),
  (random) => JSON.stringify(randomJson(random, 4)),
  (random) => mutatedBytes(random, JSON.stringify(random.pick(samples))),
  (random) => Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
];

/** The gateway hears no caller out who sends far more than it may. */
const longest = 300_000;

/** The body of a request that is hardly ever a valid one, and often nearly. */
export const randomBody = (random: Random): RandomBody =>
  random.pick(makers)(random).slice(0, longest);
