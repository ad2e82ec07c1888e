import type { Answer } from '../call.ts';
import { UpstreamError } from '../error.ts';

/**
 * Statuses for which polls are of no use. Which failures are kept for requests is another matter (`outcomes.ts`): a
 * sleeping service is polled, since it may wake.
 */
const notPolled = new Set([400, 401, 403, 404, 405, 410, 422]);

const endsPolls = ({ failure: { status, reason } }: UpstreamError): boolean =>
  reason === 'no-such-route' || reason === 'not-found' || notPolled.has(status ?? 0);

const isCredentialRefused = ({ failure: { status } }: UpstreamError): boolean =>
  status === 401 || status === 403;

const ownReasons = new Set(['no-slot', 'queue-full', 'aborted']);

/** Whether the gateway itself has refused the call, which says nothing about the upstream. */
export const isOwnRefusal = ({ failure: { reason } }: UpstreamError): boolean =>
  ownReasons.has(reason);

/** How long a read must fail before events show the failure, if the failure may pass, in milliseconds. */
const failingMs = 30_000;

/** A failure older than this may have passed, in milliseconds: one more poll decides. */
const recentMs = 10_000;

/** The failures of a watched read since it was last answered, as far as events show them. */
export class Failing {
  readonly #onShown: () => void;
  readonly #pollNow: () => void;
  #lasting: UpstreamError | undefined;
  /** The first failure or unusable answer of a read that has no usable answer. Events show it until a poll succeeds. */
  #first: UpstreamError | Answer | undefined;
  /** The newest failure of a poll that may pass, and when it was met. */
  #passing: UpstreamError | undefined;
  #metAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isLong = false;

  /**
   * @param onShown called when the read has failed for so long that events show the failure
   * @param pollNow called when the read has failed for as long, but its last failure is not recent
   */
  constructor(onShown: () => void, pollNow: () => void) {
    this.#onShown = onShown;
    this.#pollNow = pollNow;
  }

  /** What events show, a failure or an unusable answer; undefined if the read does not fail, or not for long enough. */
  get shown(): UpstreamError | Answer | undefined {
    return this.#lasting ?? (this.#isLong ? this.#passing : this.#first);
  }

  /** Whether the read has failed in a way for which polls are of no use. */
  get isLasting(): boolean {
    return this.#lasting !== undefined;
  }

  /** Whether polls have failed for so long that events show it. */
  get isLong(): boolean {
    return this.#isLong;
  }

  get isRefused(): boolean {
    return this.#lasting !== undefined && isCredentialRefused(this.#lasting);
  }

  /** Notes a failure or an unusable answer, where there has been no answer yet. */
  noteFirst(result: UpstreamError | Answer): void {
    if (result instanceof UpstreamError && endsPolls(result)) this.#lasting = result;
    else if (!(result instanceof UpstreamError && isOwnRefusal(result))) this.#first ??= result;
  }

  /** Notes the failure of a poll, and returns whether further polls are of no use. */
  notePoll(error: UpstreamError): boolean {
    if (endsPolls(error)) {
      this.#endLong();
      this.#lasting = error;
      return true;
    }
    this.#passing = error;
    // A read that hung has failed since it was sent; when it is given up, the upstream may work again.
    const { inFlightMs = 0 } = error.failure;
    this.#metAt = performance.now() - inFlightMs;
    if (this.#isDue) this.#show();
    this.#timer ??= setTimeout(() => this.#decide(), failingMs - inFlightMs);
    return false;
  }

  /** Notes that a write has changed the read: the reason of its failure may be over. */
  change(): void {
    this.#lasting = undefined;
    this.#first = undefined;
  }

  /** Notes that the read was answered. */
  end(): void {
    this.change();
    this.#endLong();
  }

  #endLong(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#passing = undefined;
    this.#isDue = false;
    this.#isLong = false;
  }

  /** Shows the failure if it is recent. Else one more poll gets a little time to succeed. */
  #decide(): void {
    this.#isDue = true;
    if (performance.now() - this.#metAt <= recentMs) {
      this.#show();
      return;
    }
    this.#pollNow();
    this.#timer = setTimeout(() => this.#show(), recentMs);
  }

  #show(): void {
    if (this.#isLong) return;
    this.#isLong = true;
    this.#onShown();
  }
}
