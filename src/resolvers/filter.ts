/** Whether a value matches. */
type Test = (value: unknown) => boolean;

/** Whether an item meets a condition; undefined if the filter does not set the condition. */
type Condition<Item> = ((item: Item) => boolean) | undefined;

/**
 * A condition on a value of an item; undefined if `wanted` is null or undefined.
 *
 * @param prepare makes the test from `wanted`; called once
 */
export const where = <Item, Wanted>(
  read: (item: Item) => unknown,
  wanted: Wanted | null | undefined,
  prepare: (wanted: Wanted) => Test,
): Condition<Item> => {
  if (wanted === null || wanted === undefined) return undefined;
  const meets = prepare(wanted);
  return (item) => meets(read(item));
};

/** Whether an item meets all conditions. */
export const allOf = <Item>(
  ...conditions: readonly Condition<Item>[]
): ((item: Item) => boolean) => {
  const given = conditions.filter((condition) => condition !== undefined);
  return (item) => given.every((isMet) => isMet(item));
};

/** Ignores case. A missing name contains nothing. */
export const contains = (text: string): Test => {
  const lowered = text.toLowerCase();
  return (name) => typeof name === 'string' && name.toLowerCase().includes(lowered);
};

/** Ignores case. With an empty list, nothing matches. */
export const isOneOfTexts = (texts: readonly string[]): Test => {
  const lowered = new Set(texts.map((text) => text.toLowerCase()));
  return (value) => typeof value === 'string' && lowered.has(value.toLowerCase());
};

/** With an empty list, nothing matches. */
export const isOneOf = (values: readonly unknown[]): Test => {
  const wanted = new Set(values);
  return (value) => wanted.has(value);
};

/** Whether a list has at least one of the values. With an empty list of values, nothing matches. */
export const hasOneOf = (values: readonly unknown[]): Test => {
  const isWanted = isOneOf(values);
  return (list) => Array.isArray(list) && list.some(isWanted);
};

export const is =
  (wanted: unknown): Test =>
  (value) =>
    value === wanted;
