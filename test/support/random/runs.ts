const { FUZZ_RUNS, FUZZ_SEED } = process.env;

/** Whether this is the full run or `npm run fuzz`: those of `npm test` are a small part of it. */
export const isLong = FUZZ_RUNS !== undefined;

/** How many runs a test at random does: `few` in `npm test`, and FUZZ_RUNS in the full run, but from `least` to `most`. */
export const runsOf = (few: number, most = Infinity, least = 0): number =>
  isLong ? Math.max(least, Math.min(Number(FUZZ_RUNS), most)) : few;

/** FUZZ_SEED, by which other things are made up; the same ones each time where it is not set. */
export const seed = Number(FUZZ_SEED ?? 1);

/** Every item in the full run, and so many in `npm test`, taken at equal distances. */
export const sampleOf = <Item>(items: readonly Item[], few: number): readonly Item[] => {
  const distance = isLong ? 1 : Math.max(1, items.length / few);
  const count = Math.ceil(items.length / distance);
  return Array.from({ length: count }, (_, index) => items[Math.floor(index * distance)]).filter(
    (item) => item !== undefined,
  );
};
