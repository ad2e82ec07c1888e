import { describe, expect, it } from 'vitest';
import { failed, type Send, type Step } from '../../src/upstream/call.ts';
import { createMeasure } from '../../src/upstream/events/measure.ts';
import type { Observer } from '../../src/upstream/events/observer.ts';
import { answerOf, createTestCaller, readOf, writeOf } from '../support/upstream/calls.ts';

/** Writes down what it is told, without times. */
const createNoting = () => {
  const told: (readonly unknown[])[] = [];
  const observer: Observer = {
    read: (...facts) => told.push(['read', ...facts]),
    dropped: (...facts) => told.push(['dropped', ...facts]),
    waiting: (_, change) => told.push(['waiting', change]),
    granted: (_upstream, _waitedMs, left) => told.push(['granted', left]),
    refused: (...facts) => told.push(['refused', ...facts]),
    sent: ({ outcome, isRetry }) => told.push(['sent', outcome, isRetry]),
  };
  return { told, measure: createMeasure(observer) };
};

const answering: Send = async () => answerOf();
const noSlot = failed(readOf(), { reason: 'no-slot' });

describe('the step around pacing', () => {
  it('tells how many slots were left when a call was granted one', async () => {
    const { told, measure } = createNoting();
    const step: Step = (call, next) => next(call);
    await measure.waiting({ step, left: () => 7 })(readOf(), answering);
    expect(told).toEqual([
      ['waiting', 1],
      ['granted', 7],
      ['waiting', -1],
    ]);
  });

  it('tells that nothing waits any longer where no slot is granted', async () => {
    const { told, measure } = createNoting();
    const refusing: Step = () => Promise.reject(noSlot);
    const outcome = measure.waiting({ step: refusing, left: () => 0 })(readOf(), answering);
    await expect(outcome).rejects.toBe(noSlot);
    expect(told).toEqual([
      ['waiting', 1],
      ['waiting', -1],
    ]);
  });
});

describe('the step before sending', () => {
  it.each([
    [204, '2xx'],
    [302, '3xx'],
    [404, '4xx'],
    [429, '429'],
    [503, '5xx'],
  ])('takes the status %i for %s', async (status, outcome) => {
    const { told, measure } = createNoting();
    await measure.sending(readOf(), async () => answerOf('', status));
    expect(told).toEqual([['sent', outcome, false]]);
  });

  it.each([
    ['aborted', 'given up'],
    ['timeout', 'failed'],
    ['cut-off', 'failed'],
    ['unreachable', 'failed'],
  ] as const)('takes a call that was %s for %s', async (reason, outcome) => {
    const { told, measure } = createNoting();
    const error = failed(readOf(), { reason });
    const sending = measure.sending(readOf(), () => Promise.reject(error));
    await expect(sending).rejects.toBe(error);
    expect(told).toEqual([['sent', outcome, false]]);
  });

  it('knows a call that had failed before', async () => {
    const { told, measure } = createNoting();
    const again = readOf(createTestCaller(), { failedWith: noSlot.failure });
    await measure.sending(again, answering);
    expect(told).toEqual([['sent', '2xx', true]]);
  });
});

describe('the step around reads', () => {
  it('tells where the answer came from last, and passes on all that is noted', async () => {
    const { told, measure } = createNoting();
    const caller = createTestCaller();
    const call = readOf(caller);
    await measure.reads({ ...call, notes: caller.calls.enter(call) }, async ({ notes }) => {
      notes?.joined(Promise.reject(noSlot));
      notes?.waited(20);
      notes?.sent()(200);
      notes?.kept('stale', 5000);
      notes?.usedAgain();
      return answerOf();
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([['read', 'observability', 'stale']]);
    expect(caller.calls.list()).toMatchObject([
      { cache: 'miss', status: 200, waitedMilliseconds: 20, shared: true },
      { cache: 'stale', status: 200, ageSeconds: 5, shared: true },
    ]);
  });

  it('tells of reads that fail, and of no write', async () => {
    const { told, measure } = createNoting();
    await expect(measure.reads(readOf(), () => Promise.reject(noSlot))).rejects.toBe(noSlot);
    await measure.reads(writeOf(), answering);
    expect(told).toEqual([['read', 'observability', 'miss']]);
  });
});
