import type { Problem } from './error.ts';

/**
 * A record as it may really arrive: the reference does not say which members are always present, so
 * each may be missing or null.
 */
export type Wire<Members> = {
  readonly [Name in keyof Members]?: Members[Name] | null | undefined;
};

/** A record that the gateway knows the identifier of: read by it, or refused without it. */
export type Identified<Members> = Wire<Members> & { readonly id: string };

/** A record with those identifiers as members that the path it was read by names; see `Operation.addIds`. */
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

/** What a success carries: one object, one that may be left out, with its envelope too, a list of objects, or nothing of use. */
type Shape = 'object' | 'optional' | 'list' | 'nothing';

/** What the documented rules say of a body: every breach, or none. Runs before any call. */
export type Rule<Body> = (body: Body) => readonly Problem[];

/** Adds the identifiers of a record's path to it: its GraphQL parent needs them, and the record itself may lack them. */
export type AddIdentifiers = (
  record: Record<string, unknown>,
  identifiers: Readonly<Record<string, string>>,
) => void;

/** Adds those identifiers by their names. */
export const addingIds =
  (...names: readonly string[]): AddIdentifiers =>
  (record, identifiers) => {
    for (const name of names) record[name] = identifiers[name];
  };

/**
 * One REST operation: a row of `operations.ts`. `Body` and `Result` are known to the compiler only;
 * `undefined` as a body means that the operation takes none.
 */
export interface Operation<Path extends string, Body, Result> {
  readonly method: Method;
  readonly path: Path;
  readonly shape: Shape;
  /** False for the reads beyond the reference (docs/architecture.md), which `EXTENDED_READS` governs. */
  readonly documented: boolean;
  readonly rule?: Rule<Body> | undefined;
  readonly addIds?: AddIdentifiers | undefined;
  /** The profiles that have the operation, which the reference does not list; absent where all have it. */
  readonly onlyIn?: readonly string[] | undefined;
  /** Body to wire body, for the one operation whose member name is configuration. */
  readonly encode?: ((body: Body) => unknown) | undefined;
  /** Of a read: for how many seconds its answer may be given to others of the same credential. */
  readonly freshSeconds?: number | undefined;
  /** Of a write: the reads of its table that answer differently afterwards. See `Changes`. */
  readonly changes?: readonly string[] | undefined;
  /** Never set: carries the result's type. */
  readonly result?: Result;
}

/** Any row, for code that treats all alike. */
export type AnyOperation = Operation<string, never, unknown>;
export type Operations = Readonly<Record<string, AnyOperation>>;

interface BodyOptions<Body> {
  readonly rule?: Rule<Body>;
  readonly encode?: (body: Body) => unknown;
}

interface Freshness {
  readonly freshSeconds: number;
}

/**
 * Names of reads in the same table. Of a read whose identifiers the write has, the one with these identifiers is
 * changed; of any other, all.
 */
interface Changes {
  readonly changes: readonly string[];
}

const answers = <Path extends string, Body>(
  row: Pick<
    Operation<Path, Body, unknown>,
    'method' | 'path' | 'rule' | 'encode' | 'freshSeconds' | 'changes'
  >,
) => ({
  one: <Result>(addIds?: AddIdentifiers): Operation<Path, Body, Result> => ({
    ...row,
    shape: 'object',
    documented: true,
    addIds,
  }),
  /** An object with nothing in it stands for one that was left out. */
  oneOrNone: <Result>(): Operation<Path, Body, Result> => ({
    ...row,
    shape: 'optional',
    documented: true,
  }),
  list: <Item>(addIds?: AddIdentifiers): Operation<Path, Body, readonly Item[]> => ({
    ...row,
    shape: 'list',
    documented: true,
    addIds,
  }),
  nothing: (): Operation<Path, Body, void> => ({ ...row, shape: 'nothing', documented: true }),
});

const withBody =
  (method: Method) =>
  <const Path extends string>(path: Path, changes: Changes) => ({
    body: <Body>(options: BodyOptions<Body> = {}) =>
      answers<Path, Body>({ method, path, ...changes, ...options }),
  });

export const get = <const Path extends string>(path: Path, freshness: Freshness) =>
  answers<Path, undefined>({ method: 'GET', path, ...freshness });
export const del = <const Path extends string>(path: Path, changes: Changes) =>
  answers<Path, undefined>({ method: 'DELETE', path, ...changes });
export const post = withBody('POST');
export const put = withBody('PUT');
export const patch = withBody('PATCH');

/** Marks an operation that the reference does not list, and that these profiles alone have (docs/architecture.md). */
export const onlyIn =
  (...profiles: readonly string[]) =>
  <Path extends string, Body, Result>(
    row: Operation<Path, Body, Result>,
  ): Operation<Path, Body, Result> => ({ ...row, onlyIn: profiles });

/** Marks a read that the reference does not list (docs/architecture.md). */
export const beyondReference = <Path extends string, Result>(
  row: Operation<Path, undefined, Result>,
): Operation<Path, undefined, Result> => ({ ...row, documented: false });
