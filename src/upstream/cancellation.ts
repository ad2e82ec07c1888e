/** Tells when nobody waits for an answer any longer. */
export interface Cancellation {
  readonly cancelled: boolean;
  /** Calls once, when it happens, or at once if it has; the returned function takes the wish back. */
  onCancel(listener: () => void): () => void;
}

/** A cancellation with the means to bring it about. */
export interface CancellationSource extends Cancellation {
  cancel(): void;
}

export const createCancellation = (): CancellationSource => {
  const listeners = new Set<() => void>();
  const source = {
    cancelled: false,
    onCancel: (listener: () => void) => {
      if (source.cancelled) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    cancel: () => {
      if (source.cancelled) return;
      source.cancelled = true;
      for (const listener of listeners) listener();
    },
  };
  return source;
};

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
