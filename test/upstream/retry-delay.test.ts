import { expect, it } from 'vitest';
import { retryDelay } from '../../src/upstream/call/retry.ts';
import type { Failure } from '../../src/upstream/error.ts';

const failure = (facts: Partial<Failure>): Failure => ({
  upstream: 'observability',
  operation: 'listAlerts',
  reason: 'status',
  write: false,
  ...facts,
});

it('waits as long as a limit says, and up to 100 ms more', () => {
  const limited = failure({ status: 429, retryAfterSeconds: 1.5 });
  expect([retryDelay(limited, 0, 0), retryDelay(limited, 1, 1)]).toEqual([1500, 1600]);
});

it('waits as long as an outage says', () => {
  expect(retryDelay(failure({ status: 503, retryAfterSeconds: 2 }), 0, 0)).toBe(2000);
});

it('waits longer the second time for what may pass by itself', () => {
  const unreachable = failure({ reason: 'unreachable' });
  const delays = [0, 1].map((retry) =>
    [0, 1].map((random) => retryDelay(unreachable, retry, random)),
  );
  expect(delays).toEqual([
    [50, 200],
    [100, 400],
  ]);
});

it.each([
  ['a write', { reason: 'unreachable', write: true }],
  ['a limit that tells no wait', { status: 429 }],
  ['a limit whose wait is beyond two seconds', { status: 429, retryAfterSeconds: 2.01 }],
  ['an outage whose wait is beyond two seconds', { status: 503, retryAfterSeconds: 60 }],
  ['an answer of 500', { status: 500 }],
  ['a timeout', { reason: 'timeout' }],
] as const)('has no time for %s', (_, facts) => {
  expect(retryDelay(failure(facts), 0, 0)).toBeUndefined();
});
