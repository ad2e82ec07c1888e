import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { getOperationAST } from 'graphql';
import type { Config } from './config.ts';
import { type Context, createContext } from './context.ts';
import { createDocuments } from './documents.ts';
import { createExecutor } from './executor.ts';
import { createFinish } from './finish.ts';
import { createFront } from './front.ts';
import type { GraphiqlStart } from './graphiql.ts';
import { createLazyListener } from './lazy-listener.ts';
import { errorFacts, type Log } from './log.ts';
import type { Incoming } from './request.ts';
import { createSchema } from './schema.ts';
import { createUpstreams } from './upstream/index.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** The endpoint; fixed, since it is what clients know the gateway by. */
export const graphqlPath = '/graphql';

const megabyte = 1024 * 1024;
const maxBodyBytes = megabyte;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  /** What GraphiQL starts with; the demo alone gives credentials here. */
  readonly graphiqlStart?: GraphiqlStart;
  /** How long requests under way may take once the gateway is told to stop, in milliseconds. */
  readonly drainMs?: number;
}

export interface Gateway {
  /** Not listening yet. */
  readonly server: Server;
  /** Stops taking requests, gives those under way the time to finish, then closes the connections to the upstreams. */
  close(): Promise<void>;
}

/** One connection pool an upstream behind one schema, on an HTTP server. */
export const createGateway = ({
  config,
  log,
  graphiqlStart = {},
  drainMs = 10_000,
}: GatewayOptions): Gateway => {
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
  const schema = createSchema();
  const documents = createDocuments({ schema, introspection: config.introspection });
  const execute = createExecutor(schema);
  const finish = createFinish({ log, explain: config.explain });
  const contextOf = ({ caller }: Incoming): Context => createContext(upstreams, caller);

  const others = createLazyListener(
    async () => {
      const { createYogaListener } = await import('./yoga.ts');
      return createYogaListener({
        schema,
        path: graphqlPath,
        maxBodyBytes,
        documents,
        execute,
        finish,
        contextOf,
        graphiql: config.graphiql ? graphiqlStart : undefined,
      });
    },
    (error) => log.error(errorFacts(error), 'cannot load what answers this request'),
  );

  const front = createFront({
    path: graphqlPath,
    maxBodyBytes,
    finish,
    others,
    run: async ({ query, operationName, variables }, incoming) => {
      const document = documents.find(query);
      if (!document || !getOperationAST(document, operationName)) return undefined;
      const result = await execute({
        document,
        operationName: operationName ?? null,
        variableValues: variables ?? null,
        contextValue: contextOf(incoming),
      });
      return result.data === undefined ? undefined : result;
    },
  });

  // A repeated credential arrives joined, and is refused as no credential has that form.
  const server = createServer({ joinDuplicateHeaders: true }, front);
  return {
    server,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection that falls idle later, after its last answer, would be kept for its next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      // Nor is a connection idle that has sent nothing, or half a request, and may never send more.
      const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
      await upstreams.close();
    },
  };
};
