import fc from 'fast-check';
import { expect, it } from 'vitest';
import { priorities } from '../../src/upstream/gate/claims.ts';
import { runsOf } from '../support/random/runs.ts';
import { type AskedCall, createQueueWorld, type Waiter } from '../support/upstream/queue-world.ts';

const windowMs = 1000;
const waitMs = 2500;

const time = fc.option(fc.nat(4000), { nil: Infinity });
const which = fc.nat();
const asking = {
  priority: fc.constantFrom(...priorities),
  operation: fc.nat(3),
  time,
  patience: time,
};
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ what: fc.constant('ask' as const), ...asking }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('join' as const), which, ...asking }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('leave' as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constantFrom('answered', 'givenUp', 'giveBack'), which }),
  },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('pass' as const), ms: fc.nat(700) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('hold' as const), ms: fc.nat(2000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('learn' as const),
      left: fc.nat(5),
      ms: fc.nat(2000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('break' as const), isDown: fc.boolean() }),
  },
);

const waitersOf = ({ waiters }: AskedCall): readonly Waiter[] =>
  waiters.filter(({ isWaiting }) => isWaiting);

/** The best class of those who wait for it, 0 for a write. */
const classOf = (call: AskedCall): number =>
  Math.min(...waitersOf(call).map(({ claim }) => priorities.indexOf(claim.priority)));

const isLow = (call: AskedCall): boolean => classOf(call) >= priorities.indexOf('refresh');

const run = async (
  options: {
    readonly calls: number;
    readonly reserve: number;
    readonly tick: number;
    readonly isShared: boolean;
  },
  commands: readonly (typeof command extends fc.Arbitrary<infer Command> ? Command : never)[],
): Promise<void> => {
  const { calls, reserve, tick } = options;
  const world = createQueueWorld({ ...options, windowMs, waitMs });
  const { clock, log, queue } = world;
  const operations = [{}, {}, {}, {}];
  const all: AskedCall[] = [];
  const underWay = new Set<AskedCall>();
  /** When a slot that was used is free again. */
  const ends: number[] = [];
  const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
    items[at % items.length];
  const inState = (state: AskedCall['state']) => all.filter((call) => call.state === state);

  const check = (known: ReadonlySet<AskedCall>): void => {
    const waiting = inState('waiting');
    const granted = inState('granted').filter((call) => !known.has(call));
    for (const call of granted) {
      underWay.add(call);
      for (const { claim } of waitersOf(call)) {
        const at = call.grantedAt ?? 0;
        const hasWaited = at > claim.since + 1;
        const limit = Math.min(claim.since + waitMs, claim.latest);
        if (hasWaited) expect(at).toBeLessThanOrEqual(limit + 1);
      }
      // Nothing goes before what has a better place, nor into the slots kept free.
      for (const other of waiting) expect(classOf(call)).toBeLessThanOrEqual(classOf(other));
      if (isLow(call)) expect(call.leftThen).toBeGreaterThanOrEqual(reserve);
    }
    expect(underWay.size + ends.filter((end) => end > clock.now()).length).toBeLessThanOrEqual(
      calls,
    );
    if (tick > 0) return;
    // Nothing waits that could be sent.
    if (log.left > reserve) expect(waiting).toEqual([]);
    if (log.left > 0) expect(waiting.filter((call) => !isLow(call))).toEqual([]);
  };

  for (const each of commands) {
    const known = new Set(inState('granted'));
    if (each.what === 'ask' || each.what === 'join') {
      const asked = {
        priority: each.priority,
        operation: operations[each.operation] ?? {},
        latest: clock.now() + Math.min(each.time, each.patience),
      };
      if (each.what === 'ask') all.push(world.ask(`${all.length}`, asked));
      else pick(inState('waiting'), each.which)?.join(asked);
    } else if (each.what === 'leave') {
      const call = pick(inState('waiting'), each.which);
      if (call) pick(waitersOf(call), each.which)?.leave();
    } else if (each.what === 'pass') await clock.pass(each.ms);
    else if (each.what === 'hold') log.holdFor(each.ms);
    else if (each.what === 'learn') log.learnLeft(Math.min(each.left, calls), each.ms);
    else if (each.what === 'break') {
      world.upstream.isDown = each.isDown;
      if (each.isDown) queue.dismissAll();
    } else {
      const call = pick([...underWay], each.which);
      const later = { answered: windowMs, givenUp: windowMs + 1000, giveBack: 0 }[each.what];
      if (call) ends.push(clock.now() + later);
      call?.slot?.[each.what]();
      if (call) underWay.delete(call);
    }
    if (each.what !== 'pass') queue.review();
    await clock.pass(0);
    check(known);
  }

  // All waiting ends, though nothing else happens.
  await clock.pass(waitMs + 10);
  expect(inState('waiting')).toEqual([]);
  expect(clock.timers).toBe(0);
  for (const { waiters } of all) {
    for (const { retryAfterSeconds = 1 } of waiters) {
      expect(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1).toBe(true);
    }
  }
};

it.each([
  { tick: 0, isShared: false },
  { tick: 0.001, isShared: false },
  { tick: 0, isShared: true },
  { tick: 0.001, isShared: true },
])(
  'however calls come and go, the order and the rate are kept, and all waiting ends (a clock that ticks $tick ms a look, slots that are promised: $isShared)',
  async (how) => {
    const rates = fc.integer({ min: 1, max: 6 }).map((calls) => ({
      calls,
      reserve: Math.floor(calls / 3),
    }));
    await fc.assert(
      fc.asyncProperty(rates, fc.array(command, { maxLength: 80, size: 'max' }), (rate, commands) =>
        run({ ...rate, ...how }, commands),
      ),
      { numRuns: runsOf(300) },
    );
  },
);
