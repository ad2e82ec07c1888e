import type { Answer } from '../harness.ts';
import { randomJson } from './fuzz-documents.ts';
import type { Random } from './random.ts';

type Parent = Record<string, unknown> | unknown[];

/** Every value in a JSON value, as its parent and key. */
const placesIn = (value: unknown, levels = 20): (readonly [Parent, string])[] => {
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  const parent = value as Parent;
  return Object.keys(parent).flatMap((key) => [
    [parent, key] as const,
    ...placesIn((parent as Record<string, unknown>)[key], levels - 1),
  ]);
};

const mutatedJson = (random: Random, text: string): string => {
  const root: { value: unknown } = { value: JSON.parse(text) };
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time += 1) {
    const places = placesIn(root);
    const [parent, key] = places[random.below(places.length)] ?? [root, 'value'];
    const members = parent as Record<string, unknown>;
    const changes: readonly [() => unknown, ...(() => unknown)[]] = [
      () =>
        Array.isArray(parent) ? parent.splice(Number(key), 1) : Reflect.deleteProperty(parent, key),
      () => (members[key] = [members[key], members[key]]),
      () => (members[key] = { [key]: members[key] }),
      () => (members[key] = null),
      // The same identifier twice, or an object in place of another.
      () => (members[key] = structuredClone(places[random.below(places.length)]?.[0] ?? null)),
      () => (members[key] = randomJson(random)),
    ];
    random.pick(changes)();
  }
  return JSON.stringify(root.value) ?? '';
};

const mutatedChars = (random: Random, text: string): string => {
  const at = random.below(text.length + 1);
  const changed = `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`;
  return random.pick([text.slice(0, at), text.slice(at), changed, text + text, '']);
};

const types = [
  'text/html',
  'application/json; charset=latin1',
  'application/octet-stream',
  '',
  'application/problem+json',
] as const;
// Few of these statuses count as failures of an upstream: an open breaker would end the test early.
const statuses = [
  200, 201, 202, 204, 206, 299, 302, 400, 401, 403, 404, 409, 418, 422, 429,
] as const;
const failures = [500, 502, 503, 504] as const;
const encodings = ['gzip', 'br', 'deflate', 'identity', 'nonsense'] as const;

/** An answer that a correct upstream would not give. */
export const mutatedAnswer = (random: Random, answer: Answer): Answer => {
  const isJson = answer.headers?.['content-type']?.includes('json') && !answer.isCutOff;
  const body =
    isJson && random.chance(75)
      ? mutatedJson(random, answer.body)
      : mutatedChars(random, answer.body);
  const status = random.chance(10) ? random.pick(statuses) : (answer.status ?? 200);
  return {
    status: random.chance(1) ? random.pick(failures) : status,
    headers: {
      // Without the length, which has changed.
      'content-type': answer.headers?.['content-type'] ?? '',
      ...(random.chance(5) && { 'content-type': random.pick(types) }),
      ...(random.chance(3) && { 'content-encoding': random.pick(encodings) }),
      ...(random.chance(3) && { location: '/elsewhere', 'retry-after': '999999999999' }),
    },
    body,
  };
};
