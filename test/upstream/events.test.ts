import { describe, expect, it } from 'vitest';
import { type Call, failed, type Send } from '../../src/upstream/call.ts';
import type { Fate } from '../../src/upstream/events/fate.ts';
import { createEvents } from '../../src/upstream/events/index.ts';
import type { Observer } from '../../src/upstream/events/metrics.ts';
import { answerOf, createTestCaller, readOf, writeOf } from '../support/upstream/calls.ts';

/** Writes down what the observer is told, without times. */
const start = () => {
  const told: (readonly unknown[])[] = [];
  const observer: Observer = {
    read: (...facts) => told.push(['read', ...facts]),
    dropped: (...facts) => told.push(['dropped', ...facts]),
    waiting: (_, change) => told.push(['waiting', change]),
    granted: (_upstream, _waitedMs, left) => told.push(['granted', left]),
    refused: (...facts) => told.push(['refused', ...facts]),
    sent: ({ outcome, isRetry }) => told.push(['sent', outcome, isRetry]),
  };
  return { told, ...createEvents({ observer }) };
};

const noSlot = failed(readOf(), { reason: 'no-slot' });

describe('sending', () => {
  it.each([
    [204, '2xx'],
    [302, '3xx'],
    [404, '4xx'],
    [429, '429'],
    [503, '5xx'],
  ])('takes the status %i for %s', async (status, outcome) => {
    const { told, sending } = start();
    await sending(async () => answerOf('', status))(readOf());
    expect(told).toEqual([['sent', outcome, false]]);
  });

  it.each([
    ['aborted', 'given up'],
    ['timeout', 'failed'],
    ['cut-off', 'failed'],
    ['unreachable', 'failed'],
  ] as const)('takes a call that was %s for %s', async (reason, outcome) => {
    const { told, sending } = start();
    const error = failed(readOf(), { reason });
    const send: Send = () => Promise.reject(error);
    await expect(sending(send)(readOf())).rejects.toBe(error);
    expect(told).toEqual([['sent', outcome, false]]);
  });

  it('knows a call that had failed before', async () => {
    const { told, sending } = start();
    await sending(async () => answerOf())(
      readOf(createTestCaller(), { failedWith: noSlot.failure }),
    );
    expect(told).toEqual([['sent', '2xx', true]]);
  });
});

describe('what becomes of a call', () => {
  const call = readOf();
  const sharing = { kind: 'joined', call, since: 0, error: noSlot } as const;
  const older = { kind: 'memory', call, state: 'stale', ageMs: 5000, status: 200 } as const;
  const answered = { kind: 'answered', call } as const;

  it.each<[string, readonly Fate<Call>[], readonly unknown[][]]>([
    ['a read that is sent', [answered], [['read', 'observability', 'miss']]],
    [
      'a read that fails',
      [{ kind: 'failed', call, error: noSlot, milliseconds: 1 }],
      [['read', 'observability', 'miss']],
    ],
    ['the last place it is from', [sharing, older, answered], [['read', 'observability', 'stale']]],
    ['what is repeated as one', [{ kind: 'repeated', call, first: readOf() }, answered], []],
    ['no write', [{ kind: 'answered', call: writeOf() }], []],
    [
      'whoever waits',
      [
        { kind: 'queued', call },
        { kind: 'granted', call, waitedMs: 1, slotsLeft: 7 },
        { kind: 'dequeued', call },
      ],
      [
        ['waiting', 1],
        ['granted', 7],
        ['waiting', -1],
      ],
    ],
    ['whoever is refused', [{ kind: 'refused', call }], [['refused', 'observability', 'read']]],
  ])('counts %s', (_, fates, expected) => {
    const { told, tell } = start();
    for (const fate of fates) tell(fate);
    expect(told).toEqual(expected);
  });

  it('is listed for its request, and counts for its line in the log', () => {
    const { tell } = start();
    const caller = createTestCaller();
    const its = readOf(caller);
    const sent = { ...its };
    tell({ ...sharing, call: its });
    tell({ kind: 'granted', call: its, waitedMs: 20, slotsLeft: 7 });
    tell({ kind: 'waited', call: its, waitedMs: 30 });
    tell({ kind: 'sent', call: sent });
    tell({ kind: 'ended', call: sent, milliseconds: 1, status: 200 });
    tell({ ...older, call: its });
    tell({ kind: 'repeated', call: readOf(caller), first: its });
    tell({ kind: 'sent', call: { ...its, priority: 'renewal' } });
    expect(caller.calls.list()).toMatchObject([
      { cache: 'miss', status: 200, waitedMilliseconds: 20, shared: true },
      { cache: 'stale', status: 200, ageSeconds: 5, shared: true },
    ]);
    expect([caller.ages.stalestSeconds, caller.waits.longestMs]).toEqual([5, 30]);
  });
});
