import {
  type Failure,
  type FailureReason,
  mayBeCarriedOut,
  wasNeverSent,
} from '../upstream/error.ts';
import { mostReadsOfRequest } from '../upstream/reads/recently-asked.ts';
import { isBadGateway, isProxyTimeout } from '../upstream/sending/proxy-statuses.ts';
import { sentence } from './sentence.ts';

/** The codes of top-level errors: public API (docs/architecture.md). */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_BAD_RESPONSE'
  | 'UPSTREAM_ERROR'
  | 'OPERATION_UNAVAILABLE'
  | 'SERVICE_NOT_RUNNING'
  | 'UPSTREAM_BUDGET_EXCEEDED'
  | 'INTERNAL_SERVER_ERROR';

const codesOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
  503: 'UPSTREAM_UNAVAILABLE',
};

const codeOfStatus = ({ status, write }: Failure): ErrorCode => {
  // The upstream has the request, and may still be working on the change.
  if (write && status === 520) return 'UPSTREAM_TIMEOUT';
  if (isBadGateway(status)) return 'UPSTREAM_UNAVAILABLE';
  if (isProxyTimeout(status)) return 'UPSTREAM_TIMEOUT';
  return codesOfStatus[status ?? 0] ?? 'UPSTREAM_ERROR';
};

/** The message for a 424. Advice replaces the upstream's words, which would only name REST commands. */
const notRunning = (words: string | undefined, advice: string | undefined): string => {
  if (advice !== undefined) return `The service is not running. ${advice}`;
  return words === undefined
    ? 'The service is not running.'
    : `The service is not running: ${words}`;
};

interface Description {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The code and the message for each reason of a failure. */
const describeReason = (failure: Failure, longest?: number): Description => {
  const { upstream, operation, reason, status, detail, problems, members, part } = failure;
  const { destination = upstream } = failure;
  const words = detail === undefined ? undefined : sentence(detail, longest);
  switch (reason) {
    case 'invalid-request':
    case 'would-lose-data':
      return {
        code: 'BAD_USER_INPUT',
        message: problems?.map((problem) => problem.message).join(' ') ?? 'The input is not valid.',
      };
    case 'no-credential':
      return {
        code: 'UNAUTHENTICATED',
        message: `This field needs a credential for ${upstream}: send the header "${detail}".`,
      };
    case 'bad-credential':
      return {
        code: 'UNAUTHENTICATED',
        message: `The credential for ${upstream} was refused: ${detail}.`,
      };
    case 'switched-off':
      return {
        code: 'OPERATION_UNAVAILABLE',
        message: `This field needs ${operation}, a read that ${upstream} does not document. This gateway has such reads switched off (EXTENDED_READS).`,
      };
    case 'not-in-profile':
      return {
        code: 'OPERATION_UNAVAILABLE',
        message: `${members ? `The input has ${members.join(', ')}` : `This field needs ${operation}`}, which ${upstream} does not have with the profile ${detail} of this gateway.`,
      };
    case 'apart':
      return {
        code: 'OPERATION_UNAVAILABLE',
        message: `With the profile ${detail} of this gateway, ${upstream} is not below a service. Query it from the root.`,
      };
    case 'no-service':
      return {
        code: 'OPERATION_UNAVAILABLE',
        message:
          'With the profile clickstack-cloud of this gateway, each service has dashboards and alerts of its own. Query them below the service, such as Service.dashboards, or name it with the argument service. The gateway can also have a default (CLICKSTACK_SERVICE).',
      };
    case 'no-such-route':
      return {
        code: 'OPERATION_UNAVAILABLE',
        message:
          failure.advice ??
          `This field needs ${operation}, but ${upstream} has no such route (status ${status}). If it should have one, check its URL in the gateway's settings.`,
      };
    case 'not-found': {
      const nothing = part
        ? `${upstream} has no ${part.name} for this object`
        : `${upstream} has nothing with this identifier`;
      const message = part && words ? `${nothing}: ${words}` : (words ?? `${nothing}.`);
      return { code: 'NOT_FOUND', message };
    }
    case 'timeout':
      return {
        code: 'UPSTREAM_TIMEOUT',
        message: `${upstream} did not answer ${operation} in time.`,
      };
    case 'unreachable':
      return {
        code: 'UPSTREAM_UNAVAILABLE',
        message: `${upstream} could not be reached for ${operation}.`,
      };
    case 'cut-off':
      return {
        code: 'UPSTREAM_UNAVAILABLE',
        message: `${upstream} broke off before it had answered ${operation}.`,
      };
    case 'circuit-open':
      return {
        code: 'UPSTREAM_UNAVAILABLE',
        message: `${destination} has failed repeatedly, so no calls are sent to it for some seconds.`,
      };
    case 'no-slot':
      return {
        code: 'RATE_LIMITED',
        message: `The rate limit of ${destination} is used up for this credential. Retry in ${failure.retryAfterSeconds} s.`,
      };
    case 'stopping':
      return {
        code: 'RATE_LIMITED',
        message: `This gateway is stopping, and has not sent ${operation}. Retry in ${failure.retryAfterSeconds} s.`,
      };
    case 'queue-full':
      return {
        code: 'UPSTREAM_UNAVAILABLE',
        message: `Too many calls wait for ${destination} already.`,
      };
    case 'over-budget':
      return {
        code: 'UPSTREAM_BUDGET_EXCEEDED',
        message: `This field needs ${operation}, but this GraphQL operation has already made as many upstream calls as it may (MAX_UPSTREAM_CALLS).`,
      };
    case 'over-bytes':
      return {
        code: 'UPSTREAM_BUDGET_EXCEEDED',
        message: `This field needs ${operation}, but the upstreams' answers to this GraphQL operation are too large together.`,
      };
    case 'too-many-reads':
      return {
        code: 'UPSTREAM_BUDGET_EXCEEDED',
        message: `This field needs ${operation}, but this GraphQL operation has already asked for ${mostReadsOfRequest} upstream reads, and may ask for no more. Ask for less at a time.`,
      };
    case 'aborted':
      return {
        code: 'UPSTREAM_TIMEOUT',
        message: `${operation} was given up before ${upstream} answered.`,
      };
    case 'bad-response':
      return {
        code: 'UPSTREAM_BAD_RESPONSE',
        message: `${upstream} answered ${operation} in a way that cannot be used: ${detail ?? 'its answer is not HTTP, or too large'}.`,
      };
    case 'status':
      if (status === 401) {
        const why = words === undefined ? '.' : `: ${words}`;
        const message = `The credential for ${upstream} was refused${why}`;
        return { code: 'UNAUTHENTICATED', message };
      }
      if (status === 424) {
        return { code: 'SERVICE_NOT_RUNNING', message: notRunning(words, failure.advice) };
      }
      return {
        code: codeOfStatus(failure),
        message: [
          words ?? `${upstream} answered ${operation} with status ${status}.`,
          ...(failure.advice === undefined ? [] : [failure.advice]),
        ].join(' '),
      };
  }
};

/**
 * The code and the message; for a write, also whether it may have been carried out.
 *
 * @param longest the most characters of the upstream's words, if not the usual number
 */
export const describe = (failure: Failure, longest?: number): Description => {
  const { code, message: own } = describeReason(failure, longest);
  const message = failure.others === undefined ? own : `${failure.others} ${own}`;
  if (mayBeCarriedOut(failure))
    return { code, message: `${message} The write may have been carried out.` };
  if (failure.write && wasNeverSent(failure)) {
    return { code, message: `${message} The write was not sent.` };
  }
  return { code, message };
};

/**
 * Whether the same request may simply be sent again. A write that may have reached its upstream must not be repeated:
 * no operation knows idempotency keys. A 429 itself changed nothing, but another call of the mutation may have.
 */
const isRetryable = (code: ErrorCode, failure: Failure): boolean =>
  failure.others === undefined &&
  (code === 'RATE_LIMITED' ||
    ((!failure.write || wasNeverSent(failure)) &&
      (code === 'UPSTREAM_TIMEOUT' || code === 'UPSTREAM_UNAVAILABLE')));

/** The whole seconds to wait before a retry, if the failure tells them. */
export const secondsToWait = ({ retryAfterSeconds }: Failure): number | undefined =>
  retryAfterSeconds === undefined ? undefined : Math.ceil(retryAfterSeconds);

/** The setting that set the limit. */
const settings: Readonly<Partial<Record<FailureReason, string>>> = {
  'over-budget': 'MAX_UPSTREAM_CALLS',
};

/** The extensions of the error for a failure. */
export const upstreamExtensions = (failure: Failure): Record<string, unknown> => {
  const { code } = describe(failure);
  const retryAfterSeconds = secondsToWait(failure);
  const setting = settings[failure.reason];
  return {
    code,
    ...(setting !== undefined && { setting }),
    upstream: {
      name: failure.upstream,
      operation: failure.operation,
      ...(failure.status !== undefined && { status: failure.status }),
      ...(failure.requestId !== undefined && { requestId: failure.requestId }),
    },
    retryable: isRetryable(code, failure),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
};
