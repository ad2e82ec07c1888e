/** Statuses of requests that were refused before any work. With another 5xx the work may have begun. */
const beforeWork = new Set([501, 503, 505, 511]);

/** Whether the call failed because no answer came. */
const isUnanswered = ({ reason }: Failure): boolean =>
  reason === 'timeout' || reason === 'aborted' || reason === 'unreachable' || reason === 'cut-off';

/** Whether the upstream has asked for a pause. */
export const asksForPause = ({ status, retryAfterSeconds }: Failure): boolean =>
  status === 429 || (status === 503 && retryAfterSeconds !== undefined);

/** Whether pacing or the breaker kept the call from being sent, or from being sent again. */
export const hasToWait = (failure: Failure): boolean =>
  failure.reason === 'no-slot' ||
  failure.reason === 'stopping' ||
  failure.reason === 'circuit-open' ||
  (failure.retryAfterSeconds !== undefined && !asksForPause(failure));

/** Whether no part of the call can have reached the upstream. */
export const wasNeverSent = (failure: Failure): boolean =>
  failure.reason === 'circuit-open' ||
  failure.reason === 'no-slot' ||
  failure.reason === 'stopping' ||
  failure.reason === 'queue-full' ||
  (isUnanswered(failure) && failure.inFlightMs === undefined);

/** Whether it is a write that may or may not have been carried out. */
export const mayBeCarriedOut = (failure: Failure): boolean => {
  const { write, reason, status, inFlightMs } = failure;
  if (!write) return false;
  if (isUnanswered(failure)) return inFlightMs !== undefined;
  // A success with an unreadable answer, or an answer that is not HTTP, may mean a successful write.
  // So does a redirect to the result.
  if (reason === 'bad-response') return status === undefined || status < 300 || status === 303;
  return reason === 'status' && status !== undefined && status >= 500 && !beforeWork.has(status);
};

/** The two REST interfaces behind the gateway. */
export const upstreamNames = ['management', 'observability'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/**
 * Why a call gave no result. These reasons arise before anything is sent: `invalid-request`, `would-lose-data`,
 * `no-credential`, `bad-credential`, `switched-off`, `not-in-profile`, `no-service`, `apart`, `circuit-open`, `no-slot`,
 * `stopping`, `queue-full`, `over-budget` and `too-many-reads`. `over-bytes` arises before, or with an answer that is too large.
 */
export type FailureReason =
  | 'invalid-request'
  | 'would-lose-data'
  | 'no-credential'
  | 'bad-credential'
  | 'switched-off'
  | 'not-in-profile'
  | 'no-service'
  | 'apart'
  | 'no-such-route'
  | 'not-found'
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'cut-off'
  | 'circuit-open'
  | 'no-slot'
  | 'stopping'
  | 'queue-full'
  | 'over-budget'
  | 'over-bytes'
  | 'too-many-reads'
  | 'bad-response'
  | 'aborted';

/** One breach of a documented rule. */
export interface Problem {
  /** The path from the body's root; for an identifier, only its name. */
  readonly field: readonly string[];
  /** A sentence with a full stop. It says which value is expected and which came, and never quotes a secret. */
  readonly message: string;
}

/** A part of an object that is read with a path of its own. */
export interface Part {
  readonly name: string;
  /** The member of the input that is the part; null if the part is the whole input. */
  readonly field: readonly string[] | null;
}

export interface Failure {
  readonly upstream: UpstreamName;
  /** The upstream that serves it, if that is another one. */
  readonly destination?: UpstreamName;
  readonly operation: string;
  readonly reason: FailureReason;
  /** Whether the operation changes something: a repeat could change it twice. */
  readonly write: boolean;
  /**
   * If no answer came: the milliseconds since the call was given to a connection. From then on a write may have been
   * carried out. Absent if the call had no connection yet.
   */
  readonly inFlightMs?: number | undefined;
  /** If no answer came, the code of the connection's error, such as ECONNRESET. */
  readonly cause?: string | undefined;
  /** The HTTP status, if an answer came. */
  readonly status?: number | undefined;
  /** The upstream's own id of the request, if its envelope has one. */
  readonly requestId?: string | undefined;
  /** Seconds to wait, if a 429, a 503, the breaker or the gate tells them. */
  readonly retryAfterSeconds?: number | undefined;
  /** Whether the read goes on in the background, since it could not be sent in time. */
  readonly isReadOn?: boolean | undefined;
  /** One line: for a 4xx the upstream's own words, otherwise the gateway's. It holds no secret, URL or body. */
  readonly detail?: string | undefined;
  /** What it means or what a caller can do, if the profile knows: a sentence in place of the upstream's own words. */
  readonly advice?: string | undefined;
  /** A sentence about the results of the other calls of the same mutation. */
  readonly others?: string | undefined;
  readonly problems?: readonly Problem[] | undefined;
  /** For `not-found`: the part that is missing, if the object itself exists. */
  readonly part?: Part | undefined;
  /** For `not-in-profile`: the members of the input that need the operation; absent if the whole field does. */
  readonly members?: readonly string[] | undefined;
}

/** The only error that `src/upstream/` throws. It holds facts; `src/errors/` adds a code and a message. */
export class UpstreamError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.upstream}.${failure.operation}: ${failure.reason}`);
    this.name = 'UpstreamError';
    this.failure = failure;
  }
}

/** The error for an item that is missing in a list or a parent that was read. */
export const notFoundIn = (upstream: UpstreamName, operation: string): UpstreamError =>
  new UpstreamError({ upstream, operation, reason: 'not-found', write: false });

/** The error for a write that was carried out, but whose answer lacks something that no later read returns. */
export const lackingIn = (
  upstream: UpstreamName,
  operation: string,
  detail: string,
): UpstreamError =>
  new UpstreamError({ upstream, operation, reason: 'bad-response', write: false, detail });

/** Whether the error says that the operation is not available here at all (docs/architecture.md). */
export const isUnavailable = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  ['switched-off', 'not-in-profile', 'no-such-route'].includes(error.failure.reason);

/** Whether the error says that the object does not exist. */
export const isNotFound = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.failure.reason === 'not-found';
