/**
 * Who gets a slot first: writes; reads of which nothing can be shown yet; reads of which an older answer can be shown;
 * reads that renew what has been shown.
 */
export const priorities = ['write', 'read', 'refresh', 'renewal'] as const;
export type Priority = (typeof priorities)[number];

/** Somebody who waits for a call to be sent. */
export interface Claim {
  readonly priority: Priority;
  /** Since when, in milliseconds of `performance.now()`. */
  readonly since: number;
  /** The latest time at which the call is of use, in milliseconds of `performance.now()`. */
  readonly latest: number;
  /** Until when it is worth waiting: later than that the call is of use only where it can be sent at once. */
  readonly waitsUntil: number;
  /** What it waits on behalf of. The operations of one credential take turns. */
  readonly operation: object;
  /** When the answer was read that is shown meanwhile; undefined where nothing is. The oldest is renewed first. */
  readonly shownReadAt: number | undefined;
  /** Told that the call will not be sent in time, and that it could be in so many seconds. */
  refuse(retryAfterSeconds: number): void;
}

/** All who wait for one call, which may change while it waits. */
export class Claims {
  readonly #claims = new Set<Claim>();
  #onChange: (() => void) | undefined;

  add(claim: Claim): void {
    this.#claims.add(claim);
    this.#onChange?.();
  }

  delete(claim: Claim): void {
    if (this.#claims.delete(claim)) this.#onChange?.();
  }

  get isEmpty(): boolean {
    return this.#claims.size === 0;
  }

  list(): readonly Claim[] {
    return [...this.#claims];
  }

  /** @param onChange called whenever a claim has come or gone, until the returned function is called */
  watch(onChange: () => void): () => void {
    this.#onChange = onChange;
    return () => {
      this.#onChange = undefined;
    };
  }
}
