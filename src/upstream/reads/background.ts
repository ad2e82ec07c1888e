import { unbounded } from '../budget.ts';
import type { Claim } from '../gate/claims.ts';
import { callerLeft } from '../operation-time.ts';

export interface BackgroundOptions {
  /**
   * How much longer the read may go on, in milliseconds; 0 ends it. Falls to 0 once no request has asked for it lately.
   */
  readonly leftMs: () => number;
  /** Whether a stream watches the read. */
  readonly isWatched: () => boolean;
  /** When the answer that can be shown meanwhile was read; undefined if there is none. */
  readonly shownReadAt: () => number | undefined;
  /** How long the read may wait to be sent, in milliseconds; 0 if no read goes on in the background. */
  readonly longestWaitMs: number;
}

/**
 * A read's time in the background, for requests that have asked for it lately and no longer wait. It ends early when each
 * of them was left before its answer.
 */
export class Background {
  readonly claim: Claim;
  readonly #leftMs: () => number;
  readonly #isWatched: () => boolean;
  readonly #onEnd: () => void;
  /** The signals of the requests that were not left. */
  readonly #requests = new Set<AbortSignal>();
  #timer: NodeJS.Timeout;

  /**
   * @param since when it was asked for, in milliseconds of `performance.now()`: the earliest request is read first
   * @param onEnd called when the read is refused, or no request has asked for it lately
   */
  constructor(since: number, options: BackgroundOptions, onEnd: () => void) {
    const { leftMs, isWatched, shownReadAt, longestWaitMs } = options;
    this.#leftMs = leftMs;
    this.#isWatched = isWatched;
    this.#onEnd = onEnd;
    this.#timer = this.#reviewLater();
    this.claim = {
      get priority() {
        return shownReadAt() === undefined ? 'wanted' : 'renewal';
      },
      get shownReadAt() {
        return shownReadAt();
      },
      ...{ since, latest: since + longestWaitMs, operation: this, budget: unbounded },
      refuse: onEnd,
    };
  }

  /** Adds a request that wants the read. */
  add(request: AbortSignal): void {
    this.#requests.add(request);
    if (request.aborted) this.#review(request);
    else request.addEventListener('abort', () => this.#review(request), { once: true });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #review(request: AbortSignal): void {
    if (request.reason !== callerLeft) return;
    this.#requests.delete(request);
    if (this.#requests.size === 0 && !this.#isWatched()) this.#onEnd();
  }

  #reviewLater(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#leftMs() > 0) this.#timer = this.#reviewLater();
      else this.#onEnd();
    }, this.#leftMs());
  }
}
