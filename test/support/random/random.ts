import fc, { type GeneratorValue } from 'fast-check';

const randomOf = (
  /** 0 to below the limit. */
  below: (limit: number) => number,
  chance: (percent: number) => boolean,
) => ({
  below,
  chance,
  pick: <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0],
  /** Undefined only if there are no items. */
  any: <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)],
});
export type Random = ReturnType<typeof randomOf>;

/** Random numbers that depend only on the seed (mulberry32). */
export const createRandom = (seed: number): Random & { next(): number } => {
  let state = seed >>> 0;
  /** 0 to below 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, ...randomOf(below, (percent) => next() * 100 < percent) };
};

// One source for all limits, since fast-check tracks every source separately.
const die = () => fc.nat({ max: 9_999 });

/** Random numbers that repeat when fast-check shrinks a counterexample. */
export const randomFrom = (gen: GeneratorValue): Random => {
  const below = (limit: number): number => gen(die) % (limit || 1);
  return randomOf(below, (percent) => below(100) >= 100 - percent);
};
