import type { Failure } from './error.ts';

/** An upstream, or a proxy before it, failed while it worked on the request. 503 refuses before. */
const amidWork = new Set([500, 502, 504]);

/** Whether it failed for want of an answer. */
const isUnanswered = ({ reason }: Failure): boolean =>
  reason === 'timeout' || reason === 'aborted' || reason === 'unreachable' || reason === 'cut-off';

/** Whether nothing of it can have reached the upstream, though it was meant to. */
export const wasNeverSent = (failure: Failure): boolean =>
  failure.reason === 'circuit-open' ||
  failure.reason === 'queue-full' ||
  (isUnanswered(failure) && failure.sent !== true);

/** Whether it is a write of which nobody knows what became. */
export const mayBeCarriedOut = (failure: Failure): boolean => {
  const { write, reason, status, sent } = failure;
  if (!write) return false;
  if (isUnanswered(failure)) return sent === true;
  // What cannot be read under a success, or is no HTTP, may well be the answer of a success.
  if (reason === 'bad-response') return status === undefined || status < 300;
  return reason === 'status' && status !== undefined && amidWork.has(status);
};
