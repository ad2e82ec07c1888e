import type { UpstreamError } from '../upstream/error.ts';

/** How long a read has to fail, for a reason that may pass, before events show the failure, in milliseconds. */
const failingMs = 30_000;

/** A failure that was met longer ago may have passed, in milliseconds: another poll decides. */
const recentMs = 10_000;

/** The failure of a read's polls since the read was last answered. */
export class Failing {
  readonly #onShown: () => void;
  readonly #pollNow: () => void;
  #error: UpstreamError | undefined;
  #metAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isShown = false;

  /**
   * @param onShown called when the read has failed for so long that events show the failure
   * @param pollNow called when it has failed for so long, but may no longer fail
   */
  constructor(onShown: () => void, pollNow: () => void) {
    this.#onShown = onShown;
    this.#pollNow = pollNow;
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
      else this.#pollNow();
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
