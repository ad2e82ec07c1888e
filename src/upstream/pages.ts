import { isObject } from '../is-object.ts';

/** A page of a list. */
export interface Page {
  readonly rows: readonly unknown[];
  /** How many rows came, with those that cannot be used. */
  readonly count: number;
  /** How many rows all pages have together, where the service says so. */
  readonly total?: number | undefined;
}

/** Reads a page, the first one where the query is empty; where it is to be fresh, nothing that was read before answers it. */
type ReadPage = (query: string, fresh: boolean) => Promise<Page>;

/** How a list comes in pages. */
interface Paging {
  /** The most rows of a page. */
  readonly size: number;
  readonly read: ReadPage;
  /** The error of a list whose pages do not hold all of its rows. */
  readonly incomplete: (list: Page) => Error;
}

const idOf = (row: unknown): unknown => (isObject(row) ? row.id : undefined);

const isUsable = ({ rows, count }: Page): boolean => rows.length === count;

/** The rows of all pages; undefined where the list was changed meanwhile, so that a row may be missing or there twice. */
const joined = async (
  first: Page,
  { size, read }: Paging,
  fresh: boolean,
): Promise<readonly unknown[] | undefined> => {
  const { total } = first;
  if (total === undefined || first.count >= total) return first.rows;
  if (first.count === 0) return undefined;
  const rows = [...first.rows];
  let last = first;
  let count = first.count;
  while (count < total) {
    // Each page begins with the last row of the one before: if another stands there, the list has moved in between.
    const page = await read(`?limit=${size}&offset=${count - 1}`, fresh);
    if (page.total !== total || page.count < 2) return undefined;
    const overlaps = idOf(page.rows[0]) === idOf(rows.at(-1));
    // A row without an identifier may be the one where they meet.
    if (!overlaps && isUsable(last) && isUsable(page)) return undefined;
    rows.push(...page.rows.slice(overlaps ? 1 : 0));
    count += page.count - 1;
    last = page;
  }
  return count === total && new Set(rows.map(idOf)).size === rows.length ? rows : undefined;
};

/** All rows, or an error: never some of them. */
const whole = async (first: Page, paging: Paging, fresh: boolean): Promise<readonly unknown[]> => {
  const rows = await joined(first, paging, fresh);
  if (rows) return rows;
  // Pages may be of different times, since each is kept by itself.
  const again = await paging.read('', true);
  const rowsNow = await joined(again, paging, true);
  if (rowsNow) return rowsNow;
  throw paging.incomplete(again);
};

/** Makes the function that reads lists with all their pages. Of the same first page it makes one array. */
export const createLists = () => {
  const lists = new WeakMap<readonly unknown[], Promise<readonly unknown[]>>();
  return async (paging: Paging, fresh: boolean): Promise<readonly unknown[]> => {
    const first = await paging.read('', fresh);
    const list = lists.get(first.rows) ?? whole(first, paging, fresh);
    lists.set(first.rows, list);
    return list;
  };
};
