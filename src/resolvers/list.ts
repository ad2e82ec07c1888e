import type { Rows } from '../upstream/rows.ts';

/**
 * A list's rows for a resolver that gives them all as they are: whoever executes iterates over
 * them, or reads them where they stand.
 */
export const unparsed = <Row extends { readonly id: string }>(
  rows: Promise<Rows<Row>>,
): Promise<readonly Row[]> =>
  // An iterable is a list for GraphQL; the generated types know arrays alone.
  rows as unknown as Promise<readonly Row[]>;

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
