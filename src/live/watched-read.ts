import type { Answer, Call, Watcher } from '../upstream/call/call.ts';
import { decode } from '../upstream/decode.ts';
import { UpstreamError } from '../upstream/error.ts';
import { type KeptState, ownCopy } from '../upstream/memory.ts';
import { headerOf } from '../upstream/rate-limit.ts';
import type { Polled, PollOutcome } from './schedule.ts';

/** What a watcher has seen of a read. */
interface Sight {
  /** Number of the watcher's event that used the read last. */
  event: number;
  /** The version that it got; undefined where it got none, or one that was not kept. */
  version: number | undefined;
  /** How many answers had been taken by then. */
  taken: number;
  /** Reads it for the watcher's credential, at low priority. */
  readonly send: () => Promise<Answer>;
}

/** Statuses that the same read will get again: to poll it would help nobody. */
const lasting = new Set([400, 401, 403, 404, 405, 410, 422]);

const isLasting = ({ failure: { status, reason } }: UpstreamError): boolean =>
  reason === 'no-such-route' || reason === 'not-found' || lasting.has(status ?? 0);

const isCredentialRefused = ({ failure: { status } }: UpstreamError): boolean =>
  status === 401 || status === 403;

/** Refusals of the gateway's own, which say nothing of the upstream. */
const own = new Set(['no-slot', 'queue-full', 'aborted']);

/**
 * A read that streams of events watch: its last answer, or the failure that it got for good, for the very same credential.
 * It lives as long as somebody watches it.
 */
export class WatchedRead implements Polled {
  readonly path: string;
  readonly holder: string;
  readonly spelling: string;
  sentAt = -Infinity;
  readAt: number;
  readonly #row: Call['row'];
  readonly #now: () => number;
  readonly #watchers = new Map<Watcher, Sight>();
  readonly #end = new AbortController();
  #answer: Answer | undefined;
  /** Whether no write has changed it since. */
  #isCurrent = false;
  #failure: UpstreamError | undefined;
  #changedAt = -Infinity;
  #version = 0;
  #taken = 0;

  constructor({ path, holder, row }: Call, spelling: string, now: () => number) {
    this.path = path;
    this.holder = holder;
    this.spelling = spelling;
    this.#row = row;
    this.#now = now;
    this.readAt = now();
  }

  /** Aborted once nobody watches it. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isResting(): boolean {
    return this.#failure !== undefined;
  }

  /** Notes that the watcher's newest event uses it. */
  enter(watcher: Watcher, resending: () => Sight['send']): void {
    const sight = this.#watchers.get(watcher);
    const { event } = watcher;
    if (sight) sight.event = event;
    else {
      const send = resending();
      this.#watchers.set(watcher, { event, version: undefined, taken: this.#taken, send });
    }
  }

  /** Whether somebody else watches it still. */
  leave(watcher: Watcher): boolean {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return true;
    this.#end.abort();
    return false;
  }

  /** Whether the watcher's newest event uses it. */
  isUsedBy(watcher: Watcher): boolean {
    return this.#watchers.get(watcher)?.event === watcher.event;
  }

  /** How it would answer an event; undefined where it would have to be read. Throws what it failed with for good. */
  known({ caller: { watcher, readAfter }, row }: Call): Answer | undefined {
    if (!watcher) return undefined;
    if (watcher.event > 1) {
      if (this.#failure) throw this.#failure;
      return this.#isCurrent ? this.#answer : undefined;
    }
    // The first event is a read like any other.
    const isFresh = this.#now() - this.readAt <= (row.operation.freshSeconds ?? 0) * 1000;
    return this.#isCurrent && isFresh && this.sentAt >= readAfter ? this.#answer : undefined;
  }

  kept(call: Call): KeptState | undefined {
    try {
      return this.known(call) && { state: 'fresh', sentAt: this.sentAt };
    } catch (error) {
      if (error instanceof UpstreamError) return undefined;
      throw error;
    }
  }

  /**
   * Takes an answer, whoever asked for it, unless a write has changed since what it says. Whether it can be used.
   *
   * @param readAt when it was read
   */
  take({ status, headers, body, sentAt }: Answer, readAt: number): boolean {
    if (sentAt <= this.sentAt || sentAt <= this.#changedAt) return true;
    const isSame = this.#answer?.body.equals(body) === true;
    if (!isSame) {
      const answer = { status, headers: { 'content-type': headerOf({ headers }, 'content-type') } };
      const taken = { ...answer, body: ownCopy(body), sentAt };
      if ('failure' in decode(this.#row.operation, this.#row.api, taken)) return false;
      this.#answer = taken;
    }
    if (!isSame || this.#failure) this.#version += 1;
    this.#failure = undefined;
    this.#isCurrent = true;
    this.#taken += 1;
    this.sentAt = sentAt;
    this.readAt = readAt;
    this.#tell();
    return true;
  }

  /** The watcher has got that answer. */
  see(watcher: Watcher, { body }: Answer): void {
    const sight = this.#watchers.get(watcher);
    if (!sight) return;
    sight.version = this.#answer?.body.equals(body) ? this.#version : undefined;
    sight.taken = this.#taken;
  }

  /** The watcher has got that error. */
  miss(watcher: Watcher, error: unknown): void {
    const sight = this.#watchers.get(watcher);
    if (!sight) return;
    sight.version = undefined;
    sight.taken = this.#taken;
    if (!(error instanceof UpstreamError) || !isLasting(error)) return;
    // Others may have an answer still: the next poll decides.
    if (!this.#answer) this.#failure = error;
  }

  hasNewsFor(watcher: Watcher): boolean {
    const sight = this.#watchers.get(watcher);
    if (!sight) return false;
    return sight.version === undefined
      ? this.#taken > sight.taken
      : this.#version !== sight.version;
  }

  /** A write has changed it. */
  change(): void {
    this.#changedAt = this.#now();
    this.#isCurrent = false;
    this.#failure = undefined;
  }

  async poll(): Promise<PollOutcome> {
    const [sight] = this.#watchers.values();
    if (!sight) return 'refused';
    try {
      const answer = await sight.send();
      const isUsable = this.take(answer, this.#now());
      this.readAt = this.#now();
      return isUsable ? 'read' : 'failed';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return this.#fail(error);
    }
  }

  #fail(error: UpstreamError): PollOutcome {
    if (!isLasting(error)) return own.has(error.failure.reason) ? 'refused' : 'failed';
    this.#failure = error;
    this.#answer = undefined;
    this.#version += 1;
    this.#taken += 1;
    if (isCredentialRefused(error)) for (const watcher of this.#watchers.keys()) watcher.refuse();
    this.#tell();
    return 'read';
  }

  #tell(): void {
    for (const watcher of this.#watchers.keys()) if (this.hasNewsFor(watcher)) watcher.wake();
  }
}
