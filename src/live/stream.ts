import type { ExecutionResult } from 'graphql';
import { pause } from '../upstream/sending/abort.ts';
import type { Watched, Watcher } from '../upstream/watcher.ts';

/** Why a stream ended. */
export const streamEnds = [
  'client left',
  'gateway stops',
  'lifetime over',
  'credential refused',
  'nothing to watch',
  'no answer',
  'place needed',
] as const;
export type StreamEnd = (typeof streamEnds)[number];

/** The result of one event. */
export interface StreamEvent {
  readonly result: ExecutionResult;
  /** Equal for two events if the client would see no difference between them. */
  readonly mark: string;
  /** Whether the event has failures that may pass, so that a later event may show more. */
  readonly isPassing: boolean;
  /** Whether the event lacks reads that are answered later. */
  readonly isFilling: boolean;
}

export interface StreamOptions {
  /** Executes the operation, until the signal is aborted. Never rejects. */
  readonly execute: (watcher: Watcher, signal: AbortSignal) => Promise<StreamEvent>;
  /** Waits until the client has received the last event, or the signal is aborted. */
  readonly untilTaken: (signal: AbortSignal) => Promise<void>;
  /** Waits for this stream's turn, so that many streams do not block the event loop. */
  readonly untilTurn: () => Promise<void>;
  readonly onEnd: (reason: StreamEnd, events: number) => void;
}

/**
 * How long an event with a failure that may pass is held back, in milliseconds. Held back for ever, a part that keeps
 * failing would hide all other parts.
 */
const heldBackMs = 30_000;

/** How long a stream goes on without any answer of the upstream, in milliseconds: its credential may be invented. */
const unansweredMs = 60_000;

/** The shortest pause after an incomplete event, in milliseconds: one event shows all that arrives meanwhile. */
const fillingMs = 1000;

const over = { done: true, value: undefined } as const;

/** Holds back events that have failures which may pass: a later event may be without them. */
class HeldBack {
  readonly #onDue: () => void;
  /** Whether the client sees such failures: one was in the last event, or was held back for long enough. */
  #areShown = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDue called when a failure was held back for so long that the next event shows it */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /**
   * Decides whether an event is held back.
   *
   * @param isPassing whether the event has a failure that may pass
   * @param isAwaited whether the client must see the event in any case
   */
  holds(isPassing: boolean, isAwaited: boolean): boolean {
    if (isPassing && !isAwaited && !this.#areShown) {
      this.#timer ??= setTimeout(() => {
        this.#areShown = true;
        this.#onDue();
      }, heldBackMs);
      return true;
    }
    this.end();
    this.#timer = undefined;
    this.#areShown = isPassing;
    return false;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * The events of a subscription: the first one at once, and each further one when a read of it has changed, if the event
 * differs from the one before. No event is executed before the client has received the last one, so a slow client gets
 * the newest.
 *
 * It is not a generator, since a generator cannot be ended while it waits.
 */
export class Stream implements AsyncIterableIterator<ExecutionResult>, Watcher {
  event = 0;
  /** True at first, since no read is answered before the first event. */
  isFilling = true;
  readonly reads = new Set<Watched>();
  readonly #options: StreamOptions;
  readonly #ending = new AbortController();
  #sent = 0;
  #mark: string | undefined;
  readonly #heldBack = new HeldBack(() => this.wake());
  #wakes = 0;
  #unanswered: NodeJS.Timeout | undefined;
  /**
   * The count of wakes when the execution of a held-back event began; undefined if the last event was not held back.
   */
  #wakesBefore: number | undefined;
  /** Set if the newest event is the last one. */
  #lastEnd: StreamEnd | undefined;
  #resume: (() => void) | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  wake(): void {
    this.#wakes += 1;
    this.#resume?.();
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    const { signal } = this.#ending;
    while (!this.isOver) {
      if (this.#lastEnd) this.end(this.#lastEnd);
      else if (this.event > 0) await this.#untilNews();
      if (signal.aborted) break;
      const value = await this.#nextEvent();
      if (value && !signal.aborted) {
        this.#sent += 1;
        return { done: false, value };
      }
    }
    return over;
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.end('client left');
    return over;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end('client left');
  }

  /** Ends the stream at any time. The client is told that the stream is complete. */
  end(reason: StreamEnd): void {
    if (this.isOver) return;
    this.#ending.abort();
    clearTimeout(this.#unanswered);
    this.#heldBack.end();
    for (const read of this.reads) read.leave(this);
    this.reads.clear();
    this.wake();
    this.#options.onEnd(reason, this.#sent);
  }

  /** After an event that was held back, only a new wake counts: reads that it did not reach would always be news. */
  #hasNews(): boolean {
    return this.#wakesBefore === undefined
      ? this.#any((read) => read.hasNewsFor(this))
      : this.#wakes > this.#wakesBefore;
  }

  async #untilNews(): Promise<void> {
    const { untilTaken, untilTurn } = this.#options;
    if (!this.#hasNews()) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
      this.#resume = undefined;
    }
    if (this.isFilling) await pause(fillingMs, this.#ending.signal);
    await untilTurn();
    await untilTaken(this.#ending.signal);
  }

  /** Executes an event; undefined if there is nothing to send. */
  async #nextEvent(): Promise<ExecutionResult | undefined> {
    const { execute } = this.#options;
    this.event += 1;
    const wakes = this.#wakes;
    const { result, mark, isPassing, isFilling } = await execute(this, this.#ending.signal);
    if (this.isOver) return undefined;
    this.isFilling = isFilling && this.#any(({ isLacking }) => isLacking);
    // The polls of these reads were put off while this stream lacked other reads.
    if (!this.isFilling) for (const read of this.reads) read.revive();
    const isRefused = this.#any((read) => read.isRefused);
    const isAwaited = this.event === 1 || isRefused || this.#any(({ isFailing }) => isFailing);
    if (this.event === 1 && isPassing) this.#endUnlessAnswered();
    const isHeldBack = this.#heldBack.holds(isPassing, isAwaited);
    this.#wakesBefore = isHeldBack ? wakes : undefined;
    if (isHeldBack) return undefined;
    this.#leaveUnused();
    if (this.#any((read) => read.isRefused)) this.#lastEnd = 'credential refused';
    else if (!this.#any(({ isResting }) => !isResting)) this.#lastEnd = 'nothing to watch';
    const ended = this.#lastEnd;
    // The last event is sent even if nothing else has changed, since it says that it is the last.
    if (mark === this.#mark && !ended) return undefined;
    this.#mark = mark;
    return ended ? { ...result, extensions: { ...result.extensions, ended } } : result;
  }

  #any(is: (read: Watched) => boolean): boolean {
    for (const read of this.reads) if (is(read)) return true;
    return false;
  }

  /** Stops watching the reads that the newest event did not use. */
  #leaveUnused(): void {
    for (const read of this.reads) {
      if (read.isUsedBy(this)) continue;
      this.reads.delete(read);
      read.leave(this);
    }
  }

  #endUnlessAnswered(): void {
    this.#unanswered = setTimeout(() => {
      if (!this.#any(({ isAnswered }) => isAnswered)) this.end('no answer');
    }, unansweredMs);
  }
}
