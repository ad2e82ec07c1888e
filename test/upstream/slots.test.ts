import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlotLog, type Slot } from '../../src/upstream/gate/slots.ts';
import { carryOut, rowsOf } from '../support/rows.ts';

/** Carries out a row about four calls in ten seconds. Times are in seconds: a bare one is the clock's. */
const toldBy = async (row: string): Promise<string> => {
  let time = 0;
  const log = createSlotLog({ calls: 4, windowMs: 10_000 }, () => time);
  const taken = new Map<string, Slot>();
  const told: unknown[] = [];
  const msOf = (seconds = '') => Number(seconds) * 1000;
  await carryOut(row, [
    [
      /^([\d.]+) s$/,
      (seconds) => {
        time = msOf(seconds);
      },
    ],
    [
      /^(\w) is taken$/,
      (name = '') => {
        const slot = log.take();
        if (slot) taken.set(name, slot);
      },
    ],
    [/^(\w) is answered$/, (name = '') => taken.get(name)?.answered()],
    [/^(\w) is given up$/, (name = '') => taken.get(name)?.givenUp()],
    [/^(\w) is given back$/, (name = '') => taken.get(name)?.giveBack()],
    [/^hold for ([\d.]+)$/, (seconds) => log.holdFor(msOf(seconds))],
    [/^learn (\d) for (\d)$/, (calls, seconds) => log.learnLeft(Number(calls), msOf(seconds))],
    [/^left\?$/, () => told.push(log.left)],
    [/^free\?$/, () => told.push(...log.freeTimes().map((each) => each / 1000))],
    [/^idle\?$/, () => told.push(log.isIdle)],
  ]);
  return told.join(' ');
};

it.each(
  rowsOf(`
  slots are free now if unused, when known if they have ended, once, and a window from now if under way
    1 s, a is taken, b is taken, c is taken, b is answered, c is given up, 3 s, free?, a is answered,
    a is given back, a is given up, free? -> 3 11 12 13 3 11 12 13
  but not before the longest hold is over
    a is taken, a is answered, hold for 4, hold for 0.5, left?, free?, 4 s, left? -> 0 4 4 4 10 3
  the upstream's own count is taken where it is smaller, as long as it holds
    a is taken, a is answered, learn 2 for 3, 2.999 s, left?, 3 s, left? -> 2 3
  not where it is larger
    a is taken, b is taken, c is taken, learn 4 for 3, 2.999 s, left?, 3 s, left? -> 1 1
  if it leaves nothing
    a is taken, learn 0 for 3, 2.999 s, left?, 3 s, left? -> 0 3
  and not twice, with the calls made since
    a is taken, a is answered, learn 2 for 3, b is taken, learn 1 for 3, left? -> 1
  a log is idle once it has nothing to remember
    idle?, a is taken, idle?, a is answered, 9.999 s, idle?, 10 s, idle?, hold for 1, 10.999 s, idle?,
    11 s, idle?, learn 3 for 1, 11.999 s, idle?, 12 s, idle?
    -> true false false true false true false true
`),
)('%s', async (_, row, told) => {
  expect(await toldBy(row)).toBe(told);
});

it('whenever an upstream counts the calls, it counts no more than the rate in any window', () => {
  const event = fc.record({
    after: fc.nat(400),
    what: fc.constantFrom('take', 'take', 'take', 'answered', 'givenUp', 'hold', 'learn'),
    which: fc.nat(),
    /** Where between sending and its end the upstream counts it. */
    counted: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(event, { maxLength: 200 }),
      (calls, events) => {
        const windowMs = 1000;
        let time = 0;
        const log = createSlotLog({ calls, windowMs }, () => time);
        const underWay: { slot: Slot; sentAt: number; counted: number }[] = [];
        const counts: number[] = [];
        const end = (which: number, how: 'answered' | 'givenUp'): void => {
          const [call] = underWay.splice(which % Math.max(1, underWay.length), 1);
          if (!call) return;
          call.slot[how]();
          // One that was given up may arrive up to a second later.
          const latest = time + (how === 'answered' ? 0 : 1000);
          counts.push(call.sentAt + call.counted * (latest - call.sentAt));
        };
        for (const { after, what, which, counted } of events) {
          time += after;
          if (what === 'take') {
            const slot = log.take();
            if (slot) underWay.push({ slot, sentAt: time, counted });
          } else if (what === 'hold') log.holdFor(which % 2000);
          else if (what === 'learn') log.learnLeft(which % (calls + 1), which % 2000);
          else end(which, what);
          expect(underWay.length + log.left).toBeLessThanOrEqual(calls);
          expect(log.freeTimes()).toHaveLength(calls);
        }
        while (underWay.length > 0) end(0, 'answered');
        for (const from of counts) {
          const within = counts.filter((at) => at >= from && at < from + windowMs);
          expect(within.length).toBeLessThanOrEqual(calls);
        }
      },
    ),
    { numRuns: 1000 },
  );
});
