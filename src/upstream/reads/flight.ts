import { type Answer, failed, type Send } from '../call.ts';
import { Claims } from '../gate/claims.ts';
import type { Before } from '../gate/paced-call.ts';
import { Background, type BackgroundOptions } from './background.ts';
import type { ReadCall } from './read-call.ts';
import { type Awaited, Waiter } from './waiter.ts';

/**
 * A read is cut off this long after it was first sent, in milliseconds, even if a request waits for it. If the read
 * waits in the background to be sent again, the time begins anew with that sending.
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

/** The way of one read to the upstream, from the wait for its slot to its end. It does not know who waits. */
class Sending {
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

  /** Removes the time limit, for a read that waits in the background to be sent again. */
  endDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /**
   * An answer that was found counts as sent until it is handed out, so that no call that needs a newer answer joins.
   */
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

interface FlightOptions {
  readonly next: Send<ReadCall>;
  /** Makes what the gate asks before it sends the read; see `Before`. */
  readonly beforeOf: ((flight: Flight) => Before) | undefined;
  /** Called when the read has ended, before any waiter hears of it. `onAnswer` returns the answer for the waiters. */
  readonly onAnswer: (answer: Answer) => Answer;
  readonly onError: (error: unknown) => void;
  readonly background: BackgroundOptions;
}

/**
 * A read under way, for all calls that wait for it. Once sent, a read is finished even if all waiters have left, since
 * its slot is spent. A read that was not sent is given up after its last waiter, unless it goes on in the background.
 */
export class Flight implements Awaited {
  /** The call that it was started with. */
  readonly call: ReadCall;
  /** Whether the upstream has refused the credential since the read began: then its answer is not kept. */
  isDoubted = false;
  /** How long after this read was sent other calls join it at least, in milliseconds. */
  youngMs = 3000;
  /** An answer serves all waiters if its call was sent at this time or later. */
  readAfter = -Infinity;
  #isStarted = false;
  /** The claims of all waiters, and of the background. */
  readonly #claims = new Claims();
  readonly #waiters = new Set<Waiter>();
  /** Present while the read goes on in the background. */
  #background: Background | undefined;
  readonly #sending: Sending;
  readonly #options: FlightOptions;

  constructor(call: ReadCall, options: FlightOptions) {
    const { next, onAnswer, onError } = options;
    this.call = call;
    this.#options = options;
    this.#sending = new Sending({
      next,
      onSent: (at) => this.#noteSent(at),
      onAnswer: (result) => {
        this.#background?.end();
        const answer = onAnswer(result);
        for (const waiter of [...this.#waiters]) waiter.resolve(answer);
      },
      onError: (error) => {
        this.#background?.end();
        onError(error);
        for (const waiter of [...this.#waiters]) waiter.reject(error);
      },
    });
  }

  get sentAt(): number | undefined {
    return this.#sending.sentAt;
  }

  get isOver(): boolean {
    return this.#sending.isOver;
  }

  get signal(): AbortSignal {
    return this.#sending.signal;
  }

  /** Whether it has been under way for so long that a new call should not join it. */
  isSlow(lastMs: number): boolean {
    const { sentAt, youngMs } = this;
    return sentAt !== undefined && performance.now() - sentAt > Math.max(youngMs, 2 * lastMs);
  }

  /** Waits for the answer; not longer than `patienceMs` after the read was sent. See `Waiter`. */
  wait(call: ReadCall, patienceMs = Infinity): Promise<Answer> {
    const isReadOn = !call.isDirect && this.#options.background.longestWaitMs > 0;
    const waiter = new Waiter(call, this, { patienceMs, isReadOn });
    this.#add(waiter);
    this.#start();
    return waiter.answer;
  }

  /** Lets it go on in the background for a request; see `Background`. */
  want(since: number, { signal }: Pick<ReadCall, 'signal'>): void {
    const { background } = this.#options;
    if (this.isOver || background.longestWaitMs === 0) return;
    if (!this.#background) {
      if (this.sentAt === undefined) this.#sending.endDeadline();
      this.#background = new Background(since, background, () => this.unwant());
      this.#claims.add(this.#background.claim);
    }
    this.#background.add(signal);
    this.#start();
  }

  /** Ends the read in the background. */
  unwant(): void {
    if (!this.#background) return;
    this.#background.end();
    this.#claims.delete(this.#background.claim);
    this.#background = undefined;
    this.#endUnlessWanted();
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    this.#claims.delete(waiter.claim);
    this.#endUnlessWanted(waiter.call.signal.reason);
  }

  /** Gives the answer of a later read to all waiters that may have it. */
  serve(answer: Answer, mayHave: (call: ReadCall) => boolean): void {
    for (const waiter of this.#waiters) if (mayHave(waiter.call)) waiter.resolve(answer);
  }

  /** Cuts this read off. Its waiters wait for another read instead. */
  passTo(other: Flight): void {
    for (const waiter of [...this.#waiters]) {
      this.#waiters.delete(waiter);
      this.#claims.delete(waiter.claim);
      waiter.read = other;
      other.#add(waiter);
    }
    this.cutOff();
  }

  get mayWait(): boolean {
    return this.#claims.mayWait;
  }

  /** Refuses the refreshes whose time is up, so that their older answers are shown in time. */
  refuseLateRefreshes(): void {
    this.#claims.refuseLateRefreshes(() => failed(this.call, { reason: 'no-slot' }));
  }

  get isAwaited(): boolean {
    return !this.#claims.areBackground;
  }

  cutOff(reason?: unknown): void {
    this.#sending.cutOff(reason);
  }

  #add(waiter: Waiter): void {
    this.readAfter = Math.max(this.readAfter, waiter.call.caller.readAfter);
    this.#waiters.add(waiter);
    this.#claims.add(waiter.claim);
    waiter.noteSent(this.sentAt);
  }

  #endUnlessWanted(reason?: unknown): void {
    if (this.sentAt === undefined && this.#claims.isEmpty && !this.isOver) this.cutOff(reason);
  }

  #noteSent(at: number | undefined): void {
    if (at !== undefined) {
      for (const waiter of this.#waiters) waiter.noteSent(at);
      return;
    }
    if (this.#background) this.#sending.endDeadline();
    this.#endUnlessWanted();
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const before = this.#options.beforeOf?.(this);
    void this.#sending.start({ ...this.call, claims: this.#claims }, before);
  }
}
