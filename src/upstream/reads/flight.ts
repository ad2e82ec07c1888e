import { unbounded } from '../budget.ts';
import { type Answer, failed, type Send } from '../call.ts';
import { claimOf } from '../gate/claim.ts';
import { type Claim, Claims } from '../gate/claims.ts';
import type { Before } from '../gate/paced-call.ts';
import { isBackground } from '../priority.ts';
import { givenUp } from '../sending/abort.ts';
import type { ReadCall } from './read-call.ts';

/**
 * How long after it was first sent a read is cut off, in milliseconds, even if a request waits for it. If it waits in the
 * background to be sent again, the time begins anew with that sending.
 */
const longestMs = 25_000;

/** Ends the wait for a slow read, since an older answer can be shown. */
export class SlowRead extends Error {
  override readonly name = 'SlowRead';
}

/** A call that waits for a read. Each waits as long as it has time, independently of the others. */
interface Waiter {
  readonly call: ReadCall;
  readonly claim: Claim;
  /** How long after the read was sent it is worth waiting, in milliseconds. */
  readonly patienceMs: number;
  flight: Flight;
  timer: NodeJS.Timeout | undefined;
  settle(how: () => void): void;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface FlightOptions {
  /** Sends the read. */
  readonly next: Send<ReadCall>;
  /** Makes what the gate asks before it sends the read; see `Before`. */
  readonly beforeOf: ((flight: Flight) => Before) | undefined;
  /** Called when the read has ended, before any waiter hears of it. `onAnswer` returns the answer for the waiters. */
  readonly onAnswer: (answer: Answer) => Answer;
  readonly onError: (error: unknown) => void;
  /** How much longer the read may go on in the background, in milliseconds: as long as a request has asked for it lately. */
  readonly wantedMs: () => number;
  /** When the answer that can be shown meanwhile was read; undefined if there is none. */
  readonly shownReadAt: () => number | undefined;
  /** How long a read may wait in the background, in milliseconds; 0 turns that off. */
  readonly longestWaitMs: number;
}

/**
 * A read under way, for all calls that wait for it. A read that was sent is finished, even if all waiters have left, since
 * its slot is spent. A read that was not sent is given up once nobody wants it.
 */
export class Flight {
  /** The call that it was started with. */
  readonly call: ReadCall;
  /** When it was last sent, in milliseconds of `performance.now()`; undefined while it waits to be sent. */
  sentAt: number | undefined;
  isOver = false;
  /** Whether the upstream has refused the credential since the read began: then its answer is not kept. */
  isDoubted = false;
  /** For at least this long after it was sent, other calls join it, in milliseconds. */
  youngMs = 3000;
  #isStarted = false;
  readonly #claims = new Claims();
  readonly #waiters = new Set<Waiter>();
  readonly #controller = new AbortController();
  readonly #options: FlightOptions;
  /** The earliest time of sending with which the answer serves all waiters. */
  #readAfter = -Infinity;
  #deadline: NodeJS.Timeout | undefined;
  /** Present while the read goes on in the background. */
  #background: { readonly claim: Claim; timer: NodeJS.Timeout } | undefined;

  constructor(call: ReadCall, options: FlightOptions) {
    this.call = call;
    this.#options = options;
  }

  /** Whether it has been under way for so long that a new call should not join it. */
  isSlow(lastMs: number): boolean {
    const { sentAt, youngMs } = this;
    return sentAt !== undefined && performance.now() - sentAt > Math.max(youngMs, 2 * lastMs);
  }

  /**
   * Waits for the answer. Rejects if the read fails, if this wait is refused, if the call is given up, or with a `SlowRead`
   * once `patienceMs` have passed since the read was sent.
   */
  wait(call: ReadCall, patienceMs = Infinity): Promise<Answer> {
    const { signal } = call;
    if (signal.aborted) return Promise.reject(givenUp(call));
    return new Promise((resolve, reject) => {
      const leave = (): void => waiter.settle(() => reject(givenUp(call)));
      const waiter: Waiter = {
        ...{ call, patienceMs, flight: this, timer: undefined },
        claim: claimOf(
          call,
          (error) => waiter.settle(() => reject(error)),
          this.#options.longestWaitMs > 0 ? (since) => waiter.flight.want(since) : undefined,
        ),
        settle: (how) => {
          signal.removeEventListener('abort', leave);
          clearTimeout(waiter.timer);
          how();
          waiter.flight.#leave(waiter);
        },
        resolve: (answer) => waiter.settle(() => resolve(answer)),
        reject: (error) => waiter.settle(() => reject(error)),
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#add(waiter);
      this.#start();
    });
  }

  /**
   * Lets it go on in the background, for requests that have asked for it lately and no longer wait.
   *
   * @param since when it was asked for, in milliseconds of `performance.now()`: the earliest request is read first
   */
  want(since: number): void {
    const { longestWaitMs, shownReadAt } = this.#options;
    if (this.isOver || this.#background || longestWaitMs === 0) return;
    // It may wait longer than `longestMs` to be sent again.
    if (this.sentAt === undefined) this.#endDeadline();
    const claim: Claim = {
      get priority() {
        return shownReadAt() === undefined ? 'wanted' : 'renewal';
      },
      get shownReadAt() {
        return shownReadAt();
      },
      ...{ since, latest: since + longestWaitMs, operation: this, budget: unbounded },
      refuse: () => this.unwant(),
    };
    this.#background = { claim, timer: this.#reviewLater() };
    this.#claims.add(claim);
    this.#start();
  }

  /** Ends the read in the background. */
  unwant(): void {
    if (!this.#background) return;
    const { claim, timer } = this.#background;
    clearTimeout(timer);
    this.#background = undefined;
    this.#claims.delete(claim);
    this.#endUnlessWanted();
  }

  /** Gives the answer of a later read to all waiters that may have it. */
  serve(answer: Answer, mayHave: (call: ReadCall) => boolean): void {
    for (const waiter of this.#waiters) if (mayHave(waiter.call)) waiter.resolve(answer);
  }

  /** Cuts it off, and lets its waiters wait for another read. */
  passTo(other: Flight): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) {
      this.#claims.delete(waiter.claim);
      waiter.flight = other;
      other.#add(waiter);
    }
    this.end();
  }

  /** The earliest time of sending with which an answer serves all who wait. */
  get readAfter(): number {
    return this.#readAfter;
  }

  /** Whether no request has to wait for it. */
  get mayWait(): boolean {
    return this.#claims.mayWait;
  }

  /** Aborted when it is cut off. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Refuses the refreshes whose time is up, so that their older answers are shown in time. */
  refuseLateRefreshes(): void {
    for (const claim of this.#claims.list()) {
      if (claim.priority !== 'refresh' || claim.latest > performance.now()) continue;
      this.#claims.delete(claim);
      claim.want?.(claim.since);
      claim.refuse(failed(this.call, { reason: 'no-slot' }));
    }
  }

  /** Whether any request waits for the read. */
  get isAwaited(): boolean {
    return [...this.#waiters].some(({ call }) => !isBackground(call.priority));
  }

  /** Cuts it off. */
  end(reason?: unknown): void {
    this.#finish();
    this.#controller.abort(reason);
  }

  #reviewLater(): NodeJS.Timeout {
    return setTimeout(() => {
      if (!this.#background) return;
      if (this.#options.wantedMs() > 0) this.#background.timer = this.#reviewLater();
      else this.unwant();
    }, this.#options.wantedMs());
  }

  #add(waiter: Waiter): void {
    this.#readAfter = Math.max(this.#readAfter, waiter.call.caller.readAfter);
    this.#waiters.add(waiter);
    this.#claims.add(waiter.claim);
    this.#setPatience(waiter);
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    this.#claims.delete(waiter.claim);
    this.#endUnlessWanted(waiter.call.signal.reason);
  }

  #endUnlessWanted(reason?: unknown): void {
    if (this.sentAt === undefined && this.#claims.isEmpty && !this.isOver) this.end(reason);
  }

  #setPatience(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    if (this.sentAt === undefined || waiter.patienceMs === Infinity) return;
    const leftMs = this.sentAt + waiter.patienceMs - performance.now();
    waiter.timer = setTimeout(() => waiter.reject(new SlowRead()), Math.max(0, leftMs));
  }

  #noteSent(at: number | undefined): void {
    this.sentAt = at;
    if (at === undefined) {
      if (this.#background) this.#endDeadline();
      this.#endUnlessWanted();
      return;
    }
    this.#deadline ??= setTimeout(() => {
      this.end(new DOMException('The read took too long', 'TimeoutError'));
    }, longestMs);
    for (const waiter of this.#waiters) this.#setPatience(waiter);
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { onAnswer, onError, next, beforeOf } = this.#options;
    const before = beforeOf?.(this);
    let end: (waiter: Waiter) => void;
    try {
      const came = await next({
        ...this.call,
        before: before && ((moment) => this.#ask(before, moment)),
        claims: this.#claims,
        signal: this.#controller.signal,
        onSent: (at) => this.#noteSent(at),
      });
      this.#finish();
      const answer = onAnswer(came);
      end = (waiter) => waiter.resolve(answer);
    } catch (error) {
      this.#finish();
      onError(error);
      end = (waiter) => waiter.reject(error);
    }
    for (const waiter of [...this.#waiters]) end(waiter);
  }

  /** Until an answer that was found is handed out, it counts as sent: no call may join that needs a newer one. */
  async #ask(before: Before, moment: Parameters<Before>[0]): ReturnType<Before> {
    const next = await before(moment);
    if (typeof next !== 'string') this.#noteSent(next.sentAt);
    return next;
  }

  #finish(): void {
    this.isOver = true;
    this.#endDeadline();
    clearTimeout(this.#background?.timer);
  }

  #endDeadline(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }
}
