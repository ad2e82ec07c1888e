/** How long calls take, in milliseconds: drawn at random, and alike in every run. */
export interface Delays {
  /** 80 ms ± 30 %. */
  call(): number;
  /** From nothing to the most jitter. */
  jitter(): number;
}

/** Mulberry32, with numbers from 0 to below 1. */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const createDelays = (jitterMilliseconds: number): Delays => {
  const random = createRandom(25);
  return {
    call: () => 80 * (0.7 + 0.6 * random()),
    jitter: () => jitterMilliseconds * random(),
  };
};
