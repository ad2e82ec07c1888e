import type { GraphQLError } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import type { ErrorCode } from '../errors/describe.ts';
import { toGraphQLErrors } from '../errors/errors.ts';
import { errorFacts, type Log } from '../log.ts';
import { idsOf } from '../request/call-facts.ts';
import type { CallerIds } from '../upstream/call.ts';
import type { Callers } from './caller.ts';
import { changeErrors, mapParts } from './parts.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Replaces errors by those that a client may see. `before` counts the errors in earlier parts of the response. */
export const createErrorExit =
  (log: Log) =>
  (errors: readonly unknown[], caller: CallerIds, before = 0): readonly GraphQLError[] => {
    const onUnexpected = (error: unknown): void =>
      log.error({ ...idsOf(caller), ...errorFacts(error) }, 'unexpected error');
    return toGraphQLErrors(errors, { requestId: caller.requestId, onUnexpected }, before);
  };

/** The HTTP status of a response without data. If `spec` is true, Yoga omits it for `application/json`. */
const withStatus = (error: GraphQLError): GraphQLError => {
  const isOurs = error.extensions.code === ('INTERNAL_SERVER_ERROR' satisfies ErrorCode);
  error.extensions.http ??= isOurs ? { status: 500 } : { status: 400, spec: true };
  return error;
};

/**
 * Converts every error with `toGraphQLError`, including errors of requests that were never executed. GraphQL over HTTP
 * requires an error status for an `application/graphql-response+json` without data.
 */
export const useErrors = (
  callers: Callers,
  exit: ReturnType<typeof createErrorExit>,
): GatewayPlugin => ({
  onResultProcess: ({ serverContext, result, setResult }) => {
    const incoming = callers.get(serverContext.req);
    if (!incoming || incoming.isStream || Array.isArray(result)) return;
    const { caller } = incoming;
    if (isAsyncIterable(result)) {
      let before = 0;
      const change = (errors: readonly GraphQLError[]): readonly GraphQLError[] => {
        const shown = exit(errors, caller, before);
        before += errors.length;
        return shown;
      };
      setResult(mapParts(result, { onPart: (part) => changeErrors(part, change) }));
      return;
    }
    if (!result.errors) return;
    const errors = exit(result.errors, caller);
    setResult({ ...result, errors: 'data' in result ? errors : errors.map(withStatus) });
  },
});
