import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { callsLeft, retryAfterSeconds } from '../../src/upstream/answer-headers.ts';

/** The gateway's clock in these tests, in seconds since 1970. */
const epoch = 1_795_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: epoch * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

type Headers = Readonly<Record<string, string | string[]>>;

const waitOf = (headers: Headers, status = 429) => retryAfterSeconds({ status, headers });
const dateIn = (seconds: number): string => new Date((epoch + seconds) * 1000).toUTCString();

it.each<readonly [Headers, seconds: number | undefined]>([
  [{ 'x-ratelimit-reset': '6.214' }, 6.214],
  [{ 'x-ratelimit-reset': `${epoch + 9}.5` }, 9.5],
  // One that has passed waits a second.
  [{ 'x-ratelimit-reset': `${epoch - 9}` }, 1],
  [{ 'ratelimit-reset': `${epoch + 34}` }, 34],
  [{ ratelimit: '"default"; r=0; t=5' }, 5],
  [{ 'retry-after': dateIn(20) }, 20],
  [{ 'retry-after': dateIn(-20) }, 1],
  // A date of an older form.
  [{ 'retry-after': 'Wednesday, 18-Nov-26 11:07:00 GMT' }, 20],
  [{ 'retry-after': ['3', '60'] }, 3],
  // Five minutes at most.
  [{ 'retry-after': '86400' }, 300],
  [{}, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1', 'ratelimit-reset': '-5' }, undefined],
  [{ 'ratelimit-reset': '1e3' }, undefined],
  [{ 'x-ratelimit-reset': 'x', 'retry-after': '4' }, 4],
])('a 429 with %o names a wait of %s s', (headers, seconds) => {
  expect(waitOf(headers)).toBe(seconds);
});

it('a 429 names it by the first of X-RateLimit-Reset, RateLimit-Reset, RateLimit and Retry-After', () => {
  const all = [
    ['x-ratelimit-reset', '1'],
    ['ratelimit-reset', '2'],
    ['ratelimit', '"x";r=0;t=3'],
    ['retry-after', '4'],
  ] as const;
  const waits = all.map((_, from) => waitOf(Object.fromEntries(all.slice(from))));
  expect(waits).toEqual([1, 2, 3, 4]);
});

it('a 503 names it by Retry-After alone, and no other status does', () => {
  const headers = { 'retry-after': '4', 'ratelimit-reset': '2', 'x-ratelimit-reset': '2' };
  const { 'retry-after': _, ...limits } = headers;
  expect([waitOf(headers, 503), waitOf(limits, 503)]).toEqual([4, undefined]);
  for (const status of [200, 400, 404, 500, 502, 504]) {
    expect(waitOf(headers, status)).toBeUndefined();
  }
});

it.each<readonly [Headers, ReturnType<typeof callsLeft>]>([
  [
    { 'ratelimit-remaining': '42', 'ratelimit-reset': '7' },
    { calls: 42, seconds: 7 },
  ],
  [{ 'ratelimit-remaining': '0' }, { calls: 0, seconds: undefined }],
  [{ ratelimit: '"default";r=50;t=5' }, { calls: 50, seconds: 5 }],
  [{}, undefined],
  [{ 'ratelimit-remaining': '-1' }, undefined],
])('with %o the calls left are %o', (headers, left) => {
  expect(callsLeft({ headers })).toEqual(left);
});
