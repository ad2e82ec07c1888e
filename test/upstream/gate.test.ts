import { beforeEach, expect, it, vi } from 'vitest';
import { unbounded } from '../../src/upstream/budget.ts';
import type { Answer } from '../../src/upstream/call.ts';
import type { Failure } from '../../src/upstream/error.ts';
import { type Claim, Claims } from '../../src/upstream/gate/claims.ts';
import type { SlotLog } from '../../src/upstream/gate/slots.ts';
import { isBackground } from '../../src/upstream/priority.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import { carryOut, present, rowsOf, type Step } from '../support/rows.ts';
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

type World = ReturnType<typeof startGate>;
let world: World;
const called = (name = ''): Told => {
  const call = world.all.findLast((each) => each.name === name);
  if (!call) throw new Error(`There is no call ${name}`);
  return call;
};

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

const times = (count: string | undefined, act: () => unknown): unknown[] =>
  Array.from({ length: Number(count ?? 1) }, act);
const msOf = (seconds: string | undefined): number => Number(seconds) * 1000;

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

const failures: Readonly<Record<string, Partial<Failure>>> = {
  'is given up': { reason: 'aborted' },
  'is given up unsent': { reason: 'aborted', inFlightMs: undefined },
  'finds no connection': { reason: 'unreachable', inFlightMs: undefined, cause: 'ECONNREFUSED' },
};

/**
 * What rows do. Times are in seconds since the start; calls are those of credential one if no other is named. Each call is
 * of its own operation, of any number of calls; those that are named may make one.
 */
const steps: readonly Step[] = [
  [
    /^used (\d+)(?: of (\w+))?$/,
    async (count, holder = 'one') => {
      const used = times(count, () => world.go('used', { credential: holder }));
      await pass();
      for (const call of used as Told[]) call.answer();
    },
  ],
  [/^([\d.]+) s$/, (seconds) => pass(msOf(seconds))],
  [/^all answer$/, () => world.answerAll()],
  [
    /^(\d+) (turns|windows)$/,
    async (count, what) => {
      for (let each = 0; each < Number(count); each += 1) {
        if (what === 'windows') await pass(10_000);
        await world.answerAll();
      }
    },
  ],
  [
    /^(\w+) keeps its connection for (\d+) s$/,
    (name, seconds) =>
      present(called(name).sent?.keepConnection)(
        new Promise((go) => setTimeout(go, msOf(seconds))),
      ),
  ],
  [/^(\w+) answers$/, (name) => called(name).answer()],
  [
    /^(\w+): (\d+)((?: [\w-]+ [\d.]+)*)$/,
    (name, status, headers = '') => {
      const pairs = headers.match(/\S+ \S+/g)?.map((pair) => pair.split(' ')) ?? [];
      called(name).answer({ ...answerOf('', Number(status)), headers: Object.fromEntries(pairs) });
    },
  ],
  [
    /^(\w+) (is given up|is given up unsent|finds no connection)$/,
    (name, how = '') => called(name).fail(failures[how]),
  ],
  [
    /^(\w+) leaves$/,
    (name = '') => {
      const waiter = waiters.get(name);
      if (waiter) waiter.claims.delete(waiter.claim);
      else called(name).leave();
    },
  ],
  [
    /^the breaker opens$/,
    () => present(world.breaker.allow({ holder: 'nobody', path: '/' }))('cannot-connect'),
  ],
  [
    /^(\d+) (?:(late) )?strangers$/,
    (count, name = 'stranger') =>
      times(count, () => world.go(name, { credential: `stranger ${world.all.length}` })),
  ],
  [
    /^(\w+) wants (\w+)(?: as (\w+))?(?: by (\w+))?(?: shown at (\d+))?(?: until (\d+))?( or later)?$/,
    (name = '', call = '', priority = 'read', operation = '', shownAt, until, later) => {
      const claims = world.all.find((each) => each.name === call)?.call.claims ?? new Claims();
      const own = operation && (operations.get(operation) ?? { budget: createTestBudget(1) });
      if (own) operations.set(operation, own);
      const told: Waiter['told'] = { outcome: undefined };
      const want = (since: number): void => {
        told.isReadOn = since === claim.since;
      };
      const claim: Claim = {
        ...{ priority: priority as ReadCall['priority'], since: performance.now(), operation: {} },
        ...{ budget: unbounded, shownReadAt: shownAt === undefined ? undefined : msOf(shownAt) },
        ...(own && { operation: own, budget: own.budget }),
        ...{ latest: until ? msOf(until) : Infinity, want: later ? want : undefined },
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
    },
  ],
  [
    /^(\w+) is (not )?read elsewhere$/,
    (name = '', not) => present(elsewhere.get(name))(not ? undefined : answerOf('', 203)),
  ],
  [
    /^slots are free at ([\d. ]+?)(?: known until (\S+))?$/,
    (free = '', until) =>
      Object.assign(slots.known, {
        ...{ freeTimes: free.split(' ').map(msOf), until: until ? msOf(until) : Infinity },
      }),
  ],
  [/^slots are counted$/, () => slots.facts.push(`${world.gate.left('one')} left`)],
  [/^slots are held back$/, () => Object.assign(slots.known, { isHeld: true, freeTimes: [1e9] })],
  [/^slots are refreshed$/, () => present(slots.refreshes.shift())()],
  [/^a slot is given$/, () => present(slots.asks.shift())(true)],
  [
    /^(asking )?(?:(\d+) )?(\w+) (\w+)(?: of (\w+))?(?: with (\w+))?(?: shown at ([\d.]+))?(?: until ([\d.]+))?( already left)?$/,
    (asking, count = '1', priority, name = '', holder = 'one', other, shownAt, until, left) => {
      const answer = Promise.withResolvers<Answer | undefined>();
      if (asking) elsewhere.set(name, answer.resolve);
      world.goMany(name, Number(count), {
        ...{ priority: priority as ReadCall['priority'], credential: holder },
        ...(other && { caller: called(other).call.caller }),
        ...(shownAt && { shownReadAt: msOf(shownAt) }),
        ...(until && { latest: msOf(until) }),
        ...(left && { signal: AbortSignal.abort() }),
        ...(asking && {
          before: async (moment) => (moment === 'turn' && (await answer.promise)) || 'send',
        }),
      });
    },
  ],
];

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
const orderOf = (): string => counted(world.sent.filter(isTold).map(({ name }) => name));

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

beforeEach(() => {
  waiters = new Map();
  operations = new Map();
  elsewhere = new Map();
  slots = createSlotsElsewhere();
});

/** Gates, by default with ten slots of ten seconds. */
const kinds: Readonly<Record<string, GateWorldOptions>> = {
  'ten slots': {},
  'calls that are not counted': { rate: undefined },
  'ten slots, and no time to wait': { waitMs: 0 },
  'one slot': { calls: 1 },
  'one slot, however long a call waits': { calls: 1, waitMs: Infinity, proven: ['proven'] },
  'sixteen connections and places in the queue': {
    connections: 16,
    maxWaiting: 16,
    proven: ['a', 'b', 'c'],
  },
  'ten slots and one connection': { connections: 1 },
  'one slot and one connection': { connections: 1, calls: 1 },
  'two slots': { calls: 2 },
  'one connection, and slots that are given elsewhere': { connections: 1, logOf: () => slots.log },
  'one slot, in this order': { calls: 1, waitMs: Infinity },
  'one connection, in this order': { connections: 1, rate: undefined, proven: ['a', 'b', 'c'] },
};

/** What comes to them, and what they report, or the order in which calls are sent. */
const table = `
with ten slots
  a refusal comes at once, with the whole seconds until the slot would come, and reserves nothing
    used 10, 1.7 s, read late until 9.999, read a until 10, 9 read b until 10, 8.3 s
    -> 10 s: a 9 b | late no-slot 9
  none comes where a slot is free, however little time is left
    5 s, read late until 4.999 -> 5 s: late
  that of a refresh tells when one more slot than those kept free is free
    used 8, 3 s, 3 refresh low until 3.5 -> 3 low no-slot 7
  the older answers of a small page are read anew at once, unless they are new or others have none yet
    used 8, 30 s, used 8, 2 refresh new shown at 15 until 30, 2 refresh old shown at 5 until 30,
    all answer, 30 s, used 8, wanted w, 2 refresh other shown at 5 until 60
    -> 30 s: 2 old | 2 new no-slot 10, 2 other no-slot 10 | waits: w
  those of a page of three calls leave two slots free, whether one has been sent or not
    30 s, read a, used 7, 2 refresh b with a shown at 0, 3 refresh c shown at 0
    -> 30 s: a | waits: 2 b 3 c
  a small operation does not wait behind one of fifty calls, which gets what fits its time
    50 read large until 29, 2 read a until 29, 2 read b until 29, 2 read c until 29,
    2 read d until 29, all answer, 2 windows
    -> 8 large 2 a | 10 s: b c d b c d 2 large | 20 s: 8 large | 32 large no-slot 30
  a call that tries and is given up lets the next one try
    the breaker opens, 3 s, read a, a is given up, read b, b answers, 2 read c
    -> 3 s: a b 2 c | a aborted
  a 429 holds back all calls of its credential and no other, as long as it says, though no call be left
    read a, a: 429 retry-after 2 ratelimit-remaining 0, read r, write w, read other of two, 2 s
    -> a other | 2 s: w r
  the count of the upstream is taken where it is smaller, while it holds
    read a, a: 200 ratelimit-remaining 3 ratelimit-reset 7, 4 write b until 1, 7 s, 7 write c until 9
    -> a 3 b | 7 s: 6 c | b no-slot 7, c no-slot 3
  and for a window if it does not say how long
    read a, a: 200 ratelimit-remaining 3, 4 write b until 9 -> a 3 b | b no-slot 10
  a call waits since it has come, and each who waits for it since then
    used 10, 1.5 s, one wants call, 2.5 s, other wants call, 6 s
    -> 10 s: call | one after 8.5 s, other after 6 s
  who wants a call raises it into the slots kept free, and back on leaving
    used 8, l wants low as renewal, m wants mid as renewal, h wants high as renewal,
    one wants mid, read last, other wants high, other leaves, all answer, 10 s
    -> mid last | 10 s: low high | l after 10 s, h after 10 s
  beyond the calls of an operation its reads leave two slots free, and come after what else is wanted
    used 7, a wants first by page or later & b wants second by page or later &
    c wants third by page or later & poll p, 10 s
    -> first | 10 s: p second third | b after 10 s, c after 10 s | page paid
  such reads are refused that are not read later, unless others wait for them
    a wants first by page & b wants second by page & c wants third as renewal & d wants third by page
    -> first third | b over-budget, d over-budget | waits: second | page paid
with calls that are not counted
  reads beyond the calls of an operation are refused, and those read later of which an older answer is shown
    a wants first by page or later & b wants second by page or later &
    c wants third as refresh by page shown at 0 or later
    -> first | b over-budget, c no-slot 1 read on | waits: second third | page paid
with ten slots, and no time to wait
  the longest wait is over before: an operation that cannot be whole leaves two slots free
    11 read a -> 8 a | 3 a no-slot 10
with one slot
  a call that was given up has a slot that is free a window and a second later
    read a, 5 s, a is given up, read b, 20 s -> a | 16 s: b | a aborted
  one that was never sent gives its slot back, and one whose caller has left takes none
    read a already left, read b, b is given up unsent, read c -> b c | a aborted, b aborted
  a request waits 25 seconds at most, and is told of the calls that wait before
    used 1, 4 read a -> 2 a no-slot 30 | waits: 2 a
  one whose caller leaves while it waits leaves its place to the next
    used 1, read left until 12, read late until 12, left leaves, read next until 12, 10 s
    -> 10 s: next | left aborted, late no-slot 20
  a refusal comes later where a write takes the slot, or a 429 moves it
    read a, read b until 15, 1 s, a answers, write w until 12, 10 s, w: 429 retry-after 20,
    read c until 30 -> a | 11 s: w | b no-slot 20, c no-slot 20
  of the claims of a call each is refused when its own time does not suffice, and the call waits for the others
    used 1, short wants call until 15 or later, long wants call until 24, 4 s, write w until 12
    -> short no-slot 16 after 4 s read on | waits: call w
  a refused claim leaves the other claims of its call no better place
    used 1, low wants call as renewal & late wants call until 5 & read next until 12, 10 s
    -> 10 s: next | late no-slot 20 | waits: call
with one slot, however long a call waits
  5000 calls of credentials without a success may wait, beside those of others
    read a of a, 5000 poll b of a, read more of b, read own of proven
    -> a own | more queue-full | waits: 5000 b
with sixteen connections and places in the queue
  the last quarter of connections and of the queue is for proven credentials
    40 strangers, 8 read a of a
    -> 12 stranger 4 a | 16 stranger queue-full | waits: 12 stranger 4 a
  in a full queue a call that is not proven gives way to one that is, the last to come first
    16 strangers, 8 late strangers, 8 read a of a, 8 read b of b, 8 read c of c
    -> 12 stranger 4 a | 8 late queue-full, 4 b queue-full, 4 c queue-full
    | waits: 4 stranger 4 a 4 b 4 c
  of the credential that gives way, the call that came last does
    12 strangers, 4 read u of u, 4 read v of v, 3 read w of w, read last of w with w,
    8 read a of a, read b of b
    -> 12 stranger 4 a | last queue-full | waits: 4 u 4 v 3 w 4 a b
with ten slots and one connection
  a slot counts as left until one of those that want the call has nothing to show meanwhile
    read a, low wants call as refresh shown at 0, slots are counted, high wants call, slots are counted
    -> a | waits: call | 9 left, 8 left
with one slot and one connection
  when the breaker opens, all are refused that wait for slots and connections
    used 1 of two, 2 read a of two, read b, read c of three, b finds no connection, read d
    -> b | 2 a circuit-open 3, b unreachable, c circuit-open 3, d circuit-open 3
  nothing waits for the call that tries, and its answer closes it
    used 1 of two, the breaker opens, 3 s, read a, read b, read c of two, a answers,
    read d of three -> 3 s: a d | b circuit-open 1, c circuit-open 1
  a connection is free when all is done that keeps it
    write w of two, w keeps its connection for 5 s, w is given up, read a, 9 s -> w | 5 s: a | w aborted
  a call that asks in its turn takes what another process has read, and gives its slot and its connection back
    used 1, asking read call, 10 s, call is read elsewhere, read next -> 10 s: next | call 203
  it is not sent if its caller has left meanwhile
    used 1, asking read call, 10 s, call leaves, call is not read elsewhere, read next
    -> 10 s: next | call aborted
with two slots
  a call that asks elsewhere is not sent before the end of a hold that came meanwhile
    read a, read b, 1 s, a answers, asking read call, 10 s, b: 429 retry-after 5,
    call is not read elsewhere, 10 s -> a b | 16 s: call
with one connection, and slots that are given elsewhere
  nothing is refused by what is no longer known of the slots
    slots are free at 60 known until 0, read one & read late until 5, slots are free at 0 60,
    slots are refreshed -> late no-slot 10 | waits: one | refreshes at 0 s, asks
  a call that waits asks for them anew whenever they may have changed
    slots are free at 20 known until 1, read call, 1 s, slots are free at 1 known until 2,
    slots are refreshed -> waits: call | refreshes at 1 s, asks
  a slot goes back, with the connection, if the caller has left meanwhile
    a wants call by page, call leaves, a slot is given, read next of two
    -> call aborted | waits: next | asks, gives back, asks
  and if nobody waits for the call any longer
    a wants call by page, a leaves, a slot is given, read next of two
    -> call aborted | waits: next | asks, gives back, asks
  and if the breaker has opened
    a wants call by page, the breaker opens, a slot is given, 3 s, read next of two
    -> call circuit-open 3 | waits: next | asks, gives back, asks
  and if the credential is held back
    a wants call as deferred by page, slots are held back, a slot is given, call leaves, slots are free at 0,
    read next of two -> call aborted | waits: next | asks, gives back, asks
with one slot, in this order
  writes; reads with nothing to show; polls; deferred parts; wanted reads; refreshes and renewals
    used 1, 2 refresh refresh, 2 renewal renewal, 2 wanted wanted, 2 deferred deferred, 2 poll poll, 2 read read,
    2 write write, 14 windows -> 2 write 2 read 2 poll 2 deferred 2 wanted 2 refresh 2 renewal
  operations take turns, and those that have had calls sent come after those that have not
    4 read a, read b, 2 read c, all answer, 6 windows -> a b c a c 2 a
  calls of a lower priority take no turn from those of a higher one
    used 1, deferred later, read first with later, read second, 3 windows -> first second later
  what has been shown longest is read anew first, whether somebody waits or not
    used 1, refresh c shown at 0.2, renewal a shown at 0.05, refresh b shown at 0.1, 3 windows
    -> a b c
  writes take no turns
    used 1, 2 write a, write b, 3 windows -> 2 a b
with one connection, in this order
  credentials that wait for a connection get it in turn, each its calls in their order
    read z of z, read a1 of a, read a2 of a, read b of b, read c1 of c, read c2 of c, write w of a,
    6 turns -> z w b c1 a1 c2 a2
  all credentials that are not proven have one turn in common
    read z of z, 4 strangers, 2 read a of a, read b of b, 7 turns
    -> z stranger a b stranger a 2 stranger
  where calls are not counted, they wait for connections in the same order
    read first, refresh refresh, renewal renewal, wanted wanted, deferred deferred, poll poll, read read, write write,
    8 turns -> first write read poll deferred wanted refresh renewal
`;

for (const section of table.trim().split(/\n(?=\S)/)) {
  const [kind = ''] = section.split('\n', 1);
  it.each(rowsOf(section.slice(kind.length)))(`${kind}: %s`, async (_, row, expected) => {
    world = startGate(kinds[kind.slice('with '.length)]);
    await carryOut(row, steps, pass);
    expect(kind.endsWith('in this order') ? orderOf() : report()).toBe(expected);
    expectPaid();
  });
}

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
