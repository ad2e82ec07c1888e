/** `setTimeout` of `node:timers/promises` on the current clock. For use with `vi.mock`. */
export const setTimeout = <Value>(
  milliseconds: number,
  value: Value,
  { signal }: { readonly signal: AbortSignal },
): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = globalThis.setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve(value);
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });

/** The event loop continues, regardless of the clock. */
export const setImmediate = (): Promise<void> =>
  new Promise((resolve) => globalThis.setImmediate(resolve));
