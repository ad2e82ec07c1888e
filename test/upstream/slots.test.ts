import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlotLog, type Slot } from '../../src/upstream/gate/slots.ts';

const start = (calls = 10, windowMs = 10_000) => {
  const clock = { time: 0 };
  const log = createSlotLog({ calls, windowMs }, () => clock.time);
  const take = (): Slot => {
    const slot = log.take();
    if (!slot) throw new Error('no slot is free');
    return slot;
  };
  return { clock, log, take };
};

it('slots are free now if unused, when known if they have ended, and a window from now if under way, but not before a hold is over', () => {
  const { clock, log, take } = start(4);
  clock.time = 1000;
  const slot = take();
  take().answered();
  take().givenUp();
  clock.time = 3000;
  expect(log.freeTimes()).toEqual([3000, 11_000, 12_000, 13_000]);
  // It ends once: what is told later has no effect.
  slot.answered();
  slot.giveBack();
  slot.givenUp();
  log.holdFor(4000);
  log.holdFor(500);
  expect(log.freeTimes()).toEqual([7000, 11_000, 12_000, 13_000]);
});

describe("the upstream's own count", () => {
  it.each([
    ['where it is smaller', 1, 4, 4, 9],
    ['not where it is larger', 8, 9, 2, 2],
    ['if it leaves nothing', 1, 0, 0, 9],
  ])('is taken %s, for as long as it holds', (_, used, left, then, later) => {
    const { clock, log, take } = start();
    for (let slot = 0; slot < used; slot += 1) take().answered();
    log.learnLeft(left, 3000);
    clock.time = 2999;
    expect(log.left).toBe(then);
    clock.time = 3000;
    expect(log.left).toBe(later);
  });

  it('is not counted twice, with the calls made since', () => {
    const { log, take } = start();
    take().answered();
    log.learnLeft(5, 3000);
    take().answered();
    log.learnLeft(4, 3000);
    expect(log.left).toBe(4);
  });
});

it('a log is idle once it has nothing to remember', () => {
  const { clock, log, take } = start();
  expect(log.isIdle).toBe(true);
  const slot = take();
  expect(log.isIdle).toBe(false);
  slot.answered();
  for (const [until, remember] of [
    [10_000, () => log.holdFor(1000)],
    [11_000, () => log.learnLeft(9, 1000)],
    [12_000, () => undefined],
  ] as const) {
    clock.time = until - 1;
    expect(log.isIdle).toBe(false);
    clock.time = until;
    expect(log.isIdle).toBe(true);
    remember();
  }
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
        const { clock, log } = start(calls, windowMs);
        const underWay: { slot: Slot; sentAt: number; counted: number }[] = [];
        const counts: number[] = [];
        const end = (which: number, how: 'answered' | 'givenUp'): void => {
          const [call] = underWay.splice(which % Math.max(1, underWay.length), 1);
          if (!call) return;
          call.slot[how]();
          // One that was given up may arrive up to a second later.
          const latest = clock.time + (how === 'answered' ? 0 : 1000);
          counts.push(call.sentAt + call.counted * (latest - call.sentAt));
        };
        for (const { after, what, which, counted } of events) {
          clock.time += after;
          if (what === 'take') {
            const slot = log.take();
            if (slot) underWay.push({ slot, sentAt: clock.time, counted });
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
