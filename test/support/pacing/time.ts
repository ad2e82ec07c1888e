import { onTestFinished, vi } from 'vitest';

/** The gateway's clock in a test: it stands still until the test advances it. */
export interface Clock {
  /** Advances the clock at once. */
  advance(milliseconds: number): void;
  /** Advances the clock in steps of a tenth of a second until the promise settles. */
  until<Value>(outcome: Promise<Value>): Promise<Value>;
  /** Lets everything happen that needs no time, until a condition holds. */
  still(holds: () => boolean): Promise<void>;
}

/** One turn of the event loop, in which arrived data is handled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Must be called first in a test, before its gateway starts; the end of the test restores real time. */
export const stopTime = (): Clock => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const advance = (milliseconds: number): void => {
    vi.advanceTimersByTime(milliseconds);
  };
  return {
    advance,
    until: async (outcome) => {
      let isOver = false;
      const end = (): void => {
        isOver = true;
      };
      outcome.then(end, end);
      while (!isOver) {
        // Sockets need some turns to bring an answer from the backend to the caller.
        for (let turns = 0; turns < 50 && !isOver; turns += 1) await turn();
        if (!isOver) advance(100);
      }
      return outcome;
    },
    still: async (holds) => {
      while (!holds()) await turn();
    },
  };
};

/** The time of `performance.now`, which the gateway and everything else in this process use. */
export interface HeldTime {
  pass(seconds: number): void;
  release(): void;
}

/** The time between two reads of the clock, in milliseconds, so that no two events have the same time. */
const tick = 1e-6;

/** Holds `performance.now`, so that no read becomes too old on a slow machine. Timers run normally. */
export const holdTime = (): HeldTime => {
  const { now: realNow } = performance;
  let now = realNow.call(performance);
  performance.now = () => {
    now += tick;
    return now;
  };
  return {
    pass: (seconds) => {
      now += seconds * 1000;
    },
    release: () => {
      performance.now = realNow;
    },
  };
};
