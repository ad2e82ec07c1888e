import { describe, expect, it } from 'vitest';
import type { Settle } from '../../src/upstream/call.ts';
import { createCallBudget } from '../../src/upstream/call-budget.ts';
import { type Cancellation, CancellationSource } from '../../src/upstream/cancellation.ts';
import { createInFlight } from '../../src/upstream/in-flight.ts';

/** Reads under way, and those that were sent, in their order. */
const start = () => {
  const inFlight = createInFlight();
  const sent: { credential: string; own: Cancellation; settle: Settle }[] = [];
  return {
    inFlight,
    sent,
    join: (credential: string, cancellation: Cancellation = new CancellationSource()) =>
      inFlight.join(credential, '/path', cancellation, {
        budget: createCallBudget(1, 1),
        start: (own, _, settle) => sent.push({ credential, own, settle }),
        ended: () => undefined,
        givenUp: (reason) => new Error(reason),
      }),
  };
};

describe('a write', () => {
  it('parts the reads of its own credential, and of no other', () => {
    const { inFlight, sent, join } = start();
    join('one');
    join('two');
    inFlight.part('one');
    expect([join('one').joined, join('two').joined]).toEqual([false, true]);
    expect(sent.map(({ credential }) => credential)).toEqual(['one', 'two', 'one']);
    expect(inFlight.partings).toBe(1);
  });

  it('leaves those after it to be joined when those before it have ended', async () => {
    const { inFlight, sent, join } = start();
    const before = join('one');
    inFlight.part('one');
    const after = join('one');
    sent[0]?.settle.resolve('before');
    expect(join('one').joined).toBe(true);
    sent[1]?.settle.resolve('after');
    expect(await Promise.all([before.result, after.result])).toEqual(['before', 'after']);
    expect(join('one').joined).toBe(false);
  });
});

it.each(['gone', 'late'] as const)(
  'who is %s leaves a read alone, and it goes on',
  async (reason) => {
    const { sent, join } = start();
    const starter = new CancellationSource();
    const left = join('one', starter);
    const joined = join('one');
    starter.cancel(reason);
    await expect(left.result).rejects.toThrow(reason);
    expect(sent[0]?.own.reason).toBeUndefined();
    sent[0]?.settle.resolve('result');
    expect(await joined.result).toBe('result');
    expect(sent).toHaveLength(1);
  },
);
