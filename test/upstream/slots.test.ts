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

describe('a slot', () => {
  it.each([
    ['answered', 'one window after the answer', 10_000],
    ['givenUp', 'one window and a second after its call was given up', 11_000],
  ] as const)('%s is free %s', (end, _, later) => {
    const { clock, log, take } = start(1);
    const slot = take();
    clock.time = 50_000;
    expect(log.left).toBe(0);
    slot[end]();
    clock.time = 50_000 + later - 1;
    expect(log.left).toBe(0);
    clock.time = 50_000 + later;
    expect(log.left).toBe(1);
  });

  it('of a call that was never sent is free at once', () => {
    const { log, take } = start(1);
    take().giveBack();
    expect(log.left).toBe(1);
  });

  it('ends once: what is told later has no effect', () => {
    const { clock, log, take } = start(1);
    const slot = take();
    slot.answered();
    slot.giveBack();
    slot.givenUp();
    expect(log.freeTimes()).toEqual([10_000]);
    clock.time = 10_000;
    const next = take();
    slot.giveBack();
    expect(log.left).toBe(0);
    next.giveBack();
    expect(log.left).toBe(1);
  });

  it('is not given where none is free', () => {
    const { log, take } = start(3);
    for (let slot = 0; slot < 3; slot += 1) take();
    expect(log.take()).toBeUndefined();
  });
});

describe('the times at which slots are free', () => {
  it('are now for those unused, known for those answered, and a window from now for those under way', () => {
    const { clock, log, take } = start(4);
    clock.time = 1000;
    take();
    take().answered();
    take().givenUp();
    clock.time = 3000;
    expect(log.freeTimes()).toEqual([3000, 11_000, 12_000, 13_000]);
  });

  it('are not before a hold is over', () => {
    const { log, take } = start(3);
    take().answered();
    log.holdFor(4000);
    expect(log.freeTimes()).toEqual([4000, 4000, 10_000]);
  });
});

describe('a hold', () => {
  it('leaves nothing until it is over', () => {
    const { clock, log } = start();
    log.holdFor(2000);
    clock.time = 1999;
    expect([log.left, log.take()]).toEqual([0, undefined]);
    clock.time = 2000;
    expect(log.left).toBe(10);
  });

  it('is not shortened by a shorter one', () => {
    const { clock, log } = start();
    log.holdFor(2000);
    log.holdFor(500);
    clock.time = 1000;
    expect(log.left).toBe(0);
  });
});

describe("the upstream's own count", () => {
  it('is taken where it is the smaller one, for as long as it holds', () => {
    const { clock, log, take } = start();
    take().answered();
    log.learnLeft(4, 3000);
    expect(log.left).toBe(4);
    clock.time = 3000;
    expect(log.left).toBe(9);
  });

  it('is not taken where it is the larger one', () => {
    const { log, take } = start();
    for (let slot = 0; slot < 8; slot += 1) take().answered();
    log.learnLeft(9, 3000);
    expect(log.left).toBe(2);
  });

  it('is not counted twice, with the calls made since', () => {
    const { log, take } = start();
    take().answered();
    log.learnLeft(5, 3000);
    take().answered();
    log.learnLeft(4, 3000);
    expect(log.left).toBe(4);
  });

  it('may leave nothing', () => {
    const { clock, log, take } = start();
    take().answered();
    log.learnLeft(0, 3000);
    expect(log.freeTimes()).toEqual([...Array<number>(9).fill(3000), 10_000]);
    clock.time = 2999;
    expect(log.take()).toBeUndefined();
    clock.time = 3000;
    expect(log.left).toBe(9);
  });
});

it('a log is idle once it has nothing to remember', () => {
  const { clock, log, take } = start();
  expect(log.isIdle).toBe(true);
  const slot = take();
  expect(log.isIdle).toBe(false);
  slot.answered();
  clock.time = 9999;
  expect(log.isIdle).toBe(false);
  clock.time = 10_000;
  expect(log.isIdle).toBe(true);
  log.holdFor(1000);
  expect(log.isIdle).toBe(false);
  clock.time = 11_000;
  expect(log.isIdle).toBe(true);
  log.learnLeft(9, 1000);
  expect(log.isIdle).toBe(false);
  clock.time = 12_000;
  expect(log.isIdle).toBe(true);
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
