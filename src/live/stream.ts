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
  /** Equal for events between which the client would see no difference. */
  readonly mark: string;
  /** Whether it failed for a reason that may pass, so that a later try may have more to tell. */
  readonly isPassing: boolean;
  /** Whether it lacks reads that will be answered later. */
  readonly isFilling: boolean;
}

export interface StreamOptions {
  /** Executes the operation; never rejects. The signal aborts it. */
  readonly execute: (watcher: Watcher, signal: AbortSignal) => Promise<StreamEvent>;
  /** Waits until the client has received the last event, or the signal is aborted. */
  readonly untilTaken: (signal: AbortSignal) => Promise<void>;
  /** Waits until it is this stream's turn. */
  readonly untilTurn: () => Promise<void>;
  readonly onEnd: (reason: StreamEnd, events: number) => void;
}

/** How long an event with a failure that may pass is held back; no longer, or a part that keeps failing would hide all others. */
const heldBackMs = 30_000;

/** How long a stream goes on without any answer of an upstream: its credential may be invented. */
const unansweredMs = 60_000;

/** The shortest pause after an incomplete event, in milliseconds: the next event holds all that arrives meanwhile. */
const fillingMs = 1000;

const over = { done: true, value: undefined } as const;

/** Holds back events with failures that may pass: a later event may be without them. */
class HeldBack {
  readonly #onDue: () => void;
  /** Whether the client sees such failures: it saw one in the last event, or one was held back for long enough. */
  #areShown = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDue called when an event was held back for so long that the next one is shown */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /**
   * Decides whether an event is held back.
   *
   * @param isPassing whether it has a failure that may pass
   * @param isAwaited whether the client must see it even so
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
 * The events of a subscription: the first one at once, each further one when a read of it has changed, and only if the
 * event differs from the one before. Nothing is executed before the client has received the last event, so a slow
 * client gets the newest.
 *
 * It is no generator, since a generator that waits cannot be ended.
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
  /** The count of wakes when an event began that was then held back: the next wake tries it again. */
  #wakesBefore: number | undefined;
  /** Why the stream ends after the newest event. */
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

  /** Ends the stream, whatever it waits for. The client is told that it is complete. */
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

  /** After an event that was held back, only a new wake counts: reads that the event did not reach stay news all the time. */
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

  /** Executes an event; undefined if the client does not see it. */
  async #nextEvent(): Promise<ExecutionResult | undefined> {
    const { execute } = this.#options;
    this.event += 1;
    const wakes = this.#wakes;
    const { result, mark, isPassing, isFilling } = await execute(this, this.#ending.signal);
    if (this.isOver) return undefined;
    this.isFilling = isFilling && this.#any(({ isLacking }) => isLacking);
    // Their polls were put off while this stream lacked other reads.
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
    // The last event is sent even without other news, since it says that it is the last.
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
