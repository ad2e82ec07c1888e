import { onTestFinished, vi } from 'vitest';

/** The time of the gateway in a test: it stands still until the test lets it go on. */
export interface Clock {
  /** Lets so much time pass at once. */
  advance(milliseconds: number): void;
  /** Lets time pass, a tenth of a second at a time, until that has ended. */
  until<Value>(outcome: Promise<Value>): Promise<Value>;
  /** Lets everything happen that needs no time to pass, until a condition holds. */
  still(holds: () => boolean): Promise<void>;
}

/** One turn of the event loop, in which what has arrived on sockets is handled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** To be called first in a test, before its gateway is started; real time is back when the test has ended. */
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

/** The time of `performance.now`, which the gateway and all else in this process go by. */
export interface HeldTime {
  pass(seconds: number): void;
  release(): void;
}

/** What passes between two looks at the clock, in milliseconds: no two things happen at one time. */
const tick = 1e-6;

/** Holds `performance.now`, so that no read is too old on account of a slow machine. Timers go on as they do. */
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
