import { broken } from '../../rules.ts';

const MOST = 1000;

/** A part of a list, and its position in the whole list. */
export class Page<T = unknown> {
  readonly rows: readonly T[];
  readonly meta: { readonly total: number; readonly limit: number; readonly offset: number };

  /** @param shows whether a row can be shown; other rows are left out, but counted */
  constructor(all: readonly T[], limit: number, offset: number, shows: (row: T) => boolean) {
    this.rows = all.slice(offset, offset + limit).filter(shows);
    this.meta = { total: all.length, limit, offset };
  }
}

const whole = (query: URLSearchParams, name: string, least: number, most: number): number => {
  const given = query.get(name);
  const value = Number(given);
  if (given === null || !/^\d+$/.test(given) || value < least || value > most) {
    throw broken(name, `must be an integer from ${least} to ${most}`);
  }
  return value;
};

/** The part of a list that a query asks for: `limit` rows, starting at `offset`. */
export const pageOf = <T>(
  all: readonly T[],
  query: URLSearchParams,
  shows: (row: T) => boolean = () => true,
): Page<T> =>
  new Page(
    all,
    query.has('limit') ? whole(query, 'limit', 1, MOST) : MOST,
    query.has('offset') ? whole(query, 'offset', 0, Number.MAX_SAFE_INTEGER) : 0,
    shows,
  );
