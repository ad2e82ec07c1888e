/** Why nobody waits any longer: the caller has gone, or the operation's time is up. */
export type CancelReason = 'gone' | 'late';

/** Tells when nobody waits for an answer any longer. */
export interface Cancellation {
  readonly reason: CancelReason | undefined;
  /** Calls once, when it happens, or at once if it has; the returned function takes the wish back. */
  onCancel(listener: (reason: CancelReason) => void): () => void;
}

const nothing = (): void => undefined;

/** A cancellation with the means to bring it about. */
export class CancellationSource implements Cancellation {
  reason: CancelReason | undefined;
  /** Made for the first that listens. */
  #listeners: Set<(reason: CancelReason) => void> | undefined;

  onCancel(listener: (reason: CancelReason) => void): () => void {
    if (this.reason) {
      listener(this.reason);
      return nothing;
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(listener);
    return () => listeners.delete(listener);
  }

  cancel(reason: CancelReason): void {
    if (this.reason) return;
    this.reason = reason;
    for (const listener of this.#listeners ?? []) listener(reason);
  }
}

/** Resolves after so many milliseconds, or as soon as nobody waits any longer. */
export const pause = (milliseconds: number, cancellation: Cancellation): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      release();
      resolve();
    }, milliseconds);
    const release = cancellation.onCancel(() => {
      clearTimeout(timer);
      resolve();
    });
  });
