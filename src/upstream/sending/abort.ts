import { setTimeout } from 'node:timers/promises';
import { type Call, failed } from '../call.ts';
import type { UpstreamError } from '../error.ts';

/**
 * The error of a call that nobody waits for any longer, or whose operation has no time left.
 *
 * @param inFlightMs since it was sent; absent where it never was
 */
export const givenUp = (
  call: Pick<Call, 'row' | 'signal'>,
  inFlightMs?: number | undefined,
): UpstreamError => {
  const { reason } = call.signal;
  const late = reason instanceof DOMException && reason.name === 'TimeoutError';
  return failed(call, { reason: late ? 'timeout' : 'aborted', inFlightMs });
};

/** The promise's own outcome, or a rejection with what `onAbort` returns if the signal is aborted first. */
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

/** Waits so many milliseconds, or until the signal is aborted. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
