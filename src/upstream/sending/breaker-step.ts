import { type Answer, type Call, failed, isWrite, type Send } from '../call.ts';
import { type Failure, UpstreamError } from '../error.ts';
import type { Breaker, CallOutcome, Settle } from './breaker.ts';
import { isBadGateway, isProxyTimeout } from './proxy-statuses.ts';
import { retryAfterSeconds } from './rate-limit.ts';

/** A shorter time without an answer may be the caller's own deadline. */
const longSilenceMs = 10_000;

/** What a proxy answers for an upstream that is down. A 500 is the upstream's own, and one caller can bring it about. */
const isOfProxies = (status: number): boolean =>
  status === 503 || isBadGateway(status) || isProxyTimeout(status);

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
  answer: Pick<Answer, 'status' | 'headers'>,
): CallOutcome => {
  // One that says when to come back is there.
  if (!isOfProxies(answer.status) || retryAfterSeconds(answer) !== undefined) return 'success';
  return write ? 'unknown' : 'failure';
};

/** What a call without an answer tells of the upstream's health. */
export const outcomeOfFailure = ({
  reason,
  write,
  cause,
  inFlightMs,
}: Pick<Failure, 'reason' | 'write' | 'cause' | 'inFlightMs'>): CallOutcome => {
  if (reason === 'bad-response') return 'success';
  if (write) return 'unknown';
  if (inFlightMs === undefined) {
    return cause === undefined || ownFaults.has(cause) ? 'unknown' : 'cannot-connect';
  }
  return reason === 'cut-off' || inFlightMs >= longSilenceMs ? 'failure' : 'unknown';
};

/** The error of a call that an open breaker refuses. */
export const refusedByBreaker = (
  call: Call,
  { retryAfterSeconds }: Pick<Breaker, 'retryAfterSeconds'>,
): UpstreamError => failed(call, { reason: 'circuit-open', retryAfterSeconds });

/** Sends a call, and tells the breaker what it came to. */
export const sendAndSettle = async (call: Call, send: Send, settle: Settle): Promise<Answer> => {
  let outcome: CallOutcome = 'unknown';
  try {
    const answer = await send(call);
    outcome = outcomeOfAnswer(isWrite(call), answer);
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError) outcome = outcomeOfFailure(error.failure);
    throw error;
  } finally {
    settle(outcome);
  }
};
