import { afterEach, beforeEach, expect, it } from 'vitest';
import { failed } from '../../src/upstream/call.ts';
import { carryOutWith, present, type Step } from '../support/steps.ts';
import { settled } from '../support/upstream/calls.ts';
import { type Asked, startTable, type TableWorld } from './table-world.ts';

let world: TableWorld;
beforeEach(() => {
  world = startTable();
});
afterEach(() => world.clock.restore());

const pathOf = (name = 'alerts'): string => `/api/v2/${name}`;
const callOf = (number: number) => present(world.calls[number - 1]);

/** What a holder does, to the alerts where nothing else is named. */
const holderOf = (holder: string) => {
  const read =
    (how: object = {}) =>
    (name?: string): Step =>
    () =>
      world.read({ holder, path: pathOf(name), ...how });
  const write =
    (...changes: readonly string[]) =>
    () =>
      world.write({ holder, changes });
  return {
    reads: read()(),
    readsOf: read(),
    readsAnew: read({ isAnew: true })(),
    readsPastAll: read({ isFresh: true })(),
    readsPastAllOf: read({ isFresh: true }),
    /** Reads, and is answered by the call of this number. */
    has:
      (number: number): Step =>
      async () => {
        world.read({ holder, path: pathOf() });
        await settled();
        callOf(number).answer();
      },
    writes: write(pathOf()),
    writesOf: (name: string) => write(pathOf(name)),
    writesNothing: write(),
    writesForAll: () => world.write({ holder, changes: [pathOf()], isForAll: true }),
    isKnown: () => world.proven.set(holder, performance.now()),
  };
};
const [A, B] = [holderOf('Bearer A'), holderOf('Bearer B')];

const failures = {
  'no-slot': { reason: 'no-slot', retryAfterSeconds: 5 },
  'queue-full': { reason: 'queue-full' },
  'circuit-open': { reason: 'circuit-open', retryAfterSeconds: 5 },
  'over-budget': { reason: 'over-budget' },
  'cut-off': { reason: 'cut-off', inFlightMs: 10 },
  timeout: { reason: 'timeout', inFlightMs: 10 },
  '503-later': { status: 503, retryAfterSeconds: 5 },
  '502-no-slot': { status: 502, retryAfterSeconds: 5 },
} as const;

// Calls and reads have numbers, by their order.
const pass = (seconds: number) => () => world.clock.advance(seconds * 1000);
const noSlots: Step = () => world.sendAtOnce(false);
const stop: Step = () => world.closing.abort();
const leave = (reader: number) => () => present(world.asked[reader - 1]).leave();
const send = (number: number) => () => callOf(number).send();
const sendAgain = (number: number) => () => callOf(number).sendAgain();
const answer =
  (number: number, isUsable = true) =>
  () =>
    callOf(number).answer(isUsable);
const fail = (number: number, how: number | keyof typeof failures) => () =>
  callOf(number).fail(typeof how === 'number' ? { status: how } : failures[how]);
/** As the gate does with a claim whose slot would come too late. */
const putOff = (number: number) => () => {
  const { call } = callOf(number);
  for (const { want, since, refuse } of call.claims?.list() ?? []) {
    want?.(since);
    refuse(failed(call, { reason: 'no-slot', cause: `${number}` }));
  }
};
/** Writes with invented keys, whose callers leave while they are under way. */
const inventedWrite = (count: number) => async () => {
  const { length } = world.calls;
  for (let each = 0; each < count; each += 1) {
    world.write({ holder: `Bearer invented ${each}`, changes: [pathOf()] });
  }
  await settled();
  for (const call of world.calls.slice(length)) call.fail({ reason: 'aborted', inFlightMs: 10 });
};

const outcomeOf = ({ outcome }: Asked): string => {
  if (!outcome) return 'waits';
  const { number, failure } = outcome;
  if (failure?.reason === 'aborted') return 'left';
  return failure ? `${failure.status ?? failure.reason} of ${number}` : `${number}`;
};

const carryOut = carryOutWith(settled);

/** Carries out the last steps. The outcome is what each reader has, and after a slash which calls are open, or were cut off. */
const row = async (expected: string, ...steps: readonly Step[]): Promise<void> => {
  await carryOut(...steps);
  const calls = world.calls.flatMap(({ number, endedAt, isCutOff }) => {
    if (isCutOff) return [`${number} cut off`];
    return endedAt === undefined ? [`${number} open`] : [];
  });
  const readers = world.asked.map(outcomeOf).join(', ');
  expect(calls.length === 0 ? readers : `${readers} / ${calls.join(', ')}`).toBe(expected);

  // Everything ends; then nobody waits, and after a minute nothing is left.
  for (const call of world.underWay()) {
    if (call.sentAt === undefined) call.send();
    call.answer();
  }
  await world.clock.advance(25_001);
  expect(world.underWay()).toEqual([]);
  expect(world.asked.map(outcomeOf)).not.toContain('waits');
  await world.clock.advance(60_001);
  expect(world.clock.timers).toBe(0);
  for (const holder of ['Bearer A', 'Bearer B']) {
    expect(world.entries.heldBy('observability', holder).size).toBe(0);
  }
};

it('an answer is kept for the seconds of its row, and no longer', () =>
  row('1, 2', A.has(1), pass(3.1), A.has(2)));
it('an answer is kept for nothing that is to be written back', () =>
  row('1, waits / 2 open', A.has(1), A.readsPastAll));
it('an answer is kept for nothing if it is of no use', () =>
  row('1, waits / 2 open', A.reads, answer(1, false), A.reads));

it('a read under way is joined no longer than three seconds', () =>
  row('waits, waits / 1 open, 2 open', A.reads, pass(3.1), A.reads));
it('a read under way is joined for twice the time that the last one took', async () => {
  await carryOut(A.reads, pass(5), answer(1), pass(3.1));
  await row('1, 1, 1, waits / 2 open, 3 open', A.reads, pass(9.9), A.reads, pass(0.2), A.reads);
});
it('a read under way is joined for three seconds where the last one failed after a long time', async () => {
  await carryOut(A.has(1), pass(3.1), A.reads);
  await row('1, 1, 1, waits / 3 open, 4 open', pass(20), fail(2, 500), A.reads, pass(3.1), A.reads);
});
it('a read under way is joined for three seconds where the last one was cut off', async () => {
  await carryOut(A.has(1), pass(3.1), A.reads);
  await row('1, 1, 1, waits / 2 cut off, 3 open, 4 open', pass(25.1), A.reads, pass(3.1), A.reads);
});
it('a read under way is joined no longer than that if it is the third', async () => {
  await carryOut(A.reads, pass(3.1), A.reads, pass(3.1));
  await row('4, 4, 4, 4 / 1 open, 2 cut off, 3 cut off', A.reads, pass(6.1), A.reads, answer(4));
});
it('a read under way is joined for longer and longer in place of what was slow, so that it is answered however fast others want it anew', async () => {
  await carryOut(A.reads, pass(3.1), A.readsAnew, A.readsAnew, pass(3.1), A.readsAnew, pass(2.7));
  await carryOut(A.readsAnew);
  await row('3, 3, 3, waits, waits / 1 cut off, 2 cut off, 4 cut off, 5 open', answer(3));
});
it('a read under way is joined by those, and goes on for them where the one has left who began it', async () => {
  await carryOut(A.reads, pass(3.1), A.readsAnew);
  await row('3, 3, left / 1 cut off, 2 open', noSlots, A.readsAnew, leave(3), send(3), answer(3));
});

it('a read under way is not sent again', () =>
  row('left / 1 cut off', A.reads, leave(1), sendAgain(1)));
it('a read under way goes on for a reader who is put off', () =>
  row('no-slot of 1, 1', noSlots, A.reads, putOff(1), pass(9), send(1), answer(1), A.reads));
it('a read under way ends with that reader where the gateway has stopped', () =>
  row('no-slot of 1 / 1 cut off', noSlots, A.reads, stop, putOff(1)));
it('a read under way lasts as long from a further sending in the background, however long it has waited for that', async () => {
  await carryOut(A.has(1), pass(3.1), A.reads);
  await row('1, 1, 2', pass(20), sendAgain(2), pass(20), send(2), pass(20), answer(2), A.reads);
});

it('a write makes old what was read beside it', () =>
  row('2, 2, waits / 3 open', A.writes, A.has(2), A.reads, answer(1), A.reads));
it('a write makes old what is read after a timeout by a holder of whom nothing was known', () =>
  row('2, waits / 3 open', A.writes, fail(1, 'timeout'), A.has(2), A.reads));
it('a write makes old no sharing after its end, if that is uncertain', () =>
  row('1, 3, 3', A.has(1), A.writes, fail(2, 'timeout'), A.reads, A.reads, answer(3)));
it('a write makes old nothing of others, however many keys are invented', () =>
  row('1, 2, 2', A.has(1), pass(31), A.has(2), inventedWrite(10_001), A.reads));
it('a write makes old what its holder read before, who may have an invented key, too', async () => {
  await carryOut(A.reads, A.writes);
  await row('1, waits / 10004 open', fail(2, 'timeout'), inventedWrite(10_001), answer(1), A.reads);
});
for (const how of [400, 404, 409, 429, 503, 401, 'no-slot'] as const) {
  it(`a write makes old what was read beside it, failing with ${how}`, () =>
    row('1, 3, waits / 4 open', A.has(1), A.writes, A.has(3), fail(2, how), A.reads));
}
for (const how of [401, 404, 500, 'timeout'] as const) {
  it(`a write makes old nothing of others, failing with ${how}`, () =>
    row('1, 1', B.has(1), A.writesForAll, fail(2, how), B.reads));
}
for (const how of ['timeout', 'cut-off', 500, 502, 504] as const) {
  it(`a write makes old what is read in the 30 seconds after a ${how}`, () =>
    row('1, 3, waits / 4 open', A.has(1), A.writes, fail(2, how), pass(29.9), A.has(3), A.reads));
  it(`a write makes old nothing later than 30 seconds after a ${how}`, () =>
    row('1, 3, 3', A.has(1), A.writes, fail(2, how), pass(30.1), A.has(3), A.reads));
}

it('a credential that is refused loses all by a read with 401', () =>
  row('1, 401 of 2, waits / 3 open', A.has(1), A.readsOf('b'), fail(2, 401), A.reads));
it('a credential that is refused loses all by a write with 401', () =>
  row('1, waits / 3 open', A.has(1), A.writesOf('b'), fail(2, 401), A.reads));
it('a credential that is refused loses all by that, though it was accepted meanwhile', () =>
  row('1, waits / 3 open', A.reads, A.writesOf('b'), answer(1), fail(2, 401), A.reads));
it('a credential that is refused loses all by a read with 403 that has succeeded before', async () => {
  await carryOut(A.has(1), A.readsOf('b'));
  await row('1, 2, 403 of 3, waits / 4 open', answer(2), A.readsAnew, fail(3, 403), A.readsOf('b'));
});
it('a credential that is refused loses what was under way then, of a credential of which nothing was known', async () => {
  await carryOut(A.reads);
  await row('401 of 1, 2, waits / 3 open', A.readsOf('b'), fail(1, 401), answer(2), A.readsOf('b'));
});
it('a credential that is refused loses what was under way then, where nothing is kept', async () => {
  await carryOut(A.readsPastAll, answer(1), A.readsOf('b'), A.writesNothing);
  await row('1, waits, waits / 2 open, 4 open', fail(3, 401), A.readsOf('b'));
});
it('a credential that is refused loses nothing by another read with 403', () =>
  row('1, 403 of 2, 1', A.has(1), A.readsOf('b'), fail(2, 403), A.reads));
it('a credential that is refused loses nothing by a write with 403, though its path was read', async () => {
  await carryOut(A.readsOf('dashboards/d1'));
  await row('1, 1', answer(1), A.writesOf('b'), fail(2, 403), A.readsOf('dashboards/d1'));
});
it('a credential that is refused loses nothing of others', () =>
  row('1, 401 of 2, 1', A.has(1), B.reads, fail(2, 401), A.reads));

it('a failure is kept: 404 no longer where a new read is refused', async () => {
  await carryOut(A.isKnown);
  await row('404 of 1, no-slot of 2', A.reads, fail(1, 404), pass(4), A.reads, fail(2, 'no-slot'));
});
for (const how of [403, 404, 424] as const) {
  it(`a failure is kept: ${how} while it is fresh`, () =>
    row(`${how} of 1, ${how} of 1`, A.isKnown, A.reads, fail(1, how), pass(2.9), A.reads));
  it(`a failure is kept: ${how} no longer`, () =>
    row(`${how} of 1, waits / 2 open`, A.isKnown, A.reads, fail(1, how), pass(3.1), A.reads));
  it(`a failure is kept: ${how} until a write changes it, and no other write`, async () => {
    await carryOut(A.isKnown, A.reads, fail(1, how), A.writesNothing, A.reads);
    await row(`${how} of 1, ${how} of 1, waits / 2 open, 3 open, 4 open`, A.writes, A.reads);
  });
}
for (const how of [403, 404] as const) {
  it(`a failure is kept: ${how} never of a credential that may be invented`, () =>
    row(`${how} of 1, waits / 2 open`, A.reads, fail(1, how), A.reads));
}
for (const how of [403, 424] as const) {
  it(`a failure is kept: ${how} for a minute where a new read is refused`, async () => {
    await carryOut(A.isKnown, A.reads, fail(1, how));
    await row(`${how} of 1, ${how} of 1 / 3 open`, pass(59), A.reads, fail(2, 'no-slot'));
  });
}
for (const how of [302, 400, 401, 409, 429, 500, 502, 503, 504, 'timeout', 'cut-off'] as const) {
  it(`a failure is kept: ${how} never`, () =>
    row(`${how} of 1, waits / 2 open`, A.reads, fail(1, how), A.reads));
}

it('what is no longer fresh is waited for', () =>
  row('1, waits / 2 open', A.has(1), pass(4), A.reads, pass(0.49)));
it('what is no longer fresh is shown after half a second', () =>
  row('1, 1 / 2 open', A.has(1), pass(4), A.reads, pass(0.51)));
it('what is no longer fresh is shown at once where others have waited so long', () =>
  row('1, waits, 1 / 2 open', A.has(1), pass(4), A.readsAnew, pass(0.51), A.reads, pass(0.01)));
it('what is no longer fresh is shown while the new read goes on, which lasts no longer than any other', () =>
  row('1, 1 / 2 cut off', A.has(1), pass(4), A.reads, pass(25.1)));
it('what is no longer fresh is shown for a minute', () =>
  row('1, 1 / 3 open', A.has(1), pass(59.9), A.reads, fail(2, 'no-slot')));
it('what is no longer fresh is read again though nobody waits', async () => {
  await carryOut(A.has(1), pass(4));
  await row('1, 1, 3', noSlots, A.reads, fail(2, 'no-slot'), pass(9), send(3), answer(3), A.reads);
});
it('what is no longer fresh is not kept as it was read again beside a write', async () => {
  await carryOut(A.has(1), pass(4));
  await row('1, 1, waits / 4 open', A.reads, pass(0.6), A.writes, answer(2), answer(3), A.reads);
});
it('what is no longer fresh is read again no more once the gateway stops, though that was sent', () =>
  row('1, 1 / 2 cut off', A.has(1), pass(4), A.reads, pass(0.6), stop));
it('what is no longer fresh is read again no more once the last who waits has left, where the gateway has stopped', async () => {
  await carryOut(A.has(1), pass(4), noSlots);
  await row('1, 1, left / 3 cut off', A.reads, fail(2, 'no-slot'), A.readsAnew, stop, leave(3));
});
for (const how of [
  'no-slot',
  'queue-full',
  'circuit-open',
  429,
  '503-later',
  '502-no-slot',
] as const) {
  it(`what is no longer fresh is shown, and read again, where it fails with ${how}`, () =>
    row('1, 1 / 3 open', A.has(1), pass(4), A.reads, fail(2, how)));
}
for (const how of [500, 502, 503, 504, 404, 403, 'timeout', 'cut-off', 'over-budget'] as const) {
  it(`what is no longer fresh is not shown where it fails with ${how}`, () =>
    row(`1, ${how} of 2`, A.has(1), pass(4), A.reads, fail(2, how)));
}

it.each(['read', 'write'] as const)(
  'what is kept for a credential still counts after a %s of each of 10 001 others is answered 401',
  async (what) => {
    await carryOut(A.has(1), pass(1));
    for (let each = 1; each <= 10_001; each += 1) {
      world[what]({ holder: `Bearer ${each}`, path: pathOf(), changes: [pathOf()] });
    }
    await settled();
    for (const call of world.underWay()) call.fail({ status: 401 });
    await settled();
    const again = world.read({ holder: 'Bearer A', path: pathOf() });
    await settled();
    expect([outcomeOf(again), world.underWay()]).toEqual(['1', []]);
  },
);
