import type { Answer } from '../support/harness.ts';
import { documents, isSubscription, textOf, variablesOf } from '../support/operations.ts';
import type { Random } from '../support/random/random.ts';

/** The queries and mutations of operations/, with identifiers of the sandbox. */
export const samples = Object.keys(documents)
  .filter((name) => !isSubscription(name))
  .map((name) => ({ query: textOf(name), variables: variablesOf(name) }));

const oddKeys = ['', ...'__proto__ constructor toString then id name query length a'.split(' ')];
const oddTexts = [
  ...['', ' ', '..', '\u0000', '\ud800', '\udc00\ud83d', '😀', '\uFEFF', '__proto__', '"""'],
  ...['\\', '%2e%2e%2f', 'x'.repeat(3000), '2026-03-10T10:00:00Z', 'null', '1e999'],
];
const oddNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 1e-320];
const oddLeaves = [null, true, false, ...oddNumbers, ...oddTexts];

const listOf = <Item>(length: number, make: () => Item): Item[] => Array.from({ length }, make);

/** Any JSON value, sometimes a deep or a wide one. */
const randomJson = (random: Random, depth = 3): unknown => {
  const kind = random.below(depth > 0 ? 9 : 5);
  if (kind <= 4) return random.any(oddLeaves);
  const below = () => randomJson(random, depth - 1);
  if (kind <= 6) return listOf(random.chance(3) ? 500 : random.below(4), below);
  if (random.chance(5)) {
    return listOf(300, () => random.chance(50)).reduce<unknown>(
      (value, isList) => (isList ? [value] : { a: value }),
      null,
    );
  }
  // `Object.fromEntries` makes "__proto__" an own member, as JSON.parse does.
  return Object.fromEntries(listOf(random.below(5), () => [random.any(oddKeys), below()]));
};

const words = [
  ...`! { } ( ) [ ] : = | & $ @ , { } { } ( ) { } ... ...F query mutation subscription fragment on true false null schema type
    extend directive organizations alerts dashboards name id __typename __schema @oneOf @defer $v "text" "unclosed
    """block""" """ # 0 -1.5e300 01 1e .5 99999999999999999999 ä 😀 \\ \` % __proto__ constructor "\\u{110000}" "\\ud800"`.split(
    /\s+/,
  ),
  ...[
    '... on Alert',
    'fragment F on Query',
    'alert(alertId: "alert-1")',
    'nodes(nodeIds: [])',
    'a: id',
  ],
  ...['__type(name: "Query")', '@include(if: true)', '@skip(if: $v)', '$v: ID!', '# comment\n'],
  ...['query Q($v: [ID!]! = [])', '\u0000', '\uFEFF'],
];

const tokensOf = (text = ''): string[] =>
  text.match(/"(?:\\.|[^"\\])*"|\.\.\.|\w+|\s+|[^\w\s]/gu) ?? [];

/** A text in which some words are removed, doubled, moved or replaced. */
const mutatedText = (random: Random, text?: string): string => {
  const tokens = tokensOf(text);
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(tokens.length + 1);
    const length = 1 + random.below(random.chance(20) ? 20 : 3);
    const other = tokensOf(random.any(samples)?.query);
    const from = random.below(other.length);
    random.any([
      () => tokens.splice(at, length),
      () => tokens.splice(at, 0, ...tokens.slice(at, at + length)),
      () => tokens.splice(at, random.below(2), random.any(words) ?? ''),
      () => tokens.splice(at, length, ...other.slice(from, from + length)),
      () => tokens.splice(at, 0, ...tokens.splice(random.below(tokens.length + 1), length)),
      () => tokens.splice(at, 1, JSON.stringify(random.any(oddTexts))),
    ])?.();
  }
  return tokens.join('');
};

const randomBytes = (random: Random, length: number): Buffer =>
  Buffer.from(listOf(length, () => random.below(256)));

/** A JSON text with some of its bytes changed. */
const mutatedBytes = (random: Random, text: string): Buffer => {
  const bytes = Buffer.from(text);
  for (let times = 1 + random.below(5); times > 0; times -= 1) {
    randomBytes(random, 1).copy(bytes, random.below(bytes.length));
  }
  return random.chance(20) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
};

/** A random body of a POST that is rarely valid, but often nearly valid. */
export const randomBody = (random: Random): string | Buffer => {
  const sample = random.any(samples);
  const json = (depth?: number) => randomJson(random, depth);
  const soup = listOf(1 + random.below(random.chance(5) ? 400 : 40), () => random.any(words));
  const characters = listOf(random.below(200), () =>
    String.fromCharCode(random.below(random.chance(70) ? 128 : 65_536)),
  );
  const replaced = Object.keys(sample?.variables ?? {}).map((name) => [name, json()]);
  const makers: readonly (() => unknown)[] = [
    () => ({ query: soup.join(random.chance(80) ? ' ' : ''), variables: json(2) }),
    () => ({ ...sample, query: mutatedText(random, sample?.query) }),
    () => ({ ...sample, query: mutatedText(random, mutatedText(random, sample?.query)) }),
    () => ({ ...sample, variables: random.chance(70) ? Object.fromEntries(replaced) : json() }),
    () => ({ query: characters.join('') }),
    () => ({
      query: random.chance(70) ? sample?.query : json(),
      ...(random.chance(50) && { variables: json() }),
      ...(random.chance(50) && { operationName: json(1) }),
      ...(random.chance(50) && { extensions: json() }),
      ...(random.chance(20) && { documentId: json(1) }),
    }),
    () => sample,
    () => json(4),
    () => mutatedBytes(random, JSON.stringify(sample)),
    () => randomBytes(random, random.below(300)),
  ];
  const body = random.any(makers)?.();
  // The gateway stops reading a body that is far too long.
  return (Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? '')).slice(0, 300_000);
};

type Parent = Record<string, unknown>;

/** Every value in a JSON value, as its parent, an object or a list, and its key. */
const placesIn = (value: unknown, levels = 20): (readonly [Parent, string])[] =>
  typeof value !== 'object' || value === null || levels === 0
    ? []
    : Object.entries(value).flatMap(([key, member]) => [
        [value as Parent, key] as const,
        ...placesIn(member, levels - 1),
      ]);

const mutatedJson = (random: Random, text: string): string => {
  const root: { value: unknown } = { value: JSON.parse(text) };
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const places = placesIn(root);
    const [parent, key] = random.any(places) ?? [root as Parent, 'value'];
    const put = (value: unknown) => () => Reflect.set(parent, key, value);
    random.any<() => unknown>([
      () =>
        Array.isArray(parent) ? parent.splice(Number(key), 1) : Reflect.deleteProperty(parent, key),
      put([parent[key], parent[key]]),
      put({ [key]: parent[key] }),
      put(null),
      // The same identifier twice, or an object in place of another.
      put(structuredClone(random.any(places)?.[0] ?? null)),
      put(randomJson(random)),
    ])?.();
  }
  return JSON.stringify(root.value) ?? '';
};

const mutatedChars = (random: Random, text: string): string => {
  const at = random.below(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const changed = `${before}${String.fromCharCode(random.below(256))}${after.slice(1)}`;
  return random.pick([before, after, changed, text + text, '']);
};

const types = [
  ...['text/html', 'application/json; charset=latin1', 'application/octet-stream', ''],
  'application/problem+json',
];
// Few of these statuses count as failures of an upstream: an open breaker would end the test early.
const statuses = [
  ...[200, 201, 202, 204, 206, 299, 302],
  ...[400, 401, 403, 404, 409, 418, 422, 429],
];

/** An answer that a correct upstream would not give. */
export const mutatedAnswer = (
  random: Random,
  { status, headers, body, isCutOff }: Answer,
): Answer => {
  const type = headers?.['content-type'] ?? '';
  const isJson = type.includes('json') && !isCutOff && random.chance(75);
  const odd = random.chance(10) ? random.any(statuses) : status;
  return {
    status: (random.chance(1) ? random.any([500, 502, 503, 504]) : odd) ?? 200,
    headers: {
      // Without the length, which has changed.
      'content-type': (random.chance(5) ? random.any(types) : type) ?? '',
      ...(random.chance(3) && {
        'content-encoding': random.pick(['gzip', 'br', 'deflate', 'identity', 'nonsense']),
      }),
      ...(random.chance(3) && { location: '/elsewhere', 'retry-after': '999999999999' }),
    },
    body: isJson ? mutatedJson(random, body) : mutatedChars(random, body),
  };
};
