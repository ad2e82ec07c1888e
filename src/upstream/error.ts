/** The two REST interfaces behind the gateway. */
export type UpstreamName = 'management' | 'observability';

/**
 * Why a call gave no result.
 * `invalid-request`, `no-credential`, `bad-credential`, `switched-off`, `circuit-open` and `over-budget`
 * arise before anything is sent.
 */
export type FailureReason =
  | 'invalid-request'
  | 'no-credential'
  | 'bad-credential'
  | 'switched-off'
  | 'no-such-route'
  | 'not-found'
  | 'status'
  | 'timeout'
  | 'unreachable'
  | 'cut-off'
  | 'circuit-open'
  | 'queue-full'
  | 'over-budget'
  | 'bad-response'
  | 'aborted';

/** One breach of one documented rule: the member it is about, and a sentence for its sender. */
export interface Problem {
  /** Path from the body's root; for an identifier, its name alone. */
  readonly field: readonly string[];
  /** Says what was expected and what came, and never quotes a secret. */
  readonly message: string;
}

export interface Failure {
  readonly upstream: UpstreamName;
  readonly operation: string;
  readonly reason: FailureReason;
  /** Whether the operation changes something: a repeat could change it twice. */
  readonly write: boolean;
  /** Whether it reached a connection to the upstream, where no answer came: a write that did may have been carried out. */
  readonly sent?: boolean | undefined;
  /** HTTP status, where an answer came. */
  readonly status?: number | undefined;
  /** The upstream's own id of the request, where its envelope carried one. */
  readonly requestId?: string | undefined;
  /** Seconds to wait, where a 429, a 503 or the breaker told. */
  readonly retryAfterSeconds?: number | undefined;
  /** One line: for a 4xx the upstream's own words, otherwise ours. Free of secrets, URLs and bodies. */
  readonly detail?: string | undefined;
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

/** Whether the error says that the operation cannot be had here at all (design, section 6). */
export const isUnavailable = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  (error.failure.reason === 'switched-off' || error.failure.reason === 'no-such-route');

/** Whether the error says that the thing asked for does not exist. */
export const isNotFound = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.failure.reason === 'not-found';
