import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../src/upstream/call.ts';
import { createCallLog } from '../../src/upstream/events/explain.ts';
import {
  answerOf,
  createTestBudget,
  createTestCaller,
  readOf,
  writeOf,
} from '../support/upstream/calls.ts';
import { failure, pass, startPace } from '../support/upstream/pace-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the slot of a call', () => {
  it.each([
    ['that was answered is free a window later', 10_000, undefined],
    ['that was cut off is free a window and a second later', 11_000, { inFlightMs: 5 }],
    [
      'that could not be read is free a window and a second later',
      11_000,
      { reason: 'bad-response' },
    ],
    ['that found no connection is free at once', 0, { reason: 'unreachable' }],
    ['that found no place in the queue is free at once', 0, { reason: 'queue-full' }],
    ['that the breaker refused is free at once', 0, { reason: 'circuit-open' }],
    ['that was given up before it was sent is free at once', 0, { reason: 'aborted' }],
    [
      'that was given up in flight is free a window and a second later',
      11_000,
      { reason: 'aborted', inFlightMs: 5 },
    ],
  ] as const)('%s', async (_, later, facts) => {
    const { pace, left } = startPace();
    const end = Promise.withResolvers<Answer>();
    const outcome = pace.step(readOf(), () => end.promise).catch(() => undefined);
    await pass(5000);
    expect(left()).toBe(1);
    if (facts) end.reject(failure(facts));
    else end.resolve(answerOf());
    await outcome;
    if (later > 0) {
      await pass(later - 1);
      expect(left()).toBe(1);
      await pass(1);
    }
    expect(left()).toBe(2);
  });

  it('is its own credential’s alone', async () => {
    const { go, another, sent, use, left, pace } = startPace();
    await use(2);
    go(another());
    go(another({ credential: 'Bearer two', holder: 'Bearer two' }));
    await pass(0);
    expect(sent.map(({ call }) => call.credential)).toEqual(['Bearer two']);
    expect([left(), pace.left('Bearer two'), pace.left('Bearer three')]).toEqual([0, 1, 2]);
  });
});

describe('a call that has to wait', () => {
  it('is sent when a slot is free, and notes how long it waited', async () => {
    const { go, another, sent, use } = startPace();
    await use(2);
    await pass(3000);
    const waited = vi.fn();
    const call = another();
    const told = go({ ...call, notes: { ...createCallLog().enter(call), waited } });
    await pass(6999);
    expect(sent).toHaveLength(0);
    await pass(1);
    expect(waited.mock.calls).toEqual([[7000]]);
    sent[0]?.answer();
    await pass(0);
    expect(told.outcome).toBe(200);
  });

  it('is refused at once where that would be too late, and counts on nobody', async () => {
    const { go, another, sent, use, complaints } = startPace();
    await use(2);
    await pass(1700);
    const call = another({ latest: 9000 });
    const told = go(call);
    await pass(0);
    expect(told.outcome).toEqual({
      upstream: 'observability',
      operation: 'listAlerts',
      reason: 'no-slot',
      retryAfterSeconds: 9,
      write: false,
    });
    expect([sent, complaints, call.caller.budget.taken]).toEqual([[], [], 0]);
  });

  it.each(['AbortError', 'TimeoutError'] as const)(
    'gives its place back when its caller leaves with %s',
    async (reason) => {
      const { go, another, sent, use } = startPace({ calls: 1 });
      await use(1);
      const caller = createTestCaller();
      const told = go(readOf(caller, { path: '/left', latest: 12_000 }));
      await pass(1000);
      caller.leave(reason);
      const next = go(another({ latest: 12_000 }));
      await pass(0);
      expect(told.outcome).toMatchObject({
        reason: reason === 'AbortError' ? 'aborted' : 'timeout',
      });
      await pass(9000);
      expect(sent).toHaveLength(1);
      expect([next.outcome, caller.budget.taken]).toEqual([undefined, 0]);
    },
  );

  it('is not waited for by a caller who has left already', async () => {
    const { go, use } = startPace();
    await use(2);
    const caller = createTestCaller();
    caller.leave();
    const told = go(writeOf(caller));
    await pass(0);
    expect(told.outcome).toMatchObject({ reason: 'aborted' });
  });

  it('is sent at once when one before it was not sent after all', async () => {
    const { go, another, sent } = startPace({ calls: 1 });
    go(writeOf());
    go(another());
    await pass(1000);
    sent[0]?.fail(failure({ reason: 'unreachable', write: true }));
    await pass(0);
    expect(sent.map(({ call }) => call.row.name)).toEqual(['deleteDashboard', 'listAlerts']);
  });

  it('is not counted among those that its operation may have in parallel', async () => {
    const { go, sent, use } = startPace();
    await use(2);
    const caller = createTestCaller({ budget: createTestBudget(100, 1) });
    go(readOf(caller, { path: '/waits' }));
    go(readOf(caller, { path: '/goes', credential: 'Bearer two', holder: 'Bearer two' }));
    await pass(0);
    expect(sent.map(({ call }) => call.path)).toEqual(['/goes']);
  });
});

describe('an open breaker', () => {
  it('is not waited for', async () => {
    const { go, another, breaker, use } = startPace();
    await use(2);
    breaker.state = 'open';
    const told = go(another());
    await pass(0);
    expect(told.outcome).toMatchObject({ reason: 'circuit-open', retryAfterSeconds: 3 });
  });

  it('ends all waiting, of every credential', async () => {
    const { go, another, pace, use, sent } = startPace({ calls: 1 });
    await use(1);
    go(another({ credential: 'Bearer two', holder: 'Bearer two' }));
    const waiting = [
      go(another()),
      go(writeOf()),
      go(another({ credential: 'Bearer two', holder: 'Bearer two' })),
    ];
    await pass(1000);
    pace.dismiss();
    await pass(0);
    expect(waiting.map(({ outcome }) => outcome)).toMatchObject(
      Array(3).fill({ reason: 'circuit-open' }),
    );
    await pass(30_000);
    expect(sent).toHaveLength(1);
  });
});
