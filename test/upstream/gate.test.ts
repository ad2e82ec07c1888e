import { describe, expect, it, vi } from 'vitest';
import type { Call } from '../../src/upstream/call.ts';
import { priorities } from '../../src/upstream/gate/claims.ts';
import { rowsOf } from '../support/rows.ts';
import {
  failure,
  type GateWorld,
  type GateWorldOptions,
  limited,
  pass,
  reasonOf,
  secondsOf,
  startGate,
  useGateTime,
} from '../support/upstream/gate-world.ts';

useGateTime();

const openBreaker = (breaker: GateWorld['breaker']): void =>
  breaker.allow({ holder: 'nobody', path: '/nothing' })?.('cannot-connect');

const called = ({ all }: GateWorld, name = '') => {
  const call = all.findLast((each) => each.name === name);
  if (!call) throw new Error(`There is no call ${name}`);
  return call;
};

type Act = (world: GateWorld, ...parts: (string | undefined)[]) => unknown;

/** What rows do. Times are in seconds since the start; calls are those of credential one if no other is named. */
const steps: readonly (readonly [RegExp, Act])[] = [
  [/^used (\d+)(?: of (\w+))?$/, ({ use }, times, holder) => use(Number(times), holder)],
  [/^([\d.]+) s$/, (_, seconds) => pass(Number(seconds) * 1000)],
  [/^all answer$/, ({ answerAll }) => answerAll()],
  [
    /^(\d+) turns$/,
    async ({ answerAll }, turns) => {
      for (let turn = 0; turn < Number(turns); turn += 1) await answerAll();
    },
  ],
  [
    /^(\d+) windows$/,
    async ({ answerAll }, windows) => {
      for (let window = 0; window < Number(windows); window += 1) {
        await pass(10_000);
        await answerAll();
      }
    },
  ],
  [/^(\w+) answers$/, (world, name) => called(world, name).answer()],
  [/^(\w+) is given up$/, (world, name) => called(world, name).fail({ reason: 'aborted' })],
  [
    /^(\w+) finds no connection$/,
    (world, name) =>
      called(world, name).fail({
        ...{ reason: 'unreachable', inFlightMs: undefined, cause: 'ECONNREFUSED' },
      }),
  ],
  [
    /^(\w+) is held for (\d+) s$/,
    (world, name, seconds = '') => called(world, name).answer(limited({ 'retry-after': seconds })),
  ],
  [/^(\w+) leaves$/, (world, name) => called(world, name).leave()],
  [/^the breaker opens$/, ({ breaker }) => openBreaker(breaker)],
  [
    /^(\d+) (?:(late) )?strangers$/,
    ({ go, all }, times, name = 'stranger') => {
      for (let time = 0; time < Number(times); time += 1) {
        go(name, { credential: `stranger ${all.length}` });
      }
    },
  ],
  [
    /^(?:(\d+) )?(\w+) (\w+)(?: of (\w+))?(?: with (\w+))?(?: shown at ([\d.]+))?(?: until ([\d.]+))?$/,
    (world, times = '1', priority, name = '', holder = 'one', other, shownAt, until) =>
      world.goMany(name, Number(times), {
        ...{ priority: priority as Call['priority'], credential: holder },
        ...(other && { caller: called(world, other).caller }),
        ...(shownAt && { shownReadAt: Number(shownAt) * 1000 }),
        ...(until && { latest: Number(until) * 1000 }),
      }),
  ],
];

const carryOut = async (world: GateWorld, row: string): Promise<void> => {
  for (const step of row.split(', ')) {
    const [pattern, act] = steps.find(([each]) => each.test(step)) ?? [];
    if (!act) throw new Error(`No such step: ${step}`);
    await act(world, ...(pattern?.exec(step)?.slice(1) ?? []));
    await pass();
  }
};

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
const orderOf = ({ sent }: GateWorld): string =>
  counted(sent.filter(isTold).map(({ name }) => name));

/** Which calls were sent at what time, which failed with what, and which wait. */
const reportOf = ({ sent, all }: GateWorld): string => {
  const times = Map.groupBy(sent.filter(isTold), ({ sentAt }) => sentAt);
  const ended = all.filter((call) => typeof call.outcome === 'object');
  const waiting = all.filter((call) => !call.sent && call.outcome === undefined);
  return [
    ...[...times].map(
      ([at, calls]) =>
        `${at > 0 ? `${at / 1000} s: ` : ''}${counted(calls.map(({ name }) => name))}`,
    ),
    counted(
      ended.map((call) => [call.name, reasonOf(call), secondsOf(call)].join(' ').trim()),
      ', ',
    ),
    waiting.length > 0 && `waits: ${counted(waiting.map(({ name }) => name))}`,
  ]
    .filter(Boolean)
    .join(' | ');
};

/** Gates of these kinds, and what comes to them: the slots of ten seconds, and what they report. */
const tables: readonly (readonly [kind: string, options: GateWorldOptions, rows: string])[] = [
  [
    'ten slots',
    {},
    `
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
`,
  ],
  [
    'ten slots, and no time to wait',
    { waitMs: 0 },
    `
  the longest wait is over before: an operation that cannot be whole leaves two slots free
    11 read a -> 8 a | 3 a no-slot 10
`,
  ],
  [
    'one slot',
    { calls: 1 },
    `
  a call that was given up has a slot that is free a window and a second later
    read a, 5 s, a is given up, read b, 20 s -> a | 16 s: b | a aborted
  a request waits 25 seconds at most, and is told of the calls that wait before
    used 1, 4 read a -> 2 a no-slot 30 | waits: 2 a
  one whose caller leaves while it waits leaves its place to the next
    used 1, read left until 12, read late until 12, left leaves, read next until 12, 10 s
    -> 10 s: next | left aborted, late no-slot 20
  a refusal comes later where a write takes the slot, or a 429 moves it
    read a, read b until 15, 1 s, a answers, write w until 12, 10 s, w is held for 20 s,
    read c until 30 -> a | 11 s: w | b no-slot 20, c no-slot 20
`,
  ],
  [
    'sixteen connections and places in the queue',
    { connections: 16, maxWaiting: 16, proven: ['a', 'b', 'c'] },
    `
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
`,
  ],
  [
    'one slot and one connection',
    { connections: 1, calls: 1 },
    `
  when the breaker opens, all are refused that wait for slots and connections
    used 1 of two, 2 read a of two, read b, read c of three, b finds no connection, read d
    -> b | 2 a circuit-open 3, b unreachable, c circuit-open 3, d circuit-open 3
  nothing waits for the call that tries, and its answer closes it
    used 1 of two, the breaker opens, 3 s, read a, read b, read c of two, a answers,
    read d of three -> 3 s: a d | b circuit-open 1, c circuit-open 1
`,
  ],
];

describe.each(tables)('with %s:', (_kind, options, rows) => {
  it.each(rowsOf(rows))('%s', async (_, row, report) => {
    const world = startGate(options);
    await carryOut(world, row);
    expect(reportOf(world)).toBe(report);
  });
});

/** Refreshes and renewals go by the age of what is shown. */
const byPriority = priorities.filter((priority) => priority !== 'renewal');
const inReverse = (times: string): string =>
  byPriority
    .toReversed()
    .map((priority) => `${times}${priority} ${priority}`)
    .join(', ');

describe.each<readonly [kind: string, options: GateWorldOptions, rows: string]>([
  [
    'one slot',
    { calls: 1, waitMs: Infinity },
    `
  writes; reads with nothing to show; deferred parts; polls; wanted reads; refreshes
    used 1, ${inReverse('2 ')}, 12 windows -> ${byPriority.map((name) => `2 ${name}`).join(' ')}
  operations take turns, and those that have had calls sent come after those that have not
    4 read a, read b, 2 read c, all answer, 6 windows -> a b c a c 2 a
  calls of a lower priority take no turn from those of a higher one
    used 1, deferred later, read first with later, read second, 3 windows -> first second later
  what has been shown longest is read anew first, whether somebody waits or not
    used 1, refresh c shown at 0.2, renewal a shown at 0.05, refresh b shown at 0.1, 3 windows
    -> a b c
  writes take no turns
    used 1, 2 write a, write b, 3 windows -> 2 a b
`,
  ],
  [
    'one connection',
    { connections: 1, rate: undefined, proven: ['a', 'b', 'c'] },
    `
  credentials that wait for a connection get it in turn, each its calls in their order
    read z of z, read a1 of a, read a2 of a, read b of b, read c1 of c, read c2 of c, write w of a,
    6 turns -> z w b c1 a1 c2 a2
  all credentials that are not proven have one turn in common
    read z of z, 4 strangers, 2 read a of a, read b of b, 7 turns
    -> z stranger a b stranger a 2 stranger
  where calls are not counted, they wait for connections in the same order
    read first, ${inReverse('')}, 7 turns -> first ${byPriority.join(' ')}
`,
  ],
])('the order with %s:', (_kind, options, rows) => {
  it.each(rowsOf(rows))('%s', async (_, row, order) => {
    const world = startGate(options);
    await carryOut(world, row);
    expect(orderOf(world)).toBe(order);
  });
});

describe('a credential is held back', () => {
  it.each([
    ['until the time that a 429 names', limited({ 'x-ratelimit-reset': '4.5' }), 4.5],
    ['until the time that a 503 names', limited({ 'retry-after': '4' }, 503), 4],
    ['for a window by a 429 that names none', limited(), 10],
    [
      'as long as a 429 says, though no call be left',
      limited({ 'retry-after': '2', 'ratelimit-remaining': '0' }),
      2,
    ],
  ])('%s, and no other credential is', async (_, answer, seconds) => {
    const world = startGate();
    await carryOut(world, 'read a');
    called(world, 'a').answer(answer);
    await carryOut(world, 'read r, write w, read other of two, 30 s');
    expect(reportOf(world)).toBe(`a other | ${seconds} s: w r`);
  });
});

it.each([
  ['while it holds', { 'ratelimit-remaining': '3', 'ratelimit-reset': '7' }, 7000, 9],
  ['for a window if it does not say how long', { 'ratelimit-remaining': '3' }, 10_000, 10],
])(
  'the count of the upstream is taken where it is smaller, %s',
  async (_, headers, later, then) => {
    const { gate, go } = startGate();
    const call = go('call');
    await pass();
    call.answer(limited(headers, 200));
    await pass(later - 1);
    expect(gate.left('one')).toBe(3);
    await pass(1);
    expect(['one', 'two'].map(gate.left)).toEqual([then, 10]);
  },
);

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
  const { go, use } = startGate();
  await use(10);
  const { failure: failedWith } = failure({ reason: 'status', status: 429 });
  const later = { ...failedWith, retryAfterSeconds: 31 };
  const both = [failedWith, later].map((each) => go('call', { latest: 0, failedWith: each }));
  await pass();
  expect(both.map(({ outcome }) => outcome)).toEqual([
    { ...failedWith, retryAfterSeconds: 10 },
    later,
  ]);
});

it('a call whose caller has left already is not waited for, and one never sent counts on nobody', async () => {
  const { go, gate } = startGate();
  const left = go('left', { signal: AbortSignal.abort() });
  const unsent = go('unsent');
  await pass();
  unsent.fail({ reason: 'aborted', inFlightMs: undefined });
  await pass();
  expect([reasonOf(left), left.sent, unsent.caller.budget.taken]).toEqual([
    'aborted',
    undefined,
    0,
  ]);
  expect(gate.left('one')).toBe(10);
});

it('a call gives its connection back when all is done that keeps it', async () => {
  const { go } = startGate({ connections: 1 });
  const [first, second] = [go('first', { priority: 'write' }), go('second')];
  await pass();
  const done = Promise.withResolvers<void>();
  first.sent?.keepConnection?.(done.promise);
  first.fail({ reason: 'aborted' });
  await pass();
  expect([reasonOf(first), second.sent]).toEqual(['aborted', undefined]);
  done.resolve();
  await pass();
  expect(second.sent).toBeDefined();
});

it('replicas are asked of a credential when connections for others are rare', async () => {
  const world = startGate({ connections: 16, provenElsewhere: ['one'] });
  await carryOut(world, '12 strangers');
  expect(world.askedOf).toEqual([]);
  await carryOut(world, 'read call');
  expect([world.askedOf, reportOf(world)]).toEqual([['one'], '12 stranger call']);
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
  const { go, sent } = startGate({ calls: 1, proven: ['proven'], waitMs: Infinity });
  for (let each = 0; each < 5010; each += 1) {
    go('invented', { credential: `${each % 10}` });
    if (each === 9) await pass();
  }
  await pass();
  const [more, own] = [go('more', { credential: '0' }), go('own', { credential: 'proven' })];
  await pass();
  expect([reasonOf(more), own.sent !== undefined, sent.length]).toEqual(['queue-full', true, 11]);
});
