import { type DocumentNode, type ExecutionArgs, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';
import type { Documents } from './documents.ts';
import type { Finish } from './finish.ts';
import type { Graphiql } from './graphiql.ts';
import { refusalOf } from './http-refusals.ts';
import type { FindText } from './persisted-operations.ts';
import type { Incoming, Receive } from './request.ts';

/** What is known of each request that Yoga has under way. */
export type IncomingRequests = WeakMap<Request, Incoming>;

/** Takes each request in, and gives its answer the request's id as `x-request-id`. */
export const useIncoming = (requests: IncomingRequests, receive: Receive): Plugin => ({
  onRequest: ({ request }) => {
    const incoming = receive((name) => request.headers.get(name));
    requests.set(request, incoming);
    request.signal.addEventListener('abort', incoming.end, { once: true });
  },
  onResponse: ({ request, response }) => {
    const incoming = requests.get(request);
    if (!incoming) return;
    incoming.end();
    response.headers.set('x-request-id', incoming.caller.requestId);
    // Yoga would have a stream of events kept, if only to be asked about again.
    response.headers.set('cache-control', 'no-store');
  },
});

/** Refuses requests by their heads; see `refusalOf`. */
export const useHttpRefusals = (requests: IncomingRequests): Plugin => ({
  onRequestParse: ({ request, endResponse, fetchAPI }) => {
    const refusal = refusalOf(request);
    if (!refusal) return;
    const { status, message } = refusal;
    const requestId = requests.get(request)?.caller.requestId;
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    endResponse(new fetchAPI.Response(JSON.stringify(body), { status, headers }));
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

/** Notes what is executed for a request, and makes what its resolvers share. */
export type CreateContext = (
  execution: Pick<ExecutionArgs, 'document' | 'operationName'>,
  incoming: Incoming,
) => Context;

/** Gives resolvers the gateway's context in place of Yoga's, which has the request with its credentials. */
export const useContext = (requests: IncomingRequests, createContext: CreateContext): Plugin => ({
  onExecute: ({ args, executeFn, setExecuteFn }) => {
    const incoming = requests.get(args.contextValue.request);
    if (!incoming) throw new TypeError('A request that was never taken in cannot be executed');
    const contextValue = createContext(args, incoming);
    setExecuteFn((given: ExecutionArgs) => executeFn({ ...given, contextValue }));
  },
});

/** Puts the text in its place that a request names by its hash. */
export const useFindText = (findText: FindText): Plugin => ({
  onParams: ({ request, params, setParams }) => {
    // Yoga reads no parameter of a GET but those that GraphQL knows.
    const documentId =
      request.method === 'GET' ? new URL(request.url).searchParams.get('documentId') : undefined;
    const text = findText(documentId ? { ...params, documentId } : params);
    if (text instanceof GraphQLError) throw text;
    if (text !== undefined) setParams({ ...params, query: text });
  },
});

/** Shows a browser GraphiQL where it asks the endpoint for a page. */
export const useGraphiqlPage = (path: string, graphiql: Graphiql): Plugin => ({
  onRequest: async ({ request, url, endResponse, fetchAPI }) => {
    const { pathname } = url;
    if (request.method !== 'GET' || (pathname !== path && pathname !== `${path}/`)) return;
    if (!request.headers.get('accept')?.includes('text/html')) return;
    const { status, headers, body } = await graphiql.page(pathname);
    endResponse(new fetchAPI.Response(body, { status, headers }));
  },
});

/** Parses and validates in the gateway's own way. */
export const useDocuments = (documents: Documents): Plugin => ({
  onParse: ({ setParseFn }) => setParseFn((source: string) => documents.parse(source)),
  onValidate: ({ setValidationFn }) =>
    setValidationFn((_: unknown, document: DocumentNode) => documents.validate(document)),
});
