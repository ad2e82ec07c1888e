import { type Failure, firstFailure, UpstreamError } from '../error.ts';
import { pause } from './abort.ts';
import type { Step } from './call.ts';

/** The longest wait that an upstream may ask for, in seconds. */
const longestWait = 2;

/**
 * Milliseconds until a read may be sent again; undefined where it must not be. Writes never are: no
 * operation knows idempotency keys, and what failed may have happened.
 *
 * @param retry 0 for the first
 * @param random from 0 to 1: waits differ, or all who failed together would come back together
 */
export const retryDelay = (failure: Failure, retry: number, random: number): number | undefined => {
  const { reason, status, retryAfterSeconds, write } = failure;
  if (write || reason === 'circuit-open') return undefined;
  if (status === 429 || retryAfterSeconds !== undefined) {
    const known = retryAfterSeconds !== undefined && retryAfterSeconds <= longestWait;
    return known ? retryAfterSeconds * 1000 + random * 100 : undefined;
  }
  const broken = reason === 'unreachable' || reason === 'cut-off';
  const passing = broken || status === 502 || status === 503 || status === 504;
  return passing ? (50 + random * 150) * 2 ** retry : undefined;
};

/** Whether the upstream has asked for a pause. */
const asksForPause = ({ status, retryAfterSeconds }: Failure): boolean =>
  status === 429 || (status === 503 && retryAfterSeconds !== undefined);

const isNotSent = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  (error.failure.reason === 'over-budget' || error.failure.reason === 'no-slot');

interface RetryOptions {
  /** How often a read is sent again at most. */
  readonly maxRetries: number;
  /** Whether the next step lets a call wait for as long as the upstream has asked. */
  readonly isPaced: boolean;
}

/** Sends a read again where what failed may pass. */
export const createRetry =
  ({ maxRetries, isPaced }: RetryOptions): Step =>
  async (call, next) => {
    let failure: unknown;
    let hasPaused = false;
    const delayOf = (failed: Failure, retry: number): number | undefined => {
      if (failed.write || !isPaced || !asksForPause(failed)) {
        return retryDelay(failed, retry, Math.random());
      }
      if (hasPaused) return undefined;
      hasPaused = true;
      return 0;
    };
    for (let retry = 0; ; retry += 1) {
      try {
        return await next(call);
      } catch (error) {
        if (failure instanceof UpstreamError && isNotSent(error)) {
          throw firstFailure(failure, error);
        }
        failure = error;
      }
      if (!(failure instanceof UpstreamError) || retry === maxRetries) throw failure;
      const delay = delayOf(failure.failure, retry);
      if (delay === undefined) throw failure;
      call.onRetry?.(failure);
      await pause(delay, call.signal);
      if (call.signal.aborted) throw failure;
    }
  };
