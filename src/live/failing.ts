import type { UpstreamError } from '../upstream/error.ts';

/** How long a read has to fail for what may pass until events show it, in milliseconds. */
const failingMs = 30_000;

/** What polls of a read have failed with since it was answered last. */
export class Failing {
  readonly #onShown: () => void;
  #error: UpstreamError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  /** @param onShown called when it has failed for so long that events show it */
  constructor(onShown: () => void) {
    this.#onShown = onShown;
  }

  /** What events show; undefined where it does not fail, or not for long. */
  get shown(): UpstreamError | undefined {
    return this.#isShown ? this.#error : undefined;
  }

  note(error: UpstreamError): void {
    this.#error = error;
    // One that hung has failed since it was sent.
    const leftMs = failingMs - (error.failure.inFlightMs ?? 0);
    this.#timer ??= setTimeout(() => {
      this.#isShown = true;
      this.#onShown();
    }, leftMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#error = undefined;
    this.#isShown = false;
  }
}
