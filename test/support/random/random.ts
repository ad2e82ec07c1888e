/** Random numbers that depend only on the seed (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** 0 to below the limit. */
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    /** 0 to below 1. */
    next,
    below,
    chance: (percent: number): boolean => next() * 100 < percent,
    pick: <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0],
  };
};

export type Random = ReturnType<typeof createRandom>;
