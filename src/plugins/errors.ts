import type { GraphQLError } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { ErrorCode } from '../errors/describe.ts';
import { toGraphQLErrors } from '../errors/errors.ts';
import { errorFacts, type Log } from '../log.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Makes the errors of a result those that a client may see. */
export const createErrorExit =
  (log: Log) =>
  (errors: readonly unknown[], requestId: string): readonly GraphQLError[] => {
    const onUnexpected = (error: unknown): void =>
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
    return toGraphQLErrors(errors, { requestId, onUnexpected });
  };

/** The HTTP status of a response without data. Yoga leaves it out of `application/json` where `spec` is true. */
const withStatus = (error: GraphQLError): GraphQLError => {
  const isOurs = error.extensions.code === ('INTERNAL_SERVER_ERROR' satisfies ErrorCode);
  error.extensions.http ??= isOurs ? { status: 500 } : { status: 400, spec: true };
  return error;
};

/**
 * Lets every error leave through `toGraphQLError`, those too of requests that were never executed. GraphQL over HTTP
 * asks for a status of failure where an `application/graphql-response+json` has no data.
 */
export const useErrors = (
  callers: Callers,
  exit: ReturnType<typeof createErrorExit>,
): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const incoming = callers.get(serverContext.req);
    if (!incoming || Array.isArray(result) || isAsyncIterable(result) || !result.errors) return;
    const errors = exit(result.errors, incoming.caller.requestId);
    setResult({ ...result, errors: 'data' in result ? errors : errors.map(withStatus) });
  },
});
