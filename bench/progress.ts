/** Tells on standard error what is going on; the figures alone go to standard output. */
export interface Progress {
  say(what: string): void;
  /** Since the run began. */
  seconds(): number;
}

export const createProgress = (): Progress => {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  return {
    seconds,
    say: (what) => {
      process.stderr.write(`${seconds().toFixed(0).padStart(4)} s  ${what}\n`);
    },
  };
};

/** The same items, beginning with another one each round, so that none is always measured first. */
export const rotated = <Item>(items: readonly Item[], round: number): readonly Item[] => {
  const shift = round % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
};
