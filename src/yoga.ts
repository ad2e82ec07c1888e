import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Context } from './context.ts';
import type { Documents } from './documents.ts';
import type { Execute } from './executor.ts';
import type { Finish } from './finish.ts';
import { type GraphiqlStart, graphiqlOptions, renderGraphiql } from './graphiql.ts';
import {
  type IncomingRequests,
  useDocuments,
  useExecutor,
  useFinish,
  useIncoming,
  useJsonAlone,
} from './plugins.ts';
import type { Incoming } from './request.ts';

export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly path: string;
  readonly maxBodyBytes: number;
  readonly documents: Documents;
  readonly execute: Execute;
  readonly finish: Finish;
  readonly contextOf: (incoming: Incoming) => Context;
  /** What GraphiQL starts with; absent where it is switched off. */
  readonly graphiql: GraphiqlStart | undefined;
}

/** Answers every request, of whatever kind, with what the short way in uses as well. */
export const createYogaListener = (options: YogaOptions): RequestListener => {
  const requests: IncomingRequests = new WeakMap();
  return createYoga({
    schema: options.schema,
    graphqlEndpoint: options.path,
    landingPage: false,
    // A browser may not read answers across origins.
    cors: false,
    multipart: false,
    maxRequestBodySize: options.maxBodyBytes,
    graphiql: options.graphiql !== undefined && graphiqlOptions(options.graphiql),
    renderGraphiQL: renderGraphiql,
    // `useFinish` is the one exit of errors, of those too that Yoga would pass on as they are.
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: false,
    context: ({ request }) => {
      const incoming = requests.get(request);
      if (!incoming) throw new TypeError('A request that was never read has no context');
      return options.contextOf(incoming);
    },
    plugins: [
      useIncoming(requests),
      useJsonAlone(requests),
      useDocuments(options.documents),
      useExecutor(options.execute),
      useFinish(requests, options.finish),
    ],
  });
};
