import type { IncomingMessage, RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Documents } from './documents.ts';
import type { Finish } from './finish.ts';
import { createGraphiql, type GraphiqlStart } from './graphiql.ts';
import type { FindText } from './persisted-operations.ts';
import { type ExecutionOptions, useExecution } from './plugins/execution.ts';
import {
  type CreateContext,
  type IncomingRequests,
  useContext,
  useDocuments,
  useFindText,
  useFinish,
  useGraphiqlPage,
  useHttpRefusals,
  useIncoming,
} from './plugins.ts';
import type { Receive } from './request.ts';

export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly documents: Documents;
  readonly receive: Receive;
  readonly findText: FindText;
  readonly execution: ExecutionOptions;
  readonly createContext: CreateContext;
  readonly finish: Finish;
  /** What GraphiQL starts with; absent where it is switched off. */
  readonly graphiql: GraphiqlStart | undefined;
  /** Told why GraphiQL could not be loaded. */
  readonly onFailure: (error: unknown) => void;
}

/** Whether a browser asks for the address alone, as people type it. */
const isVisit = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url === '/' && headers.accept?.includes('text/html') === true;

/** Answers every request, of whatever kind, with what the short way in uses as well. */
export const createYogaListener = (options: YogaOptions): RequestListener => {
  const requests: IncomingRequests = new WeakMap();
  const graphiql =
    options.graphiql && createGraphiql(options.path, options.graphiql, options.onFailure);
  const yoga = createYoga({
    schema: options.schema,
    graphqlEndpoint: options.path,
    landingPage: false,
    // A browser may not read answers across origins.
    cors: false,
    multipart: false,
    maxRequestBodySize: options.maxBodyBytes,
    // Yoga's own page would load its scripts from elsewhere.
    graphiql: false,
    // `useFinish` is the one exit of errors, of those too that Yoga would pass on as they are.
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: false,
    extraParamNames: ['documentId'],
    plugins: [
      useIncoming(requests, options.receive),
      ...(graphiql ? [useGraphiqlPage(options.path, graphiql)] : []),
      useHttpRefusals(requests),
      useFindText(options.findText),
      useDocuments(options.documents),
      // Wraps whatever executes, so it comes after what chooses that.
      useExecution(options.execution),
      useContext(requests, options.createContext),
      useFinish(requests, options.finish),
    ],
  });
  if (!graphiql) return yoga;
  return async (request, response) => {
    if (isVisit(request)) {
      // Relative, as a proxy may have put more before the path.
      response.writeHead(302, { location: options.path.slice(1) }).end();
      return;
    }
    if (graphiql.mayAnswer(request) && (await graphiql.answer(request, response))) return;
    yoga(request, response);
  };
};
