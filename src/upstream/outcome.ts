import type { CallOutcome } from './breaker.ts';
import type { Failure } from './error.ts';
import { retryAfterSeconds } from './retry-after.ts';
import type { UpstreamAnswer } from './transport.ts';

/** A shorter time without an answer may be the caller's own deadline. */
const longSilenceMs = 10_000;

/** What a proxy answers for an upstream that is down. A 500 is the upstream's own, and one caller can bring it about. */
const ofProxies = new Set([502, 503, 504]);

/** Connecting failed by these on account of the gateway, not of the upstream. */
const ownFaults = new Set([
  'UND_ERR_ABORTED',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_INVALID_ARG',
  'EMFILE',
  'ENFILE',
]);

/** What an answer tells of the upstream's health. Failures count on reads alone. */
export const outcomeOfAnswer = (
  write: boolean,
  answer: Pick<UpstreamAnswer, 'status' | 'headers'>,
): CallOutcome => {
  // One that says when to come back is there.
  if (!ofProxies.has(answer.status) || retryAfterSeconds(answer) !== undefined) return 'success';
  return write ? 'unknown' : 'failure';
};

/**
 * What a call without an answer tells of the upstream's health.
 *
 * @param cause the code that the connection failed with, where it did
 * @param inFlightMs since the request reached a connection; undefined where it never did
 */
export const outcomeOfFailure = (
  { reason, write }: Pick<Failure, 'reason' | 'write'>,
  cause: string | undefined,
  inFlightMs: number | undefined,
): CallOutcome => {
  if (reason === 'bad-response') return 'success';
  if (write) return 'unknown';
  if (inFlightMs === undefined) {
    return cause === undefined || ownFaults.has(cause) ? 'unknown' : 'cannot-connect';
  }
  return reason === 'cut-off' || inFlightMs >= longSilenceMs ? 'failure' : 'unknown';
};
