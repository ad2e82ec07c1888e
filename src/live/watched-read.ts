import { hash } from 'node:crypto';
import type { Answer, Call, KeptState, SoughtRead, Watcher } from '../upstream/call.ts';
import { UpstreamError } from '../upstream/error.ts';
import type { WatchesOptions } from '../upstream/watching.ts';
import { Failing } from './failing.ts';
import type { Polled, PollOutcome } from './schedule.ts';
import { Sights } from './sights.ts';

/** Statuses that the same read would get again, so polls are of no use. */
const lasting = new Set([400, 401, 403, 404, 405, 410, 422]);

const isLasting = ({ failure: { status, reason } }: UpstreamError): boolean =>
  reason === 'no-such-route' || reason === 'not-found' || lasting.has(status ?? 0);

const isCredentialRefused = ({ failure: { status } }: UpstreamError): boolean =>
  status === 401 || status === 403;

/** Reasons for which the gateway itself refuses a call: they say nothing about the upstream. */
const own = new Set(['no-slot', 'queue-full', 'aborted']);

/** Reads that are fresh for this long, in milliseconds, or longer are polled no sooner. Others are polled as often as can be. */
const slowMs = 30_000;

/** How many more bytes the watched answers of one credential may take. */
export interface Room {
  bytes: number;
}

interface WatchedReadOptions {
  readonly room: Room;
  /** Whether its answer may be used for the first event of a stream. */
  readonly answersFirst: boolean;
  readonly resultOf: WatchesOptions['resultOf'];
  /** Polls the read before others. */
  readonly hurry: (read: WatchedRead) => void;
}

/**
 * A read that streams of one credential watch: its last answer, or its lasting failure. It lives as long as a stream
 * watches it. Times are in milliseconds of `performance.now()`.
 */
export class WatchedRead implements Polled {
  readonly path: string;
  readonly holder: string;
  readonly sights = new Sights();
  sentAt = -Infinity;
  readAt = performance.now();
  /** How many events are waiting for it. */
  eventsUnderWay = 0;
  readonly #room: Room;
  readonly #rowFreshMs: number;
  readonly #answersFirst: boolean;
  readonly #resultOf: WatchesOptions['resultOf'];
  readonly #end = new AbortController();
  /** Absent also if there was no room for it. */
  #answer: Answer | undefined;
  /** A hash of the newest result. The bodies differ each time, since their envelopes do. */
  #content: string | undefined;
  /** Whether no write has changed the read since the answer was sent for. */
  #isCurrent = false;
  #failure: UpstreamError | undefined;
  /** The first failure or unusable answer, while there was no usable one. Events show it, and polls do the rest. */
  #unread: UpstreamError | Answer | undefined;
  #isRefused = false;
  #changedAt = -Infinity;
  readonly #failing: Failing;

  constructor({ path, holder, row }: Call, options: WatchedReadOptions) {
    this.path = path;
    this.holder = holder;
    this.#rowFreshMs = (row.operation.freshSeconds ?? 0) * 1000;
    this.#room = options.room;
    this.#answersFirst = options.answersFirst;
    this.#resultOf = options.resultOf;
    this.#failing = new Failing(
      () => this.sights.take(true),
      () => options.hurry(this),
    );
  }

  /** Aborted once no stream watches it. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get restMs(): number {
    return this.#isCurrent && this.#rowFreshMs >= slowMs ? this.#rowFreshMs : 0;
  }

  get isResting(): boolean {
    return this.#failure !== undefined;
  }

  /** Whether the upstream has ever answered it, or refused it for good. */
  get isAnswered(): boolean {
    return this.#content !== undefined || this.#failure !== undefined;
  }

  /** Whether it has neither been answered nor failed so far. */
  get isLacking(): boolean {
    return !this.isAnswered && !this.#unread;
  }

  get isAwaited(): boolean {
    return this.eventsUnderWay > 0 && !this.isAnswered;
  }

  get isPutOff(): boolean {
    return this.sights.areFilling;
  }

  /** Whether the credential was refused when it was read last. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether it has failed for so long that events show the failure. */
  get isFailing(): boolean {
    return this.#failing.shown !== undefined;
  }

  end(): void {
    this.#end.abort();
    this.#failing.end();
    this.#pin(undefined);
  }

  /** The answer for an event; undefined if the event has to read it. Throws the failure that events show. */
  known({ caller: { watcher, readAfter } }: SoughtRead): Answer | undefined {
    if (!watcher) return undefined;
    if (watcher.event > 1) {
      const shown = this.#failure ?? this.#failing.shown ?? this.#unread;
      if (shown instanceof UpstreamError) throw shown;
      return this.#isCurrent ? this.#answer : shown;
    }
    if (!this.#answersFirst) return undefined;
    // The first event reads like any query.
    const isFresh = performance.now() - this.readAt <= this.#rowFreshMs;
    return this.#isCurrent && isFresh && this.sentAt >= readAfter ? this.#answer : undefined;
  }

  kept(call: SoughtRead): KeptState | undefined {
    try {
      const known = this.known(call);
      return known && known === this.#answer ? { state: 'fresh', sentAt: this.sentAt } : undefined;
    } catch (error) {
      if (error instanceof UpstreamError) return undefined;
      throw error;
    }
  }

  /** Takes an answer, whoever asked for it, unless a write has changed the read since. Returns whether the answer is usable. */
  take(call: Call, answer: Answer): boolean {
    const { body, sentAt } = answer;
    if (this.signal.aborted || sentAt <= this.sentAt || sentAt <= this.#changedAt) return true;
    let content = this.#content;
    if (this.#answer?.body.equals(body) !== true) {
      const result = this.#resultOf(call, answer);
      if (result === undefined) {
        this.#endWith(answer);
        return false;
      }
      content = hash('sha256', JSON.stringify(result));
      if (content !== this.#content || !this.#answer) this.#pin(answer);
    }
    const differs = content !== this.#content || this.#failure !== undefined || this.isFailing;
    const isRepeated = this.eventsUnderWay > 0 || this.isAnswered;
    this.#content = content;
    this.#isRefused = false;
    this.#failure = undefined;
    this.#unread = undefined;
    this.#failing.end();
    this.#isCurrent = true;
    this.sentAt = sentAt;
    this.readAt = answer.readAt ?? performance.now();
    // Events that each read it for themselves must not wake one another.
    const isForEvents = call.caller.watcher !== undefined && isRepeated;
    this.sights.take(differs, isForEvents && !this.#answer);
    return true;
  }

  /** Notes that the watcher got this answer. */
  see(watcher: Watcher, { body, sentAt }: Answer): void {
    const isNewest = sentAt === this.sentAt || this.#answer?.body.equals(body) === true;
    const isOlder = this.#isCurrent && sentAt < this.sentAt;
    this.sights.see(watcher, isNewest ? 'newest' : isOlder ? 'older' : 'other');
  }

  /** Notes that the watcher got this error. */
  miss(watcher: Watcher, error: unknown): void {
    this.sights.see(watcher, 'other');
    if (error instanceof UpstreamError) this.#noteError(error);
  }

  /** Notes that a request for it failed, whoever asked. */
  fail(error: unknown): void {
    if (error instanceof UpstreamError) this.#endWith(error);
  }

  /** Notes its first failure or unusable answer, and wakes the watchers that no longer wait for it. */
  #endWith(came: UpstreamError | Answer): void {
    if (!this.isLacking || this.signal.aborted) return;
    if (came instanceof UpstreamError) this.#noteError(came);
    else this.#unread = came;
    this.sights.take(false);
  }

  #noteError(error: UpstreamError): void {
    // If there was an answer before, the next poll decides.
    if (this.#content !== undefined) return;
    if (isLasting(error)) {
      this.#failure = error;
      this.#isRefused = isCredentialRefused(error);
    } else if (!own.has(error.failure.reason)) this.#unread ??= error;
  }

  /** Notes that a write has changed it. */
  change(): void {
    this.doubt();
    this.#failure = undefined;
    this.#unread = undefined;
    this.#isRefused = false;
  }

  /** Keeps its answer from being shown until it is read again. */
  doubt(): void {
    this.#changedAt = performance.now();
    this.#isCurrent = false;
  }

  async poll(): Promise<PollOutcome> {
    const began = performance.now();
    try {
      const polled = await this.sights.send?.();
      if (!polled) return 'refused';
      const { call, answer } = polled;
      if (!this.take(call, answer)) return 'failed';
      this.readAt = answer.readAt ?? performance.now();
      // An answer that was sent for before the poll began was read by another request.
      return answer.sentAt >= began ? 'read' : 'found';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return this.#fail(error);
    }
  }

  #fail(error: UpstreamError): PollOutcome {
    if (own.has(error.failure.reason)) return 'refused';
    if (!isLasting(error)) {
      if (!this.signal.aborted) this.#failing.note(error);
      // Events show how long nothing was read, but the read itself has not failed.
      return error.failure.reason === 'circuit-open' ? 'refused' : 'failed';
    }
    this.#failing.end();
    this.#failure = error;
    this.#isRefused = isCredentialRefused(error);
    this.#isCurrent = false;
    this.#content = undefined;
    this.#pin(undefined);
    this.sights.take(true);
    return 'read';
  }

  /** Keeps the answer, if there is room. Without room, events read it again. */
  #pin(answer: Answer | undefined): void {
    this.#room.bytes += this.#answer?.body.length ?? 0;
    const size = answer?.body.length ?? 0;
    const fits = size <= this.#room.bytes;
    this.#answer = answer && fits ? answer : undefined;
    if (fits) this.#room.bytes -= size;
  }
}
