import { vi } from 'vitest';
import { settled } from './calls.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  ref(): Timer;
  unref(): Timer;
}

export interface Clock {
  readonly now: number;
  /** The number of timers. */
  readonly timers: number;
  /** Advances the clock: timers fire in their order, and all effects of one happen before the next fires. */
  advance(milliseconds: number): Promise<void>;
  /** Restores the real clock. */
  restore(): void;
}

/** The time between two reads of the clock, in milliseconds. On a real clock no two events have the same time. */
const tick = 1e-6;

/**
 * Replaces `performance.now`, `setTimeout` and `clearTimeout`, and advances only on request. Vitest's fake timers wait a
 * real millisecond for each timer, which is too long for thousands of runs.
 *
 * @param untilSettled waits until all due effects have happened
 */
export const startClock = (untilSettled: () => Promise<void> = settled): Clock => {
  let now = 1000;
  /** By the time at which they are due. */
  const timers: Timer[] = [];

  const set = (callback: () => void, milliseconds = 0): Timer => {
    // Node's timers count whole milliseconds: a timer may fire up to a millisecond early.
    const due = Math.floor(now) + Math.max(1, milliseconds);
    const timer: Timer = { due, callback, ref: () => timer, unref: () => timer };
    timers.splice(timers.findLastIndex((other) => other.due <= due) + 1, 0, timer);
    return timer;
  };
  const clear = (timer: Timer): void => {
    const at = timers.indexOf(timer);
    if (at >= 0) timers.splice(at, 1);
  };
  vi.stubGlobal('setTimeout', set);
  vi.stubGlobal('clearTimeout', clear);
  // Vitest's spies store all their calls.
  const { now: realNow } = performance;
  performance.now = () => {
    now += tick;
    return now;
  };

  return {
    get now() {
      return now;
    },
    get timers() {
      return timers.length;
    },
    advance: async (milliseconds) => {
      await untilSettled();
      const end = now + milliseconds;
      for (let next = timers[0]; next && next.due <= end; next = timers[0]) {
        timers.shift();
        now = Math.max(now, next.due);
        next.callback();
        await untilSettled();
      }
      now = Math.max(now, end);
    },
    restore: () => {
      performance.now = realNow;
      vi.unstubAllGlobals();
    },
  };
};
