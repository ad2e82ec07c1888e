import { type Answer, type Caller, type CallerIds, failed, isWrite, type Send } from './call.ts';
import type { Failure } from './error.ts';
import type { Rate } from './gate/slots.ts';
import type { RestInterface } from './interface.ts';
import type { Client } from './methods.ts';
import type { Operations } from './operation.ts';
import { createLists, type Page } from './pages.ts';
import type { Plan } from './plan.ts';
import { type Profile, type ProfileFacts, reference } from './profile.ts';
import type { Read, Reader } from './reader.ts';
import type { KeptState, ReadCall, SoughtRead } from './reads/read-call.ts';
import {
  type CallParts,
  callOf,
  checkProfile,
  checkRequest,
  isInProfile,
  isOffered,
  type Offer,
  type ReadPriority,
  soughtOf,
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
  /** See `Row`. */
  readonly hasForeignWrites?: boolean;
}

interface FactoryOptions<Rows> extends ClientOptions {
  /** How the service differs from the reference; if absent, not at all. */
  readonly profile?: Profile<Rows> | undefined;
  /** See `createRows`. */
  readonly beside?: Operations | undefined;
}

/** Some services end a list after so many rows, without a word. */
const mostRows = 1000;

/** How a client reads. */
interface Reading {
  readonly priority: ReadPriority;
  /** Whether its reads begin before the fields that need them are resolved. */
  readonly isEarly: boolean;
  /** Identifiers that its rows take beside those that their methods name. */
  readonly below: Ids;
  /** An early client and the one that takes its reads share the lists that they have put together. */
  readonly lists: ReturnType<typeof createLists>;
  /** Notes writes instead of sending them; undefined where writes are sent. */
  readonly plan?: Plan | undefined;
}

/** What all clients of the same rows share. */
interface SharedParts {
  readonly options: ClientOptions;
  readonly rows: ReadonlyMap<string, Row>;
  readonly profile: ProfileFacts;
  readonly offer: Offer;
}

/** The answer to a write that is only planned. */
const nothing: Read = { result: {}, unusableRows: 0 };

/** The calls of one caller. Lists are read with all their pages. */
class Calls {
  readonly #options: ClientOptions;
  readonly #offer: Offer;
  readonly #lists: Reading['lists'];
  readonly #plan: Plan | undefined;

  constructor({ options, offer }: SharedParts, { lists, plan }: Reading) {
    this.#options = options;
    this.#offer = offer;
    this.#lists = lists;
    this.#plan = plan;
  }

  async send(parts: CallParts): Promise<unknown> {
    const { row, caller, mustBeSent = false } = parts;
    if (row.operation.shape !== 'list') return (await this.#read(parts)).result;
    const read = async (query: string, isFresh: boolean): Promise<Page> => {
      const page = await this.#read({ ...parts, mustBeSent: isFresh }, query);
      const { result, unusableRows, ...facts } = page;
      const rows: readonly unknown[] = Array.isArray(result) ? result : [];
      return { ...facts, rows, count: rows.length + unusableRows };
    };
    const incomplete = ({ total }: Page): Error => {
      const size = total === undefined ? 'names a next page' : `has ${total} rows`;
      const detail = `its list ${size}, and its pages do not hold all of them`;
      const error = failed({ row }, { reason: 'bad-response', detail });
      this.#options.onFailure(error.failure, caller);
      return error;
    };
    return this.#lists({ size: row.pageSize, read, incomplete }, mustBeSent);
  }

  /** Sends one call, and decodes its answer. */
  async #read(parts: CallParts, query = ''): Promise<Read> {
    const call = callOf(parts, this.#offer);
    this.#plan?.note(call, parts.body);
    if (this.#plan && isWrite(call)) return nothing;
    const link = call.path.includes('?') ? '&' : '?';
    const sent = query === '' ? call : { ...call, path: call.path + link + query };
    const ended = isWrite(sent) ? call.caller.time.beginWrite() : undefined;
    try {
      return this.#options.reader.read(sent, await this.#sendTelling(sent));
    } finally {
      ended?.();
    }
  }

  /** Sends a call, and tells how it ended for its caller. */
  async #sendTelling(call: ReadCall): Promise<Answer> {
    const { tell, reads } = call.caller;
    const began = performance.now();
    try {
      const first = reads.get(call.path)?.call;
      const sending = this.#options.send(call);
      // A deferred part may have begun this read with a longer time limit than a field of the first part has.
      const mayTakeLonger = call.priority === 'read' && first?.priority === 'deferred';
      const answer = await (mayTakeLonger
        ? untilAborted(sending, call.signal, () => givenUp(call))
        : sending);
      tell({ kind: 'answered', call });
      return answer;
    } catch (error) {
      tell({ kind: 'failed', call, error, milliseconds: performance.now() - began });
      throw error;
    }
  }
}

/** What resolvers see: one caller's reads and writes of one upstream, for any rows. See `Client`. */
class BoundClient {
  readonly #parts: SharedParts;
  readonly #caller: Caller;
  readonly #reading: Reading;
  readonly #calls: Calls;

  constructor(parts: SharedParts, caller: Caller, reading: Reading) {
    this.#parts = parts;
    this.#caller = caller;
    this.#reading = reading;
    this.#calls = new Calls(parts, reading);
  }

  get profile(): ProfileFacts {
    return this.#parts.profile;
  }

  get below(): readonly string[] {
    return this.#parts.options.api.below;
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
    const { parameters } = row.path;
    const own = Object.fromEntries(
      Object.entries(ids).filter(([each]) => parameters.includes(each)),
    );
    return this.#send({ row, ids: own, body: query });
  }

  fresh(name: string, ids: Ids): Promise<unknown> {
    return this.#send({ row: this.#row(name), ids, mustBeSent: true });
  }

  call(row: Row, args: readonly unknown[]): Promise<unknown> {
    const ids = row.takesIds ? (args[0] as Ids) : {};
    return this.#send({ row, ids, body: row.takesIds ? args[1] : args[0] });
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

  #seek(name: string, ids: Ids): SoughtRead | undefined {
    return soughtOf({ row: this.#row(name), ids, caller: this.#caller }, this.#parts.offer);
  }

  #send(parts: Omit<CallParts, 'caller' | 'readPriority' | 'isEarly'>): Promise<unknown> {
    const { priority: readPriority, isEarly, below } = this.#reading;
    const ids = { ...below, ...parts.ids };
    return this.#calls.send({ ...parts, ids, caller: this.#caller, readPriority, isEarly });
  }

  #row(name: string): Row {
    const row = this.#parts.rows.get(name);
    if (!row) throw new TypeError(`No operation ${name}`);
    return row;
  }
}

/** Rows, prepared once for all callers. */
interface ClientFactory<Rows> {
  bind(caller: Caller): Client<Rows>;
  /** The names of the operations that the profile does not have, or that are switched off. */
  readonly unavailable: readonly string[];
  /** The rows that may be called. */
  readonly offered: readonly Row[];
}

/** Prepares rows once. */
export const createClientFactory = <Rows extends Operations>(
  operations: Rows,
  options: FactoryOptions<Rows>,
): ClientFactory<Rows> => {
  const profile: Profile<Rows> = options.profile ?? reference;
  const { api, beside, hasForeignWrites } = options;
  const rows = createRows(operations, api, profile, beside, hasForeignWrites);
  const offer = { profile: profile.name, extendedReads: options.extendedReads };
  const parts: SharedParts = { options, rows, profile, offer };
  // Methods on a prototype are made only once, not for each request.
  class RowsClient extends BoundClient {}
  for (const row of rows.values()) {
    Object.defineProperty(RowsClient.prototype, row.name, {
      value(this: BoundClient, ...args: readonly unknown[]): Promise<unknown> {
        return this.call(row, args);
      },
    });
  }
  const create = (caller: Caller, reading: Reading): Client<Rows> => {
    const client = new RowsClient(parts, caller, reading);
    const deferred = (): Client<Rows> =>
      create(caller, { ...reading, priority: 'deferred', isEarly: false, lists: createLists() });
    const within = (below: Ids): Client<Rows> => create(caller, { ...reading, below });
    const early = (): Client<Rows> => create(caller, { ...reading, isEarly: true });
    const planning = (plan: Plan): Client<Rows> => create(caller, { ...reading, plan });
    const variants = { deferred, early, within, planning };
    // The loop above has made one method for each row, as the type says.
    return Object.assign(client, variants) as unknown as Client<Rows>;
  };
  const missing = [...rows.values()].filter((row) => !isOffered(row, offer));
  return {
    bind: (caller) =>
      create(caller, { priority: 'read', isEarly: false, below: {}, lists: createLists() }),
    unavailable: missing.map(({ name }) => name),
    offered: [...rows.values()].filter((row) => isOffered(row, offer)),
  };
};
