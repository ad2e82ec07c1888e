const { FUZZ_RUNS, FUZZ_SEED } = process.env;

/** Whether this is the full run or `npm run fuzz`, which do many more runs than `npm test`. */
export const isLong = FUZZ_RUNS !== undefined;

/** The number of runs of a random test: `few` in `npm test`, FUZZ_RUNS in the full run, limited to `least` and `most`. */
export const runsOf = (few: number, most = Infinity, least = 0): number =>
  isLong ? Math.max(least, Math.min(Number(FUZZ_RUNS), most)) : few;

/** FUZZ_SEED, for further random data; 1 if it is not set. */
export const seed = Number(FUZZ_SEED ?? 1);

/** Every item in the full run, and in `npm test` this number of items, evenly spaced. */
export const sampleOf = <Item>(items: readonly Item[], few: number): readonly Item[] => {
  const distance = isLong ? 1 : Math.max(1, items.length / few);
  const count = Math.ceil(items.length / distance);
  return Array.from({ length: count }, (_, index) => items[Math.floor(index * distance)]).filter(
    (item) => item !== undefined,
  );
};
