import { beforeEach, expect, it, vi } from 'vitest';
import { unbounded } from '../../src/upstream/budget.ts';
import type { Answer } from '../../src/upstream/call.ts';
import type { Failure } from '../../src/upstream/error.ts';
import { type Claim, Claims } from '../../src/upstream/gate/claims.ts';
import type { SlotLog } from '../../src/upstream/gate/slots.ts';
import { isBackground, type Priority } from '../../src/upstream/priority.ts';
import { carryOutWith, present, type Step, together } from '../support/steps.ts';
import { answerOf, createTestBudget } from '../support/upstream/calls.ts';
import {
  type GateWorldOptions,
  pass,
  reasonOf,
  secondsOf,
  startGate,
  type Told,
  useGateTime,
} from './gate-world.ts';

useGateTime();

let world: ReturnType<typeof startGate>;
const called = (name: string): Told => present(world.all.findLast((each) => each.name === name));

/** Somebody who waits for a call beside others, and what has become of that. */
interface Waiter {
  readonly claims: Claims;
  readonly claim: Claim;
  readonly told: { outcome: Told['outcome']; waitedMs?: number; isReadOn?: boolean };
}
let waiters: Map<string, Waiter>;
/** Operations that may make one call. */
let operations: Map<string, { readonly budget: ReturnType<typeof createTestBudget> }>;
/** How another process answers the reads that ask for it, by the names of their calls. */
let elsewhere: Map<string, (answer: Answer | undefined) => void>;

/** Slots that are decided elsewhere, when the row says so. */
const createSlotsElsewhere = () => {
  const facts: string[] = [];
  const known = { freeTimes: [0], until: Infinity, isHeld: false };
  const asks: ((isGiven: boolean) => void)[] = [];
  const refreshes: (() => void)[] = [];
  const end = (how: string) => () => void facts.push(how);
  const log: SlotLog = {
    ...{ left: 1, isIdle: false, holdFor: () => undefined, learnLeft: () => undefined },
    get isHeld() {
      return known.isHeld;
    },
    freeTimes: () => [...known.freeTimes],
    get knownUntil() {
      return known.until;
    },
    refresh: () => {
      facts.push(`refreshes at ${performance.now() / 1000} s`);
      return new Promise((resolve) => refreshes.push(resolve));
    },
    take: () => {
      facts.push('asks');
      return new Promise((resolve) => {
        const slot = { answered: end('used'), givenUp: end('used'), giveBack: end('gives back') };
        asks.push(() => resolve(slot));
      });
    },
  };
  return { facts, known, asks, refreshes, log };
};
let slots: ReturnType<typeof createSlotsElsewhere>;

/** Ten slots of ten seconds, where nothing else is said. */
const start = (options: GateWorldOptions = {}): void => {
  world = startGate(options);
};
beforeEach(() => {
  waiters = new Map();
  operations = new Map();
  elsewhere = new Map();
  slots = createSlotsElsewhere();
  start();
});

// Times are in seconds since the start.
const after = (seconds: number) => () => pass(seconds * 1000);
const times = <Each>(count: number, act: () => Each): readonly Each[] =>
  Array.from({ length: count }, act);

interface Made {
  readonly times?: number;
  /** The credential, `one` if none is named. */
  readonly of?: string;
  /** A call of the same operation. Else each step is an operation, of any number of calls. */
  readonly with?: string;
  readonly shownAt?: number;
  readonly until?: number;
  /** Asks another process in its turn. */
  readonly asking?: boolean;
}
const make =
  (priority: Priority, isDirect = priority === 'tool') =>
  (name: string, { of = 'one', shownAt, until, ...made }: Made = {}): Step =>
  () => {
    const answer = Promise.withResolvers<Answer | undefined>();
    if (made.asking) elsewhere.set(name, answer.resolve);
    world.goMany(name, made.times ?? 1, {
      ...{ priority, isDirect, credential: of },
      ...(made.with && { caller: called(made.with).call.caller }),
      ...(shownAt !== undefined && { shownReadAt: shownAt * 1000 }),
      ...(until && { latest: until * 1000 }),
      ...(made.asking && {
        before: async (moment) => (moment === 'turn' && (await answer.promise)) || 'send',
      }),
    });
  };
const [write, read, poll, deferred] = [make('write'), make('read'), make('poll'), make('deferred')];
const [wanted, refresh, renewal] = [make('wanted'), make('refresh'), make('renewal')];
const [tool, toolWrite] = [make('tool'), make('read', true)];

const used =
  (count: number, credential = 'one') =>
  async () => {
    const calls = times(count, () => world.go('used', { credential }));
    await pass();
    for (const call of calls) call.answer();
  };
const strangers =
  (count: number, name = 'stranger') =>
  () =>
    times(count, () => world.go(name, { credential: `stranger ${world.all.length}` }));

const allAnswer: Step = () => world.answerAll();
const turns =
  (count: number, seconds = 0) =>
  async () => {
    for (let each = 0; each < count; each += 1) {
      await pass(seconds * 1000);
      await world.answerAll();
    }
  };
const windows = (count: number): Step => turns(count, 10);
const answer = (name: string, status?: number, headers?: Answer['headers']) => () =>
  called(name).answer(status ? { ...answerOf('', status), headers: headers ?? {} } : undefined);
const fail =
  (facts: Partial<Failure>) =>
  (name: string): Step =>
  () =>
    called(name).fail(facts);
const giveUp = fail({ reason: 'aborted' });
const keepConnection = (name: string, seconds: number) => () =>
  present(called(name).sent?.keepConnection)(new Promise((go) => setTimeout(go, seconds * 1000)));
const leave = (name: string) => () => {
  const waiter = waiters.get(name);
  if (waiter) waiter.claims.delete(waiter.claim);
  else called(name).leave();
};
const breakerOpens: Step = () =>
  present(world.breaker.allow({ holder: 'nobody', path: '/' }))('cannot-connect');

interface Wanted {
  readonly priority?: Priority;
  /** An operation that may make one call. */
  readonly by?: string;
  readonly shownAt?: number;
  readonly until?: number;
  readonly orLater?: boolean;
}
/** Somebody wants a call, beside others. */
const wants =
  (name: string, call: string, { priority = 'read', by, shownAt, ...wanted }: Wanted = {}) =>
  () => {
    const claims = world.all.find((each) => each.name === call)?.call.claims ?? new Claims();
    const own = by && (operations.get(by) ?? { budget: createTestBudget(1) });
    if (by && own) operations.set(by, own);
    const told: Waiter['told'] = { outcome: undefined };
    const want = (since: number): void => {
      told.isReadOn = since === claim.since;
    };
    const claim: Claim = {
      ...{ priority, since: performance.now(), operation: {}, budget: unbounded },
      ...(own && { operation: own, budget: own.budget }),
      shownReadAt: shownAt === undefined ? undefined : shownAt * 1000,
      latest: wanted.until ? wanted.until * 1000 : Infinity,
      want: wanted.orLater ? want : undefined,
      refuse: ({ failure }) => {
        told.outcome = { ...failure };
      },
      onWaited: (waitedMs) => {
        told.waitedMs = waitedMs;
      },
    };
    waiters.set(name, { claims, claim, told });
    const isNew = claims.isEmpty;
    claims.add(claim);
    if (isNew) world.go(call, { claims });
  };

const readElsewhere =
  (name: string, isRead = true) =>
  () =>
    present(elsewhere.get(name))(isRead ? answerOf('', 203) : undefined);
const freeAt =
  (seconds: readonly number[], until = Infinity) =>
  () =>
    Object.assign(slots.known, {
      freeTimes: seconds.map((each) => each * 1000),
      until: until * 1000,
    });
const countSlots: Step = () => slots.facts.push(`${world.gate.left('one')} left`);
const holdSlots: Step = () => Object.assign(slots.known, { isHeld: true, freeTimes: [1e9] });
const refreshSlots: Step = () => present(slots.refreshes.shift())();
const giveSlot: Step = () => present(slots.asks.shift())(true);
const carryOut = carryOutWith(pass);

/** Equal words that follow each other, with their count. */
const counted = (words: readonly string[], separator = ' '): string => {
  const runs: [count: number, word: string][] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last?.[1] === word) last[0] += 1;
    else runs.push([1, word]);
  }
  return runs.map(([count, word]) => (count > 1 ? `${count} ${word}` : word)).join(separator);
};

const isTold = ({ name }: { readonly name: string }): boolean => name !== 'used';

const refusalOf = (name: string, told: Pick<Told, 'outcome'>): string =>
  [name, told.outcome && reasonOf(told), secondsOf(told)].filter(Boolean).join(' ');

/** Which calls were sent at what time, which failed with what, which wait, and what else happened. */
const report = (): string => {
  const { sent, all } = world;
  const sentAt = Map.groupBy(sent.filter(isTold), (call) => call.sentAt / 1000);
  const ended = all.filter(({ outcome }) => outcome === 203 || typeof outcome === 'object');
  const waiting = all.filter((call) => !call.sent && call.outcome === undefined);
  return [
    ...[...sentAt].map(
      ([at, calls]) => (at > 0 ? `${at} s: ` : '') + counted(calls.map(({ name }) => name)),
    ),
    counted(
      ended.map((call) => refusalOf(call.name, call)),
      ', ',
    ),
    [...waiters]
      .filter(([, { told }]) => told.outcome || told.waitedMs)
      .map(([name, { told }]) =>
        [
          refusalOf(name, told),
          ...[told.waitedMs && `after ${told.waitedMs / 1000} s`, told.isReadOn && 'read on'],
        ]
          .filter(Boolean)
          .join(' '),
      )
      .join(', '),
    waiting.length > 0 && `waits: ${counted(waiting.map(({ name }) => name))}`,
    slots.facts.join(', '),
    ...[...operations].map(([name, { budget }]) => budget.taken > 0 && `${name} paid`),
  ]
    .filter(Boolean)
    .join(' | ');
};

/** Each call that was sent counts among those of its operation, but for what no request waits for. */
const expectPaid = (): void => {
  for (const [caller, calls] of Map.groupBy(world.all, ({ call }) => call.caller)) {
    const paid = calls.filter(({ sent, call, outcome }) => {
      const wasNeverSent = typeof outcome === 'object' && outcome.inFlightMs === undefined;
      return sent && !call.claims && !isBackground(call.priority) && !wasNeverSent;
    });
    expect(caller.budget.taken).toBe(paid.length);
  }
};

/** Carries out the last steps, and compares what is reported then. */
const row = async (expected: string, ...steps: readonly Step[]): Promise<void> => {
  await carryOut(...steps);
  expect(report()).toBe(expected);
  expectPaid();
};
/** The same for the order alone in which calls are sent. */
const ordered = async (expected: string, ...steps: readonly Step[]): Promise<void> => {
  await carryOut(...steps);
  expect(counted(world.sent.filter(isTold).map(({ name }) => name))).toBe(expected);
  expectPaid();
};

const sixteen = { connections: 16, maxWaiting: 16, proven: ['a', 'b', 'c'] };
const slotsElsewhere = { connections: 1, logOf: () => slots.log };
const oneInOrder = { connections: 1, rate: undefined, proven: ['a', 'b', 'c'] };

it('with ten slots: a refusal comes at once, with the whole seconds until the slot would come, and reserves nothing', async () => {
  await carryOut(used(10), after(1.7), read('late', { until: 9.999 }), read('a', { until: 10 }));
  await row('10 s: a 9 b | late no-slot 9', read('b', { times: 9, until: 10 }), after(8.3));
});
it('with ten slots: the refusal of a refresh tells when one more slot than those kept free is free', () =>
  row('3 low no-slot 7', used(8), after(3), refresh('low', { times: 3, until: 3.5 })));
it.each([
  ['others have', wanted('w')],
  ['a tool has', tool('w')],
])(
  'with ten slots: the older answers of a small page are read anew at once, unless they are new or %s none yet',
  async (_, w) => {
    await carryOut(
      used(8),
      after(30),
      used(8),
      refresh('new', { times: 2, shownAt: 15, until: 30 }),
    );
    await carryOut(refresh('old', { times: 2, shownAt: 5, until: 30 }), allAnswer, after(30));
    await carryOut(used(8), w, refresh('other', { times: 2, shownAt: 5, until: 60 }));
    await row('30 s: 2 old | 2 new no-slot 10, 2 other no-slot 10 | waits: w');
  },
);
it('with ten slots: a small operation does not wait behind one of fifty calls, which gets what fits its time', async () => {
  await carryOut(read('large', { times: 50, until: 29 }), read('a', { times: 2, until: 29 }));
  await carryOut(read('b', { times: 2, until: 29 }), read('c', { times: 2, until: 29 }));
  await carryOut(read('d', { times: 2, until: 29 }), allAnswer, windows(2));
  await row('8 large 2 a | 10 s: b c d b c d 2 large | 20 s: 8 large | 32 large no-slot 30');
});
it('with ten slots: the count of the upstream is taken for a window, where it does not say how long', async () => {
  await carryOut(read('a'), answer('a', 200, { 'ratelimit-remaining': '3' }));
  await row('a 3 b | b no-slot 10', write('b', { times: 4, until: 9 }));
});
it('with ten slots: a call waits since it has come, and each who waits for it since then', async () => {
  await carryOut(used(10), after(1.5), wants('one', 'call'), after(2.5));
  await row('10 s: call | one after 8.5 s, other after 6 s', wants('other', 'call'), after(6));
});
it('with ten slots: who wants a call raises it into the slots kept free, and back on leaving', async () => {
  await carryOut(used(8), wants('l', 'low', { priority: 'renewal' }));
  await carryOut(wants('m', 'mid', { priority: 'renewal' }));
  await carryOut(wants('h', 'high', { priority: 'renewal' }), wants('one', 'mid'), read('last'));
  await carryOut(wants('other', 'high'), leave('other'));
  await row('mid last | 10 s: low high | l after 10 s, h after 10 s', allAnswer, after(10));
});
it('with ten slots: beyond the calls of an operation its reads leave two slots free, and come after what else is wanted', async () => {
  await carryOut(used(7));
  await carryOut(
    together(
      wants('a', 'first', { by: 'page', orLater: true }),
      wants('b', 'second', { by: 'page', orLater: true }),
      wants('c', 'third', { by: 'page', orLater: true }),
      poll('p'),
    ),
  );
  await row('first | 10 s: p second third | b after 10 s, c after 10 s | page paid', after(10));
});
it('with ten slots: reads beyond the calls of an operation are refused that are not read later, unless others wait for them', async () => {
  await carryOut(
    together(
      wants('a', 'first', { by: 'page' }),
      wants('b', 'second', { by: 'page' }),
      wants('c', 'third', { priority: 'renewal' }),
      wants('d', 'third', { by: 'page' }),
    ),
  );
  await row('first third | b over-budget, d over-budget | waits: second | page paid');
});
it('with calls that are not counted: reads beyond the calls of an operation are refused, and those read later of which an older answer is shown', async () => {
  start({ rate: undefined });
  await carryOut(
    together(
      wants('a', 'first', { by: 'page', orLater: true }),
      wants('b', 'second', { by: 'page', orLater: true }),
      wants('c', 'third', { priority: 'refresh', by: 'page', shownAt: 0, orLater: true }),
    ),
  );
  await row('first | b over-budget, c no-slot 1 read on | waits: second third | page paid');
});
it('with ten slots, and no time to wait: the longest wait is over before: an operation that cannot be whole leaves two slots free', async () => {
  start({ waitMs: 0 });
  await row('8 a | 3 a no-slot 10', read('a', { times: 11 }));
});
it('with one slot: a request waits 25 seconds at most, and is told of the calls that wait before', async () => {
  start({ calls: 1 });
  await row('2 a no-slot 30 | waits: 2 a', used(1), read('a', { times: 4 }));
});
it('with one slot: a refusal comes later where a write takes the slot, or a 429 moves it', async () => {
  start({ calls: 1 });
  await carryOut(read('a'), read('b', { until: 15 }), after(1), answer('a'));
  await carryOut(write('w', { until: 12 }), after(10), answer('w', 429, { 'retry-after': '20' }));
  await row('a | 11 s: w | b no-slot 20, c no-slot 20', read('c', { until: 30 }));
});
it('with one slot: of the claims of a call each is refused when its own time does not suffice, and the call waits for the others', async () => {
  start({ calls: 1 });
  await carryOut(used(1), wants('short', 'call', { until: 15, orLater: true }));
  await carryOut(wants('long', 'call', { until: 24 }), after(4));
  await row('short no-slot 16 after 4 s read on | waits: call w', write('w', { until: 12 }));
});
it('with one slot: a refused claim leaves the other claims of its call no better place', async () => {
  start({ calls: 1 });
  await carryOut(used(1));
  await carryOut(
    together(
      wants('low', 'call', { priority: 'renewal' }),
      wants('late', 'call', { until: 5 }),
      read('next', { until: 12 }),
    ),
  );
  await row('10 s: next | late no-slot 20 | waits: call', after(10));
});
it('with one slot, however long a call waits: 5000 calls of credentials without a success may wait, beside those of others', async () => {
  start({ calls: 1, waitMs: Infinity, proven: ['proven'] });
  await carryOut(read('a', { of: 'a' }), poll('b', { times: 5000, of: 'a' }));
  await carryOut(read('more', { of: 'b' }));
  await row('a own | more queue-full | waits: 5000 b', read('own', { of: 'proven' }));
});
it('with sixteen connections and places in the queue: in a full queue a call that is not proven gives way to one that is, the last to come first', async () => {
  start(sixteen);
  await carryOut(strangers(16), strangers(8, 'late'), read('a', { times: 8, of: 'a' }));
  await carryOut(read('b', { times: 8, of: 'b' }), read('c', { times: 8, of: 'c' }));
  await row(
    '12 stranger 4 a | 8 late queue-full, 4 b queue-full, 4 c queue-full | waits: 4 stranger 4 a 4 b 4 c',
  );
});
it('with sixteen connections and places in the queue: of the credential that gives way, the call that came last does', async () => {
  start(sixteen);
  await carryOut(strangers(12), read('u', { times: 4, of: 'u' }), read('v', { times: 4, of: 'v' }));
  await carryOut(read('w', { times: 3, of: 'w' }), read('last', { of: 'w', with: 'w' }));
  await carryOut(read('a', { times: 8, of: 'a' }));
  await row('12 stranger 4 a | last queue-full | waits: 4 u 4 v 3 w 4 a b', read('b', { of: 'b' }));
});
it('with ten slots and one connection: a slot counts as left until one of those that want the call has nothing to show meanwhile', async () => {
  start({ connections: 1 });
  await carryOut(read('a'), wants('low', 'call', { priority: 'refresh', shownAt: 0 }));
  await row('a | waits: call | 9 left, 8 left', countSlots, wants('high', 'call'), countSlots);
});
it('with one slot and one connection: nothing waits for the call that tries, and its answer closes it', async () => {
  start({ connections: 1, calls: 1 });
  await carryOut(used(1, 'two'), breakerOpens, after(3), read('a'), read('b'));
  await carryOut(read('c', { of: 'two' }), answer('a'));
  await row('3 s: a d | b circuit-open 1, c circuit-open 1', read('d', { of: 'three' }));
});
it('with one slot and one connection: a connection is free when all is done that keeps it', async () => {
  start({ connections: 1, calls: 1 });
  await carryOut(write('w', { of: 'two' }));
  await row('w | 5 s: a | w aborted', keepConnection('w', 5), giveUp('w'), read('a'), after(9));
});
it('with one slot and one connection: a call that asks in its turn is not sent if its caller has left meanwhile', async () => {
  start({ connections: 1, calls: 1 });
  await carryOut(used(1), read('call', { asking: true }), after(10));
  await row('10 s: next | call aborted', leave('call'), readElsewhere('call', false), read('next'));
});
it('with two slots: a call that asks elsewhere is not sent before the end of a hold that came meanwhile', async () => {
  start({ calls: 2 });
  await carryOut(read('a'), read('b'), after(1), answer('a'), read('call', { asking: true }));
  await carryOut(after(10), answer('b', 429, { 'retry-after': '5' }));
  await row('a b | 16 s: call', readElsewhere('call', false), after(10));
});
it('with one connection, and slots that are given elsewhere: nothing is refused by what is no longer known of the slots', async () => {
  start(slotsElsewhere);
  await carryOut(freeAt([60], 0), together(read('one'), read('late', { until: 5 })));
  await row('late no-slot 10 | waits: one | refreshes at 0 s, asks', freeAt([0, 60]), refreshSlots);
});
it('with one connection, and slots that are given elsewhere: a slot goes back, with the connection, if the caller has left meanwhile', async () => {
  start(slotsElsewhere);
  await carryOut(wants('a', 'call', { by: 'page' }), leave('call'), giveSlot);
  await row('call aborted | waits: next | asks, gives back, asks', read('next', { of: 'two' }));
});
it('with one connection, and slots that are given elsewhere: a slot goes back if the breaker has opened', async () => {
  start(slotsElsewhere);
  await carryOut(wants('a', 'call', { by: 'page' }), breakerOpens, giveSlot, after(3));
  await carryOut(read('next', { of: 'two' }));
  await row('call circuit-open 3 | waits: next | asks, gives back, asks');
});
it('with one connection, and slots that are given elsewhere: a slot goes back if the credential is held back', async () => {
  start(slotsElsewhere);
  await carryOut(wants('a', 'call', { priority: 'deferred', by: 'page' }), holdSlots, giveSlot);
  await carryOut(leave('call'), freeAt([0]));
  await row('call aborted | waits: next | asks, gives back, asks', read('next', { of: 'two' }));
});
it('with one slot: writes; reads with nothing to show; polls; deferred parts; wanted reads; refreshes and renewals', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), refresh('refresh', { times: 2 }), renewal('renewal', { times: 2 }));
  await carryOut(wanted('wanted', { times: 2 }), deferred('deferred', { times: 2 }));
  await carryOut(poll('poll', { times: 2 }), read('read', { times: 2 }));
  await carryOut(write('write', { times: 2 }));
  await ordered('2 write 2 read 2 poll 2 deferred 2 wanted 2 refresh 2 renewal', windows(14));
});
it('with one slot: operations take turns, and those that have had calls sent come after those that have not', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(read('a', { times: 4 }));
  await ordered('a b c a c 2 a', read('b'), read('c', { times: 2 }), allAnswer, windows(6));
});
it('with one slot: calls of a lower priority take no turn from those of a higher one', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), deferred('later'));
  await ordered('first second later', read('first', { with: 'later' }), read('second'), windows(3));
});
it('with one slot: each third slot is for the background while tools read, and the others are for tools', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), wanted('wanted', { times: 2 }), renewal('renewal'));
  await ordered(
    '2 tool wanted 2 tool wanted 2 tool renewal 4 tool',
    tool('tool', { times: 10 }),
    windows(13),
  );
});
it('with two slots: a tool that has waited for a window comes before reads with nothing to show, once in a window', async () => {
  start({ calls: 2, waitMs: Infinity });
  await carryOut(used(2), tool('tool', { times: 2 }));
  await ordered('tool read tool 3 read', read('read', { times: 4 }), windows(3));
});
it('with one slot: writes of a tool that come one after the other come after the reads of each page, but once in three windows', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), read('a', { times: 3 }), toolWrite('w'), windows(1));
  for (const _ of [1, 2]) await carryOut(toolWrite('w'), windows(2));
  await carryOut(toolWrite('w'), read('b', { times: 2 }), windows(4));
  await ordered('2 a w a 2 w 2 b w', windows(1));
});
it('with one slot: many writes of a tool are not the last, however many were sent before', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), toolWrite('w', { times: 9 }), windows(4));
  await ordered('4 w a w 2 a 4 w', read('a', { times: 3 }), windows(10));
});
it('with one slot: each third slot is for polls, parts and renewals while tools write', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), poll('poll'), deferred('part'), renewal('renewal'));
  await ordered('2 w poll 2 w part 2 w renewal 4 w', toolWrite('w', { times: 10 }), windows(13));
});
it('with ten slots: writes of tools that are refused take no slot from those that wait', async () => {
  start({ waitMs: 15_000 });
  await row(
    '8 w | 10 s: 8 w | 6 w no-slot 20',
    ...times(22, () => toolWrite('w')),
    allAnswer,
    windows(1),
  );
});
it('with one slot: reads of a tool that come one after the other take turns with deferred parts', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), deferred('part', { times: 3 }));
  for (const _ of [1, 2, 3]) await carryOut(after(1), tool('tool'), turns(1, 9), windows(1));
  await ordered('part tool part tool part tool', windows(1));
});
it('with two slots: so does a write of a tool, however many were sent before it', async () => {
  start({ calls: 2, waitMs: Infinity });
  await carryOut(toolWrite('before', { times: 4 }), windows(3));
  await ordered(
    '4 before 2 page apply page apply page apply',
    ...[read('page', { times: 4 }), toolWrite('apply', { times: 3 }), windows(4)],
  );
});
it('with two slots, and 45 s to wait: a tool that comes next after a window is not refused before', async () => {
  start({ calls: 2, waitMs: 45_000 });
  await carryOut(tool('before', { times: 8 }), windows(4));
  await ordered(
    '8 before tool 12 part',
    ...[deferred('part', { times: 12 }), tool('tool'), windows(7)],
  );
});
it('with ten slots: tools take turns with deferred parts, and leave two slots free', async () => {
  start({ waitMs: Infinity });
  await carryOut(used(10), tool('tool', { times: 9 }), deferred('part', { times: 4 }));
  await ordered('2 tool part tool part tool part tool', turns(1, 10));
});
it('with one slot: what has been shown longest is read anew first, whether somebody waits or not', async () => {
  start({ calls: 1, waitMs: Infinity });
  await carryOut(used(1), refresh('c', { shownAt: 0.2 }), renewal('a', { shownAt: 0.05 }));
  await ordered('a b c', refresh('b', { shownAt: 0.1 }), windows(3));
});
it('with one connection: credentials that wait for a connection get it in turn, each its calls in their order', async () => {
  start(oneInOrder);
  await carryOut(read('z', { of: 'z' }), read('a1', { of: 'a' }), read('a2', { of: 'a' }));
  await carryOut(read('b', { of: 'b' }), read('c1', { of: 'c' }));
  await ordered('z w b c1 a1 c2 a2', read('c2', { of: 'c' }), write('w', { of: 'a' }), turns(6));
});
it('with one connection: all credentials that are not proven have one turn in common', async () => {
  start(oneInOrder);
  await carryOut(read('z', { of: 'z' }), strangers(4), read('a', { times: 2, of: 'a' }));
  await ordered('z stranger a b stranger a 2 stranger', read('b', { of: 'b' }), turns(7));
});

it('a refusal names one window where all slots are taken, however doubles are added', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(6391.106_345_43);
  const { go } = startGate({ calls: 1 });
  go('under way');
  const late = go('late', { latest: 14_000 });
  await pass();
  expect(secondsOf(late)).toBe(10);
  clock.mockRestore();
});

it('a refusal of a read that has failed before says what it failed with', async () => {
  const { go, goMany } = startGate();
  goMany('used', 10);
  await pass();
  const operation = { upstream: 'observability', operation: 'listAlerts', write: false } as const;
  const failedWith = { ...operation, reason: 'status', status: 429 } as const;
  const later = { ...failedWith, retryAfterSeconds: 31 };
  const both = [failedWith, later].map((each) => go('call', { latest: 0, failedWith: each }));
  await pass();
  expect(both.map(({ outcome }) => outcome)).toEqual([
    { ...failedWith, retryAfterSeconds: 10 },
    later,
  ]);
});

it.each([
  ['whenever one comes', 0, 10],
  ['and then not for a while, where that takes long', 40, 2],
])('the calls of one credential are put in order %s', async (_, reviewMs, expected) => {
  let reviews = 0;
  const slow: SlotLog = {
    ...slots.log,
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

it('5000 credentials without a success are remembered, and displace none that has had one', async () => {
  const { gate, go, prove, answerAll } = startGate();
  for (const credential of ['one', 'proven', 'proven']) {
    go('used', { credential });
    await answerAll();
    prove('proven');
  }
  expect(gate.size).toBe(2);
  for (let each = 0; each < 5000; each += 1) {
    const call = go('invented', { credential: `invented${each}` });
    await pass();
    call.answer();
  }
  await pass();
  expect([gate.size, gate.left('proven'), gate.left('one')]).toEqual([5001, 8, 10]);
});

it('a credential is forgotten once no call of it waits or counts, whether it was accepted or not', async () => {
  const { gate, go, prove } = startGate();
  prove('proven');
  for (const credential of ['proven', 'invented']) {
    const call = go('used', { credential });
    await pass();
    call.answer();
  }
  go('under way', { credential: 'slow' });
  await pass(61_000);
  go('last', { credential: 'other' });
  await pass();
  // The one whose call is under way, and the last.
  expect(gate.size).toBe(2);
});
