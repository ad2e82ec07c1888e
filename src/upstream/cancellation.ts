/** Why nobody waits any longer: the caller has gone, or the operation's time is up. */
export type CancelReason = 'gone' | 'late';

/** Who wants to know when nobody waits any longer. */
export interface CancelListener {
  cancelled(reason: CancelReason): void;
}

/** Tells when nobody waits for an answer any longer. */
export interface Cancellation {
  readonly reason: CancelReason | undefined;
  /** Tells the listener once, when it happens, or at once if it has. */
  listen(listener: CancelListener): void;
  /** Tells the listener no more. */
  ignore(listener: CancelListener): void;
}

/** A cancellation with the means to bring it about. */
export class CancellationSource implements Cancellation {
  reason: CancelReason | undefined;
  readonly #listeners = new Map<CancelListener, true>();

  listen(listener: CancelListener): void {
    if (this.reason) listener.cancelled(this.reason);
    else this.#listeners.set(listener, true);
  }

  ignore(listener: CancelListener): void {
    this.#listeners.delete(listener);
  }

  cancel(reason: CancelReason): void {
    if (this.reason) return;
    this.reason = reason;
    for (const listener of this.#listeners.keys()) {
      // One that was told may have let another go.
      if (this.#listeners.has(listener)) listener.cancelled(reason);
    }
  }
}

/** Resolves after so many milliseconds, or as soon as nobody waits any longer. */
export const pause = (milliseconds: number, cancellation: Cancellation): Promise<void> =>
  new Promise((resolve) => {
    const listener: CancelListener = {
      cancelled: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    const timer = setTimeout(() => {
      cancellation.ignore(listener);
      resolve();
    }, milliseconds);
    cancellation.listen(listener);
  });
