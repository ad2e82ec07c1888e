import { GraphQLError } from 'graphql';
import { type Failure, UpstreamError } from '../upstream/error.ts';
import { longestLine } from '../upstream/secrets.ts';
import { describe, type ErrorCode, secondsToWait, upstreamExtensions } from './describe.ts';
import { withoutQuotedInput } from './quoted-input.ts';

/** Whether the request was refused before any resolver ran. */
const isRequestError = (error: GraphQLError): boolean => error.path === undefined;

/** The innermost error: the one that was thrown first. */
const rootOf = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? rootOf(error.originalError) : error;

const misfits = [
  /^Cannot return null for non-nullable field/,
  /^Expected Iterable/,
  /^Expected value of type/,
  /^(?:\w+|Enum "\w+") cannot represent/,
  /^Expected `/,
];

/**
 * Whether the executor itself threw the error, because a value of an upstream does not fit the schema. Some executors
 * throw a GraphQLError, and some a plain error with the same message.
 */
const isMisfit = (error: GraphQLError, root: unknown): boolean =>
  error.path !== undefined &&
  root instanceof Error &&
  misfits.some((pattern) => pattern.test(root.message));

/**
 * Whether an upstream, and not the caller, gave the identifier that was refused: a field without arguments takes the
 * identifier from its parent.
 */
const isOwnIdentifier = (located: GraphQLError | undefined, { failure }: UpstreamError): boolean =>
  failure.reason === 'invalid-request' &&
  !failure.write &&
  (located?.path?.length ?? 0) > 1 &&
  located?.nodes?.every((node) => node.kind === 'Field' && !node.arguments?.length) === true;

/** The failure with the names of the field's arguments: most fields call `id` what the REST path calls `serviceId`. */
const asFieldNamesIt = (located: GraphQLError | undefined, failure: Failure): Failure => {
  const [node] = located?.nodes ?? [];
  if (node?.kind !== 'Field' || !node.arguments?.some(({ name }) => name.value === 'id')) {
    return failure;
  }
  const inPath = `${node.name.value}Id `;
  const problems = failure.problems?.map((problem) => ({
    ...problem,
    message: problem.message.startsWith(inPath)
      ? `id ${problem.message.slice(inPath.length)}`
      : problem.message,
  }));
  return { ...failure, problems };
};

const ownIdentifier = (failure: Failure): Failure => ({
  ...failure,
  reason: 'bad-response',
  detail: `it sent an identifier earlier that cannot be used: ${failure.problems?.[0]?.field.join('.')}`,
});

interface ErrorContext {
  /** The id that the gateway uses for the request. */
  readonly requestId: string;
  /** Called for every error for which the gateway itself is to blame. */
  readonly onUnexpected: (error: unknown) => void;
}

/** The only way out for errors: each becomes a GraphQLError with a code, without any URL, header, body or stack. */
const toGraphQLError = (error: unknown, context: ErrorContext): GraphQLError => {
  const located = error instanceof GraphQLError ? error : undefined;
  const root = rootOf(error);
  const where = located && {
    nodes: located.nodes ?? null,
    source: located.source ?? null,
    positions: located.positions ?? null,
    path: located.path ?? null,
  };
  const make = (message: string, extensions: Record<string, unknown>) =>
    new GraphQLError(message, {
      ...where,
      extensions: { ...extensions, requestId: context.requestId },
    });

  if (root instanceof UpstreamError) {
    const failure = isOwnIdentifier(located, root)
      ? ownIdentifier(root.failure)
      : asFieldNamesIt(located, root.failure);
    return make(describe(failure).message, upstreamExtensions(failure));
  }
  if (located && isRequestError(located) && root instanceof GraphQLError) {
    // Other extensions may quote the request: Yoga, for example, adds the parser's message about a body.
    const { http, code, limit, allowed, setting, retryable, retryAfterSeconds } =
      located.extensions;
    return make(withoutQuotedInput(located.message, located.originalError?.message), {
      // The status of the HTTP answer, which Yoga removes before it prints the error. A body that is not a GraphQL
      // request gets 400, whatever media type the caller accepts.
      ...(http !== undefined && { http: code === 'BAD_REQUEST' ? { ...http, spec: false } : http }),
      code: code ?? 'BAD_USER_INPUT',
      ...(limit !== undefined && { limit, allowed }),
      ...(setting !== undefined && { setting }),
      ...(retryable !== undefined && { retryable, retryAfterSeconds }),
    });
  }
  if (located && root instanceof GraphQLError && located.extensions.code !== undefined) {
    return make(located.message, located.extensions);
  }
  if (located && isMisfit(located, root)) {
    const field = located.path?.at(-1);
    return make(`The upstream sent a value for "${field}" that does not fit the schema.`, {
      code: 'UPSTREAM_BAD_RESPONSE' satisfies ErrorCode,
      retryable: false,
    });
  }
  context.onUnexpected(root);
  return make('Unexpected error.', { code: 'INTERNAL_SERVER_ERROR' satisfies ErrorCode });
};

/** The most errors of one answer: more would not be read. */
const maxErrors = 100;

/** Whether the error says that a read waits for the rate limit. A large page has many of these. */
const isOfPacing = (error: unknown): boolean => {
  const root = rootOf(error);
  return root instanceof UpstreamError && root.failure.reason === 'no-slot';
};

/** The errors, those of pacing last: they must not hide others, which do not go away by themselves. */
const mostTelling = (errors: readonly unknown[]): readonly unknown[] => [
  ...errors.filter((error) => !isOfPacing(error)),
  ...errors.filter(isOfPacing),
];

/**
 * Applies `toGraphQLError` to the errors of an answer. After the first hundred, one more error tells the number of the
 * others.
 *
 * @param before the number of errors in earlier parts of the same answer
 */
export const toGraphQLErrors = (
  errors: readonly unknown[],
  context: ErrorContext,
  before = 0,
): readonly GraphQLError[] => {
  const room = Math.max(0, maxErrors - before);
  const shown = (errors.length > room ? mostTelling(errors) : errors)
    .slice(0, room)
    .map((error) => toGraphQLError(error, context));
  const leftOut = errors.length - shown.length;
  if (leftOut === 0) return shown;
  const message = `The answer may have at most ${maxErrors} errors: ${leftOut} more were left out.`;
  const { requestId } = context;
  const extensions = { code: 'LIMIT_EXCEEDED', limit: 'errors', allowed: maxErrors, requestId };
  return [...shown, new GraphQLError(message, { extensions })];
};

/** Why a part of an answer could not be read, for answers that report this as data. */
interface Unread {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
}

/**
 * The error of one of many similar reads, as data. Undefined if the failure concerns all of them, such as a refused
 * credential, or answers that are too large together: nobody would see it in a list of missing items.
 */
export const toUnread = ({ failure: own }: UpstreamError): Unread | undefined => {
  if (own.reason === 'over-bytes') return undefined;
  // For such reads, the upstream sent the identifiers.
  const failure = own.reason === 'invalid-request' ? ownIdentifier(own) : own;
  const { code, message } = describe(failure);
  if (code === 'UNAUTHENTICATED') return undefined;
  return { code, message, retryAfterSeconds: secondsToWait(failure) };
};

/** A refusal that a mutation reports in `userErrors`. */
export interface Refusal {
  readonly code:
    | 'BAD_USER_INPUT'
    | 'REJECTED'
    | 'CONFLICT'
    | 'SERVICE_NOT_RUNNING'
    | 'WOULD_LOSE_DATA';
  readonly message: string;
  readonly field: readonly string[] | null;
}

/**
 * The refusals that an error means; undefined if mutations do not report such a failure as data. An upstream's message
 * is not shortened: it may name several members.
 */
export const toRefusals = (error: unknown): readonly Refusal[] | undefined => {
  if (!(error instanceof UpstreamError)) return undefined;
  const { reason, status, problems, part } = error.failure;
  if (reason === 'invalid-request') {
    return problems?.map(({ field, message }) => ({ code: 'BAD_USER_INPUT', message, field }));
  }
  if (reason === 'would-lose-data') {
    return problems?.map(({ field, message }) => ({ code: 'WOULD_LOSE_DATA', message, field }));
  }
  const { message } = describe(error.failure, longestLine);
  if (reason === 'not-found' && part) return [{ code: 'REJECTED', message, field: part.field }];
  if (reason !== 'status') return undefined;
  if (status === 400 || status === 422) return [{ code: 'REJECTED', message, field: null }];
  if (status === 409) return [{ code: 'CONFLICT', message, field: null }];
  if (status === 424) return [{ code: 'SERVICE_NOT_RUNNING', message, field: null }];
  return undefined;
};
