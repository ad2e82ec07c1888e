import type { ExecutionResult } from 'graphql';
import type { Watcher } from '../upstream/call.ts';
import { pause } from '../upstream/sending/abort.ts';
import type { Watching } from '../upstream/watching.ts';

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

/** What an event came to. */
export interface StreamEvent {
  readonly result: ExecutionResult;
  /** Equal where the client would see no difference. */
  readonly mark: string;
  /** Whether it failed for a reason that may pass, so that a later try may have more to tell. */
  readonly isPassing: boolean;
  /** Whether it lacks reads that are going to be there. */
  readonly isFilling: boolean;
}

export interface StreamOptions {
  readonly watching: Watching;
  /** Executes the operation; never rejects. It is given up with the signal. */
  readonly execute: (watcher: Watcher, signal: AbortSignal) => Promise<StreamEvent>;
  /** Waits until the client has taken what was sent, or the signal is aborted. */
  readonly untilTaken: (signal: AbortSignal) => Promise<void>;
  /** Waits until it is this stream's turn. */
  readonly untilTurn: () => Promise<void>;
  readonly onEnd: (reason: StreamEnd, events: number) => void;
}

/** How long events are held back that fail for what may pass: a part that keeps failing is not to hide all others. */
const heldBackMs = 30_000;

/** How long it goes on while upstreams answer nothing: its credential may be an invented one. */
const unansweredMs = 60_000;

/** How long after one that is not whole the next event comes at the earliest, in milliseconds: what arrives meanwhile is in it. */
const fillingMs = 1000;

const over = { done: true, value: undefined } as const;

/**
 * The events of a subscription: the first at once, each further one when what it has read has changed, and only if it
 * differs from the one before. Nothing is executed before the client has taken the last one, so that a slow client gets
 * the newest.
 *
 * No generator: one that waits could not be ended.
 */
export class Stream implements AsyncIterableIterator<ExecutionResult>, Watcher {
  event = 0;
  /** Until the first event is there, nothing is. */
  isFilling = true;
  readonly #options: StreamOptions;
  readonly #ending = new AbortController();
  #sent = 0;
  #mark: string | undefined;
  /** Whether the client is shown what may pass: it was the last time, or has waited long enough for it to pass. */
  #showsPassing = false;
  #heldBack: NodeJS.Timeout | undefined;
  #wakes = 0;
  #unanswered: NodeJS.Timeout | undefined;
  /** How often it had been woken when an event began that was not sent: it is tried again once woken anew. */
  #wakesBefore: number | undefined;
  /** Why it ends once the client has taken the newest event. */
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

  /** Ends it, whatever it waits for. The client is told that it is complete. */
  end(reason: StreamEnd): void {
    if (this.isOver) return;
    this.#ending.abort();
    clearTimeout(this.#unanswered);
    clearTimeout(this.#heldBack);
    this.#options.watching.release(this);
    this.wake();
    this.#options.onEnd(reason, this.#sent);
  }

  /** Reads that an event did not reach stay news: they alone are no reason to try again what has failed. */
  #hasNews(): boolean {
    return this.#wakesBefore === undefined
      ? this.#options.watching.hasNewsFor(this)
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

  /** The result of an event, if the client is to see it. */
  async #nextEvent(): Promise<ExecutionResult | undefined> {
    const { watching, execute } = this.#options;
    this.event += 1;
    const wakes = this.#wakes;
    const { result, mark, isPassing, isFilling } = await execute(this, this.#ending.signal);
    if (this.isOver) return undefined;
    this.isFilling = isFilling && watching.isLacking(this);
    if (!this.isFilling) watching.resume(this);
    const isAwaited = this.event === 1 || watching.isRefused(this) || watching.isFailing(this);
    if (this.event === 1 && isPassing) this.#endUnlessAnswered();
    const isHeldBack = isPassing && !isAwaited && !this.#showsPassing;
    this.#wakesBefore = isHeldBack ? wakes : undefined;
    if (isHeldBack) {
      this.#showInTime();
      return undefined;
    }
    clearTimeout(this.#heldBack);
    this.#heldBack = undefined;
    this.#showsPassing = isPassing;
    watching.releaseUnused(this);
    if (watching.isRefused(this)) this.#lastEnd = 'credential refused';
    else if (!watching.isWatchedBy(this)) this.#lastEnd = 'nothing to watch';
    const ended = this.#lastEnd;
    // The last one tells that it is, even where it tells nothing else that is new.
    if (mark === this.#mark && !ended) return undefined;
    this.#mark = mark;
    return ended ? { ...result, extensions: { ...result.extensions, ended } } : result;
  }

  #showInTime(): void {
    this.#heldBack ??= setTimeout(() => {
      this.#showsPassing = true;
      this.wake();
    }, heldBackMs);
  }

  #endUnlessAnswered(): void {
    this.#unanswered = setTimeout(() => {
      if (!this.#options.watching.isAnswered(this)) this.end('no answer');
    }, unansweredMs);
  }
}
