/** An upstream, or a proxy before it, refused the request before it worked on it. With any other 5xx it may have begun. */
const beforeWork = new Set([501, 503, 505, 511]);

/** Whether it failed for want of an answer. */
const isUnanswered = ({ reason }: Failure): boolean =>
  reason === 'timeout' || reason === 'aborted' || reason === 'unreachable' || reason === 'cut-off';

/** Whether the upstream has asked for a pause. */
export const asksForPause = ({ status, retryAfterSeconds }: Failure): boolean =>
  status === 429 || (status === 503 && retryAfterSeconds !== undefined);

/** Whether pacing or the breaker would not have it sent, or not once more. */
export const hasToWait = (failure: Failure): boolean =>
  failure.reason === 'no-slot' ||
  failure.reason === 'circuit-open' ||
  (failure.retryAfterSeconds !== undefined && !asksForPause(failure));

/** Whether nothing of it can have reached the upstream, though it was meant to. */
export const wasNeverSent = (failure: Failure): boolean =>
  failure.reason === 'circuit-open' ||
  failure.reason === 'no-slot' ||
  failure.reason === 'queue-full' ||
  (isUnanswered(failure) && failure.inFlightMs === undefined);

/** Whether it is a write of which nobody knows what became. */
export const mayBeCarriedOut = (failure: Failure): boolean => {
  const { write, reason, status, inFlightMs } = failure;
  if (!write) return false;
  if (isUnanswered(failure)) return inFlightMs !== undefined;
  // What cannot be read under a success, or is no HTTP, may well be the answer of a success.
  if (reason === 'bad-response') return status === undefined || status < 300;
  return reason === 'status' && status !== undefined && status >= 500 && !beforeWork.has(status);
};

/** The two REST interfaces behind the gateway. */
export const upstreamNames = ['management', 'observability'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/**
 * Why a call gave no result.
 * `invalid-request`, `would-lose-data`, `no-credential`, `bad-credential`, `switched-off`, `not-in-profile`, `circuit-open`, `no-slot`, `over-budget`,
 * `no-room` and `never-whole` arise before anything is sent; `over-bytes` does so too, or in place of a read's answer that has come.
 */
export type FailureReason =
  | 'invalid-request'
  | 'would-lose-data'
  | 'no-credential'
  | 'bad-credential'
  | 'switched-off'
  | 'not-in-profile'
  | 'no-such-route'
  | 'not-found'
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'cut-off'
  | 'circuit-open'
  | 'no-slot'
  | 'queue-full'
  | 'over-budget'
  | 'over-bytes'
  | 'no-room'
  | 'never-whole'
  | 'bad-response'
  | 'aborted';

/** One breach of one documented rule: the member it is about, and a sentence for its sender. */
export interface Problem {
  /** Path from the body's root; for an identifier, its name alone. */
  readonly field: readonly string[];
  /** A sentence with its full stop. Says what was expected and what came, and never quotes a secret. */
  readonly message: string;
}

export interface Failure {
  readonly upstream: UpstreamName;
  readonly operation: string;
  readonly reason: FailureReason;
  /** Whether the operation changes something: a repeat could change it twice. */
  readonly write: boolean;
  /**
   * Where no answer came, milliseconds since the call reached a connection: a write that did may have been carried out.
   * Absent where it never did.
   */
  readonly inFlightMs?: number | undefined;
  /** Where no answer came, the code that the connection failed with, such as ECONNRESET. */
  readonly cause?: string | undefined;
  /** HTTP status, where an answer came. */
  readonly status?: number | undefined;
  /** The upstream's own id of the request, where its envelope carried one. */
  readonly requestId?: string | undefined;
  /** Seconds to wait, where a 429, a 503, the breaker or pacing told. */
  readonly retryAfterSeconds?: number | undefined;
  /** Whether a read that is not sent in time is read in the background. */
  readonly isReadOn?: boolean | undefined;
  /** One line: for a 4xx the upstream's own words, otherwise ours. Free of secrets, URLs and bodies. */
  readonly detail?: string | undefined;
  /** What a caller can do about it, where the service is known: a sentence in the place of the upstream's own words. */
  readonly advice?: string | undefined;
  /** A sentence on what became of the other calls of the same mutation. */
  readonly others?: string | undefined;
  readonly problems?: readonly Problem[] | undefined;
}

/** The one kind of error that the upstream layer throws: facts only; `errors.ts` gives them a code. */
export class UpstreamError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.upstream}.${failure.operation}: ${failure.reason}`);
    this.name = 'UpstreamError';
    this.failure = failure;
  }
}

/** The error of a read whose list, or whole, holds no such thing. */
export const notFoundIn = (upstream: UpstreamName, operation: string): UpstreamError =>
  new UpstreamError({ upstream, operation, reason: 'not-found', write: false });

/** Whether the error says that the operation cannot be had here at all (docs/architecture.md). */
export const isUnavailable = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  ['switched-off', 'not-in-profile', 'no-such-route'].includes(error.failure.reason);

/** Whether the error says that the thing asked for does not exist. */
export const isNotFound = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.failure.reason === 'not-found';
