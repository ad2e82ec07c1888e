import type { InputMaybe } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { inOrder, type Keys, type Order } from './order.ts';

type List<Item> = readonly Item[];

interface Selecting<Item, Filter, Field extends string> {
  /** Makes the test of one item. */
  readonly prepare: (filter: Filter) => (item: Item) => boolean;
  readonly keys: Keys<Item, Field>;
}

/** The arguments of a list. */
export interface Wanted<Filter, Field extends string> {
  readonly filter?: InputMaybe<Filter>;
  readonly orderBy?: InputMaybe<Order<Field>>;
}

/** Makes a memo with two keys. A value is made once, and lives as long as its first key. */
const createMemo = <Key extends object, Value>() => {
  const made = new WeakMap<Key, Map<string, Value>>();
  return (key: Key, name: string, make: () => Value): Value => {
    const values = made.get(key) ?? new Map<string, Value>();
    made.set(key, values);
    const value = values.get(name) ?? make();
    values.set(name, value);
    return value;
  };
};

/**
 * Makes the function that applies the arguments `filter` and `orderBy` to a list. Each list is sorted once for each order,
 * and filtered once for equal filters of one request. The function lets other requests run between lists.
 */
export const createSelect = <Item extends object, Filter extends object, Field extends string>({
  prepare,
  keys,
}: Selecting<Item, Filter, Field>) => {
  const prepared = new WeakMap<Filter, (item: Item) => boolean>();
  const sorted = createMemo<List<Item>, List<Item>>();
  // The result of a filter may depend on the time, so requests do not share it.
  const filtered = new WeakMap<Context, ReturnType<typeof createMemo<List<Item>, List<Item>>>>();

  const inWantedOrder = (list: List<Item>, order: InputMaybe<Order<Field>>): List<Item> => {
    if (!order) return list;
    const { field, direction = 'ASC' } = order;
    return sorted(list, `${field} ${direction}`, () => inOrder(list, order, keys));
  };

  const ofFilter = (list: List<Item>, filter: Filter, context: Context): List<Item> => {
    const passes = prepared.get(filter) ?? prepare(filter);
    prepared.set(filter, passes);
    const memo = filtered.get(context) ?? createMemo<List<Item>, List<Item>>();
    filtered.set(context, memo);
    return memo(list, JSON.stringify(filter), () => list.filter(passes));
  };

  return async (
    list: List<Item>,
    { filter, orderBy }: Wanted<Filter, Field>,
    context: Context,
  ): Promise<List<Item>> => {
    if (!filter && !orderBy) return list;
    await context.turns.giveWay();
    // Filtering keeps the order.
    const ordered = inWantedOrder(list, orderBy);
    return filter ? ofFilter(ordered, filter, context) : ordered;
  };
};
