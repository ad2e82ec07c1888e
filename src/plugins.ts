import type { DocumentNode } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Documents } from './documents.ts';
import type { Execute } from './executor.ts';
import type { Finish } from './finish.ts';
import { type Incoming, incomingOf } from './request.ts';
import { cancellationOf } from './upstream/cancellation.ts';

/** What is known of each request that Yoga has under way. */
export type IncomingRequests = WeakMap<Request, Incoming>;

/** Reads what there is to know off each request, and gives its answer the request's id as `x-request-id`. */
export const useIncoming = (requests: IncomingRequests): Plugin => ({
  onRequest: ({ request }) => {
    const header = (name: string) => request.headers.get(name);
    requests.set(request, incomingOf(header, cancellationOf(request.signal)));
  },
  onResponse: ({ request, response }) => {
    const requestId = requests.get(request)?.caller.requestId;
    if (requestId !== undefined) response.headers.set('x-request-id', requestId);
  },
});

/**
 * Refuses a POST that is not JSON. A browser sends the other media types that Yoga knows without asking
 * the server first, so any page could have a visitor run a mutation.
 */
export const useJsonAlone = (requests: IncomingRequests): Plugin => ({
  onRequestParse: ({ request, endResponse, fetchAPI }) => {
    const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
    if (request.method !== 'POST') return;
    if (mediaType === 'application/json' || mediaType === 'application/graphql+json') return;
    const message = 'Send the operation as JSON, with the header "content-type: application/json".';
    const requestId = requests.get(request)?.caller.requestId;
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    endResponse(new fetchAPI.Response(JSON.stringify(body), { status: 415, headers }));
  },
});

/** Finishes every result, of a request too that never came to be executed. */
export const useFinish = (requests: IncomingRequests, finish: Finish): Plugin => ({
  onResultProcess: ({ request, result, setResult }) => {
    const incoming = requests.get(request);
    if (!incoming || Array.isArray(result) || isAsyncIterable(result)) return;
    setResult(finish(result, incoming));
  },
});

/** Executes in the gateway's own way. */
export const useExecutor = (execute: Execute): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
});

/** Parses and validates in the gateway's own way. */
export const useDocuments = (documents: Documents): Plugin => ({
  onParse: ({ setParseFn }) => setParseFn((source: string) => documents.parse(source)),
  onValidate: ({ setValidationFn }) =>
    setValidationFn((_: unknown, document: DocumentNode) => documents.validate(document)),
});
