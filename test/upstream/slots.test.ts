import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { createSlotLog, type LocalSlotLog, type Slot } from '../../src/upstream/gate/slots.ts';
import { present, type Step } from '../support/steps.ts';

/** Four calls in ten seconds. */
let log: LocalSlotLog;
let time: number;
let taken: Map<string, Slot>;
beforeEach(() => {
  time = 0;
  taken = new Map();
  log = createSlotLog({ calls: 4, windowMs: 10_000 }, () => time);
});

const at = (seconds: number) => () => {
  time = seconds * 1000;
};
const take = (name: string) => () => taken.set(name, present(log.take()));
const end = (how: keyof Slot) => (name: string) => () => present(taken.get(name))[how]();
const [answer, giveUp, giveBack] = [end('answered'), end('givenUp'), end('giveBack')];
const hold = (seconds: number) => () => log.holdFor(seconds * 1000);
const learn = (calls: number, seconds: number) => () => log.learnLeft(calls, seconds * 1000);
const left = (count: number) => () => expect(log.left).toBe(count);
const free =
  (...seconds: readonly number[]) =>
  () =>
    expect(log.freeTimes()).toEqual(seconds.map((each) => each * 1000));
const idle = (isIdle: boolean) => () => expect(log.isIdle).toBe(isIdle);
const play = (...steps: readonly Step[]): void => {
  for (const step of steps) step();
};

it('slots are free now if unused, when known if they have ended, once, and a window from now if under way', () => {
  play(at(1), take('a'), take('b'), take('c'), answer('b'), giveUp('c'), at(3));
  play(free(3, 11, 12, 13), answer('a'), giveBack('a'), giveUp('a'), free(3, 11, 12, 13));
});
it('no slot is free before the longest hold is over', () =>
  play(take('a'), answer('a'), hold(4), hold(0.5), left(0), free(4, 4, 4, 10), at(4), left(3)));
it("the upstream's own count is taken where it is smaller, as long as it holds", () =>
  play(take('a'), answer('a'), learn(2, 3), at(2.999), left(2), at(3), left(3)));
it('the upstream’s own count is not taken where it is larger', () =>
  play(take('a'), take('b'), take('c'), learn(4, 3), at(2.999), left(1), at(3), left(1)));
it('the upstream’s own count is taken if it leaves nothing', () =>
  play(take('a'), learn(0, 3), at(2.999), left(0), at(3), left(3)));
it('the upstream’s own count is not taken twice, with the calls made since', () =>
  play(take('a'), answer('a'), learn(2, 3), take('b'), learn(1, 3), left(1)));
it('a log is idle once it has nothing to remember', () => {
  play(idle(true), take('a'), idle(false), answer('a'), at(9.999), idle(false), at(10));
  play(idle(true), hold(1), at(10.999), idle(false));
  play(at(11), idle(true), learn(3, 1), at(11.999), idle(false), at(12), idle(true));
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
