import type { Failure } from './error.ts';

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
  if (write) return undefined;
  if (status === 429 || retryAfterSeconds !== undefined) {
    const known = retryAfterSeconds !== undefined && retryAfterSeconds <= longestWait;
    return known ? retryAfterSeconds * 1000 + random * 100 : undefined;
  }
  const broken = reason === 'unreachable' || reason === 'cut-off';
  const passing = broken || status === 502 || status === 503 || status === 504;
  return passing ? (50 + random * 150) * 2 ** retry : undefined;
};
