/**
 * A record's list, for a resolver that makes another out of it; null where there is none. Throws
 * the error that stands in the list's place, and refuses what is no list in the executor's words.
 */
export const asList = <Item>(
  value: readonly Item[] | null | undefined,
): readonly Item[] | null | undefined => {
  const list: unknown = value;
  if (list instanceof Error) throw list;
  if (value !== null && value !== undefined && !Array.isArray(list)) {
    throw new TypeError('Expected Iterable');
  }
  return value;
};
