import type { OrderDirection } from '../generated/schema.ts';

/** The value that an item is sorted by; undefined if the item has none. */
type Key = string | number | undefined;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const compare = (one: Key, other: Key): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : collator.compare(String(one), String(other));

/** For each value of an enum `…OrderField`, the function that gets an item's sort key. */
export type Keys<Item, Field extends string> = Readonly<Record<Field, (item: Item) => Key>>;

export interface Order<Field extends string> {
  readonly field: Field;
  readonly direction?: OrderDirection;
}

/** Sorts a list. Items without a value come last in both directions, and equal items keep the upstream's order. */
export const inOrder = <Item, Field extends string>(
  items: readonly Item[],
  { field, direction }: Order<Field>,
  keys: Keys<Item, Field>,
): readonly Item[] => {
  const keyed = items.map((item) => ({ item, key: keys[field](item) }));
  const sign = direction === 'DESC' ? -1 : 1;
  return [
    ...keyed
      .filter(({ key }) => key !== undefined)
      .sort((one, other) => sign * compare(one.key, other.key)),
    ...keyed.filter(({ key }) => key === undefined),
  ].map(({ item }) => item);
};

/** A sort key from a member that should be a text. */
export const textKey = (value: unknown): Key => (typeof value === 'string' ? value : undefined);

/** A sort key from a member that should be a time. */
export const timeKey = (value: unknown): Key => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};
