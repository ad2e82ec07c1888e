/** Tells when nobody waits for an answer any longer. */
export interface Cancellation {
  readonly cancelled: boolean;
  /** Calls once, when it happens, or at once if it has; the returned function takes the wish back. */
  onCancel(listener: () => void): () => void;
}

const nothing = (): void => undefined;

/** A cancellation with the means to bring it about. */
export class CancellationSource implements Cancellation {
  cancelled = false;
  readonly #listeners = new Set<() => void>();

  onCancel(listener: () => void): () => void {
    if (this.cancelled) {
      listener();
      return nothing;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    for (const listener of this.#listeners) listener();
  }
}

/** The same for those who hold an AbortSignal. */
export const cancellationOf = (signal: AbortSignal): Cancellation => ({
  get cancelled() {
    return signal.aborted;
  },
  onCancel: (listener) => {
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  },
});
