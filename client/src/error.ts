/** Codes of the gateway's errors; docs/clients.md of the gateway says when each occurs. */
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
  | 'PERSISTED_OPERATION_REQUIRED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED';

/**
 * Codes of the client's own errors. `NETWORK_ERROR`: no answer came, or not all of it; a mutation may have
 * been carried out. `BAD_ANSWER`: what came is no answer of the gateway, such as a proxy's page of HTML.
 * `BAD_CREDENTIAL`: a credential cannot stand in a header, and nothing was sent.
 */
export type ClientErrorCode = 'NETWORK_ERROR' | 'BAD_ANSWER' | 'BAD_CREDENTIAL';

/** Every code there is today; a newer gateway may have more, so the type takes any string. */
export type SluiceErrorCode = GatewayErrorCode | ClientErrorCode | (string & Record<never, never>);

/** One error of an answer. */
export interface SluiceProblem {
  /** A sentence in English. */
  readonly message: string;
  readonly code: SluiceErrorCode;
  /** The field that failed, from the root on; absent where nothing came to run. */
  readonly path?: readonly (string | number)[];
  /** The REST operation that failed, where one did. */
  readonly upstream?: {
    /** `management` or `observability`. */
    readonly name: string;
    readonly operation: string;
    /** HTTP status of the upstream's answer, where one came. */
    readonly status?: number;
    /** The upstream's own id of the call. */
    readonly requestId?: string;
  };
  /** The gateway's id of the request; its log has the same. */
  readonly requestId?: string;
  /** Whether the same request may simply be sent again. */
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
  /** With `UPSTREAM_BUDGET_EXCEEDED`: the setting of the gateway that allows no more. */
  readonly setting?: string;
  /** With `LIMIT_EXCEEDED` and `REQUEST_ENTITY_TOO_LARGE`: the limit's name, and how much it allows. */
  readonly limit?: string;
  readonly allowed?: number;
}

/** What is known of a failed request beside its problems. */
export interface SluiceErrorDetails {
  /** What the answer holds all the same. */
  readonly data?: unknown;
  readonly requestId?: string | undefined;
  /** HTTP status of the gateway's answer. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A request without an answer, or with an answer that has errors. Holds no credential. */
export class SluiceError extends Error {
  /** The code of the first problem. */
  readonly code: SluiceErrorCode;
  /** At least one, in the order of the answer. */
  readonly problems: readonly SluiceProblem[];
  /** The gateway's id of the request, where the answer tells it. */
  readonly requestId: string | undefined;
  /** HTTP status of the gateway's answer; undefined where none came. */
  readonly status: number | undefined;
  // Private, since an answer may hold secrets, and errors are logged with all that they show.
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

  /** What the answer holds all the same: the document's data with null for what failed, or null. */
  get data(): unknown {
    return this.#data;
  }
}
