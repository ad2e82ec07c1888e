/** Codes of the gateway's errors; the gateway's docs/clients.md says when each occurs. */
export type GatewayErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_BAD_RESPONSE'
  | 'UPSTREAM_ERROR'
  | 'UPSTREAM_BUDGET_EXCEEDED'
  | 'OPERATION_UNAVAILABLE'
  | 'SERVICE_NOT_RUNNING'
  | 'INTERNAL_SERVER_ERROR'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'BAD_REQUEST'
  | 'REQUEST_ENTITY_TOO_LARGE'
  | 'LIMIT_EXCEEDED'
  | 'MUTATIONS_OFF'
  | 'PERSISTED_OPERATION_REQUIRED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED';

/**
 * Codes of the client's own errors. `NETWORK_ERROR`: no complete answer came; a mutation may have been carried out.
 * `BAD_ANSWER`: the response is not an answer of the gateway, but for example a proxy's HTML page; or `fetch` cannot stream the
 * answer to a subscription. `BAD_CREDENTIAL`: a credential is not valid in a header, and nothing was sent.
 */
export type ClientErrorCode = 'NETWORK_ERROR' | 'BAD_ANSWER' | 'BAD_CREDENTIAL';

/** All current codes. A newer gateway may have more, so the type accepts any string. */
export type SluiceErrorCode = GatewayErrorCode | ClientErrorCode | (string & Record<never, never>);

/** One error of an answer. */
export interface SluiceProblem {
  /** A sentence in English. */
  readonly message: string;
  readonly code: SluiceErrorCode;
  /** The field that failed, as a path from the root; absent if the operation was not executed. */
  readonly path?: readonly (string | number)[];
  /** The REST operation that failed, if the error comes from an upstream. */
  readonly upstream?: {
    /** `management` or `observability`. */
    readonly name: string;
    readonly operation: string;
    /** HTTP status of the upstream's answer, if it answered. */
    readonly status?: number;
    /** The upstream's own id of the call. */
    readonly requestId?: string;
  };
  /** The gateway's id of the request, which is also in its log. */
  readonly requestId?: string;
  /** Whether the same request can be sent again unchanged. */
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
  /** For `UPSTREAM_BUDGET_EXCEEDED`: the setting of the gateway that sets the limit. */
  readonly setting?: string;
  /** For `LIMIT_EXCEEDED` and `REQUEST_ENTITY_TOO_LARGE`: the name of the limit; `allowed` is its value. */
  readonly limit?: string;
  readonly allowed?: number;
}

/** Details of a failed request in addition to its problems. */
export interface SluiceErrorDetails {
  /** The data that the answer has in addition to its errors. */
  readonly data?: unknown;
  readonly requestId?: string | undefined;
  /** HTTP status of the gateway's answer. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A request without an answer, or whose answer has errors. Contains no credential. */
export class SluiceError extends Error {
  /** The code of the first problem. */
  readonly code: SluiceErrorCode;
  /** At least one, in the order of the answer. */
  readonly problems: readonly SluiceProblem[];
  /** The gateway's id of the request, if the answer has it. */
  readonly requestId: string | undefined;
  /** HTTP status of the gateway's answer; undefined without an answer. */
  readonly status: number | undefined;
  // Private, since an answer may contain secrets, and loggers print all public properties of errors.
  readonly #data: unknown;

  constructor(
    problems: readonly [SluiceProblem, ...SluiceProblem[]],
    { data = null, requestId = problems[0].requestId, status, cause }: SluiceErrorDetails = {},
  ) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(problems[0].message + more, cause === undefined ? undefined : { cause });
    this.name = 'SluiceError';
    this.code = problems[0].code;
    this.problems = problems;
    this.requestId = requestId;
    this.status = status;
    this.#data = data;
  }

  /** The data that the answer has in addition to its errors, with null for failed fields; null without data. */
  get data(): unknown {
    return this.#data;
  }
}
