import type { Cancellation } from './cancellation.ts';
import type { Identifiers, Operation, Operations } from './operation.ts';
import { compilePath } from './path.ts';
import {
  type Caller,
  type ClientOptions,
  checkedPath,
  checkIdentifiers,
  type Ids,
  type Row,
  send,
} from './send.ts';

type IdentifierArguments<Path extends string> = keyof Identifiers<Path> extends never
  ? []
  : [identifiers: Identifiers<Path>];

/** Forbids members that the body does not have, in objects too that were made by spreading. */
type Exact<Body, Given> = Given & Readonly<Record<Exclude<keyof Given, keyof Body>, never>>;

type MethodOf<Declared> =
  Declared extends Operation<infer Path, infer Body, infer Result>
    ? [Body] extends [undefined]
      ? (...identifiers: IdentifierArguments<Path>) => Promise<Result>
      : <Given extends Body>(
          ...args: [...IdentifierArguments<Path>, body: Exact<Body, Given>]
        ) => Promise<Result>
    : never;

type ReadOf<Declared> =
  Declared extends Operation<infer Path, undefined, infer Result>
    ? { ids: Identifiers<Path>; result: Promise<Result> }
    : never;

/**
 * One method a row, bound to one caller for one request. Equal reads share one call, failed or not; a
 * write forgets them. Every method rejects with an `UpstreamError`, and with nothing else.
 */
export type Client<Table> = { readonly [Name in keyof Table]: MethodOf<Table[Name]> } & {
  /** Throws what the method would reject with on account of its identifiers; sends nothing. */
  check<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): void;
  /** The read anew, whatever is held or under way: for what is to be written back. Rejects as the method does. */
  anew<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'];
  /** The read as this request already has it, under way or done; it never starts one. */
  held<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'] | undefined;
};

/** Prepares a table once; the returned function binds it to a caller. */
export const createClientFactory = <Table extends Operations>(
  table: Table,
  options: ClientOptions,
): ((caller: Caller) => Client<Table>) => {
  const rows = Object.entries(table).map(
    ([name, operation]): Row => ({ name, operation, path: compilePath(operation.path) }),
  );
  const rowsByName = new Map(rows.map((row) => [row.name, row]));

  return (caller) => {
    const reads = new Map<string, Promise<unknown>>();

    /** Sends the read, or takes part in another request's of the same credential. */
    const join = (row: Row, path: string): Promise<unknown> => {
      const start = (cancellation: Cancellation) =>
        send(options, caller, row, path, undefined, cancellation);
      const { credential, cancellation, calls } = caller;
      const alone = credential.kind !== 'given' || cancellation.cancelled;
      if (!options.inFlight || alone) return start(cancellation);
      const { result, joined } = options.inFlight.join(credential.value, path, cancellation, start);
      if (joined) calls.joinedOther({ name: options.api.name, operation: row.name, path }, result);
      return result;
    };

    const read = (row: Row, path: string): Promise<unknown> => {
      const held = reads.get(path);
      if (held) {
        caller.calls.joined(options.api.name, path);
        return held;
      }
      const started = join(row, path);
      reads.set(path, started);
      return started;
    };

    /** What was read before a write, or beside it, may be what the write has changed. */
    const forget = (): void => {
      reads.clear();
      options.inFlight?.part();
    };

    const write = async (row: Row, path: string, body: unknown): Promise<unknown> => {
      forget();
      try {
        return await send(options, caller, row, path, body, caller.cancellation);
      } finally {
        forget();
      }
    };

    const call = (row: Row, args: readonly unknown[]): Promise<unknown> => {
      const takesIds = row.path.parameters.length > 0;
      const ids = takesIds ? (args[0] as Ids) : {};
      const body = takesIds ? args[1] : args[0];
      let path: string;
      try {
        path = checkedPath(options, row, ids, body);
      } catch (error) {
        return Promise.reject(error);
      }
      return row.operation.method === 'GET' ? read(row, path) : write(row, path, body);
    };

    const client: Record<string, unknown> = {
      check: (name: string, ids: Ids) => {
        const row = rowsByName.get(name);
        if (row) checkIdentifiers(options, row, ids);
      },
      anew: async (name: string, ids: Ids) => {
        const row = rowsByName.get(name);
        if (!row) throw new TypeError(`No operation ${name}`);
        const path = checkedPath(options, row, ids, undefined);
        return send(options, caller, row, path, undefined, caller.cancellation);
      },
      held: (name: string, ids: Ids) => {
        const path = rowsByName.get(name)?.path.fill(ids);
        return path === undefined ? undefined : reads.get(path);
      },
    };
    for (const row of rows) client[row.name] = (...args: unknown[]) => call(row, args);
    // Built row by row from the table that the type is computed from.
    return client as Client<Table>;
  };
};
