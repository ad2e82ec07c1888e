import { retryAfterSeconds } from '../answer-headers.ts';
import { type Answer, type Call, failed, isWrite, type Send } from '../call.ts';
import { type Failure, UpstreamError } from '../error.ts';
import type { Breaker, HealthSign, Settle } from './breaker.ts';
import { isBadGateway, isProxyTimeout } from './proxy-statuses.ts';

/**
 * A wait without an answer counts as a failure of the upstream only after this time, in milliseconds: a shorter one may
 * have been ended by the caller's own deadline.
 */
const longSilenceMs = 10_000;

/**
 * Whether a proxy sends this status for an upstream that is down. A 500 is not among them: it comes from the upstream
 * itself, and one caller can cause it.
 */
const isOfProxies = (status: number): boolean =>
  status === 503 || isBadGateway(status) || isProxyTimeout(status);

/** Codes of errors that the gateway itself causes when it connects. */
const ownFaults = new Set([
  'UND_ERR_ABORTED',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_INVALID_ARG',
  'EMFILE',
  'ENFILE',
]);

/** What an answer tells about the upstream's health. Only failures of reads count. */
export const signOfAnswer = (
  write: boolean,
  answer: Pick<Answer, 'status' | 'headers'>,
): HealthSign => {
  // An upstream that says when to retry is alive.
  if (!isOfProxies(answer.status) || retryAfterSeconds(answer) !== undefined) return 'success';
  return write ? 'unknown' : 'failure';
};

/** What a call without an answer tells about the upstream's health. */
export const signOfFailure = ({
  reason,
  write,
  cause,
  inFlightMs,
}: Pick<Failure, 'reason' | 'write' | 'cause' | 'inFlightMs'>): HealthSign => {
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

export const sendAndSettle = async <Each extends Call>(
  call: Each,
  send: Send<Each>,
  settle: Settle,
): Promise<Answer> => {
  let sign: HealthSign = 'unknown';
  try {
    const answer = await send(call);
    sign = signOfAnswer(isWrite(call), answer);
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError) sign = signOfFailure(error.failure);
    throw error;
  } finally {
    // A tool may know paths that always fail, so these say nothing about the upstream.
    settle(sign === 'failure' && call.row.isForeign ? 'unknown' : sign);
  }
};
