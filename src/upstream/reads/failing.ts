import type { Answer } from '../call.ts';
import { UpstreamError } from '../error.ts';

/**
 * Statuses for which polls are of no use. Which failures are kept for requests is another matter (`outcomes.ts`): a sleeping
 * service is polled, since it may wake.
 */
const notPolled = new Set([400, 401, 403, 404, 405, 410, 422]);

const endsPolls = ({ failure: { status, reason } }: UpstreamError): boolean =>
  reason === 'no-such-route' || reason === 'not-found' || notPolled.has(status ?? 0);

const isCredentialRefused = ({ failure: { status } }: UpstreamError): boolean =>
  status === 401 || status === 403;

const own = new Set(['no-slot', 'queue-full', 'aborted']);

/** Whether the gateway itself has refused the call, which says nothing about the upstream. */
export const isOwnRefusal = ({ failure: { reason } }: UpstreamError): boolean => own.has(reason);

/** How long a read has to fail, for a reason that may pass, before events show the failure, in milliseconds. */
const failingMs = 30_000;

/** A failure that was met longer ago may have passed, in milliseconds: another poll decides. */
const recentMs = 10_000;

/** The failures of a watched read since it was last answered, as far as events show them. */
export class Failing {
  readonly #onShown: () => void;
  readonly #pollNow: () => void;
  /** A failure for which polls are of no use. */
  #lasting: UpstreamError | undefined;
  /** The first failure or unusable answer, while there was no usable one. Events show it, and polls do the rest. */
  #first: UpstreamError | Answer | undefined;
  /** The newest failure of a poll that may pass, and when it was met. */
  #passing: UpstreamError | undefined;
  #metAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isLong = false;

  /**
   * @param onShown called when the read has failed for so long that events show the failure
   * @param pollNow called when it has failed for so long, but may no longer fail
   */
  constructor(onShown: () => void, pollNow: () => void) {
    this.#onShown = onShown;
    this.#pollNow = pollNow;
  }

  /** What events show; undefined if the read does not fail, or not for long yet. */
  get shown(): UpstreamError | Answer | undefined {
    return this.#lasting ?? (this.#isLong ? this.#passing : this.#first);
  }

  /** Whether polls are of no use. */
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
    // A read that hung has failed since it was sent, and may no longer fail when it is given up.
    const { inFlightMs = 0 } = error.failure;
    this.#metAt = performance.now() - inFlightMs;
    if (this.#isDue) this.#show();
    this.#timer ??= setTimeout(() => this.#decide(), failingMs - inFlightMs);
    return false;
  }

  /** Notes that a write has changed the read: what it failed with may be over. */
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

  /** Shows the failure if it is recent. Else another poll has a little time to show that it has passed. */
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
