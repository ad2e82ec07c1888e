/** An iterator that its reader can end. */
export interface Newest<T> extends AsyncIterableIterator<T> {
  next(): Promise<IteratorResult<T, undefined>>;
  return(): Promise<IteratorReturnResult<undefined>>;
}

interface Reader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Yields the values of `produce`. If the reader is slower, a newer value replaces the value that was not read yet. `produce`
 * starts at the first `next`; its signal aborts when the reader leaves. If it fails, one `next` rejects. This is not a
 * generator, because a generator's `return` waits for a pending `next`.
 */
export const newestOf = <T>(
  produce: (give: (value: T) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
): Newest<T> => {
  const left = new AbortController();
  const readers: Reader<T>[] = [];
  let kept: { readonly value: T } | undefined;
  let failed: { readonly reason: unknown } | undefined;
  let state: 'new' | 'running' | 'over' = 'new';

  const end = (failure?: { readonly reason: unknown }): void => {
    if (state === 'over') return;
    state = 'over';
    signal?.removeEventListener('abort', onAbort);
    failed = failure;
    for (const { resolve, reject } of readers.splice(0)) {
      if (failed) reject(failed.reason);
      else resolve(over);
      failed = undefined;
    }
    left.abort();
  };
  const onAbort = (): void => {
    kept = undefined;
    end({ reason: signal?.reason });
  };
  const give = (value: T): void => {
    if (state === 'over') return;
    const reader = readers.shift();
    if (reader) reader.resolve({ done: false, value });
    else kept = { value };
  };
  const start = (): void => {
    state = 'running';
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort);
    produce(give, left.signal).then(
      () => end(),
      (reason: unknown) => end({ reason }),
    );
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      new Promise((resolve, reject) => {
        if (state === 'new') start();
        if (kept) {
          resolve({ done: false, value: kept.value });
          kept = undefined;
        } else if (failed) {
          reject(failed.reason);
          failed = undefined;
        } else if (state === 'over') resolve(over);
        else readers.push({ resolve, reject });
      }),
    return: async () => {
      kept = undefined;
      end();
      failed = undefined;
      return over;
    },
  };
};
