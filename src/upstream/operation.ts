import type { Problem } from './error.ts';

/** A record as it may arrive. Each member may be missing or null: the reference does not say which are required. */
export type Wire<Members> = {
  readonly [Name in keyof Members]?: Members[Name] | null | undefined;
};

/** A record with an identifier; list rows without one are left out. */
export type Identified<Members> = Wire<Members> & { readonly id: string };

/** A record with the identifiers of the path by which it was read; see `Operation.addIds`. */
export type WithIds<Found, Name extends string> = Found & { readonly [Each in Name]: string };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names between braces in a path template. */
type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** The identifiers that a path template asks for, by name. */
export type Identifiers<Path extends string> = {
  readonly [Name in ParameterNames<Path>]: string;
};

/**
 * The content of a success: an object, an object that may be missing with its envelope, a list, one page of a list, or
 * nothing of use.
 */
type Shape = 'object' | 'optional' | 'list' | 'page' | 'nothing';

/** A page of a list that is read only as far as it is needed. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; undefined for the last one. */
  readonly nextCursor: string | undefined;
}

/** Checks a body by the documented rules, before any call, and returns every breach. */
export type Rule<Body> = (body: Body) => readonly Problem[];

/** Adds the identifiers of the path to a record: its GraphQL fields need them, and the record may lack them. */
export type AddIdentifiers = (
  record: Record<string, unknown>,
  identifiers: Readonly<Record<string, string>>,
) => void;

/** Members of a body that only some profiles have. */
export interface FurtherMembers<Body> {
  readonly onlyIn: readonly string[];
  /** The names of those that a body has. */
  readonly namesIn: (body: Body) => readonly string[];
}

/** Makes the function that adds the identifiers with these names. */
export const addingIds =
  (...names: readonly string[]): AddIdentifiers =>
  (record, identifiers) => {
    for (const name of names) record[name] = identifiers[name];
  };

/**
 * One REST operation: a row of a file in `rows/`. Only the compiler knows `Body` and `Result`. The body `undefined` means
 * that the operation takes none. The body of a read is sent as the query of its path.
 */
export interface Operation<Path extends string, Body, Result> {
  readonly method: Method;
  readonly path: Path;
  readonly shape: Shape;
  /** Whether observability answers without its envelope. */
  readonly isBare?: boolean | undefined;
  /** False for reads that the reference does not list; `EXTENDED_READS` switches these (docs/architecture.md). */
  readonly documented: boolean;
  readonly rule?: Rule<Body> | undefined;
  readonly further?: FurtherMembers<Body> | undefined;
  readonly addIds?: AddIdentifiers | undefined;
  /** For a list whose rows have another member in place of `id`: its name. */
  readonly identifiedBy?: string | undefined;
  /** The profiles that have the operation; absent if all have it. */
  readonly onlyIn?: readonly string[] | undefined;
  /** Makes the wire body, for an operation whose body differs from the method's argument. */
  readonly encode?: ((body: Body) => unknown) | undefined;
  /** For a read: whether a query may follow its path. */
  readonly takesQuery?: boolean | undefined;
  /** For a read with a query: the names on the wire of its members. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** For a read: how many seconds its answer may be used for other requests with the same credential. */
  readonly freshSeconds?: number | undefined;
  /** For a write: the reads that it changes, of both interfaces if one upstream serves them. See `Changes`. */
  readonly changes?: readonly string[] | undefined;
  /** The permission that a key of ClickHouse Cloud needs; absent if Cloud's API description names none. */
  readonly permission?: string | undefined;
  /** Never set; carries the type of the result. */
  readonly result?: Result;
}

/** Any row, for code that treats all rows alike. */
export type AnyOperation = Operation<string, never, unknown>;
export type Operations = Readonly<Record<string, AnyOperation>>;

interface BodyOptions<Body> {
  readonly rule?: Rule<Body>;
  readonly further?: FurtherMembers<Body>;
  readonly encode?: (body: Body) => unknown;
}

interface QueryOptions<Query> {
  readonly rule?: Rule<Query>;
  readonly names: { readonly [Name in keyof Query]-?: string };
  /** Makes the query on the wire, if it takes more than other names. */
  readonly encode?: (query: Query) => unknown;
}

/** Makes the function that gives members their names on the wire, and leaves out all others. */
const renaming =
  (names: Readonly<Record<string, string>>) =>
  (members: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(Object.entries(names).map(([name, wire]) => [wire, members[name]]));

interface Permission {
  readonly permission?: string;
}

interface Freshness extends Permission {
  readonly freshSeconds: number;
}

/**
 * Names of reads; those of the other interface count if the same upstream serves it. If the write has all identifiers of a read, it changes only the read with these
 * identifiers. Otherwise it changes all reads whose paths begin with the identifiers that the write has.
 */
interface Changes extends Permission {
  readonly changes: readonly string[];
}

const returning = <Path extends string, Body>(
  row: Pick<
    Operation<Path, Body, unknown>,
    | 'method'
    | 'path'
    | 'rule'
    | 'further'
    | 'encode'
    | 'takesQuery'
    | 'names'
    | keyof Freshness
    | keyof Changes
  >,
) => ({
  one: <Result>(addIds?: AddIdentifiers): Operation<Path, Body, Result> => ({
    ...row,
    shape: 'object',
    documented: true,
    addIds,
  }),
  /** For an object that observability answers without its envelope. */
  bare: <Result>(): Operation<Path, Body, Result> => ({
    ...row,
    shape: 'object',
    isBare: true,
    documented: true,
  }),
  /** For an object that may be missing: the result is an empty one then. */
  oneOrNone: <Result>(addIds?: AddIdentifiers): Operation<Path, Body, Result> => ({
    ...row,
    shape: 'optional',
    documented: true,
    addIds,
  }),
  list: <Item>(addIds?: AddIdentifiers): Operation<Path, Body, readonly Item[]> => ({
    ...row,
    shape: 'list',
    documented: true,
    addIds,
  }),
  /** For a list whose rows have another member in place of `id`: the records have both. */
  listBy: <Item>(identifiedBy: string): Operation<Path, Body, readonly Item[]> => ({
    ...row,
    shape: 'list',
    documented: true,
    identifiedBy,
  }),
  /** For one page of a list at a time. Its rows need no identifier. */
  page: <Item>(): Operation<Path, Body, ListPage<Item>> => ({
    ...row,
    shape: 'page',
    documented: true,
  }),
  nothing: (): Operation<Path, Body, void> => ({ ...row, shape: 'nothing', documented: true }),
});

const withBody =
  (method: Method) =>
  <const Path extends string>(path: Path, changes: Changes) => ({
    body: <Body>(options: BodyOptions<Body> = {}) =>
      returning<Path, Body>({ method, path, ...changes, ...options }),
  });

export const get = <const Path extends string>(path: Path, freshness: Freshness) => ({
  ...returning<Path, undefined>({ method: 'GET', path, ...freshness }),
  /** For a read that takes a query. */
  query: <Query extends Readonly<Record<string, unknown>>>(options: QueryOptions<Query>) =>
    returning<Path, Query>({
      ...{ method: 'GET', path, takesQuery: true, encode: renaming(options.names) },
      ...freshness,
      ...options,
    }),
});
export const del = <const Path extends string>(path: Path, changes: Changes) =>
  returning<Path, undefined>({ method: 'DELETE', path, ...changes });
export const post = withBody('POST');
export const put = withBody('PUT');
export const patch = withBody('PATCH');

/** Marks an operation that the reference does not list, and that only these profiles have (docs/architecture.md). */
export const onlyIn =
  (...profiles: readonly string[]) =>
  <Path extends string, Body, Result>(
    row: Operation<Path, Body, Result>,
  ): Operation<Path, Body, Result> => ({ ...row, onlyIn: profiles });

/** Marks a read that the reference does not list (docs/architecture.md). */
export const beyondReference = <Path extends string, Result>(
  row: Operation<Path, undefined, Result>,
): Operation<Path, undefined, Result> => ({ ...row, documented: false });
