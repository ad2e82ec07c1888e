import { hash } from 'node:crypto';
import type { Answer, Send } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { Polled, PollOutcome, Schedule } from '../polls/schedule.ts';
import type { Watched, Watcher } from '../watcher.ts';
import { Failing, isOwnRefusal } from './failing.ts';
import { type PolledCall, pollOf } from './poll.ts';
import type { ReadCall } from './read-call.ts';
import { answerSoon } from './soon.ts';

/** Reads that are fresh for this long, in milliseconds, or longer are polled no sooner. Others are polled as often as can be. */
const slowMs = 30_000;

/** The table's memory of the read, and its rule. */
interface ReadMemory {
  /** The rule; see `Outcomes`. */
  isCurrent(answer: Pick<Answer, 'sentAt' | 'currentAt'>): boolean;
  /** The pinned answer, if it counts. */
  pinned(): Answer | undefined;
  /** Pins the answer for events, or none, and returns whether there was room for it. */
  pin(answer: Answer | undefined): boolean;
}

interface WatchedReadOptions {
  readonly memory: ReadMemory;
  readonly schedule: Schedule;
  /** The records of an answer; undefined if it cannot be used. */
  readonly resultOf: (call: ReadCall, answer: Answer) => unknown;
  readonly poll: Send<ReadCall>;
  /** How old the answer of another process may be that replaces a poll, in milliseconds. */
  readonly pollAgeMs: number;
  /** Called when its last watcher has left. */
  readonly onEnd: () => void;
}

/** What a watcher has seen of the read. */
interface Sight {
  /** The number of the watcher's last event that used it. */
  event: number;
  /** The digest of the answer that the watcher got; undefined if it got an error, or an answer that was not taken. */
  seen: string | undefined;
  /** The count of all answers then: who got an error waits for the next answer. */
  taken: number;
}

/**
 * A read that streams watch: who has seen what of it, and the failures that events show. It lives as long as a stream
 * watches it. Its answers are the table's. Times are in milliseconds of `performance.now()`.
 */
export class WatchedRead implements Polled, Watched {
  readonly path: string;
  sentAt = -Infinity;
  currentAt: number | undefined;
  readAt = performance.now();
  readonly #read: PolledCall;
  readonly #rowFreshMs: number;
  readonly #options: WatchedReadOptions;
  readonly #end = new AbortController();
  readonly #sights = new Map<Watcher, Sight>();
  /** Counts all answers. */
  #taken = 0;
  /** Of the newest result. The bodies differ each time, since their envelopes do. */
  #digest: string | undefined;
  #eventsUnderWay = 0;
  readonly #failing = new Failing(
    () => this.#tell(),
    () => this.#options.schedule.hurry(this, 0),
  );

  constructor(
    { row, ids, path, credential, holder, caller: { tell } }: ReadCall,
    options: WatchedReadOptions,
  ) {
    this.path = path;
    this.#read = { row, ids, path, credential, holder, caller: { tell } };
    this.#rowFreshMs = (row.operation.freshSeconds ?? 0) * 1000;
    this.#options = options;
  }

  get restMs(): number {
    const isSlow = this.#rowFreshMs >= slowMs && this.#options.memory.isCurrent(this);
    return isSlow ? this.#rowFreshMs : 0;
  }

  get isResting(): boolean {
    return this.#failing.isLasting;
  }

  get isAnswered(): boolean {
    return this.#digest !== undefined || this.isResting;
  }

  get isLacking(): boolean {
    return !this.isAnswered && !this.#failing.shown;
  }

  get isAwaited(): boolean {
    return this.#eventsUnderWay > 0 && !this.isAnswered;
  }

  get isPutOff(): boolean {
    return [...this.#sights.keys()].every(({ isFilling }) => isFilling);
  }

  get isRefused(): boolean {
    return this.#failing.isRefused;
  }

  get isFailing(): boolean {
    return this.#failing.isLong;
  }

  isUsedBy(watcher: Watcher): boolean {
    return this.#sights.get(watcher)?.event === watcher.event;
  }

  hasNewsFor(watcher: Watcher): boolean {
    const sight = this.#sights.get(watcher);
    if (!sight) return false;
    if (sight.seen === undefined) return this.#taken > sight.taken;
    return this.isFailing || this.#digest !== sight.seen;
  }

  revive(): void {
    this.#options.schedule.revive(this);
  }

  leave(watcher: Watcher): void {
    this.#sights.delete(watcher);
    if (this.#sights.size > 0 || this.#end.signal.aborted) return;
    this.#end.abort();
    this.#failing.end();
    this.#options.schedule.delete(this);
    this.#options.onEnd();
  }

  /** The pinned answer that events after the first show; undefined if they show something else, or have to read it. */
  get pinned(): Answer | undefined {
    return this.#failing.shown instanceof UpstreamError ? undefined : this.#options.memory.pinned();
  }

  #known(): Answer | undefined {
    const { shown } = this.#failing;
    if (shown instanceof UpstreamError) throw shown;
    return this.pinned ?? shown;
  }

  /** Answers an event. The first event of a stream reads like any query. */
  async event(watcher: Watcher, call: ReadCall, send: Send<ReadCall>): Promise<Answer> {
    const { event } = watcher;
    this.#sights.set(watcher, {
      ...(this.#sights.get(watcher) ?? { seen: undefined, taken: this.#taken }),
      event,
    });
    watcher.reads.add(this);
    this.#eventsUnderWay += 1;
    try {
      const known = event > 1 ? this.#known() : undefined;
      if (known) {
        const ageMs = performance.now() - this.readAt;
        call.caller.tell({ kind: 'memory', call, state: 'fresh', ageMs, status: known.status });
      }
      const isFilling = watcher.isFilling && event > 1 && !this.isAnswered;
      const answer = known ?? (await (isFilling ? answerSoon(call, send) : send(call)));
      // The answer may come from memory, and be older than the watch.
      if (!known) this.take(call, answer);
      const isOlder = answer.sentAt < this.sentAt && this.#options.memory.isCurrent(this);
      const seen = answer.sentAt === this.sentAt ? this.#digest : undefined;
      this.#see(watcher, seen, isOlder ? this.#taken - 1 : this.#taken);
      return answer;
    } catch (error) {
      this.#see(watcher, undefined, this.#taken);
      // If there was an answer before, the next poll decides.
      if (error instanceof UpstreamError && this.#digest === undefined) {
        this.#failing.noteFirst(error);
      }
      throw error;
    } finally {
      this.#eventsUnderWay -= 1;
      this.revive();
    }
  }

  #see(watcher: Watcher, seen: string | undefined, taken: number): void {
    const sight = this.#sights.get(watcher);
    if (sight) Object.assign(sight, { seen, taken });
  }

  /** Takes an answer, whoever asked for it, if it counts and is newer than the last. Returns whether it is usable. */
  take(call: ReadCall, answer: Answer): boolean {
    const { memory, resultOf } = this.#options;
    const { sentAt } = answer;
    if (this.#end.signal.aborted || sentAt <= this.sentAt) return true;
    if (!memory.isCurrent(answer)) {
      // A write has begun meanwhile. If it fails, nobody is told of a change, and the read would be lacking for ever.
      if (this.isLacking) this.#tell();
      return true;
    }
    const result = resultOf(call, answer);
    if (result === undefined) {
      this.#endWith(answer);
      return false;
    }
    const isPinned = memory.pin(answer);
    const isRepeated = this.#eventsUnderWay > 0 || this.isAnswered;
    this.#digest = hash('sha256', JSON.stringify(result));
    this.#failing.end();
    this.sentAt = sentAt;
    this.currentAt = answer.currentAt;
    this.readAt = answer.readAt ?? performance.now();
    // Events that each read it for themselves must not wake one another.
    if (call.caller.watcher && isRepeated && !isPinned) this.#taken += 1;
    else this.#tell();
    return true;
  }

  /** Notes that a request for it failed, whoever asked. */
  fail(error: unknown): void {
    if (error instanceof UpstreamError) this.#endWith(error);
  }

  /** Notes that a write has changed it. */
  change(): void {
    this.#failing.change();
  }

  async poll(): Promise<PollOutcome> {
    const began = performance.now();
    const { poll, pollAgeMs: ageMs } = this.#options;
    try {
      const { signal } = this.#end;
      const call = pollOf(this.#read, { signal, ageMs, shownReadAt: this.readAt });
      const answer = await poll(call);
      if (!this.take(call, answer)) return 'failed';
      this.readAt = answer.readAt ?? performance.now();
      // An answer that was sent for before the poll began was read by another request.
      return answer.sentAt >= began ? 'read' : 'found';
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return this.#failPoll(error);
    }
  }

  #failPoll(error: UpstreamError): PollOutcome {
    if (isOwnRefusal(error)) return 'refused';
    const wasLeft = this.#end.signal.aborted;
    // Events show how long nothing was read, but the read itself has not failed.
    const passing = error.failure.reason === 'circuit-open' ? 'refused' : 'failed';
    if (wasLeft || !this.#failing.notePoll(error)) return passing;
    this.#digest = undefined;
    this.#options.memory.pin(undefined);
    this.#tell();
    return 'read';
  }

  /** Notes its first failure or unusable answer, and wakes the watchers that no longer wait for it. */
  #endWith(result: UpstreamError | Answer): void {
    if (!this.isLacking || this.#end.signal.aborted) return;
    this.#failing.noteFirst(result);
    this.#tell();
  }

  /** Wakes the watchers that have not seen what there is now. */
  #tell(): void {
    this.#taken += 1;
    for (const watcher of this.#sights.keys()) if (this.hasNewsFor(watcher)) watcher.wake();
  }
}
