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
export const useErrors = (callers: Callers, log: Log): Plugin => ({
  onResultProcess: ({ request, result, setResult }) => {
    if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
    const requestId = callers.get(request)?.requestId ?? '';
    const onUnexpected = (error: unknown): void =>
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
    const errors = result.errors.map((error) => toGraphQLError(error, { requestId, onUnexpected }));
    setResult({ ...result, errors });
  },
});

/**
 * Refuses a POST that is not JSON. A browser sends the other media types that Yoga knows without asking
 * the server first, so any page could have a visitor run a mutation.
 */
export const useJsonAlone = (callers: Callers): Plugin => ({
  onRequestParse: ({ request, endResponse, fetchAPI }) => {
    const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (request.method !== 'POST') return;
    if (mediaType === 'application/json' || mediaType === 'application/graphql+json') return;
    const message = 'Send the operation as JSON, with the header "content-type: application/json".';
    const requestId = callers.get(request)?.requestId;
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    endResponse(new fetchAPI.Response(JSON.stringify(body), { status: 415, headers }));
  },
});

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
