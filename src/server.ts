import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import {
  type DocumentNode,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { Config } from './config.ts';
import { limitConnections, waitingOptions } from './connections.ts';
import { createContext } from './context.ts';
import { createDocuments } from './documents.ts';
import { createExecutor, type Execute, type Execution } from './executor.ts';
import { createFinish } from './finish.ts';
import type { GraphiqlStart } from './graphiql.ts';
import { hashOf } from './hash.ts';
import { createHealth } from './health.ts';
import { allowOrigin, createOriginHeaders, securityHeaders } from './http-headers.ts';
import { errorFacts, type Log, membersText } from './log.ts';
import { readManifest } from './persisted-manifest.ts';
import { createFindText } from './persisted-operations.ts';
import { createReceive, type Incoming } from './request.ts';
import { createSchema } from './schema.ts';
import { createUpstreams } from './upstream/index.ts';
import { textWithoutSecrets } from './written-strings.ts';
import { createYogaListener } from './yoga.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** The endpoint; fixed, since it is what clients know the gateway by. */
export const graphqlPath = '/graphql';

const maxResponseBytes = 10 * 1024 * 1024;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  /** What GraphiQL starts with; the demo alone gives credentials here. */
  readonly graphiqlStart?: GraphiqlStart;
  /** How long requests under way may take once the gateway is told to stop, in milliseconds. */
  readonly drainMs?: number;
  /** How long a caller may take to send a request, in milliseconds; its head may take half of that. */
  readonly requestTimeoutMs?: number;
  /** How long the breaker of an upstream that is down keeps all calls back, in milliseconds. */
  readonly breakerHalfOpenMs?: number;
  /** How many errors the process met that nobody had caught. */
  readonly uncaughtErrors?: () => number;
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
  requestTimeoutMs = 30_000,
  breakerHalfOpenMs = 10_000,
  uncaughtErrors = () => 0,
}: GatewayOptions): Gateway => {
  const upstreams = createUpstreams({
    ...config,
    userAgent: `sluice/${version}`,
    timeoutMs: 30_000,
    maxResponseBytes,
    breakerHalfOpenMs,
    onBreaker: (upstream, state) => log.warn({ upstream, breaker: state }, 'circuit breaker'),
    onUnusableRows: (upstream, operation, rows, requestId) =>
      log.warn({ upstream, operation, rows, requestId }, 'left out list rows without an id'),
    onFailure: ({ upstream, operation, reason, status }, cause, requestId) =>
      log.warn({ upstream, operation, reason, status, cause, requestId }, 'upstream call failed'),
  });
  const schema = createSchema();
  const { limits } = config;
  const documents = createDocuments({ schema, limits, introspection: config.introspection });
  const execute = createExecutor(schema, { hideSuggestions: !config.introspection });
  const finish = createFinish({ log });
  const receive = createReceive(config);
  const findText = createFindText(
    config.persistedOperations,
    config.persistedOperations === 'off' ? new Map() : readManifest(config.persistedOperationsFile),
  );

  const facts = new WeakMap<OperationDefinitionNode, string>();
  const factsOf = (operation: OperationDefinitionNode, document: DocumentNode): string => {
    const known = facts.get(operation);
    if (known !== undefined) return known;
    const text = membersText({
      // Anybody may send one, of any length.
      operationName: operation.name?.value.slice(0, 128),
      operationType: operation.operation,
      operationHash: hashOf(textWithoutSecrets(document)),
    });
    facts.set(operation, text);
    return text;
  };

  /** Executes what a request asks for, whichever way it came in. */
  const run = (
    execution: Execution,
    incoming: Incoming,
    operation = getOperationAST(execution.document, execution.operationName),
  ): ReturnType<Execute> => {
    if (operation) incoming.operation = factsOf(operation, execution.document);
    return execute({ ...execution, contextValue: createContext(upstreams, incoming.caller) });
  };

  const yoga = createYogaListener({
    schema,
    path: graphqlPath,
    maxBodyBytes: limits.bodyBytes,
    documents,
    receive,
    findText,
    run,
    finish,
    graphiql: config.graphiql ? graphiqlStart : undefined,
    onFailure: (error) => log.error(errorFacts(error), 'cannot load what answers this request'),
  });
  let draining = false;
  const originHeaders = createOriginHeaders(config.corsOrigins);
  const answerHealth = createHealth({ upstreams, isDraining: () => draining, uncaughtErrors });
  // A repeated credential arrives joined, and is refused as no credential has that form.
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      joinDuplicateHeaders: true,
      ...waitingOptions(requestTimeoutMs),
    },
    (request, response) => {
      if (allowOrigin(request, response, originHeaders) === 'answered') return;
      if (answerHealth(request.url, response)) return;
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      // Yoga makes an URL of it, and not every host that a request may name can stand in one.
      request.headers.host = 'gateway.invalid';
      yoga(request, response);
    },
  );
  const { maxConnections } = config;
  limitConnections(server, maxConnections, () =>
    log.warn({ maxConnections }, 'refused a connection, as too many are open'),
  );
  return {
    server,
    close: async () => {
      draining = true;
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
