import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failed } from '../../src/upstream/call.ts';
import { present, rowsFor, rowsOf } from '../support/rows.ts';
import { settled } from '../support/upstream/calls.ts';
import { type Asked, startTable, type TableWorld } from './table-world.ts';

let world: TableWorld;
beforeEach(() => {
  world = startTable();
});
afterEach(() => world.clock.restore());

const pathOf = (name = 'alerts'): string => `/api/v2/${name}`;
const callOf = (number: string | undefined) => {
  const call = world.calls[Number(number) - 1];
  if (!call) throw new Error(`No call ${number}`);
  return call;
};

/** Failures by the words that rows have for them; a number is a status. */
const failures: Readonly<Record<string, Parameters<ReturnType<typeof callOf>['fail']>[0]>> = {
  'no-slot': { reason: 'no-slot', retryAfterSeconds: 5 },
  'queue-full': { reason: 'queue-full' },
  'circuit-open': { reason: 'circuit-open', retryAfterSeconds: 5 },
  'over-budget': { reason: 'over-budget' },
  'cut-off': { reason: 'cut-off', inFlightMs: 10 },
  timeout: { reason: 'timeout', inFlightMs: 10 },
  '503-later': { status: 503, retryAfterSeconds: 5 },
  '502-no-slot': { status: 502, retryAfterSeconds: 5 },
};

/**
 * What rows do. A and B are holders; calls have numbers, by the order in which they were passed on, and so have those who
 * read. Names of paths stand for `/api/v2/…`; alerts are read and written where none is named.
 */
const steps: readonly (readonly [RegExp, (...parts: (string | undefined)[]) => unknown])[] = [
  [
    /^(\w) reads(?: (?!anew|past)([\w/]+))?( anew)?( past all)?$/,
    (one, name, anew, past) =>
      world.read({
        ...{ holder: `Bearer ${one}`, path: pathOf(name) },
        ...{ isAnew: anew !== undefined, isFresh: past !== undefined },
      }),
  ],
  [
    /^(\w) has (\d+)$/,
    async (one, number) => {
      world.read({ holder: `Bearer ${one}`, path: pathOf() });
      await settled();
      callOf(number).answer();
    },
  ],
  [
    /^(\w) writes(?: (?!for)(\w+))?( for all)?$/,
    (one, name, all) =>
      world.write({
        ...{ holder: `Bearer ${one}`, isForAll: all !== undefined },
        changes: name === 'nothing' ? [] : [pathOf(name)],
      }),
  ],
  [
    // Their callers leave while the writes are under way.
    /^(\d+) invented keys write$/,
    async (count) => {
      const { length } = world.calls;
      for (let each = 0; each < Number(count); each += 1) {
        world.write({ holder: `Bearer invented ${each}`, changes: [pathOf()] });
      }
      await settled();
      for (const call of world.calls.slice(length))
        call.fail({ reason: 'aborted', inFlightMs: 10 });
    },
  ],
  [/^(\w) is known$/, (one) => world.proven.set(`Bearer ${one}`, performance.now())],
  [/^(\d+) answers$/, (number) => callOf(number).answer()],
  [/^(\d+) answers uselessly$/, (number) => callOf(number).answer(false)],
  [
    /^(\d+): (\S+)$/,
    (number, how = '') => callOf(number).fail(failures[how] ?? { status: Number(how) }),
  ],
  [
    // As the gate does with a claim whose slot would come too late.
    /^(\d+) is put off$/,
    (number) => {
      const { call } = callOf(number);
      for (const { want, since, refuse } of call.claims?.list() ?? []) {
        want?.(since);
        refuse(failed(call, { reason: 'no-slot', cause: `${number}` }));
      }
    },
  ],
  [/^(\d+) is sent$/, (number) => callOf(number).send()],
  [/^(\d+) waits again$/, (number) => callOf(number).sendAgain()],
  [/^no slots$/, () => world.sendAtOnce(false)],
  [/^reader (\d+) leaves$/, (number) => present(world.asked[Number(number) - 1]).leave()],
  [/^the gateway stops$/, () => world.closing.abort()],
  [/^([\d.]+) s$/, (seconds) => world.clock.advance(Number(seconds) * 1000)],
];

const outcomeOf = ({ outcome }: Asked): string => {
  if (!outcome) return 'waits';
  const { number, failure } = outcome;
  if (failure?.reason === 'aborted') return 'left';
  return failure ? `${failure.status ?? failure.reason} of ${number}` : `${number}`;
};

/** Does what a row says, and tells what each reader has, and after a slash which calls are open, or were cut off. */
const outcomesOf = async (row: string): Promise<string> => {
  for (const step of row.split(', ')) {
    const [pattern, act] = steps.find(([each]) => each.test(step)) ?? [];
    if (!act) throw new Error(`No such step: ${step}`);
    await act(...(pattern?.exec(step)?.slice(1) ?? []));
    await settled();
  }
  const calls = world.calls.flatMap(({ number, endedAt, isCutOff }) => {
    if (isCutOff) return [`${number} cut off`];
    return endedAt === undefined ? [`${number} open`] : [];
  });
  const readers = world.asked.map(outcomeOf).join(', ');
  return calls.length === 0 ? readers : `${readers} / ${calls.join(', ')}`;
};

/** Ends all that is under way. Then nobody waits, and after a minute nothing is left. */
const expectNothingLeft = async (): Promise<void> => {
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

type Rows = readonly (readonly [title: string, row: string, outcomes: string])[];

const kept: Rows = [
  ...rowsOf(`
  the seconds of its row, and no longer
    A has 1, 3.1 s, A has 2 -> 1, 2
  its path as written
    A has 1, A reads ALERTS -> 1, waits / 2 open
  nothing that is to be written back
    A has 1, A reads past all -> 1, waits / 2 open
  a read after one that was to be
    A has 1, A reads past all, 2 answers, A reads -> 1, 2, 2
  nothing if it is of no use
    A reads, 1 answers uselessly, A reads -> 1, waits / 2 open
  `),
];

const joined: Rows = [
  ...rowsOf(`
  no longer than three seconds
    A reads, 3.1 s, A reads -> waits, waits / 1 open, 2 open
  for twice the time that the last one took
    A reads, 5 s, 1 answers, 3.1 s, A reads, 9.9 s, A reads, 0.2 s, A reads -> 1, 1, 1, waits / 2
    open, 3 open
  for three seconds where the last one failed after a long time
    A has 1, 3.1 s, A reads, 20 s, 2: 500, A reads, 3.1 s, A reads -> 1, 1, 1, waits / 3 open, 4
    open
  for three seconds where the last one was cut off
    A has 1, 3.1 s, A reads, 25.1 s, A reads, 3.1 s, A reads -> 1, 1, 1, waits / 2 cut off, 3
    open, 4 open
  no longer than that if it is the third
    A reads, 3.1 s, A reads, 3.1 s, A reads, 6.1 s, A reads, 4 answers -> 4, 4, 4, 4 / 1 open, 2
    cut off, 3 cut off
  by those who waited for the oldest of three, which is slow and cut off
    A reads, 3.1 s, A reads anew, A reads anew, 3 answers -> 3, 3, 3 / 1 cut off, 2 open
  for longer and longer in place of what was slow, so that it is answered however fast others want it anew
    A reads, 3.1 s, A reads anew, A reads anew, 3.1 s, A reads anew, 2.7 s, A reads anew, 3
    answers -> 3, 3, 3, waits, waits / 1 cut off, 2 cut off, 4 cut off, 5 open
  by those, and goes on for them where the one has left who began it
    A reads, 3.1 s, A reads anew, no slots, A reads anew, reader 3 leaves, 3 is sent, 3 answers ->
    3, 3, left / 1 cut off, 2 open
  until it is sent, and sent again, whatever is written and wanted
    no slots, A reads, 1 is sent, 1 waits again, A writes, 2 answers, A reads anew, 1 is sent, 1
    answers -> 1, 1
  `),
];

const serving: Rows = [
  ...rowsOf(`
  none if of no use
    A reads, 3.1 s, A reads, 2 answers uselessly -> waits, 2 / 1 open
  `),
];

const ending: Rows = [
  ...rowsOf(`
  is not sent again
    A reads, reader 1 leaves, 1 waits again -> left / 1 cut off
  goes on for a reader who is put off
    no slots, A reads, 1 is put off, 9 s, 1 is sent, 1 answers, A reads -> no-slot of 1, 1
  but ends with that reader where the gateway has stopped
    no slots, A reads, the gateway stops, 1 is put off -> no-slot of 1 / 1 cut off
  lasts no longer than 25 seconds
    A reads, 2 s, A reads, 23.1 s -> timeout of 1, timeout of 1 / 1 cut off
  lasts no longer than that from its first sending
    no slots, A reads, 60 s, 1 is sent, 20 s, 1 waits again, 1 is sent, 5.1 s -> timeout of 1 / 1
    cut off
  lasts as long from a further sending in the background, however long it has waited for that
    A has 1, 3.1 s, A reads, 20 s, 2 waits again, 20 s, 2 is sent, 20 s, 2 answers, A reads -> 1, 1, 2
  `),
];

const writing: Rows = [
  ...rowsOf(`
  what was read beside it
    A writes, A has 2, A reads, 1 answers, A reads -> 2, 2, waits / 3 open
  its path in capitals
    A reads ALERTS, 1 answers, A writes, 2 answers, A reads ALERTS -> 1, waits / 3 open
  what all have read, where it is for all
    A has 1, B has 2, A writes for all, 3 answers, A reads, B reads -> 1, 2, waits, waits / 4 open,
    5 open
  what is read after a timeout by a holder of whom nothing was known
    A writes, 1: timeout, A has 2, A reads -> 2, waits / 3 open
  no sharing after its end, if that is uncertain
    A has 1, A writes, 2: timeout, A reads, A reads, 3 answers -> 1, 3, 3
  nothing of others, however many keys are invented
    A has 1, 31 s, A has 2, 10001 invented keys write, A reads -> 1, 2, 2
  what its holder read before, who may have an invented key, too
    A reads, A writes, 2: timeout, 10001 invented keys write, 1 answers, A reads -> 1, waits / 10004
    open
  what its holder reads in the 30 seconds after a timeout, too
    A writes, 1: timeout, 10001 invented keys write, 29 s, A has 10003, A reads -> 10003, waits /
    10004 open
  `),
  ...rowsFor(
    '400 404 409 429 503 401 no-slot',
    `
  what was read beside it, failing with %
    A has 1, A writes, A has 3, 2: %, A reads -> 1, 3, waits / 4 open
  `,
  ),
  ...rowsFor(
    '401 404 500 timeout',
    `
  nothing of others, failing with %
    B has 1, A writes for all, 2: %, B reads -> 1, 1
  `,
  ),
  ...rowsFor(
    'timeout cut-off 500 502 504',
    `
  what is read in the 30 seconds after a %
    A has 1, A writes, 2: %, 29.9 s, A has 3, A reads -> 1, 3, waits / 4 open
  nothing later than 30 seconds after a %
    A has 1, A writes, 2: %, 30.1 s, A has 3, A reads -> 1, 3, 3
  `,
  ),
];

const refusing: Rows = [
  ...rowsOf(`
  all by a read with 401
    A has 1, A reads b, 2: 401, A reads -> 1, 401 of 2, waits / 3 open
  all by a write with 401
    A has 1, A writes b, 2: 401, A reads -> 1, waits / 3 open
  all by that, though it was accepted meanwhile
    A reads, A writes b, 1 answers, 2: 401, A reads -> 1, waits / 3 open
  all by a read past all with 401
    A has 1, A reads b past all, 2: 401, A reads -> 1, 401 of 2, waits / 3 open
  all by a read with 403 that has succeeded before
    A has 1, A reads b, 2 answers, A reads anew, 3: 403, A reads b -> 1, 2, 403 of 3, waits / 4
    open
  what was under way then
    A has 1, A reads b, A reads anew, 3: 401, 2 answers, A reads b -> 1, 2, 401 of 3, waits / 4
    open
  what was under way then, of a credential of which nothing was known
    A reads, A reads b, 1: 401, 2 answers, A reads b -> 401 of 1, 2, waits / 3 open
  what was under way then, where nothing is kept
    A reads past all, 1 answers, A reads b, A writes nothing, 3: 401, A reads b -> 1, waits, waits
    / 2 open, 4 open
  nothing by another read with 403
    A has 1, A reads b, 2: 403, A reads -> 1, 403 of 2, 1
  nothing by a write with 403, though its path was read
    A reads dashboards/d1, 1 answers, A writes b, 2: 403, A reads dashboards/d1 -> 1, 1
  nothing of others
    A has 1, B reads, 2: 401, A reads -> 1, 401 of 2, 1
  `),
];

const failing: Rows = [
  ...rowsOf(`
  404 no longer where a new read is refused
    A is known, A reads, 1: 404, 4 s, A reads, 2: no-slot -> 404 of 1, no-slot of 2
  `),
  ...rowsFor(
    '403 404 424',
    `
  % while it is fresh
    A is known, A reads, 1: %, 2.9 s, A reads -> % of 1, % of 1
  % no longer
    A is known, A reads, 1: %, 3.1 s, A reads -> % of 1, waits / 2 open
  % for its holder and path
    A is known, A reads, 1: %, B reads, A reads b -> % of 1, waits, waits / 2 open, 3 open
  % for nobody who wants it anew
    A is known, A reads, 1: %, A reads anew -> % of 1, waits / 2 open
  % until a write changes it, and no other write
    A is known, A reads, 1: %, A writes nothing, A reads, A writes, A reads
    -> % of 1, % of 1, waits / 2 open, 3 open, 4 open
  `,
  ),
  ...rowsFor(
    '403 404',
    `
  % never of a credential that may be invented
    A reads, 1: %, A reads -> % of 1, waits / 2 open
  `,
  ),
  ...rowsFor(
    '403 424',
    `
  % for a minute where a new read is refused
    A is known, A reads, 1: %, 59 s, A reads, 2: no-slot -> % of 1, % of 1 / 3 open
  `,
  ),
  ...rowsFor(
    '302 400 401 409 429 500 502 503 504 timeout cut-off',
    `
  % never
    A reads, 1: %, A reads -> % of 1, waits / 2 open
  `,
  ),
];

const stale: Rows = [
  ...rowsOf(`
  is waited for
    A has 1, 4 s, A reads, 0.49 s -> 1, waits / 2 open
  is shown after half a second
    A has 1, 4 s, A reads, 0.51 s -> 1, 1 / 2 open
  is shown at once where others have waited so long
    A has 1, 4 s, A reads anew, 0.51 s, A reads, 0.01 s -> 1, waits, 1 / 2 open
  is shown while the new read goes on, which lasts no longer than any other
    A has 1, 4 s, A reads, 25.1 s -> 1, 1 / 2 cut off
  is shown for a minute
    A has 1, 59.9 s, A reads, 2: no-slot -> 1, 1 / 3 open
  is not shown once it was written
    A has 1, 4 s, A reads, A writes, 2: no-slot, 0.6 s -> 1, waits / 3 open, 4 open
  is shown as another has read it meanwhile
    A has 1, 4 s, A reads, A reads anew, 3 answers, 2: no-slot -> 1, 3, 3
  is read again though nobody waits
    A has 1, 4 s, no slots, A reads, 2: no-slot, 9 s, 3 is sent, 3 answers, A reads -> 1, 1, 3
  is not kept as it was read again beside a write
    A has 1, 4 s, A reads, 0.6 s, A writes, 2 answers, 3 answers, A reads -> 1, 1, waits / 4 open
  is read again no more once the gateway stops
    A has 1, 4 s, no slots, A reads, 2: no-slot, the gateway stops -> 1, 1 / 3 cut off
  is read again no more once the gateway stops, though that was sent
    A has 1, 4 s, A reads, 0.6 s, the gateway stops -> 1, 1 / 2 cut off
  is read again no more once the last who waits has left, where the gateway has stopped
    A has 1, 4 s, no slots, A reads, 2: no-slot, A reads anew, the gateway stops, reader 3 leaves
    -> 1, 1, left / 3 cut off
  is not read again where the gateway has stopped
    A has 1, 4 s, A reads, the gateway stops, 2: no-slot -> 1, 1
  `),
  ...rowsFor(
    'no-slot queue-full circuit-open 429 503-later 502-no-slot',
    `
  is shown, and read again, where it fails with %
    A has 1, 4 s, A reads, 2: % -> 1, 1 / 3 open
  `,
  ),
  ...rowsFor(
    '500 502 503 504 404 403 timeout cut-off over-budget',
    `
  is not shown where it fails with %
    A has 1, 4 s, A reads, 2: % -> 1, % of 2
  `,
  ),
];

describe.each([
  ['an answer is kept for', kept],
  ['a read under way is joined', joined],
  ['an answer serves', serving],
  ['a read under way', ending],
  ['a write makes old', writing],
  ['a credential that is refused loses', refusing],
  ['a failure is kept:', failing],
  ['what is no longer fresh', stale],
] as const)('%s', (_, rows) => {
  it.each<Rows[number]>(rows)('%s', async (_title, row, outcomes) => {
    expect(await outcomesOf(row)).toBe(outcomes);
    await expectNothingLeft();
  });
});

it.each(['read', 'write'] as const)(
  'what is kept for a credential still counts after a %s of each of 10 001 others is answered 401',
  async (what) => {
    await outcomesOf('A has 1, 1 s');
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
