import { NoSchemaIntrospectionCustomRule } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { toGraphQLError } from './errors.ts';
import { errorFacts, type Log } from './log.ts';
import { callerOf } from './request.ts';
import type { UpstreamCaller } from './upstream/index.ts';

/** What is known of each request while it is under way. */
export type Callers = WeakMap<Request, UpstreamCaller>;

/** Reads the caller off each request, and gives the answer the request's id as `x-request-id`. */
export const useCallers = (callers: Callers): Plugin => ({
  onRequest: ({ request }) => {
    callers.set(request, callerOf(request));
  },
  onResponse: ({ request, response }) => {
    const requestId = callers.get(request)?.requestId;
    if (requestId !== undefined) response.headers.set('x-request-id', requestId);
  },
});

/** Lets every error of every result leave through `toGraphQLError`. */
export const useErrors = (callers: Callers, log: Log): Plugin => {
  const variables = new WeakMap<Request, unknown>();
  return {
    onParams: ({ request, params }) => {
      variables.set(request, params.variables);
    },
    onResultProcess: ({ request, result, setResult }) => {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      const requestId = callers.get(request)?.requestId ?? '';
      setResult({
        ...result,
        errors: result.errors.map((error) =>
          toGraphQLError(error, {
            requestId,
            variables: variables.get(request),
            onUnexpected: (cause) =>
              log.error({ requestId, ...errorFacts(cause) }, 'unexpected error'),
          }),
        ),
      });
    },
  };
};

/**
 * With the request header `Sluice-Explain: 1`, tells in the answer's `extensions.upstream` which calls
 * the operation made.
 */
export const useExplain = (callers: Callers): Plugin => ({
  onResultProcess: ({ request, result, setResult }) => {
    if (request.headers.get('sluice-explain') !== '1') return;
    if (Array.isArray(result) || isAsyncIterable(result)) return;
    const upstream = callers.get(request)?.calls.list() ?? [];
    setResult({ ...result, extensions: { ...result.extensions, upstream } });
  },
});

/** Refuses questions about the schema itself. */
export const useNoIntrospection = (): Plugin => ({
  onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
});
