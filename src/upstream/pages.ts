import { isObject } from '../is-object.ts';

export interface Page {
  readonly rows: readonly unknown[];
  /** How many rows came, unusable ones included. */
  readonly count: number;
  /** How many rows all pages have together, if the service tells. */
  readonly total?: number | undefined;
  /** How many rows the page can have, if the service tells. */
  readonly limit?: number | undefined;
  /** The cursor of the next page, if the service uses cursors and there is a next page. */
  readonly nextCursor?: string | undefined;
}

/** Reads a page. An empty query (without `?`) reads the first one. If `fresh`, memory does not answer. */
type ReadPage = (query: string, fresh: boolean) => Promise<Page>;

/** How a list comes in pages. */
interface Paging {
  /** The most rows of a page, if the size must be asked for. */
  readonly size: number | undefined;
  readonly read: ReadPage;
  /** The error of a list whose pages do not hold all of its rows. */
  readonly incomplete: (list: Page) => Error;
}

/** A page, and the part of the whole list in it. */
interface Part {
  readonly page: Page;
  readonly offset: number;
  /** The number of the first row after the part. */
  readonly end: number;
}

const idOf = (row: unknown): unknown => (isObject(row) ? row.id : undefined);

const partOf = (page: Page, offset: number, total: number): Part => ({
  page,
  offset,
  end: Math.min(offset + (page.limit ?? page.count), total),
});

/** Whether all rows of the part are usable. A server leaves out rows that it cannot show, but counts them. */
const isWhole = ({ page, offset, end }: Part): boolean => page.rows.length === end - offset;

/** Whether all identifiers differ. */
const areApart = (rows: readonly unknown[]): boolean =>
  new Set(rows.map(idOf)).size === rows.length;

/**
 * The rows of all pages, from one cursor to the next; undefined if the cursors go in a circle, or a row comes twice.
 */
const followed = async (
  first: Page,
  { read }: Paging,
  fresh: boolean,
): Promise<readonly unknown[] | undefined> => {
  const pages = [first.rows];
  const seen = new Set<string>();
  let { nextCursor } = first;
  while (nextCursor !== undefined) {
    if (seen.has(nextCursor)) return undefined;
    seen.add(nextCursor);
    const page = await read(`cursor=${encodeURIComponent(nextCursor)}`, fresh);
    pages.push(page.rows);
    nextCursor = page.nextCursor;
  }
  const rows = pages.flat();
  return areApart(rows) ? rows : undefined;
};

/** The rows of all pages; undefined if the list changed meanwhile, so that a row may be missing or come twice. */
const joined = async (
  first: Page,
  paging: Paging,
  fresh: boolean,
): Promise<readonly unknown[] | undefined> => {
  const { size, read } = paging;
  const { total } = first;
  if (first.nextCursor !== undefined) return followed(first, paging, fresh);
  if (size === undefined || total === undefined || first.count >= total) return first.rows;
  const pages = [first.rows];
  let last = partOf(first, 0, total);
  while (last.end < total) {
    // Each page begins with the last row of the page before. If it begins with another row, the list has changed.
    const offset = last.end - 1;
    if (offset <= last.offset) return undefined;
    const page = await read(`limit=${size}&offset=${offset}`, fresh);
    const part = partOf(page, offset, total);
    if (page.total !== total || page.count > part.end - offset) return undefined;
    const overlaps = page.rows.length > 0 && idOf(page.rows[0]) === idOf(last.page.rows.at(-1));
    // The overlapping row may be unusable; then both pages lack it.
    if (!overlaps && (isWhole(last) || isWhole(part))) return undefined;
    pages.push(page.rows.slice(overlaps ? 1 : 0));
    last = part;
  }
  const rows = pages.flat();
  return areApart(rows) ? rows : undefined;
};

/** All rows of a list. Throws if it cannot get them all. */
const whole = async (first: Page, paging: Paging, fresh: boolean): Promise<readonly unknown[]> => {
  const rows = await joined(first, paging, fresh);
  if (rows) return rows;
  // A server that tells no limit may count rows that it cannot show. Then the size that is asked for decides.
  const limit = first.limit === undefined ? paging.size : undefined;
  // Memory keeps each page by itself, so the pages may be of different ages.
  const again = await paging.read(limit === undefined ? '' : `limit=${limit}&offset=0`, true);
  const rowsNow = await joined({ ...again, limit: again.limit ?? limit }, paging, true);
  if (rowsNow) return rowsNow;
  throw paging.incomplete(again);
};

/** Makes the function that reads lists with all their pages. For the same first page it returns the same array. */
export const createLists = () => {
  const lists = new WeakMap<readonly unknown[], Promise<readonly unknown[]>>();
  return async (paging: Paging, fresh: boolean): Promise<readonly unknown[]> => {
    const first = await paging.read('', fresh);
    const list = lists.get(first.rows) ?? whole(first, paging, fresh);
    lists.set(first.rows, list);
    return list;
  };
};
