import { describe, expect, it } from 'vitest';
import type { Slot, SlotLog } from '../../src/upstream/gate/slots.ts';
import { createQueueWorld, having, refusalOf } from '../support/upstream/queue-world.ts';

/** A queue whose slots are given elsewhere, by what decides when it is told to. */
const createWorld = () => {
  const asked: { readonly reserve: number; decide(isGiven: boolean): void }[] = [];
  const known = { freeTimes: [0], until: Infinity };
  const refreshes: (() => void)[] = [];
  const givenBack: Slot[] = [];
  const log: SlotLog = {
    left: 0,
    isHeld: false,
    isIdle: false,
    freeTimes: () => [...known.freeTimes],
    get knownUntil() {
      return known.until;
    },
    refresh: () => new Promise((resolve) => refreshes.push(resolve)),
    take: (reserve) =>
      new Promise((resolve) => {
        const slot: Slot = {
          answered: () => undefined,
          givenUp: () => undefined,
          giveBack: () => givenBack.push(slot),
        };
        asked.push({ reserve, decide: (isGiven) => resolve(isGiven ? slot : undefined) });
      }),
    holdFor: () => undefined,
    learnLeft: () => undefined,
  };
  return { ...createQueueWorld({ log }), asked, known, refreshes, givenBack };
};

describe('where slots are given elsewhere, a call', () => {
  it('is granted once its slot is, and asks for one only', async () => {
    const { ask, asked, clock, queue } = createWorld();
    const call = ask('call');
    await clock.pass(10);
    queue.review();
    await clock.pass(10);
    expect([asked.length, call.state]).toEqual([1, 'waiting']);
    asked[0]?.decide(true);
    await clock.pass(0);
    expect([asked.length, call.state]).toEqual([1, 'granted']);
  });

  it('that gets none waits for the next, which others have not taken', async () => {
    const { ask, asked, clock, known } = createWorld();
    const call = ask('call');
    await clock.pass(0);
    known.freeTimes = [5000];
    asked[0]?.decide(false);
    await clock.pass(4999);
    expect([asked.length, call.state]).toEqual([1, 'waiting']);
    await clock.pass(1);
    asked[1]?.decide(true);
    await clock.pass(0);
    expect(call.state).toBe('granted');
  });

  it('that gets none, and would have to wait too long for the next, is refused', async () => {
    const { ask, asked, clock, known } = createWorld();
    const call = ask('call', { latest: 3000 });
    await clock.pass(0);
    known.freeTimes = [5000];
    asked[0]?.decide(false);
    await clock.pass(0);
    expect(refusalOf(call)).toBe(5);
  });

  it('that leaves meanwhile has its slot given back', async () => {
    const { ask, asked, clock, givenBack } = createWorld();
    const call = ask('call');
    await clock.pass(0);
    call.waiters[0]?.leave();
    asked[0]?.decide(true);
    await clock.pass(0);
    expect([call.state, givenBack.length]).toEqual(['gone', 1]);
  });

  it('that is dismissed meanwhile has its slot given back', async () => {
    const { ask, asked, clock, queue, givenBack } = createWorld();
    const call = ask('call');
    await clock.pass(0);
    queue.dismissAll();
    asked[0]?.decide(true);
    await clock.pass(0);
    expect([call.state, givenBack.length]).toEqual(['dismissed', 1]);
  });

  it('asks for a slot that leaves some free, if it has something to show', async () => {
    const { ask, asked, clock, known } = createWorld();
    known.freeTimes = [0, 0, 0, 0];
    ask('refresh', { priority: 'refresh' });
    ask('read');
    await clock.pass(0);
    expect(asked.map(({ reserve }) => reserve)).toEqual([0, 2]);
  });

  it('is not refused by what may be known no longer', async () => {
    const { ask, asked, clock, known, refreshes } = createWorld();
    Object.assign(known, { freeTimes: [60_000], until: -1 });
    const calls = [ask('one'), ask('other', { latest: 5000 })];
    await clock.pass(0);
    expect([having(calls, 'waiting'), refreshes.length, asked.length]).toEqual([2, 1, 0]);
    Object.assign(known, { freeTimes: [0, 60_000], until: Infinity });
    refreshes[0]?.();
    await clock.pass(0);
    expect(calls.map(refusalOf)).toEqual([undefined, 10]);
    asked[0]?.decide(true);
    await clock.pass(0);
    expect(calls.map(({ state }) => state)).toEqual(['granted', 'gone']);
  });

  it('that waits has asked for what is known anew whenever it may have changed', async () => {
    const { ask, asked, clock, known, refreshes } = createWorld();
    Object.assign(known, { freeTimes: [20_000], until: 1000 });
    ask('call');
    await clock.pass(999);
    expect(refreshes).toHaveLength(0);
    await clock.pass(1);
    expect(refreshes).toHaveLength(1);
    // Another has given its slot back.
    Object.assign(known, { freeTimes: [1000], until: 2000 });
    refreshes[0]?.();
    await clock.pass(0);
    expect([asked.length, refreshes.length]).toEqual([1, 1]);
  });
});
