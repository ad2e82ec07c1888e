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
