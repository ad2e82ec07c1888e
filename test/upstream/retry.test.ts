import { describe, expect, it } from 'vitest';
import { type Failure, UpstreamError } from '../../src/upstream/error.ts';
import { createRetry, retryDelay } from '../../src/upstream/sending/retry.ts';
import { answerOf, createTestCaller, readOf, settled } from '../support/upstream/calls.ts';

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
  ['an upstream whose breaker is open', { reason: 'circuit-open', retryAfterSeconds: 1 }],
  ['an answer of 500', { status: 500 }],
  ['a timeout', { reason: 'timeout' }],
] as const)('has no time for %s', (_, facts) => {
  expect(retryDelay(failure(facts), 0, 0)).toBeUndefined();
});

describe('a read', () => {
  const cutOff: Partial<Failure> = { reason: 'cut-off', inFlightMs: 5 };

  /** Sends a read that fails with one after the other; `told` is what it fails with at last, or that it is answered. */
  const send = (...failures: readonly Partial<Failure>[]) => {
    const caller = createTestCaller();
    let sent = 0;
    const next = async () => {
      const facts = failures[sent];
      sent += 1;
      if (facts) throw new UpstreamError(failure(facts));
      return answerOf();
    };
    const told = createRetry({ maxRetries: 2, isPaced: false })(readOf(caller), next).then(
      () => 'answered',
      (error: unknown) => (error instanceof UpstreamError ? error.failure.reason : String(error)),
    );
    return { told, caller, sent: () => sent };
  };

  it.each<readonly [told: string, sent: number, failures: readonly Partial<Failure>[]]>([
    ['answered', 3, [cutOff, cutOff]],
    ['cut-off', 3, [cutOff, cutOff, cutOff]],
    ['status', 1, [{ reason: 'status', status: 500 }]],
    ['circuit-open', 2, [cutOff, { reason: 'circuit-open' }]],
    ['over-budget', 1, [{ reason: 'over-budget' }]],
  ])('ends as %s after %i times', async (outcome, times, failures) => {
    const { told, sent } = send(...failures);
    expect(await told).toBe(outcome);
    expect(sent()).toBe(times);
  });

  it('is not sent again once its caller has left', async () => {
    const { told, caller, sent } = send(cutOff, cutOff);
    await settled();
    caller.leave();
    expect(await told).toBe('cut-off');
    expect(sent()).toBe(1);
  });
});
