import type { Answer } from '../call.ts';
import { claimOf } from '../gate/claim.ts';
import type { Claim } from '../gate/claims.ts';
import { givenUp } from '../sending/abort.ts';
import type { ReadCall } from './read-call.ts';

/** Ends the wait for a slow read, since an older answer can be shown. */
export class SlowRead extends Error {
  override readonly name = 'SlowRead';
}

/** A read, as a call that waits for it sees it. */
export interface Awaited {
  /** See `Claim`. */
  want(since: number, call: ReadCall): void;
  /** Called once the wait is over. */
  leave(waiter: Waiter): void;
}

interface WaiterOptions {
  /** How long the call waits after the read was sent, in milliseconds. */
  readonly patienceMs: number;
  /** Whether the read goes on in the background when this wait is refused. */
  readonly isReadOn: boolean;
}

/** The wait of one call for a read. It ends independently of other waits, and may be passed on to another read. */
export class Waiter {
  readonly call: ReadCall;
  readonly claim: Claim;
  read: Awaited;
  readonly #patienceMs: number;
  /** Rejects if the read fails, if this wait is refused, if the caller leaves, or with a `SlowRead`. */
  readonly answer: Promise<Answer>;
  readonly #end = Promise.withResolvers<Answer>();
  readonly #giveUp = (): void => {
    const sentAt = this.#sentAt;
    this.reject(givenUp(this.call, sentAt && performance.now() - sentAt));
  };
  #sentAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: ReadCall, read: Awaited, { patienceMs, isReadOn }: WaiterOptions) {
    this.call = call;
    this.answer = this.#end.promise;
    this.read = read;
    this.#patienceMs = patienceMs;
    const refuse = (error: unknown): void => this.reject(error);
    this.claim = claimOf(
      call,
      refuse,
      isReadOn ? (since) => this.read.want(since, call) : undefined,
    );
    call.signal.addEventListener('abort', this.#giveUp, { once: true });
  }

  /** Notes when the read was sent; undefined while it waits to be sent. */
  noteSent(at: number | undefined): void {
    this.#sentAt = at;
    clearTimeout(this.#timer);
    if (at === undefined || this.#patienceMs === Infinity) return;
    const leftMs = at + this.#patienceMs - performance.now();
    this.#timer = setTimeout(() => this.reject(new SlowRead()), Math.max(0, leftMs));
  }

  resolve(answer: Answer): void {
    this.#end.resolve(answer);
    this.#leave();
  }

  reject(error: unknown): void {
    this.#end.reject(error);
    this.#leave();
  }

  #leave(): void {
    this.call.signal.removeEventListener('abort', this.#giveUp);
    clearTimeout(this.#timer);
    this.read.leave(this);
  }
}
