import { hash } from 'node:crypto';
import type { Answer } from '../call.ts';
import { UpstreamError } from '../error.ts';
import { Failing } from './failing.ts';
import type { ReadCall } from './read-call.ts';

/**
 * A read that is fresh for this long or longer, in milliseconds, is not polled while it is fresh. Any other is polled
 * as often as the quota allows.
 */
const slowMs = 30_000;

/** What the table keeps of the read, and its rule. */
export interface ReadMemory {
  /** The rule; see `Outcomes`. */
  isCurrent(answer: Pick<Answer, 'sentAt' | 'currentAt'>): boolean;
  /** The pinned answer, if it counts. */
  pinned(): Answer | undefined;
  /** Pins the answer for events, or removes the pinned one. Returns whether there was room. */
  pin(answer: Answer | undefined): boolean;
}

export interface ShownOptions {
  readonly memory: ReadMemory;
  /** The records of an answer; undefined if it cannot be used. */
  readonly resultOf: (call: ReadCall, answer: Answer) => unknown;
}

/**
 * What events show of a watched read, equal for all its streams: its newest answer that counts, or its failure. The
 * answers are kept in the table. Times are in milliseconds of `performance.now()`.
 */
export abstract class Shown {
  sentAt = -Infinity;
  currentAt: number | undefined;
  readAt = performance.now();
  /** Made of the newest answer's records, since the rest of a body differs each time. */
  protected digest: string | undefined;
  protected readonly failing = new Failing(
    () => this.tell(),
    () => this.pollNow(),
  );
  readonly #freshMs: number;
  readonly #options: ShownOptions;

  constructor({ row }: Pick<ReadCall, 'row'>, options: ShownOptions) {
    this.#freshMs = (row.operation.freshSeconds ?? 0) * 1000;
    this.#options = options;
  }

  /** Called when events would show something new. */
  protected abstract tell(): void;
  protected abstract pollNow(): void;

  get restMs(): number {
    return this.#freshMs >= slowMs && this.isCurrent ? this.#freshMs : 0;
  }

  get isResting(): boolean {
    return this.failing.isLasting;
  }

  get isAnswered(): boolean {
    return this.digest !== undefined || this.isResting;
  }

  get isLacking(): boolean {
    return !this.isAnswered && !this.failing.shown;
  }

  get isRefused(): boolean {
    return this.failing.isRefused;
  }

  get isFailing(): boolean {
    return this.failing.isLong;
  }

  /** Whether the newest answer still counts. */
  protected get isCurrent(): boolean {
    return this.#options.memory.isCurrent(this);
  }

  /** The pinned answer that events after the first show; undefined if they show something else, or have to read it. */
  get pinned(): Answer | undefined {
    return this.failing.shown instanceof UpstreamError ? undefined : this.#options.memory.pinned();
  }

  /** The answer that events after the first show; undefined if they must read it. Throws the failure that they show. */
  protected get known(): Answer | undefined {
    const { shown } = this.failing;
    if (shown instanceof UpstreamError) throw shown;
    return this.pinned ?? shown;
  }

  /** Makes events show an answer, unless it does not count (`changed`) or cannot be used. */
  protected show(call: ReadCall, answer: Answer): 'changed' | 'unusable' | 'pinned' | 'not pinned' {
    const { memory, resultOf } = this.#options;
    if (!memory.isCurrent(answer)) return 'changed';
    const result = resultOf(call, answer);
    if (result === undefined) return 'unusable';
    const isPinned = memory.pin(answer);
    this.digest = hash('sha256', JSON.stringify(result));
    this.failing.end();
    this.sentAt = answer.sentAt;
    this.currentAt = answer.currentAt;
    this.readAt = answer.readAt ?? performance.now();
    return isPinned ? 'pinned' : 'not pinned';
  }

  /** Notes a poll's failure. Returns whether more polls are of no use: then events show the failure, and no answer. */
  protected notePoll(error: UpstreamError): boolean {
    if (!this.failing.notePoll(error)) return false;
    this.digest = undefined;
    this.#options.memory.pin(undefined);
    return true;
  }

  /** Notes that a write has changed it. */
  change(): void {
    this.failing.change();
  }
}
