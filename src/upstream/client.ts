import { bodyOf } from './body.ts';
import { type Answer, type Caller, type CallerIds, failed, isWrite, type Send } from './call.ts';
import type { Failure } from './error.ts';
import type { Rate } from './gate/slots.ts';
import { holderOf } from './holder.ts';
import type { RestInterface } from './interface.ts';
import type { Client } from './methods.ts';
import type { Operations, Rule } from './operation.ts';
import type { TimeLimit } from './operation-time.ts';
import { createLists, type Page } from './pages.ts';
import type { Priority } from './priority.ts';
import { type Profile, type ProfileFacts, reference } from './profile.ts';
import type { Read, Reader } from './reader.ts';
import type { KeptState, ReadCall, SoughtRead } from './reads/read-call.ts';
import {
  areIdentifiers,
  checkProfile,
  checkRequest,
  credentialOf,
  encoded,
  isInProfile,
  queryOf,
} from './request.ts';
import type { Ids, Row } from './row.ts';
import { createRows } from './rows.ts';
import { givenUp, untilAborted } from './sending/abort.ts';

/** Questions to the memory and the gate about a read, before it is sent. */
interface Known {
  kept(read: SoughtRead): KeptState | undefined;
  isScarce(read: SoughtRead): boolean;
}

interface ClientOptions {
  readonly api: RestInterface;
  readonly reader: Reader;
  /** Called for an answer that does not fit its row. */
  readonly onFailure: (failure: Failure, ids: CallerIds) => void;
  /** The way of a call. */
  readonly send: Send<ReadCall>;
  readonly known: Known;
  /** How often a credential may call; undefined if calls are not counted. */
  readonly rate?: Rate | undefined;
  /** Whether reads that the reference does not list may be sent. */
  readonly extendedReads: boolean;
}

interface TableOptions<Table> extends ClientOptions {
  /** How the service differs from the reference; if absent, not at all. */
  readonly profile?: Profile<Table> | undefined;
}

/** Some services end a list after so many rows, without a word. */
const mostRows = 1000;

/** How much time an operation needs after its last call was sent, in milliseconds. */
const timeToAnswerMs = 1000;

type ReadPriority = Extract<Priority, 'read' | 'deferred'>;

/** How a client reads. */
interface Reading {
  readonly priority: ReadPriority;
  /** Whether its reads begin before the fields that need them are resolved. */
  readonly isEarly: boolean;
  /** An early client and the one that takes its reads share the lists that they have put together. */
  readonly lists: ReturnType<typeof createLists>;
}

/** The parts that all clients of a table share. */
interface Parts {
  readonly options: ClientOptions;
  readonly rows: ReadonlyMap<string, Row>;
  readonly profile: ProfileFacts;
}

const isSwitchedOn = ({ operation }: Row, { options }: Parts): boolean =>
  operation.documented || options.extendedReads;

const isOffered = (row: Row, parts: Parts): boolean =>
  isInProfile(row, parts.profile.name) && isSwitchedOn(row, parts);

/** One caller's reads and writes of one upstream, for any table. */
class BoundClient {
  readonly #parts: Parts;
  readonly #caller: Caller;
  readonly #reading: Reading;

  constructor(parts: Parts, caller: Caller, reading: Reading) {
    this.#parts = parts;
    this.#caller = caller;
    this.#reading = reading;
  }

  get profile(): ProfileFacts {
    return this.#parts.profile;
  }

  get rate(): Rate | undefined {
    return this.#parts.options.rate;
  }

  check(name: string, ids: Ids): void {
    checkRequest(this.#row(name), ids);
  }

  isInProfile(name: string): boolean {
    return isInProfile(this.#row(name), this.#parts.profile.name);
  }

  requireInProfile(name: string, members?: readonly string[]): void {
    checkProfile(this.#row(name), this.#parts.profile.name, members);
  }

  read(name: string, ids: Ids, query?: object): Promise<unknown> {
    const row = this.#row(name);
    // A list may be asked for with the identifiers of one of its items. The item's own must not be added to all records.
    const own = Object.fromEntries(row.path.parameters.map((each) => [each, ids[each] ?? '']));
    return this.#send(row, own, query, false);
  }

  fresh(name: string, ids: Ids): Promise<unknown> {
    return this.#send(this.#row(name), ids, undefined, true);
  }

  pathOf(name: string, ids: Ids): string {
    return this.#row(name).path.fill(ids);
  }

  holds(name: string, ids: Ids): boolean {
    return this.#caller.reads.has(this.pathOf(name, ids));
  }

  async isWholeSince(name: string, ids: Ids, since: number): Promise<boolean> {
    const known = this.#caller.reads.get(this.pathOf(name, ids));
    if (!known) return false;
    const answer = await known.answer;
    const { result, unusableRows } = this.#parts.options.reader.read(known.call, answer);
    const rows = Array.isArray(result) ? result.length + unusableRows : mostRows;
    const isCut = this.#row(name).pageSize === undefined && rows >= mostRows;
    return answer.sentAt >= since && !isCut;
  }

  kept(name: string, ids: Ids): KeptState | undefined {
    const read = this.#seek(name, ids);
    return read && this.#parts.options.known.kept(read);
  }

  isScarce(name: string, ids: Ids): boolean {
    const read = this.#seek(name, ids);
    return read !== undefined && this.#parts.options.known.isScarce(read);
  }

  /** The read for a lookup in memory; undefined if the gateway would refuse to send it. */
  #seek(name: string, ids: Ids): SoughtRead | undefined {
    const row = this.#row(name);
    const caller = this.#caller;
    const { credential } = caller;
    if (credential.kind !== 'given' || !isOffered(row, this.#parts)) return undefined;
    if (!areIdentifiers(row, ids)) return undefined;
    return { row, holder: holderOf(credential), path: row.path.fill(ids), caller };
  }

  call(row: Row, args: readonly unknown[]): Promise<unknown> {
    const takesIds = row.path.parameters.length > 0;
    const ids = takesIds ? (args[0] as Ids) : {};
    return this.#send(row, ids, takesIds ? args[1] : args[0], false);
  }

  async #send(row: Row, ids: Ids, body: unknown, fresh: boolean): Promise<unknown> {
    if (row.operation.shape !== 'list') return (await this.#answer(row, ids, body, fresh)).result;
    const read = async (query: string, isFresh: boolean): Promise<Page> => {
      const { result, unusableRows, ...facts } = await this.#answer(row, ids, body, isFresh, query);
      const rows: readonly unknown[] = Array.isArray(result) ? result : [];
      return { ...facts, rows, count: rows.length + unusableRows };
    };
    const incomplete = ({ total }: Page): Error => {
      const size = total === undefined ? 'names a next page' : `has ${total} rows`;
      const detail = `its list ${size}, and its pages do not hold all of them`;
      const error = failed({ row }, { reason: 'bad-response', detail });
      this.#parts.options.onFailure(error.failure, this.#caller);
      return error;
    };
    return this.#reading.lists({ size: row.pageSize, read, incomplete }, fresh);
  }

  async #answer(row: Row, ids: Ids, body: unknown, fresh: boolean, query = ''): Promise<Read> {
    const call = this.#prepare(row, ids, body, fresh);
    const link = call.path.includes('?') ? '&' : '?';
    const sent = query === '' ? call : { ...call, path: call.path + link + query };
    const ended = isWrite(sent) ? this.#caller.time.beginWrite() : undefined;
    try {
      return this.#parts.options.reader.read(sent, await this.#sendTelling(sent));
    } finally {
      ended?.();
    }
  }

  /** Sends a call, and tells how it ended for its caller. */
  async #sendTelling(call: ReadCall): Promise<Answer> {
    const { tell } = this.#caller;
    const began = performance.now();
    try {
      const answer = await this.#sendInTime(call);
      tell({ kind: 'answered', call });
      return answer;
    } catch (error) {
      tell({ kind: 'failed', call, error, milliseconds: performance.now() - began });
      throw error;
    }
  }

  /** A deferred part may have begun this read with a longer time limit than a field of the first part has. */
  #sendInTime(call: ReadCall): Promise<Answer> {
    const first = this.#caller.reads.get(call.path)?.call;
    const answer = this.#parts.options.send(call);
    const mayTakeLonger = call.priority === 'read' && first?.priority === 'deferred';
    return mayTakeLonger ? untilAborted(answer, call.signal, () => givenUp(call)) : answer;
  }

  /** Checks all that can be wrong with a call before it is sent; first whether the profile has the operation. */
  #prepare(row: Row, ids: Ids, body: unknown, mustBeSent: boolean): ReadCall {
    const caller = this.#caller;
    const isChange = isWrite({ row });
    checkProfile(row, this.#parts.profile.name);
    // The types of the table make sure that rule and body fit together; that is lost here.
    const rule = row.operation.rule as Rule<unknown> | undefined;
    checkRequest(row, ids, rule?.(body));
    if (!isSwitchedOn(row, this.#parts)) throw failed({ row }, { reason: 'switched-off' });
    const credential = credentialOf(caller, row);
    const { signal, deadline } = this.#limitOf(isChange);
    caller.secrets.note(body);
    const sent = body === undefined ? undefined : encoded(row, body);
    return {
      id: {},
      row,
      ids,
      path: row.path.fill(ids) + (isChange ? '' : queryOf(sent)),
      body: isChange && sent !== undefined ? bodyOf(row, sent) : undefined,
      ...credential,
      caller,
      mustBeSent,
      isEarly: this.#reading.isEarly,
      priority: isChange ? 'write' : this.#reading.priority,
      signal,
      latest: deadline - timeToAnswerMs,
    };
  }

  #limitOf(isChange: boolean): TimeLimit {
    const { time, signal, later } = this.#caller;
    if (isChange) return { signal, deadline: time.writeDeadline };
    return this.#reading.priority === 'deferred' ? later() : { signal, deadline: time.deadline };
  }

  #row(name: string): Row {
    const row = this.#parts.rows.get(name);
    if (!row) throw new TypeError(`No operation ${name}`);
    return row;
  }
}

/** The rows of a table, prepared once for all callers. */
interface ClientFactory<Table> {
  bind(caller: Caller): Client<Table>;
  /** The names of the operations that the profile does not have, or that are switched off. */
  readonly unavailable: readonly string[];
}

/** Prepares a table once. */
export const createClientFactory = <Table extends Operations>(
  table: Table,
  options: TableOptions<Table>,
): ClientFactory<Table> => {
  const profile: Profile<Table> = options.profile ?? reference;
  const rows = createRows(table, options.api, profile);
  const parts: Parts = { options, rows, profile };
  // Methods on a prototype are made only once, not for each request.
  class TableClient extends BoundClient {}
  for (const row of rows.values()) {
    Object.defineProperty(TableClient.prototype, row.name, {
      value(this: BoundClient, ...args: readonly unknown[]): Promise<unknown> {
        return this.call(row, args);
      },
    });
  }
  const create = (caller: Caller, reading: Reading): Client<Table> => {
    const client = new TableClient(parts, caller, reading);
    const deferred = (): Client<Table> =>
      create(caller, { priority: 'deferred', isEarly: false, lists: createLists() });
    const early = (): Client<Table> => create(caller, { ...reading, isEarly: true });
    // The loop above has made one method for each row, as the type says.
    return Object.assign(client, { deferred, early }) as unknown as Client<Table>;
  };
  const missing = [...rows.values()].filter((row) => !isOffered(row, parts));
  return {
    bind: (caller) => create(caller, { priority: 'read', isEarly: false, lists: createLists() }),
    unavailable: missing.map(({ name }) => name),
  };
};
