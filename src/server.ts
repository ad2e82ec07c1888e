import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createYoga } from 'graphql-yoga';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import { type GraphiqlStart, graphiqlOptions, renderGraphiql } from './graphiql.ts';
import type { Log } from './log.ts';
import {
  type Callers,
  useCallers,
  useErrors,
  useExplain,
  useJsonAlone,
  useNoIntrospection,
} from './plugins.ts';
import { callerOf } from './request.ts';
import { createSchema } from './schema.ts';
import { createUpstreams } from './upstream/index.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** The endpoint; fixed, since it is what clients know the gateway by. */
export const graphqlPath = '/graphql';

const megabyte = 1024 * 1024;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  /** What GraphiQL starts with; the demo alone gives credentials here. */
  readonly graphiqlStart?: GraphiqlStart;
}

export interface Gateway {
  /** Not listening yet. */
  readonly server: Server;
  /** Stops taking requests, lets those under way finish, then closes the connections to the upstreams. */
  close(): Promise<void>;
}

/** Yoga over one connection pool an upstream, on an HTTP server. */
export const createGateway = ({ config, log, graphiqlStart = {} }: GatewayOptions): Gateway => {
  const upstreams = createUpstreams({
    ...config,
    userAgent: `sluice/${version}`,
    timeoutMs: 30_000,
    maxResponseBytes: 10 * megabyte,
    onUnusableRows: (upstream, operation, rows, requestId) =>
      log.warn({ upstream, operation, rows, requestId }, 'left out list rows without an id'),
    onFailure: ({ upstream, operation, reason, status }, cause, requestId) =>
      log.warn({ upstream, operation, reason, status, cause, requestId }, 'upstream call failed'),
  });
  const callers: Callers = new WeakMap();

  const yoga = createYoga({
    schema: createSchema(),
    graphqlEndpoint: graphqlPath,
    healthCheckEndpoint: '/healthz',
    landingPage: false,
    // A browser may not read answers across origins.
    cors: false,
    multipart: false,
    maxRequestBodySize: megabyte,
    graphiql: config.graphiql && graphiqlOptions(graphiqlStart),
    renderGraphiQL: renderGraphiql,
    // `useErrors` is the one exit of errors, of those too that Yoga would pass on as they are.
    maskedErrors: false,
    logging: false,
    context: ({ request }) => createContext(upstreams, callers.get(request) ?? callerOf(request)),
    plugins: [
      useCallers(callers),
      useJsonAlone(callers),
      useErrors(callers, log),
      ...(config.explain ? [useExplain(callers)] : []),
      ...(config.introspection ? [] : [useNoIntrospection()]),
    ],
  });

  // A repeated credential arrives joined, and is refused as no credential has that form.
  const server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
    const mediaType = request.headers['content-type'] ?? '';
    // Yoga knows this spelling alone, but media types may have capitals, and blanks before a parameter.
    if (/^application\/json\s*(;|$)/i.test(mediaType)) {
      request.headers['content-type'] = 'application/json';
    }
    yoga(request, response);
  });
  return {
    server,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection that falls idle later, after its last answer, would be kept for its next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearInterval(sweep);
      await upstreams.close();
    },
  };
};
