import { setTimeout } from 'node:timers/promises';
import { type Call, failed } from '../call.ts';
import type { UpstreamError } from '../error.ts';

/**
 * The error of a call for which no request waits any longer, or whose operation has no time left.
 *
 * @param inFlightMs milliseconds since the call was sent; absent if it was never sent
 */
export const givenUp = (
  call: Pick<Call, 'row' | 'signal'>,
  inFlightMs?: number | undefined,
): UpstreamError => {
  const { reason } = call.signal;
  const late = reason instanceof DOMException && reason.name === 'TimeoutError';
  return failed(call, { reason: late ? 'timeout' : 'aborted', inFlightMs });
};

/** Settles like the promise, or rejects with the error of `onAbort` if the signal is aborted first. */
export const untilAborted = <Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  onAbort: () => Error,
): Promise<Value> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(onAbort());
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });

/** Waits for some milliseconds, or until the signal is aborted. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
