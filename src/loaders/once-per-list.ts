/**
 * Makes something of a list once, however often it is asked for. The answer to a read is one array for
 * all fields that wait for it. Nothing is kept longer than the list.
 */
export const oncePerList = <Item, Value>(
  make: (list: readonly Item[]) => Value,
): ((list: readonly Item[]) => Value) => {
  const made = new WeakMap<readonly Item[], Value>();
  return (list) => {
    const known = made.get(list);
    if (known !== undefined) return known;
    const value = make(list);
    made.set(list, value);
    return value;
  };
};
