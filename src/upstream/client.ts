import { SmallMap } from '../small.ts';
import {
  allowedPath,
  type Caller,
  type ClientOptions,
  checkedPath,
  checkIdentifiers,
  givenUp,
  type Ids,
  type Row,
  type Settle,
} from './call.ts';
import type { CallCount } from './call-budget.ts';
import type { Cancellation, CancelReason } from './cancellation.ts';
import type { SharedRead } from './in-flight.ts';
import type { Identifiers, Operation, Operations } from './operation.ts';
import { compilePath } from './path.ts';
import type { Rows } from './rows.ts';
import { type CallRequest, send } from './sending.ts';

type IdentifierArguments<Path extends string> = keyof Identifiers<Path> extends never
  ? []
  : [identifiers: Identifiers<Path>];

type RowsOf<Declared> =
  Declared extends Operation<string, undefined, readonly (infer Item extends { id: string })[]>
    ? Promise<Rows<Item>>
    : never;

/** The names of the reads that are lists. */
type ListOf<Table> = {
  [Name in keyof Table & string]: [RowsOf<Table[Name]>] extends [never] ? never : Name;
}[keyof Table & string];

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
  anew<Name extends Exclude<keyof Table & string, ListOf<Table>>>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'];
  /**
   * The list as the method reads it, for who wants some of its rows: the very same read. Rejects as the method does.
   *
   * @param forMany whether it is going to answer more than one field
   */
  rows<Name extends ListOf<Table>>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
    forMany: boolean,
  ): RowsOf<Table[Name]>;
  /** Whether this request already has the read, under way or done. */
  holds<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): boolean;
};

/** A caller's read, as others may share it. An object: two functions would take more than twice the room. */
class RequestRead implements SharedRead {
  readonly #options: ClientOptions;
  readonly #caller: Caller;
  readonly #request: CallRequest;

  constructor(options: ClientOptions, caller: Caller, request: CallRequest) {
    this.#options = options;
    this.#caller = caller;
    this.#request = request;
  }

  get budget(): CallCount {
    return this.#caller.budget;
  }

  start(own: Cancellation, budget: CallCount, settle: Settle): void {
    send(this.#options, { ...this.#caller, budget }, this.#request, own, settle);
  }

  ended(): void {
    this.#caller.arrivals.any = true;
  }

  givenUp(reason: CancelReason): Error {
    return givenUp(this.#options, this.#request.row, reason);
  }
}

/** One caller's reads and writes of one upstream, whatever the table. */
class BoundClient {
  readonly #options: ClientOptions;
  readonly #table: ReadonlyMap<string, Row>;
  readonly #caller: Caller;
  /** Another of the same credential, whose reads that have come to a result stand for those of a cancelled caller. */
  readonly #arrived: BoundClient | undefined;
  /** By path; of a list its rows. */
  readonly #reads = new SmallMap<string, Promise<unknown>>();
  /** What was checked last: most of it is read next. */
  #checked: { readonly row: Row; readonly ids: Ids } | undefined;
  /** Lists as wholes, by path: one promise a list, since executions wait once for each promise. */
  #wholes: Map<string, Promise<unknown>> | undefined;

  constructor(
    options: ClientOptions,
    table: ReadonlyMap<string, Row>,
    caller: Caller,
    arrived: BoundClient | undefined,
  ) {
    this.#options = options;
    this.#table = table;
    this.#caller = caller;
    this.#arrived = arrived;
  }

  check(name: string, ids: Ids): void {
    const row = this.#row(name);
    checkIdentifiers(this.#options, row, ids);
    this.#checked = { row, ids: { ...ids } };
  }

  async anew(name: string, ids: Ids): Promise<unknown> {
    const row = this.#row(name);
    const path = checkedPath(this.#options, row, ids, undefined);
    return this.#send({ row, ids, path, body: undefined });
  }

  rows(name: string, ids: Ids, forMany: boolean): Promise<unknown> {
    const row = this.#row(name);
    try {
      const path = checkedPath(this.#options, row, ids, undefined);
      const rows = this.#read({ row, ids, path, body: undefined });
      if (forMany) this.#caller.calls.joined(this.#options.api.name, path);
      return rows;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The read of that path, under way or done. */
  held(path: string): Promise<unknown> | undefined {
    return this.#reads.get(path);
  }

  holds(name: string, ids: Ids): boolean {
    // Nothing is held of most things that are asked for, and a path costs more than to know that.
    return this.#reads.size > 0 && this.#reads.has(this.#row(name).path.fill(ids));
  }

  call(row: Row, args: readonly unknown[]): Promise<unknown> {
    const takesIds = row.path.parameters.length > 0;
    const ids = takesIds ? (args[0] as Ids) : {};
    const body = takesIds ? args[1] : args[0];
    let path: string;
    try {
      path = this.#wasChecked(row, ids)
        ? allowedPath(this.#options, row, ids)
        : checkedPath(this.#options, row, ids, body);
    } catch (error) {
      return Promise.reject(error);
    }
    const request = { row, ids, path, body };
    if (row.operation.method !== 'GET') return this.#write(request);
    return row.operation.shape === 'list' ? this.#readList(request) : this.#read(request);
  }

  /** Whether those are the identifiers that were checked last, for a row whose body has no rule. */
  #wasChecked(row: Row, ids: Ids): boolean {
    const checked = this.#checked;
    return (
      checked?.row === row &&
      row.operation.rule === undefined &&
      row.path.parameters.every((name) => checked.ids[name] === ids[name])
    );
  }

  #row(name: string): Row {
    const row = this.#table.get(name);
    if (!row) throw new TypeError(`No operation ${name}`);
    return row;
  }

  #send(request: CallRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      send(this.#options, this.#caller, request, this.#caller.cancellation, { resolve, reject });
    });
  }

  #readList(request: CallRequest): Promise<unknown> {
    const { path } = request;
    const rows = this.#read(request) as Promise<Rows<{ readonly id: string }>>;
    const held = this.#wholes?.get(path);
    if (held) return held;
    const whole = rows.then((each) => each.all());
    this.#wholes ??= new Map();
    this.#wholes.set(path, whole);
    return whole;
  }

  #read(request: CallRequest): Promise<unknown> {
    const { path } = request;
    const held = this.#reads.get(path);
    if (held) {
      this.#caller.calls.joined(this.#options.api.name, path);
      return held;
    }
    const started = this.#join(request);
    const other = this.#arrived?.held(path);
    // What a cancelled caller reads has failed by now; what has arrived was there before.
    const read = other ? Promise.race([other, started]) : started;
    this.#reads.set(path, read);
    return read;
  }

  /**
   * Sends the read, or takes part in another request's of the same credential. What a read that is never
   * sent fails with, nobody else may come to share.
   */
  #join(request: CallRequest): Promise<unknown> {
    const { api, inFlight } = this.#options;
    const { credential, cancellation, calls } = this.#caller;
    if (!inFlight || credential.kind !== 'given' || cancellation.reason) return this.#send(request);
    const { row, path } = request;
    try {
      const read = new RequestRead(this.#options, this.#caller, request);
      const { result, joined } = inFlight.join(credential.value, path, cancellation, read);
      if (joined) calls.joinedOther({ name: api.name, operation: row.name, path }, result);
      return result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #write(request: CallRequest): Promise<unknown> {
    const { credential } = this.#caller;
    // Nothing is sent, so that nothing can have changed.
    if (credential.kind !== 'given') return this.#send(request);
    this.#forget(credential.value);
    try {
      return await this.#send(request);
    } finally {
      this.#forget(credential.value);
    }
  }

  /** What this credential has read before a write, or beside it, may be what the write has changed. */
  #forget(credential: string): void {
    this.#reads.clear();
    this.#wholes?.clear();
    this.#options.inFlight?.part(credential);
  }
}

/** Prepares a table once; the returned function binds it to a caller. */
export const createClientFactory = <Table extends Operations>(
  table: Table,
  options: ClientOptions,
): ((caller: Caller, arrived?: Client<Table>) => Client<Table>) => {
  const rows = new Map(
    Object.entries(table).map(([name, operation]): [string, Row] => [
      name,
      { name, operation, path: compilePath(operation.path) },
    ]),
  );
  // Methods on a prototype are made once, and not for each request.
  class TableClient extends BoundClient {}
  for (const row of rows.values()) {
    Object.defineProperty(TableClient.prototype, row.name, {
      value(this: BoundClient, ...args: readonly unknown[]): Promise<unknown> {
        return this.call(row, args);
      },
    });
  }
  // Built row by row from the table that the type is computed from.
  return (caller, arrived) =>
    new TableClient(
      options,
      rows,
      caller,
      arrived as unknown as TableClient | undefined,
    ) as unknown as Client<Table>;
};
