import type { Answer, Call, Watcher } from '../upstream/call/call.ts';
import { decode } from '../upstream/decode.ts';
import { UpstreamError } from '../upstream/error.ts';
import { type KeptState, ownCopy } from '../upstream/memory.ts';
import { headerOf } from '../upstream/rate-limit.ts';
import type { Polled, PollOutcome } from './schedule.ts';
import { Sights } from './sights.ts';

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
 * It lives as long as somebody watches it. Times are in milliseconds of `performance.now()`.
 */
export class WatchedRead implements Polled {
  readonly path: string;
  readonly holder: string;
  readonly spelling: string;
  readonly sights = new Sights();
  sentAt = -Infinity;
  readAt = performance.now();
  readonly #row: Call['row'];
  readonly #end = new AbortController();
  #answer: Answer | undefined;
  /** Whether no write has changed it since. */
  #isCurrent = false;
  #failure: UpstreamError | undefined;
  #changedAt = -Infinity;

  constructor({ path, holder, row }: Call, spelling: string) {
    this.path = path;
    this.holder = holder;
    this.spelling = spelling;
    this.#row = row;
  }

  /** Aborted once nobody watches it. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isResting(): boolean {
    return this.#failure !== undefined;
  }

  end(): void {
    this.#end.abort();
  }

  /** How it would answer an event; undefined where it would have to be read. Throws what it failed with for good. */
  known({ caller: { watcher, readAfter }, row }: Call): Answer | undefined {
    if (!watcher) return undefined;
    if (watcher.event > 1) {
      if (this.#failure) throw this.#failure;
      return this.#isCurrent ? this.#answer : undefined;
    }
    // The first event is a read like any other.
    const isFresh = performance.now() - this.readAt <= (row.operation.freshSeconds ?? 0) * 1000;
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

  /** Takes an answer, whoever asked for it, unless a write has changed since what it says. Whether it can be used. */
  take({ headers, body, sentAt, status }: Answer, readAt: number): boolean {
    if (sentAt <= this.sentAt || sentAt <= this.#changedAt) return true;
    const isSame = this.#answer?.body.equals(body) === true;
    if (!isSame) {
      const contentType = headerOf({ headers }, 'content-type');
      const taken = {
        status,
        headers: { 'content-type': contentType },
        body: ownCopy(body),
        sentAt,
      };
      if ('failure' in decode(this.#row.operation, this.#row.api, taken)) return false;
      this.#answer = taken;
    }
    const differs = !isSame || this.#failure !== undefined;
    this.#failure = undefined;
    this.#isCurrent = true;
    this.sentAt = sentAt;
    this.readAt = readAt;
    this.sights.take(differs);
    return true;
  }

  /** The watcher has got that answer. */
  see(watcher: Watcher, { body, sentAt }: Answer): void {
    const isNewest = this.#answer?.body.equals(body) === true;
    const isOlder = this.#isCurrent && sentAt < this.sentAt;
    this.sights.see(watcher, isNewest ? 'newest' : isOlder ? 'older' : 'other');
  }

  /** The watcher has got that error. */
  miss(watcher: Watcher, error: unknown): void {
    this.sights.see(watcher, 'other');
    // Where others have an answer, the next poll decides.
    if (error instanceof UpstreamError && isLasting(error) && !this.#answer) this.#failure = error;
  }

  /** A write has changed it. */
  change(): void {
    this.#changedAt = performance.now();
    this.#isCurrent = false;
    this.#failure = undefined;
  }

  async poll(): Promise<PollOutcome> {
    try {
      const answer = await this.sights.send?.();
      if (!answer) return 'refused';
      const isUsable = this.take(answer, performance.now());
      this.readAt = performance.now();
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
    if (isCredentialRefused(error)) for (const watcher of this.sights.watchers) watcher.refuse();
    this.sights.take(true);
    return 'read';
  }
}
