import type { Answer, Send } from '../call.ts';
import type { Before } from '../gate/paced-call.ts';
import type { ReadCall } from './read-call.ts';

/**
 * How long after it was first sent a read is cut off, in milliseconds, even if a request waits for it. If it waits in the
 * background to be sent again, the time begins anew with that sending.
 */
const longestMs = 25_000;

interface SendingOptions {
  readonly next: Send<ReadCall>;
  /** Called when the read is sent, with the time; with undefined when it waits to be sent again. */
  readonly onSent: (at: number | undefined) => void;
  /** One of these is called at the end. If `onAnswer` throws, `onError` is called too. */
  readonly onAnswer: (answer: Answer) => void;
  readonly onError: (error: unknown) => void;
}

/** A read on its way to the upstream, from the wait for its slot to its end, whoever waits for it. */
export class Sending {
  /** When it was last sent, in milliseconds of `performance.now()`; undefined while it waits to be sent. */
  sentAt: number | undefined;
  isOver = false;
  readonly #options: SendingOptions;
  readonly #controller = new AbortController();
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** Aborted when the read is cut off. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async start(call: ReadCall, before: Before | undefined): Promise<void> {
    const { next, onAnswer, onError } = this.#options;
    try {
      const answer = await next({
        ...call,
        before: before && ((moment) => this.#ask(before, moment)),
        signal: this.#controller.signal,
        onSent: (at) => this.#noteSent(at),
      });
      this.#finish();
      onAnswer(answer);
    } catch (error) {
      this.#finish();
      onError(error);
    }
  }

  cutOff(reason?: unknown): void {
    this.#finish();
    this.#controller.abort(reason);
  }

  /** Lets it wait to be sent again for longer than `longestMs`. */
  endDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** Until an answer that was found is handed out, it counts as sent: no call may join that needs a newer one. */
  async #ask(before: Before, moment: Parameters<Before>[0]): ReturnType<Before> {
    const next = await before(moment);
    if (typeof next !== 'string') this.#noteSent(next.sentAt);
    return next;
  }

  #noteSent(at: number | undefined): void {
    this.sentAt = at;
    if (at !== undefined) {
      this.#deadline ??= setTimeout(() => {
        this.cutOff(new DOMException('The read took too long', 'TimeoutError'));
      }, longestMs);
    }
    this.#options.onSent(at);
  }

  #finish(): void {
    this.isOver = true;
    this.endDeadline();
  }
}
