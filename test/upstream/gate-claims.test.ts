import { describe, expect, it, vi } from 'vitest';
import type { Answer, Call } from '../../src/upstream/call.ts';
import { type Claim, Claims } from '../../src/upstream/gate/claims.ts';
import type { Slot, SlotLog } from '../../src/upstream/gate/slots.ts';
import { unbounded } from '../../src/upstream/sending/budget.ts';
import { answerOf, createTestBudget } from '../support/upstream/calls.ts';
import {
  type GateWorld,
  limited,
  pass,
  reasonOf,
  secondsOf,
  startGate,
  type Told,
  useGateTime,
} from '../support/upstream/gate-world.ts';

useGateTime();

const namesOf = (calls: readonly Told[]): readonly string[] =>
  calls.map(({ name }) => name).filter((name) => name !== 'used');

/** One of several who wait for a call, and what it was told. */
const waiter = (facts: Partial<Claim>) => {
  const told: { seconds?: number | undefined; waitedMs?: number } = {};
  const claim: Claim = {
    ...{ priority: 'read', since: performance.now(), latest: Infinity, operation: {} },
    ...{ shownReadAt: undefined, budget: unbounded },
    refuse: ({ failure }) => {
      told.seconds = failure.retryAfterSeconds;
    },
    onWaited: (milliseconds) => {
      told.waitedMs = milliseconds;
    },
    ...facts,
  };
  return { told, claim };
};

const claimsOf = (...waiters: readonly { readonly claim: Claim }[]): Claims => {
  const claims = new Claims();
  for (const { claim } of waiters) claims.add(claim);
  return claims;
};

describe('of those who wait for one call, each', () => {
  it('is refused for want of its own time, and told since when it has waited; the call waits on for the others', async () => {
    const { go, use } = startGate({ calls: 1 });
    await use(1);
    const want = vi.fn();
    const [short, long] = [waiter({ latest: 15_000, want }), waiter({ latest: 24_000 })];
    const call = go('call', { claims: claimsOf(short, long) });
    await pass(4000);
    expect(want).not.toHaveBeenCalled();
    go('write', { priority: 'write', latest: 12_000 });
    await pass();
    expect([short.told, long.told]).toEqual([{ seconds: 16, waitedMs: 4000 }, {}]);
    expect([call.outcome, want.mock.calls]).toEqual([undefined, [[0]]]);
  });

  it('waits since it has come', async () => {
    const { go, use } = startGate();
    await use(10);
    await pass(1500);
    const claims = claimsOf(waiter({}));
    const call = go('call', { claims });
    await pass(2500);
    const late = waiter({});
    claims.add(late.claim);
    await pass(6000);
    expect([call.sentAt, late.told.waitedMs]).toEqual([10_000, 6000]);
  });

  it('raises it: into the slots kept free, and back when it leaves', async () => {
    const { go, use, answerAll, sent } = startGate();
    await use(8);
    const [low0, low1, low2] = [0, 1, 2].map(() => claimsOf(waiter({ priority: 'renewal' })));
    go('low0', { claims: low0 });
    go('low1', { claims: low1 });
    go('low2', { claims: low2 });
    await pass();
    expect(namesOf(sent)).toEqual([]);
    low1?.add(waiter({}).claim);
    await pass();
    expect(namesOf(sent)).toEqual(['low1']);
    go('takes the last');
    await pass();
    const leaving = waiter({});
    low2?.add(leaving.claim);
    await pass();
    low2?.delete(leaving.claim);
    await answerAll();
    await pass(10_000);
    expect(namesOf(sent)).toEqual(['low1', 'takes the last', 'low0', 'low2']);
  });

  it('that is refused leaves the others no better place', async () => {
    const { go, use, sent } = startGate({ calls: 1 });
    await use(1);
    const late = waiter({ latest: 5000 });
    go('renewal', { claims: claimsOf(waiter({ priority: 'renewal' }), late) });
    go('read', { latest: 12_000 });
    await pass();
    // For what waits without it the call is sent then.
    expect(late.told.seconds).toBe(20);
    await pass(10_000);
    expect(namesOf(sent)).toEqual(['read']);
  });
});

interface Bounded extends Partial<Claim> {
  readonly isReadOn?: boolean;
}

/** Reads of one operation that may have one call sent itself, each with its claim, and what they are told. */
const bounded = () => {
  const told: string[] = [];
  const budget = createTestBudget(1);
  const operation = {};
  const claims = (name: string, { isReadOn = true, ...facts }: Bounded = {}): Claims => {
    const want = (): void => void told.push(`${name} is read on`);
    const refuse: Claim['refuse'] = ({ failure: { reason } }) =>
      void told.push(`${name} ${reason}`);
    const claim = { operation, budget, refuse, want: isReadOn ? want : undefined };
    return claimsOf(waiter({ ...claim, ...facts }));
  };
  return { told, budget, claims };
};

describe('beyond the calls of an operation', () => {
  it('reads leave two slots free, and come after what else is asked for', async () => {
    const { go, use, sent } = startGate();
    await use(7);
    const { budget, claims } = bounded();
    for (const name of ['first', 'second', 'third']) go(name, { claims: claims(name) });
    const poll = go('poll', { priority: 'poll' });
    await pass();
    expect(namesOf(sent)).toEqual(['first']);
    await pass(10_000);
    expect(namesOf(sent)).toEqual(['first', 'poll', 'second', 'third']);
    // A poll does not count.
    expect([budget.taken, poll.caller.budget.taken]).toEqual([1, 0]);
  });

  it('reads are refused that are not read in the background, unless others wait for them', async () => {
    const { go, sent } = startGate();
    const { told, claims } = bounded();
    go('first', { claims: claims('first') });
    go('second', { claims: claims('second', { isReadOn: false }) });
    const shared = claims('third', { isReadOn: false });
    shared.add(waiter({ priority: 'renewal' }).claim);
    go('third', { claims: shared });
    await pass();
    expect(namesOf(sent)).toEqual(['first', 'third']);
    expect(told).toEqual(['second over-budget', 'third over-budget']);
  });

  it('reads are refused where calls are not counted, and those read on of which an older answer is shown', async () => {
    const { go, sent } = startGate({ rate: undefined });
    const { told, claims } = bounded();
    go('first', { claims: claims('first') });
    go('second', { claims: claims('second') });
    go('shown', { claims: claims('shown', { priority: 'refresh', shownReadAt: 0 }) });
    await pass();
    expect(namesOf(sent)).toEqual(['first']);
    expect(told.toSorted()).toEqual(['second over-budget', 'shown is read on', 'shown no-slot']);
  });
});

/** Slots that are decided elsewhere, when the test says so. */
const createElsewhere = () => {
  const asked: { readonly reserve: number; decide(isGiven: boolean): void }[] = [];
  const known = { freeTimes: [0], until: Infinity, isHeld: false };
  const refreshes: (() => void)[] = [];
  const ended: string[] = [];
  const end = (how: string) => () => void ended.push(how);
  const slot: Slot = {
    ...{ answered: end('answered'), givenUp: end('given up'), giveBack: end('given back') },
  };
  const log: SlotLog = {
    ...{ left: 1, isIdle: false, holdFor: () => undefined, learnLeft: () => undefined },
    get isHeld() {
      return known.isHeld;
    },
    freeTimes: () => [...known.freeTimes],
    get knownUntil() {
      return known.until;
    },
    refresh: () => new Promise((resolve) => refreshes.push(resolve)),
    take: (reserve) =>
      new Promise((resolve) => {
        asked.push({ reserve, decide: (isGiven) => resolve(isGiven ? slot : undefined) });
      }),
  };
  return { asked, known, refreshes, ended, log };
};

it.each([
  ['whenever one comes', 0, 10],
  ['and then not for a while, where that takes long', 40, 2],
])('the calls of one credential are put in order %s', async (_, reviewMs, expected) => {
  const { log } = createElsewhere();
  let reviews = 0;
  const slow: SlotLog = {
    ...log,
    freeTimes: () => {
      reviews += 1;
      return [Infinity];
    },
    get knownUntil() {
      vi.advanceTimersByTime(reviewMs);
      return Infinity;
    },
  };
  const { go } = startGate({ logOf: () => slow });
  for (let calls = 0; calls < 10; calls += 1) {
    go('call', { latest: Infinity, priority: 'deferred' });
    await pass(5);
  }
  await pass(200);
  expect(reviews).toBe(expected);
});

describe('where slots are given elsewhere, a call', () => {
  const start = () => {
    const elsewhere = createElsewhere();
    return { ...elsewhere, ...startGate({ connections: 1, logOf: () => elsewhere.log }) };
  };
  type World = ReturnType<typeof start>;

  /** Whether the only connection is free. */
  const isFree = async ({ go, asked }: World): Promise<boolean> => {
    const before = asked.length;
    go('looks', { credential: 'nobody' });
    await pass();
    return asked.length > before;
  };

  it('asks for a slot that leaves some free, if it has something to show', async () => {
    const { go, asked, known } = start();
    known.freeTimes = [0, 0, 0, 0];
    go('renewal', { priority: 'renewal' });
    await pass();
    expect(asked.map(({ reserve }) => reserve)).toEqual([2]);
  });

  it('is refused by nothing that is no longer known, but asks anew', async () => {
    const { go, asked, known, refreshes } = start();
    Object.assign(known, { freeTimes: [60_000], until: -1 });
    const calls = [go('one'), go('late', { latest: 5000 })];
    await pass();
    expect([calls.map(reasonOf), refreshes.length]).toEqual([['undefined', 'undefined'], 1]);
    Object.assign(known, { freeTimes: [0, 60_000], until: Infinity });
    refreshes[0]?.();
    await pass();
    expect([calls.map(secondsOf), asked.length]).toEqual([[undefined, 10], 1]);
  });

  it('that waits asks anew whenever what is known may have changed', async () => {
    const { go, asked, known, refreshes } = start();
    Object.assign(known, { freeTimes: [20_000], until: 1000 });
    go('call');
    await pass(999);
    expect(refreshes).toHaveLength(0);
    await pass(1);
    expect(refreshes).toHaveLength(1);
    Object.assign(known, { freeTimes: [1000], until: 2000 });
    refreshes[0]?.();
    await pass();
    expect([asked.length, refreshes.length]).toEqual([1, 1]);
  });

  type Happening = (world: World, call: Told, leave: () => void) => void;

  it.each<readonly [title: string, reason: string, happen: Happening]>([
    ['its caller has left', 'aborted', (_, call) => call.leave()],
    ['nobody waits for it any longer', 'aborted', (_, _call, leave) => leave()],
    [
      'the breaker has opened',
      'circuit-open',
      ({ breaker }) => breaker.allow({ holder: 'nobody', path: '/' })?.('cannot-connect'),
    ],
    [
      'its credential is held back',
      'undefined',
      ({ known }) => Object.assign(known, { isHeld: true, freeTimes: [60_000] }),
    ],
  ])('gives slot and connection back if %s meanwhile', async (_, reason, happen) => {
    const world = start();
    const budget = createTestBudget();
    const only = waiter({ since: Infinity, budget });
    const claims = claimsOf(only);
    const call = world.go('call', { claims });
    await pass();
    happen(world, call, () => claims.delete(only.claim));
    world.asked[0]?.decide(true);
    await pass();
    expect([call.sent, reasonOf(call)]).toEqual([undefined, reason]);
    expect([world.ended, budget.taken]).toEqual([['given back'], 0]);
    Object.assign(world.known, { isHeld: false, freeTimes: [0] });
    if (reason === 'undefined') call.leave();
    else await pass(3000);
    expect(await isFree(world)).toBe(true);
  });
});

describe('a call that has waited asks whether another process has read the same', () => {
  const asking = (again: () => Promise<Answer | undefined>): Partial<Call> => ({
    asked: { look: undefined, again, release: () => undefined },
  });

  it('but not before it has waited', async () => {
    const again = vi.fn();
    startGate().go('call', asking(again));
    await pass();
    expect(again).not.toHaveBeenCalled();
  });

  it('and then gives its slot and its connection back', async () => {
    const { go, gate, use } = startGate({ connections: 1, calls: 1 });
    await use(1);
    const call = go(
      'call',
      asking(async () => answerOf('known', 203)),
    );
    await pass(10_000);
    const next = go('next');
    await pass();
    expect([call.sent, call.outcome, call.caller.budget.taken]).toEqual([undefined, 203, 0]);
    expect([next.sent !== undefined, gate.left('one')]).toEqual([true, 0]);
  });

  const askingOnce = async (world: GateWorld) => {
    const answer = Promise.withResolvers<undefined>();
    const call = world.go(
      'call',
      asking(() => answer.promise),
    );
    await pass(10_000);
    return { call, answerNothing: () => answer.resolve(undefined) };
  };

  it('and is not sent if a 429 holds its credential back meanwhile', async () => {
    const world = startGate({ calls: 2 });
    const first = world.goMany('first', 2);
    await pass(1000);
    first[0]?.answer();
    const { call, answerNothing } = await askingOnce(world);
    first[1]?.answer(limited({ 'retry-after': '5' }));
    await pass();
    answerNothing();
    await pass(4999);
    expect(call.sent).toBeUndefined();
    await pass(5001);
    await world.answerAll();
    expect(call.outcome).toBe(200);
  });

  it('and is not sent if its caller has left meanwhile', async () => {
    const world = startGate({ calls: 1 });
    await world.use(1);
    const { call, answerNothing } = await askingOnce(world);
    call.leave();
    answerNothing();
    await pass();
    expect([call.sent, reasonOf(call), world.gate.left('one')]).toEqual([undefined, 'aborted', 1]);
  });
});
