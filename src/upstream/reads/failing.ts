import type { UpstreamError } from '../error.ts';

/**
 * Statuses for which polls are of no use. Which failures are kept for requests is another matter (`outcomes.ts`): a sleeping
 * service is polled, since it may wake.
 */
const notPolled = new Set([400, 401, 403, 404, 405, 410, 422]);

/** Whether polls are of no use after this failure. */
export const endsPolls = ({ failure: { status, reason } }: UpstreamError): boolean =>
  reason === 'no-such-route' || reason === 'not-found' || notPolled.has(status ?? 0);

export const isCredentialRefused = ({ failure: { status } }: UpstreamError): boolean =>
  status === 401 || status === 403;

const own = new Set(['no-slot', 'queue-full', 'aborted']);

/** Whether the gateway itself has refused the call, which says nothing about the upstream. */
export const isOwnRefusal = ({ failure: { reason } }: UpstreamError): boolean => own.has(reason);

/** How long a read has to fail, for a reason that may pass, before events show the failure, in milliseconds. */
const failingMs = 30_000;

/** A failure that was met longer ago may have passed, in milliseconds: the next poll decides. */
const recentMs = 10_000;

/** The failure of a read's polls since the read was last answered. */
export class Failing {
  readonly #onShown: () => void;
  #error: UpstreamError | undefined;
  #metAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isShown = false;

  /** @param onShown called when the read has failed for so long that events show the failure */
  constructor(onShown: () => void) {
    this.#onShown = onShown;
  }

  /** The failure that events show; undefined if the read does not fail, or not for long yet. */
  get shown(): UpstreamError | undefined {
    return this.#isShown ? this.#error : undefined;
  }

  note(error: UpstreamError): void {
    this.#error = error;
    this.#metAt = performance.now();
    if (this.#isDue) this.#show();
    // A read that hung has failed since it was sent.
    const leftMs = failingMs - (error.failure.inFlightMs ?? 0);
    this.#timer ??= setTimeout(() => {
      this.#isDue = true;
      if (performance.now() - this.#metAt <= recentMs) this.#show();
    }, leftMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#error = undefined;
    this.#isDue = false;
    this.#isShown = false;
  }

  #show(): void {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#onShown();
  }
}
