import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Documents } from './documents.ts';
import type { Finish } from './finish.ts';
import { type GraphiqlStart, graphiqlOptions, renderGraphiql } from './graphiql.ts';
import type { FindText } from './persisted-operations.ts';
import {
  type IncomingRequests,
  type Nonces,
  type RunExecution,
  useContentSecurity,
  useDocuments,
  useFindText,
  useFinish,
  useHttpRefusals,
  useIncoming,
  useRun,
} from './plugins.ts';
import type { Receive } from './request.ts';

export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly documents: Documents;
  readonly receive: Receive;
  readonly findText: FindText;
  readonly run: RunExecution;
  readonly finish: Finish;
  /** What GraphiQL starts with; absent where it is switched off. */
  readonly graphiql: GraphiqlStart | undefined;
}

/** Answers every request, of whatever kind, with what the short way in uses as well. */
export const createYogaListener = (options: YogaOptions): RequestListener => {
  const requests: IncomingRequests = new WeakMap();
  const nonces: Nonces = new WeakMap();
  const graphiql = options.graphiql && graphiqlOptions(options.graphiql);
  return createYoga({
    schema: options.schema,
    graphqlEndpoint: options.path,
    landingPage: false,
    // A browser may not read answers across origins.
    cors: false,
    multipart: false,
    maxRequestBodySize: options.maxBodyBytes,
    graphiql: graphiql
      ? (request: Request) => {
          const nonce = randomBytes(16).toString('base64');
          nonces.set(request, nonce);
          return { ...graphiql, nonce };
        }
      : false,
    renderGraphiQL: renderGraphiql,
    // `useFinish` is the one exit of errors, of those too that Yoga would pass on as they are.
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: false,
    extraParamNames: ['documentId'],
    plugins: [
      useIncoming(requests, options.receive),
      useHttpRefusals(requests),
      useFindText(options.findText),
      useDocuments(options.documents),
      useRun(requests, options.run),
      useFinish(requests, options.finish),
      useContentSecurity(nonces),
    ],
  });
};
