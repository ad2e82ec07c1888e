import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callsLeft, headerOf, retryAfterSeconds } from '../../src/upstream/sending/rate-limit.ts';

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

describe('a 429 names the wait', () => {
  it.each<[string, Headers, number]>([
    ['X-RateLimit-Reset in seconds', { 'x-ratelimit-reset': '7' }, 7],
    ['X-RateLimit-Reset with decimals', { 'x-ratelimit-reset': '6.214' }, 6.214],
    ['X-RateLimit-Reset as an epoch', { 'x-ratelimit-reset': `${epoch + 9}` }, 9],
    ['an epoch with decimals', { 'x-ratelimit-reset': `${epoch + 9}.5` }, 9.5],
    ['an epoch that has passed, with a second', { 'x-ratelimit-reset': `${epoch - 9}` }, 1],
    ['0 seconds, with one', { 'x-ratelimit-reset': '0' }, 1],
    ['RateLimit-Reset', { 'ratelimit-reset': '34' }, 34],
    ['RateLimit-Reset as an epoch', { 'ratelimit-reset': `${epoch + 34}` }, 34],
    ['the newer RateLimit', { ratelimit: '"default";r=0;t=5' }, 5],
    ['the newer RateLimit, spaced', { ratelimit: '"default"; r=0; t=5' }, 5],
    ['Retry-After in seconds', { 'retry-after': '60' }, 60],
    ['Retry-After as a date', { 'retry-after': new Date((epoch + 20) * 1000).toUTCString() }, 20],
    [
      'a date that has passed, with a second',
      { 'retry-after': new Date((epoch - 20) * 1000).toUTCString() },
      1,
    ],
    ['a date of an older form', { 'retry-after': 'Wednesday, 18-Nov-26 11:07:00 GMT' }, 20],
    ['the first of several values', { 'retry-after': ['3', '60'] }, 3],
    ['at most five minutes', { 'retry-after': '86400' }, 300],
    ['at most five minutes of an epoch', { 'ratelimit-reset': `${epoch + 86_400}` }, 300],
  ])('by %s', (_, headers, seconds) => {
    expect(waitOf(headers)).toBe(seconds);
  });

  it('by the first of X-RateLimit-Reset, RateLimit-Reset, RateLimit and Retry-After that it has', () => {
    const all = [
      ['x-ratelimit-reset', '1'],
      ['ratelimit-reset', '2'],
      ['ratelimit', '"x";r=0;t=3'],
      ['retry-after', '4'],
    ] as const;
    const waits = all.map((_, from) => waitOf(Object.fromEntries(all.slice(from))));
    expect(waits).toEqual([1, 2, 3, 4]);
  });

  it.each<[string, Headers, number | undefined]>([
    ['without headers', {}, undefined],
    ['with words', { 'retry-after': 'soon' }, undefined],
    ['with an empty header', { 'retry-after': '' }, undefined],
    ['with a negative number', { 'retry-after': '-1', 'ratelimit-reset': '-5' }, undefined],
    ['with a number of no decimal form', { 'ratelimit-reset': '1e3' }, undefined],
    [
      'with a header that cannot be read before one that can',
      { 'x-ratelimit-reset': 'x', 'retry-after': '4' },
      4,
    ],
  ])('not, or by what is left, %s', (_, headers, seconds) => {
    expect(waitOf(headers)).toBe(seconds);
  });
});

describe('a 503 names the wait', () => {
  it('by Retry-After alone', () => {
    expect(waitOf({ 'retry-after': '4', 'ratelimit-reset': '2' }, 503)).toBe(4);
    expect(waitOf({ 'ratelimit-reset': '2', 'x-ratelimit-reset': '2' }, 503)).toBeUndefined();
  });
});

it.each([200, 201, 400, 404, 500, 502, 504])('a %s names no wait', (status) => {
  expect(waitOf({ 'retry-after': '4', 'ratelimit-reset': '2' }, status)).toBeUndefined();
});

describe('the calls left', () => {
  it.each<[string, Headers, ReturnType<typeof callsLeft>]>([
    [
      'RateLimit-Remaining',
      { 'ratelimit-remaining': '42', 'ratelimit-reset': '7' },
      { calls: 42, seconds: 7 },
    ],
    ['none', { 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, { calls: 0, seconds: 7 }],
    ['without a time', { 'ratelimit-remaining': '3' }, { calls: 3, seconds: undefined }],
    ['the newer RateLimit', { ratelimit: '"default";r=50;t=5' }, { calls: 50, seconds: 5 }],
    ['no header', {}, undefined],
    ['words', { 'ratelimit-remaining': 'many' }, undefined],
    ['a negative number', { 'ratelimit-remaining': '-1' }, undefined],
  ])('by %s', (_, headers, left) => {
    expect(callsLeft({ headers })).toEqual(left);
  });
});

it('a header is its first value, or empty', () => {
  expect(headerOf({ headers: { a: ['1', '2'], b: '3' } }, 'a')).toBe('1');
  expect(headerOf({ headers: { b: '3' } }, 'b')).toBe('3');
  expect(headerOf({ headers: {} }, 'c')).toBe('');
});
