import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Call } from '../../src/upstream/call.ts';
import { type Claim, Claims, priorities } from '../../src/upstream/gate/claims.ts';
import type { Slot, SlotLog } from '../../src/upstream/gate/slots.ts';
import { unbounded } from '../../src/upstream/sending/budget.ts';
import { answerOf, createTestBudget, createTestCaller } from '../support/upstream/calls.ts';
import {
  failure,
  limited,
  pass,
  reasonOf,
  secondsOf,
  sentOf,
  startGate,
  type Told,
} from '../support/upstream/gate-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const now = (): number => performance.now();
const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const reasons = (calls: readonly Told[]): readonly string[] => calls.map(reasonOf);

describe('the slot of a call', () => {
  it.each([
    ['that was answered is free a window later', 10_000, undefined],
    ['that was cut off is free a window and a second later', 11_000, {}],
    ['that could not be read likewise', 11_000, { reason: 'bad-response' }],
    ['that was given up in flight likewise', 11_000, { reason: 'aborted' }],
    ['that found no connection is free at once', 0, { reason: 'aborted', inFlightMs: undefined }],
  ] as const)('%s', async (_, later, facts) => {
    const { gate, go } = startGate({ calls: 2 });
    const call = go('call');
    await pass(5000);
    expect(gate.left('one')).toBe(1);
    if (facts) call.fail(facts);
    else call.answer();
    await pass();
    if (later > 0) {
      await pass(later - 1);
      expect(gate.left('one')).toBe(1);
      await pass(1);
    }
    expect(gate.left('one')).toBe(2);
  });
});

/** What happens at one gate. */
type World = ReturnType<typeof startGate>;
type Example = readonly [
  title: string,
  run: (world: World) => Promise<void>,
  options?: Parameters<typeof startGate>[0],
];

const examples = (title: string, rows: readonly Example[]): void => {
  describe(title, () => {
    for (const [what, run, options] of rows) it(what, () => run(startGate(options)));
  });
};

examples('a call', [
  [
    'is sent at once while slots are free: a cold page gets all ten',
    async ({ goMany, gate }) => {
      const page = goMany('page', 12);
      expect(gate.left('one')).toBe(0);
      await pass();
      expect(sentOf(page)).toHaveLength(10);
    },
  ],
  [
    'waits until a slot is free, and no longer, and notes that',
    async ({ go, use }) => {
      await use(10);
      await pass(3000);
      const tell = vi.fn();
      const call = go('call', { caller: { ...createTestCaller(), tell } });
      await pass(6999);
      expect(call.sent).toBeUndefined();
      await pass(1);
      expect(call.sentAt).toBe(10_000);
      const granted = { kind: 'granted', waitedMs: 7000, slotsLeft: 9 };
      expect(tell).toHaveBeenCalledWith(expect.objectContaining(granted));
    },
  ],
  [
    'counts for its own credential alone',
    async ({ go, gate, use }) => {
      await use(10);
      go('waits');
      const other = go('other', { credential: 'two' });
      await pass();
      expect(sentOf([other])).toEqual(['other']);
      expect(['one', 'two', 'three'].map(gate.left)).toEqual([0, 9, 10]);
    },
  ],
  [
    'that was never sent makes way at once, and counts on nobody',
    async ({ go, gate }) => {
      const first = go('first');
      const second = go('second');
      await pass();
      first.fail({ reason: 'unreachable', inFlightMs: undefined });
      await pass();
      expect(sentOf([second])).toEqual(['second']);
      expect([first.sent?.caller.budget.taken, gate.left('one')]).toEqual([0, 0]);
    },
    { calls: 1 },
  ],
  [
    'whose caller leaves while it waits is given up, and leaves its place to the next',
    async ({ go, use, order }) => {
      await use(1);
      const [left, late] = [go('left', { latest: 12_000 }), go('late', { latest: 12_000 })];
      await pass();
      expect([reasonOf(late), secondsOf(late)]).toEqual(['no-slot', 20]);
      left.leave();
      go('next', { latest: 12_000 });
      await pass(10_000);
      expect(reasonOf(left)).toBe('aborted');
      expect(order).toEqual(['next']);
    },
    { calls: 1 },
  ],
  [
    'whose caller has left already is not waited for',
    async ({ go, use }) => {
      await use(10);
      const call = go('call', { signal: AbortSignal.abort() });
      await pass();
      expect(reasonOf(call)).toBe('aborted');
    },
  ],
]);

examples('a refusal', [
  [
    'comes at once, with the whole seconds until the slot would come, and reserves nothing',
    async ({ go, goMany, use }) => {
      await use(10);
      await pass(1700);
      const late = go('late', { latest: 9999 });
      const inTime = [go('inTime', { latest: 10_000 }), ...goMany('other', 9, { latest: 10_000 })];
      await pass();
      expect(late.outcome).toEqual({
        ...{ upstream: 'observability', operation: 'listAlerts', reason: 'no-slot', write: false },
        retryAfterSeconds: 9,
      });
      await pass(8300);
      expect(inTime.map(({ sentAt }) => sentAt)).toEqual(Array(10).fill(10_000));
    },
  ],
  [
    'counts the calls that wait before',
    async ({ goMany, use }) => {
      await use(2);
      const calls = goMany('call', 6);
      await pass();
      expect(calls.map(secondsOf)).toEqual([...Array(4).fill(undefined), 30, 30]);
    },
    { calls: 2 },
  ],
  [
    'names one window where all slots are taken, however doubles are added',
    async ({ go }) => {
      const clock = vi.spyOn(performance, 'now').mockReturnValue(6391.106_345_43);
      go('under way');
      const late = go('late', { latest: 14_000 });
      await pass();
      expect(secondsOf(late)).toBe(10);
      clock.mockRestore();
    },
    { calls: 1 },
  ],
  [
    'does not come where a slot is free, however little time is left',
    async ({ go }) => {
      await pass(5000);
      const late = go('late', { latest: 4999 });
      await pass();
      expect(sentOf([late])).toEqual(['late']);
    },
  ],
  [
    'comes when the longest wait is over before',
    async ({ goMany }) => {
      const calls = goMany('call', 11);
      await pass();
      // An operation that cannot be whole leaves two slots free.
      expect([sentOf(calls).length, calls.map(reasonOf).at(-1)]).toEqual([8, 'no-slot']);
    },
    { waitMs: 0 },
  ],
  [
    'comes later where a write takes the slot, or a 429 moves it',
    async ({ go }) => {
      const first = go('first');
      const read = go('read', { latest: 15_000 });
      await pass(1000);
      first.answer();
      const write = go('write', { priority: 'write', latest: 12_000 });
      await pass();
      expect([reasonOf(read), secondsOf(read)]).toEqual(['no-slot', 20]);
      await pass(10_000);
      expect(write.sentAt).toBe(11_000);
      write.answer(limited({ 'retry-after': '20' }));
      const held = go('held', { latest: 30_000 });
      await pass();
      expect(secondsOf(held)).toBe(20);
    },
    { calls: 1 },
  ],
  [
    'of a read that has failed before says what it failed with',
    async ({ go, use }) => {
      await use(10);
      const { failure: failedWith } = failure({
        ...{ reason: 'status', status: 429, retryAfterSeconds: undefined },
      });
      const calls = [
        go('call', { latest: 0, failedWith }),
        go('call', { latest: 0, failedWith: { ...failedWith, retryAfterSeconds: 31 } }),
      ];
      await pass();
      expect(calls.map(({ outcome }) => outcome)).toEqual([
        { ...failedWith, retryAfterSeconds: 10 },
        { ...failedWith, retryAfterSeconds: 31 },
      ]);
    },
  ],
]);

/** Refreshes and renewals go by the age of what is shown. */
const byPriority = priorities.filter((priority) => priority !== 'renewal');

/** Has all windows pass in which calls are sent, one call in each. */
const sendAll = async ({ answerAll }: World, windows: number) => {
  for (let window = 0; window < windows; window += 1) {
    await pass(10_000);
    await answerAll();
  }
};

examples('the order:', [
  [
    'writes; reads with nothing to show; deferred parts; polls; wanted reads; refreshes',
    async (world) => {
      await world.use(1);
      for (const priority of byPriority.toReversed()) {
        world.goMany(priority, 2, { priority });
      }
      await sendAll(world, 12);
      expect(world.order).toEqual(byPriority.flatMap((name) => [`${name}1`, `${name}2`]));
    },
    { calls: 1, waitMs: Infinity },
  ],
  [
    'operations take turns, and those that have had calls sent come after those that have not',
    async (world) => {
      world.goMany('a', 4);
      await pass();
      world.goMany('b', 1);
      world.goMany('c', 2);
      await world.answerAll();
      await sendAll(world, 6);
      expect(world.order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
    },
    { calls: 1, waitMs: Infinity },
  ],
  [
    'calls of a lower priority take no turn from those of a higher one',
    async (world) => {
      await world.use(1);
      const caller = createTestCaller();
      world.go('later', { caller, priority: 'deferred' });
      world.go('first', { caller });
      world.go('second');
      await sendAll(world, 3);
      expect(world.order).toEqual(['first', 'second', 'later']);
    },
    { calls: 1, waitMs: Infinity },
  ],
  [
    'what has been shown longest is read anew first, whether somebody waits or not',
    async (world) => {
      await world.use(1);
      world.go('shown200', { priority: 'refresh', shownReadAt: 200 });
      world.go('shown50', { priority: 'renewal', shownReadAt: 50 });
      world.go('shown100', { priority: 'refresh', shownReadAt: 100 });
      await sendAll(world, 3);
      expect(world.order).toEqual(['shown50', 'shown100', 'shown200']);
    },
    { calls: 1, waitMs: Infinity },
  ],
  [
    'the older answers of a small page are read anew at once, unless they are new or others have none yet',
    async (world) => {
      await world.use(8);
      await pass(30_000);
      await world.use(8);
      const page = (name: string, shownReadAt: number) =>
        world.goMany(name, 2, { priority: 'refresh', shownReadAt, latest: performance.now() });
      const recent = page('recent', 15_000);
      await pass();
      expect(sentOf(recent)).toEqual([]);
      const old = page('old', 5000);
      await pass();
      expect(sentOf(old)).toHaveLength(2);
      await world.answerAll();
      await pass(30_000);
      await world.use(8);
      world.go('wanted', { priority: 'wanted' });
      const other = page('other', 5000);
      await pass();
      expect(sentOf(other)).toEqual([]);
    },
  ],
  [
    'the older answers of a page of three calls leave two slots free, whether one has been sent or not',
    async ({ go, goMany, use, order }) => {
      await pass(30_000);
      const caller = createTestCaller();
      go('sent', { caller });
      await use(7);
      goMany('two', 2, { caller, priority: 'refresh', shownReadAt: 0 });
      goMany('three', 3, { priority: 'refresh', shownReadAt: 0 });
      await pass();
      expect(order).toEqual([]);
    },
  ],
  [
    'writes take no turns, and what has been shown longest is renewed first',
    async (world) => {
      await world.use(1);
      world.goMany('a', 2, { priority: 'write' });
      world.goMany('b', 1, { priority: 'write' });
      for (const shownReadAt of [200, 50, 100]) {
        world.go(`shown${shownReadAt}`, { priority: 'renewal', shownReadAt });
      }
      await sendAll(world, 6);
      expect(world.order).toEqual(['a1', 'a2', 'b1', 'shown50', 'shown100', 'shown200']);
    },
    { calls: 1, waitMs: Infinity },
  ],
  [
    'a small operation does not wait behind one of fifty calls, which gets what fits its time',
    async (world) => {
      const large = world.goMany('large', 50, { latest: 29_000 });
      await pass();
      const small = times(4, (index) => world.goMany(`small${index}-`, 2, { latest: 29_000 }));
      await world.answerAll();
      await sendAll(world, 1);
      const smallAt = small.flat().map(({ sentAt }) => sentAt);
      expect(smallAt).toEqual([0, 10_000, 0, 10_000, 10_000, 10_000, 10_000, 10_000]);
      expect(sentOf(large)).toHaveLength(8);
      await sendAll(world, 1);
      expect([
        sentOf(large).length,
        reasons(large).filter((why) => why === 'no-slot').length,
      ]).toEqual([16, 34]);
    },
  ],
  [
    'refreshes of large pages and renewals leave two slots of ten free',
    async ({ goMany, gate, answerAll }) => {
      const low = [
        ...goMany('refresh', 5, { priority: 'refresh' }),
        ...goMany('renewal', 5, { priority: 'renewal' }),
      ];
      await pass();
      expect([sentOf(low).length, gate.left('one')]).toEqual([8, 2]);
      const reads = goMany('read', 2);
      await pass();
      expect(sentOf(reads)).toHaveLength(2);
      await answerAll();
      await pass(10_000);
      expect(sentOf(low)).toHaveLength(10);
    },
  ],
  [
    'a refresh that is refused is told when one more slot than those kept free is free',
    async ({ goMany, use }) => {
      await use(8);
      await pass(3000);
      const low = goMany('low', 3, { priority: 'refresh', latest: 3500 });
      await pass();
      expect(low.map(secondsOf)).toEqual([7, 7, 7]);
    },
  ],
]);

/** One of several who wait for a call, and what it was told. */
const waiter = (facts: Partial<Claim>) => {
  const told = {
    seconds: undefined as number | undefined,
    waitedMs: undefined as number | undefined,
  };
  const claim: Claim = {
    ...{ priority: 'read', since: now(), latest: Infinity, operation: {}, shownReadAt: undefined },
    budget: unbounded,
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

examples('of those who wait for one call, each', [
  [
    'is refused for want of its own time, and the call waits on for the others',
    async ({ go, use }) => {
      await use(1);
      const [short, long] = [waiter({ latest: 15_000 }), waiter({ latest: 24_000 })];
      const call = go('call', { claims: claimsOf(short, long) });
      await pass(4000);
      go('write', { priority: 'write', latest: 12_000 });
      await pass();
      expect([short.told, long.told]).toEqual([
        { seconds: 16, waitedMs: 4000 },
        { seconds: undefined, waitedMs: undefined },
      ]);
      expect(call.outcome).toBeUndefined();
    },
    { calls: 1 },
  ],
  [
    'that is refused is told since when it has waited, so that what was asked for first is read first',
    async ({ go, use }) => {
      await use(1);
      const want = vi.fn();
      go('call', { claims: claimsOf(waiter({ latest: 15_000, want })) });
      await pass(4000);
      expect(want).not.toHaveBeenCalled();
      go('write', { priority: 'write', latest: 12_000 });
      await pass();
      expect(want.mock.calls).toEqual([[0]]);
    },
    { calls: 1 },
  ],
  [
    'waits since it has come',
    async ({ go, use }) => {
      await use(10);
      await pass(1500);
      const claims = claimsOf(waiter({}));
      const call = go('call', { claims });
      await pass(2500);
      const late = waiter({});
      claims.add(late.claim);
      await pass(6000);
      expect([call.sentAt, late.told.waitedMs]).toEqual([10_000, 6000]);
    },
  ],
  [
    'raises it: into the slots kept free, and back when it leaves',
    async ({ go, use, answerAll, order }) => {
      await use(8);
      const claims = times(3, () => claimsOf(waiter({ priority: 'renewal' })));
      for (const [index, each] of claims.entries()) go(`low${index}`, { claims: each });
      await pass();
      expect(order).toEqual([]);
      claims[1]?.add(waiter({}).claim);
      await pass();
      expect(order).toEqual(['low1']);
      go('takes the last');
      await pass();
      const leaving = waiter({});
      claims[2]?.add(leaving.claim);
      await pass();
      claims[2]?.delete(leaving.claim);
      await answerAll();
      await pass(10_000);
      expect(order).toEqual(['low1', 'takes the last', 'low0', 'low2']);
    },
  ],
  [
    'that is refused leaves the others no better place',
    async ({ go, use, order }) => {
      await use(1);
      const late = waiter({ latest: 5000 });
      go('renewal', { claims: claimsOf(waiter({ priority: 'renewal' }), late) });
      go('read', { latest: 12_000 });
      await pass();
      // For what waits without it the call is sent then.
      expect(late.told.seconds).toBe(20);
      await pass(10_000);
      expect(order).toEqual(['read']);
    },
    { calls: 1 },
  ],
]);

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

interface Bounded extends Partial<Claim> {
  readonly isReadOn?: boolean;
}

examples('beyond the calls of an operation', [
  [
    'reads leave two slots free, and come after what else is asked for',
    async ({ go, use, order }) => {
      await use(7);
      const { budget, claims } = bounded();
      for (const name of ['first', 'second', 'third']) go(name, { claims: claims(name) });
      go('poll', { priority: 'poll' });
      await pass();
      expect(order).toEqual(['first']);
      await pass(10_000);
      expect(order).toEqual(['first', 'poll', 'second', 'third']);
      expect(budget.taken).toBe(1);
    },
  ],
  [
    'reads are refused that are not read in the background',
    async ({ go, order }) => {
      const { told, claims } = bounded();
      go('first', { claims: claims('first') });
      go('second', { claims: claims('second', { isReadOn: false }) });
      await pass();
      expect([order, told]).toEqual([['first'], ['second over-budget']]);
    },
  ],
  [
    'reads are refused where calls are not counted, and those read on of which an older answer is shown',
    async ({ go, order }) => {
      const { told, claims } = bounded();
      go('first', { claims: claims('first') });
      go('second', { claims: claims('second') });
      go('shown', { claims: claims('shown', { priority: 'refresh', shownReadAt: 0 }) });
      await pass();
      expect(order).toEqual(['first']);
      expect(told.toSorted()).toEqual(['second over-budget', 'shown is read on', 'shown no-slot']);
    },
    { rate: undefined },
  ],
  [
    'polls are sent, and do not count',
    async ({ go }) => {
      const caller = createTestCaller({ budget: createTestBudget(0) });
      const poll = go('poll', { caller, priority: 'poll' });
      await pass();
      expect([sentOf([poll]), caller.budget.taken]).toEqual([['poll'], 0]);
    },
  ],
  [
    'reads are sent for others who wait for them',
    async ({ go, order }) => {
      const { told, claims } = bounded();
      go('first', { claims: claims('first') });
      const shared = claims('second', { isReadOn: false });
      shared.add(waiter({ priority: 'renewal' }).claim);
      go('second', { claims: shared });
      await pass();
      expect([order, told]).toEqual([['first', 'second'], ['second over-budget']]);
    },
  ],
]);

describe('a credential is held back', () => {
  it.each([
    ['until the time that a 429 names', limited({ 'x-ratelimit-reset': '4.5' }), 4500],
    ['until the time that a 503 names', limited({ 'retry-after': '4' }, 503), 4000],
    ['for a window by a 429 that names none', limited(), 10_000],
    [
      'for as long as a 429 says, though no call be left',
      limited({ 'retry-after': '2', 'ratelimit-remaining': '0' }),
      2000,
    ],
  ])('%s, and no other credential is', async (_, answer, milliseconds) => {
    const { go, order } = startGate();
    const first = go('first');
    await pass();
    first.answer(answer);
    await pass();
    for (const name of ['read', 'write'] as const) go(name, { priority: name });
    go('other', { credential: 'two' });
    await pass(milliseconds - 1);
    expect(order).toEqual(['first', 'other']);
    await pass(1);
    expect(order).toEqual(['first', 'other', 'write', 'read']);
  });
});

const counting = (headers: Answer['headers']): Answer => ({ ...answerOf(), headers });

it.each([
  ['while it holds', counting({ 'ratelimit-remaining': '3', 'ratelimit-reset': '7' }), 7000, 9],
  [
    'for a window if it does not say how long',
    counting({ 'ratelimit-remaining': '3' }),
    10_000,
    10,
  ],
])('the count of the upstream is taken where it is smaller, %s', async (_, answer, later, then) => {
  const { gate, go } = startGate();
  const call = go('call');
  await pass();
  call.answer(answer);
  await pass(later - 1);
  expect(gate.left('one')).toBe(3);
  await pass(1);
  expect(gate.left('one')).toBe(then);
});

/** Slots that are decided elsewhere, when the test says so. */
const createElsewhere = () => {
  const asked: { readonly reserve: number; decide(isGiven: boolean): void }[] = [];
  const known = { freeTimes: [0], until: Infinity, isHeld: false };
  const refreshes: (() => void)[] = [];
  const ended: string[] = [];
  const log: SlotLog = {
    left: 1,
    get isHeld() {
      return known.isHeld;
    },
    isIdle: false,
    freeTimes: () => [...known.freeTimes],
    get knownUntil() {
      return known.until;
    },
    refresh: () => new Promise((resolve) => refreshes.push(resolve)),
    take: (reserve) =>
      new Promise((resolve) => {
        const end = (how: string) => () => void ended.push(how);
        const slot: Slot = {
          ...{ answered: end('answered'), givenUp: end('given up'), giveBack: end('given back') },
        };
        asked.push({ reserve, decide: (isGiven) => resolve(isGiven ? slot : undefined) });
      }),
    holdFor: () => undefined,
    learnLeft: () => undefined,
  };
  return { asked, known, refreshes, ended, log };
};

type Elsewhere = ReturnType<typeof createElsewhere>;

/** How often the calls that wait are put in order, where that takes so long each time, in milliseconds. */
const countReviews = async (reviewMs: number): Promise<number> => {
  const { log } = createElsewhere();
  let reviews = 0;
  const { go } = startGate({
    logOf: () => ({
      ...log,
      freeTimes: () => {
        reviews += 1;
        return [Infinity];
      },
      get knownUntil() {
        vi.advanceTimersByTime(reviewMs);
        return Infinity;
      },
    }),
  });
  for (let calls = 0; calls < 10; calls += 1) {
    go('call', { latest: Infinity, priority: 'deferred' });
    await pass(5);
  }
  await pass(200);
  return reviews;
};

describe('the calls of one credential are put in order', () => {
  it('whenever one comes', async () => {
    expect(await countReviews(0)).toBe(10);
  });

  it('and then not for a while, where that takes long', async () => {
    expect(await countReviews(40)).toBe(2);
  });
});

describe('where slots are given elsewhere, a call', () => {
  it('asks for one slot, whatever happens meanwhile, and that one is no longer left', async () => {
    const { asked, log } = createElsewhere();
    const { go, gate } = startGate({ logOf: () => log });
    go('call');
    await pass();
    go('other').leave();
    await pass();
    expect([asked.length, gate.left('one')]).toEqual([1, 1]);
  });

  /** Whether the only connection is free. */
  const isFree = async ({ go }: World, { asked }: Elsewhere) => {
    const before = asked.length;
    go('looks', { credential: 'nobody' });
    await pass();
    return asked.length > before;
  };

  it.each<readonly [title: string, run: (world: World, elsewhere: Elsewhere) => Promise<void>]>([
    [
      'asks for one slot, with a connection in hand, and is sent once it has the slot',
      async (world, elsewhere) => {
        const call = world.go('call');
        await pass(10);
        expect([elsewhere.asked.length, call.sent]).toEqual([1, undefined]);
        expect(await isFree(world, elsewhere)).toBe(false);
        elsewhere.asked[0]?.decide(true);
        await pass();
        expect(sentOf([call])).toEqual(['call']);
      },
    ],
    [
      'that gets none gives its connection back, and waits for the next slot or is refused',
      async (world, elsewhere) => {
        const { asked, known } = elsewhere;
        const call = world.go('call');
        await pass();
        known.freeTimes = [5000];
        asked[0]?.decide(false);
        await pass();
        expect(vi.getTimerCount()).toBe(1);
        const late = world.go('late', { latest: 3000 });
        await pass();
        expect([asked.length, secondsOf(late), call.outcome]).toEqual([1, 15, undefined]);
        known.freeTimes = [5000];
        await pass(5000);
        asked[1]?.decide(true);
        await pass();
        expect(sentOf([call])).toEqual(['call']);
      },
    ],
    [
      'asks for a slot that leaves some free, if it has something to show',
      async ({ go }, { asked, known }) => {
        known.freeTimes = [0, 0, 0, 0];
        go('renewal', { priority: 'renewal', credential: 'two' });
        await pass();
        expect(asked.map(({ reserve }) => reserve)).toEqual([2]);
      },
    ],
    [
      'is refused by nothing that is no longer known, but asks anew',
      async ({ go }, { asked, known, refreshes }) => {
        Object.assign(known, { freeTimes: [60_000], until: -1 });
        const calls = [go('one'), go('late', { latest: 5000 })];
        await pass();
        expect([reasons(calls), refreshes.length]).toEqual([['undefined', 'undefined'], 1]);
        Object.assign(known, { freeTimes: [0, 60_000], until: Infinity });
        refreshes[0]?.();
        await pass();
        expect([calls.map(secondsOf), asked.length]).toEqual([[undefined, 10], 1]);
      },
    ],
    [
      'that waits asks anew whenever what is known may have changed',
      async ({ go }, { asked, known, refreshes }) => {
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
      },
    ],
    ...(
      [
        ['its caller has left', 'aborted', (call) => call.leave()],
        ['nobody waits for it any longer', 'aborted', () => undefined],
        ['the breaker has opened', 'circuit-open', (_, { breaker }) => openBreaker(breaker)],
        [
          'its credential is held back',
          'undefined',
          (_call, _world, { known }) => {
            known.isHeld = true;
            known.freeTimes = [60_000];
            known.until = Infinity;
          },
        ],
      ] satisfies readonly (readonly [
        string,
        string,
        (call: Told, world: World, elsewhere: Elsewhere) => void,
      ])[]
    ).map(
      ([what, reason, happen]) =>
        [
          `gives slot and connection back if ${what} meanwhile`,
          async (world: World, elsewhere: Elsewhere) => {
            const budget = createTestBudget();
            const only = waiter({ since: Infinity, budget });
            const claims = claimsOf(only);
            const call = world.go('call', { claims });
            await pass();
            if (what === 'nobody waits for it any longer') claims.delete(only.claim);
            happen(call, world, elsewhere);
            elsewhere.asked[0]?.decide(true);
            await pass();
            expect([call.sent, reasonOf(call)]).toEqual([undefined, reason]);
            expect([elsewhere.ended, budget.taken]).toEqual([['given back'], 0]);
            Object.assign(elsewhere.known, { isHeld: false, freeTimes: [0] });
            if (reason === 'undefined') call.leave();
            else await pass(3000);
            expect(await isFree(world, elsewhere)).toBe(true);
          },
        ] as const,
    ),
  ])('%s', async (_, run) => {
    const elsewhere = createElsewhere();
    await run(startGate({ connections: 1, logOf: () => elsewhere.log }), elsewhere);
  });
});

const openBreaker = (breaker: World['breaker']): void => {
  breaker.allow({ holder: 'nobody', path: '/nothing' })?.('cannot-connect');
};

const asking = (again: () => Promise<Answer | undefined>): Partial<Call> => ({
  asked: { look: undefined, again, release: () => undefined },
});

examples('a call that has waited asks whether another process has read the same', [
  [
    'and then gives its slot and its connection back',
    async ({ go, gate, use }) => {
      await use(1);
      const caller = createTestCaller();
      const call = go('call', { caller, ...asking(async () => answerOf('known', 203)) });
      await pass(10_000);
      const next = go('next');
      await pass();
      expect([call.sent, call.outcome, gate.left('one')]).toEqual([undefined, 203, 0]);
      expect([sentOf([next]), caller.budget.taken]).toEqual([['next'], 0]);
    },
    { connections: 1, calls: 1 },
  ],
  [
    'and is not sent if a 429 holds its credential back meanwhile',
    async ({ go, goMany, answerAll }) => {
      const first = goMany('first', 2);
      await pass(1000);
      first[0]?.answer();
      const answer = Promise.withResolvers<undefined>();
      const call = go(
        'call',
        asking(() => answer.promise),
      );
      await pass(10_000);
      first[1]?.answer(limited({ 'retry-after': '5' }));
      await pass();
      answer.resolve(undefined);
      await pass(4999);
      expect(call.sent).toBeUndefined();
      await pass(5001);
      await answerAll();
      expect(call.outcome).toBe(200);
    },
    { calls: 2 },
  ],
  [
    'and is not sent if its caller has left meanwhile',
    async ({ go, gate, use }) => {
      await use(1);
      const answer = Promise.withResolvers<undefined>();
      const call = go(
        'call',
        asking(() => answer.promise),
      );
      await pass(10_000);
      call.leave();
      answer.resolve(undefined);
      await pass();
      expect([call.sent, reasonOf(call), gate.left('one')]).toEqual([undefined, 'aborted', 1]);
    },
    { calls: 1 },
  ],
  [
    'but not before it has waited',
    async ({ go }) => {
      const again = vi.fn();
      go('call', asking(again));
      await pass();
      expect(again).not.toHaveBeenCalled();
    },
  ],
]);

/** Many calls of so many credentials, one of each. */
const strangers = ({ go }: World, count: number): readonly Told[] =>
  times(count, (index) => go(`stranger${index}`, { credential: `stranger${index}` }));

examples('connections:', [
  [
    'one credential has a quarter of them and of the queue, and others have theirs',
    async ({ goMany }) => {
      const calls = goMany('one', 30);
      await pass();
      expect([
        sentOf(calls).length,
        reasons(calls).filter((why) => why === 'queue-full').length,
      ]).toEqual([4, 22]);
      const other = goMany('other', 4, { credential: 'two' });
      await pass();
      expect(sentOf(other)).toHaveLength(4);
    },
    { connections: 16, maxWaiting: 16, rate: undefined },
  ],
  [
    'a call gives its own back when all is done that keeps it',
    async ({ go }) => {
      const [first, second] = [go('first', { priority: 'write' }), go('second')];
      await pass();
      const done = Promise.withResolvers<void>();
      first.sent?.keepConnection?.(done.promise);
      first.fail({ reason: 'aborted' });
      await pass();
      expect([reasonOf(first), second.sent]).toEqual(['aborted', undefined]);
      done.resolve();
      await pass();
      expect(sentOf([second])).toEqual(['second']);
    },
    { connections: 1 },
  ],
  [
    'credentials that wait get them in turn, each its calls in their order',
    async ({ go, answerAll, order }) => {
      go('zero', { credential: 'zero' });
      await pass();
      for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) {
        go(name, { credential: name.charAt(0) });
        await pass();
      }
      go('a-write', { credential: 'a', priority: 'write' });
      for (let turn = 0; turn < 7; turn += 1) await answerAll();
      expect(order).toEqual(['zero', 'a-write', 'b1', 'c1', 'a1', 'c2', 'a2', 'a3']);
    },
    { connections: 1 },
  ],
  [
    'all credentials that are not proven have one turn in common',
    async (world) => {
      world.go('zero', { credential: 'zero' });
      await pass();
      strangers(world, 4);
      await pass();
      for (const name of ['a1', 'a2', 'b1']) world.go(name, { credential: name.charAt(0) });
      for (let turn = 0; turn < 7; turn += 1) await world.answerAll();
      expect(world.order.map((name) => name.replace(/^stranger\d/, '?'))).toEqual([
        'zero',
        '?',
        'a1',
        'b1',
        '?',
        'a2',
        '?',
        '?',
      ]);
    },
    { connections: 1, proven: ['a', 'b'] },
  ],
  [
    'the last quarter is for proven credentials, and so is the last quarter of the queue',
    async (world) => {
      const many = strangers(world, 40);
      await pass();
      expect([
        sentOf(many).length,
        reasons(many).filter((why) => why === 'queue-full').length,
      ]).toEqual([12, 16]);
      const own = world.goMany('a', 8, { credential: 'a' });
      await pass();
      expect([
        sentOf(own).length,
        reasons(own).filter((why) => why === 'queue-full').length,
      ]).toEqual([4, 0]);
      expect(reasons(many).filter((why) => why === 'queue-full')).toHaveLength(16);
    },
    { connections: 16, maxWaiting: 16, proven: ['a'] },
  ],
  [
    'in a full queue a call that is not proven gives way to one that is, the last to come first',
    async (world) => {
      const many = strangers(world, 24);
      const own = ['a', 'b', 'c'].map((credential) => world.goMany(credential, 8, { credential }));
      await pass();
      expect(sentOf(own.flat())).toHaveLength(4);
      // Twelve of proven credentials wait, and twelve of the others did.
      expect(reasons(own.flat())).toEqual(
        Array(24)
          .fill('undefined')
          .map((open, index) => (index % 8 < 4 + Number(index < 8) * 4 ? open : 'queue-full')),
      );
      const full = reasons(many).map((why) => why === 'queue-full');
      expect(full.indexOf(true)).toBe(full.length - full.filter(Boolean).length);
    },
    { connections: 16, maxWaiting: 16, proven: ['a', 'b', 'c'] },
  ],
  [
    'of the credential that gives way, the call that came last does',
    async (world) => {
      strangers(world, 12);
      await pass();
      const waiting = times(3, (index) =>
        world.goMany(`u${index}-`, 4, { credential: `u${index}` }),
      );
      world.goMany('a', 8, { credential: 'a' });
      await pass();
      expect(reasons(waiting.flat())).toEqual(Array(12).fill('undefined'));
      world.go('b', { credential: 'b' });
      await pass();
      expect(reasons(waiting.flat())).toEqual([...Array(11).fill('undefined'), 'queue-full']);
    },
    { connections: 16, maxWaiting: 16, proven: ['a', 'b'] },
  ],
  [
    'a credential that is proven at a replica has them at once: that is asked when others are rare',
    async (world) => {
      strangers(world, 12);
      await pass();
      expect(world.asked).toEqual([]);
      const call = world.go('call');
      await pass();
      expect([world.asked, sentOf([call])]).toEqual([['one'], ['call']]);
    },
    { connections: 16, provenElsewhere: ['one'] },
  ],
  [
    'a credential that is proven while it waits has them at once',
    async (world) => {
      strangers(world, 12);
      await pass();
      const call = world.go('call');
      await pass();
      expect(call.sent).toBeUndefined();
      world.prove('one');
      await pass();
      expect(sentOf([call])).toEqual(['call']);
    },
    { connections: 16 },
  ],
  [
    'a call whose caller leaves while it waits is not sent, and leaves its place in the queue',
    async ({ go, order, answerAll }) => {
      const calls = times(3, (index) => go(`call${index}`));
      await pass();
      expect(reasons(calls)).toEqual(['undefined', 'undefined', 'queue-full']);
      calls[1]?.leave('TimeoutError');
      await pass();
      go('next');
      await pass();
      await answerAll();
      expect([reasons(calls)[1], order]).toEqual(['timeout', ['call0', 'next']]);
    },
    { connections: 1, maxWaiting: 1 },
  ],
]);

examples('the breaker:', [
  [
    'when it opens, all are refused that wait, of every credential, for slots and connections',
    async ({ go, goMany, use }) => {
      await use(1, 'two');
      const calls = [...goMany('slots', 2, { credential: 'two' }), go('first')];
      const others = times(2, (index) => go('place', { credential: `other${index}` }));
      await pass();
      expect(sentOf([...calls, ...others])).toEqual(['first']);
      calls[2]?.fail({ reason: 'unreachable', inFlightMs: undefined, cause: 'ECONNREFUSED' });
      await pass();
      expect(reasons([...calls, ...others])).toEqual(
        [...calls, ...others].map(({ sent }) => (sent ? 'unreachable' : 'circuit-open')),
      );
      const late = go('late');
      await pass();
      expect([reasonOf(late), secondsOf(late)]).toEqual(['circuit-open', 3]);
    },
    { connections: 1, calls: 1 },
  ],
  [
    'nothing waits for the call that tries, and what waits for a slot is refused',
    async ({ breaker, go, use }) => {
      await use(1, 'two');
      openBreaker(breaker);
      await pass(3000);
      const [first, second] = [go('first'), go('second')];
      const third = go('third', { credential: 'two' });
      await pass();
      expect([first.sent?.path, reasonOf(second), reasonOf(third)]).toEqual([
        expect.any(String),
        'circuit-open',
        'circuit-open',
      ]);
      first.answer();
      await pass();
      expect(breaker.state).toBe('closed');
    },
    { connections: 1, calls: 1 },
  ],
  [
    'a call that tries and is given up lets the next one try',
    async ({ breaker, go }) => {
      openBreaker(breaker);
      await pass(3000);
      const first = go('first');
      await pass();
      first.fail({ reason: 'aborted' });
      await pass();
      const second = go('second');
      await pass();
      second.answer();
      await pass();
      expect([breaker.state, second.outcome]).toEqual(['closed', 200]);
    },
  ],
]);

it('where calls are not counted, they wait for connections alone, in the same order', async () => {
  const world = startGate({ rate: undefined, connections: 1 });
  world.go('first');
  await pass();
  for (const priority of byPriority.toReversed()) world.go(priority, { priority });
  for (let turn = 0; turn < 7; turn += 1) await world.answerAll();
  expect(world.order).toEqual(['first', ...byPriority]);
  expect(world.gate.left('one')).toBe(Infinity);
});

it('5000 credentials without a success are remembered, and displace none that has had one', async () => {
  const { gate, go, prove, use } = startGate();
  for (const credential of ['one', 'proven']) await use(1, credential);
  prove('proven');
  await use(1, 'proven');
  expect(gate.size).toBe(2);
  for (let each = 0; each < 5000; each += 1) {
    const call = go('invented', { credential: `invented${each}` });
    await pass();
    call.answer();
  }
  await pass();
  expect([gate.size, gate.left('proven'), gate.left('one')]).toEqual([5001, 8, 10]);
});

it('5000 calls of credentials without a success may wait', async () => {
  const { go, order } = startGate({ calls: 1, proven: ['proven'], waitMs: Infinity });
  for (let each = 0; each < 5010; each += 1) {
    go('invented', { credential: `${each % 10}` });
    if (each === 9) await pass();
  }
  await pass();
  const [more, own] = [go('more', { credential: '0' }), go('own', { credential: 'proven' })];
  await pass();
  expect([reasonOf(more), sentOf([own]), order.length]).toEqual(['queue-full', ['own'], 11]);
});
