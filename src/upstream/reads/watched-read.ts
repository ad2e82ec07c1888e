import { type Answer, failed, type Send } from '../call.ts';
import { UpstreamError, type UpstreamName } from '../error.ts';
import type { PollEnd, Polled, Schedule } from '../polls/schedule.ts';
import type { Watched, Watcher } from '../watcher.ts';
import { isOwnRefusal } from './failing.ts';
import { type PolledCall, pollOf } from './poll.ts';
import type { ReadCall } from './read-call.ts';
import { Seen } from './seen.ts';
import { Shown, type ShownOptions } from './shown.ts';

interface WatchedReadOptions extends ShownOptions {
  readonly schedule: Schedule;
  readonly poll: Send<ReadCall>;
  /** A poll may be replaced by the answer of another process that is at most this old, in milliseconds. */
  readonly pollAgeMs: number;
  /** Called when its last watcher has left. */
  readonly onEnd: () => void;
}

/** How long an event of a filling stream waits for a new read, in milliseconds. */
const soonMs = 500;

/** Answers an event of a filling stream (see `isFilling`) in a short time: later events show what is missing. */
const answerSoon = (call: ReadCall, send: Send<ReadCall>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const refuse = (): void => reject(failed(call, { reason: 'no-slot', retryAfterSeconds: 1 }));
    const timer = setTimeout(refuse, soonMs);
    send({ ...call, latest: performance.now() })
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });

/** A read that streams watch: its events and polls. It lives as long as a stream watches it. */
export class WatchedRead extends Shown implements Polled, Watched {
  readonly upstream: UpstreamName;
  readonly path: string;
  readonly #read: PolledCall;
  readonly #options: WatchedReadOptions;
  readonly #end = new AbortController();
  readonly #seen = new Seen();
  #eventsUnderWay = 0;

  constructor(call: ReadCall, options: WatchedReadOptions) {
    super(call, options);
    const { row, ids, path, credential, holder, caller } = call;
    this.upstream = row.api.name;
    this.path = path;
    this.#read = { row, ids, path, credential, holder, caller: { tell: caller.tell } };
    this.#options = options;
  }

  get isAwaited(): boolean {
    return this.#eventsUnderWay > 0 && !this.isAnswered;
  }

  get isPutOff(): boolean {
    return this.#seen.areAllFilling;
  }

  isUsedBy(watcher: Watcher): boolean {
    return this.#seen.isUsedBy(watcher);
  }

  hasNewsFor(watcher: Watcher): boolean {
    return this.#seen.hasNewsFor(watcher, this.digest, this.isFailing);
  }

  revive(): void {
    this.#options.schedule.revive(this);
  }

  leave(watcher: Watcher): void {
    this.#seen.leave(watcher);
    if (!this.#seen.isByNobody || this.#end.signal.aborted) return;
    this.#end.abort();
    this.failing.end();
    this.#options.schedule.delete(this);
    this.#options.onEnd();
  }

  /** Answers an event. The first event of a stream reads like any query. */
  async event(watcher: Watcher, call: ReadCall, send: Send<ReadCall>): Promise<Answer> {
    const { event } = watcher;
    this.#seen.use(watcher);
    watcher.reads.add(this);
    this.#eventsUnderWay += 1;
    try {
      const known = event > 1 ? this.known : undefined;
      if (known) {
        const ageMs = performance.now() - this.readAt;
        call.caller.tell({ kind: 'memory', call, state: 'fresh', ageMs, status: known.status });
      }
      const isFilling = watcher.isFilling && event > 1 && !this.isAnswered;
      const answer = known ?? (await (isFilling ? answerSoon(call, send) : send(call)));
      // An answer from memory may be from before the read was watched, so it was not taken yet.
      if (!known) this.take(call, answer);
      const isNewest = answer.sentAt === this.sentAt;
      const isOlder = answer.sentAt < this.sentAt && this.isCurrent;
      this.#seen.note(watcher, isNewest ? this.digest : undefined, isOlder);
      return answer;
    } catch (error) {
      this.#seen.note(watcher, undefined, false);
      // If the read was answered before, the next poll decides.
      if (error instanceof UpstreamError && this.digest === undefined) {
        this.failing.noteFirst(error);
      }
      throw error;
    } finally {
      this.#eventsUnderWay -= 1;
      this.revive();
    }
  }

  /** Takes the answer of any call, if it counts and is newer than the last. Returns whether it is usable. */
  take(call: ReadCall, answer: Answer): boolean {
    if (this.#end.signal.aborted || answer.sentAt <= this.sentAt) return true;
    const isRepeated = this.#eventsUnderWay > 0 || this.isAnswered;
    const taken = this.show(call, answer);
    if (taken === 'unusable') {
      this.#endWith(answer);
      return false;
    }
    if (taken === 'changed') {
      // A write has begun meanwhile. If it fails, no change is announced, and streams would wait for ever.
      if (this.isLacking) this.tell();
      return true;
    }
    // Without a pinned answer each event reads anew. Such events must not wake one another.
    if (call.caller.watcher && isRepeated && taken === 'not pinned') this.#seen.count();
    else this.tell();
    return true;
  }

  /** Notes the failure of any call for the read. */
  fail(error: unknown): void {
    if (error instanceof UpstreamError) this.#endWith(error);
  }

  async poll(): Promise<PollEnd> {
    const began = performance.now();
    const { poll, pollAgeMs: ageMs } = this.#options;
    try {
      const { signal } = this.#end;
      const call = pollOf(this.#read, { signal, ageMs, shownReadAt: this.readAt });
      const answer = await poll(call);
      if (!this.take(call, answer)) return 'failed';
      this.readAt = answer.readAt ?? performance.now();
      // If its call was sent before the poll began, another request has read it.
      return answer.sentAt >= began ? 'read' : 'found';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return this.#failPoll(error);
    }
  }

  #failPoll(error: UpstreamError): PollEnd {
    if (isOwnRefusal(error)) return 'refused';
    const wasLeft = this.#end.signal.aborted;
    // While the breaker is open, no poll is sent. Events show how long nothing was read, but no read has failed.
    const passing = error.failure.reason === 'circuit-open' ? 'refused' : 'failed';
    if (wasLeft || !this.notePoll(error)) return passing;
    this.tell();
    return 'read';
  }

  /** Notes the first failure or unusable answer, and wakes the watchers: they need not wait for the read any longer. */
  #endWith(result: UpstreamError | Answer): void {
    if (!this.isLacking || this.#end.signal.aborted) return;
    this.failing.noteFirst(result);
    this.tell();
  }

  protected tell(): void {
    this.#seen.tell(this.digest, this.isFailing);
  }

  protected pollNow(): void {
    this.#options.schedule.hurry(this, 0);
  }
}
