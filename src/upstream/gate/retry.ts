import { isBackgroundCall, type Step } from '../call.ts';
import { asksForPause, type Failure, hasToWait, UpstreamError } from '../error.ts';
import { pause } from '../sending/abort.ts';
import { isBadGateway, isProxyTimeout } from '../sending/proxy-statuses.ts';
import type { PacedCall } from './paced-call.ts';

/** A read is not sent again if it would have to wait longer than this, in seconds. */
const longestWait = 2;

/**
 * Milliseconds until a read may be sent again; undefined if it must not be. Writes are never sent again: no operation
 * knows idempotency keys, and a failed write may have been carried out.
 *
 * @param retry 0 for the first
 * @param random from 0 to 1: makes waits differ, so that calls that failed together do not come back together
 */
export const retryDelay = (failure: Failure, retry: number, random: number): number | undefined => {
  const { reason, status, retryAfterSeconds, write } = failure;
  if (write || reason === 'circuit-open' || reason === 'stopping') return undefined;
  if (status === 429 || retryAfterSeconds !== undefined) {
    const known = retryAfterSeconds !== undefined && retryAfterSeconds <= longestWait;
    return known ? retryAfterSeconds * 1000 + random * 100 : undefined;
  }
  const broken = reason === 'unreachable' || reason === 'cut-off';
  const passing = broken || status === 503 || isBadGateway(status) || isProxyTimeout(status);
  return passing ? (50 + random * 150) * 2 ** retry : undefined;
};

interface RetryOptions {
  /** How many times a read may be sent again. */
  readonly maxRetries: number;
  /** Whether the gate makes a call wait when the upstream has asked for a pause. */
  readonly isPaced: boolean;
}

/** Sends a read again after a failure that may pass. */
export const createRetry =
  ({ maxRetries, isPaced }: RetryOptions): Step<PacedCall> =>
  async (call, next) => {
    let failure: unknown;
    let hasPaused = false;
    const delayOf = (failed: Failure, retry: number): number | undefined => {
      if (isPaced && hasToWait(failed)) return undefined;
      if (failed.write || !isPaced || !asksForPause(failed)) {
        return retryDelay(failed, retry, Math.random());
      }
      if (hasPaused) return undefined;
      hasPaused = true;
      return 0;
    };
    for (let retry = 0; ; retry += 1) {
      try {
        const failedWith = failure instanceof UpstreamError ? failure.failure : undefined;
        return await next(failedWith ? { ...call, failedWith } : call);
      } catch (error) {
        failure = error;
      }
      // A read in the background is tried again when it is next due.
      const mayRetry = retry < maxRetries && !isBackgroundCall(call);
      const delay =
        failure instanceof UpstreamError && mayRetry ? delayOf(failure.failure, retry) : undefined;
      if (delay === undefined) throw failure;
      call.onSent?.(undefined);
      if (delay > 0) await pause(delay, call.signal);
      if (call.signal.aborted) throw failure;
    }
  };
