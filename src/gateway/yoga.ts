import type { IncomingMessage } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import { createYoga } from 'graphql-yoga';
import { queryTools } from '../agents/query.ts';
import { readTools } from '../agents/tools.ts';
import type { SharedNotes } from '../agents/used-plans.ts';
import type { Config } from '../config.ts';
import { createDocuments } from '../documents/documents.ts';
import { readManifest } from '../documents/manifest.ts';
import type { Streams } from '../live/streams.ts';
import { errorFacts, type Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createAgents } from '../plugins/agents.ts';
import { useAges } from '../plugins/ages.ts';
import { type Expecting, useBody } from '../plugins/body.ts';
import { useBrowserSafety } from '../plugins/browser.ts';
import { type Callers, useCaller } from '../plugins/caller.ts';
import { useContext } from '../plugins/context.ts';
import { useDocuments, useVariableChecks } from '../plugins/documents.ts';
import { useDryRuns } from '../plugins/dry-runs.ts';
import { useEmptyParts } from '../plugins/empty-parts.ts';
import { createErrorExit, useErrors } from '../plugins/errors.ts';
import { createExecution } from '../plugins/execution.ts';
import { useExplain } from '../plugins/explain.ts';
import { type GraphiqlStart, useGraphiql } from '../plugins/graphiql.ts';
import { type HealthOptions, useHealth } from '../plugins/health.ts';
import { useLanding } from '../plugins/landing.ts';
import { useLargeAnswers } from '../plugins/large-answers.ts';
import { useLive } from '../plugins/live.ts';
import { useMetrics } from '../plugins/metrics.ts';
import { useOperationLog } from '../plugins/operation-log.ts';
import { createPartsLimit } from '../plugins/parts-limit.ts';
import { usePersistedOperations } from '../plugins/persisted-operations.ts';
import type { GatewayPlugin, ServerContext } from '../plugins/plugin.ts';
import { useRequestHead } from '../plugins/request-head.ts';
import { createRequestLines } from '../plugins/request-lines.ts';
import { createRest } from '../plugins/rest.ts';
import { createSpans } from '../plugins/tracing.ts';
import { useUnbuffered } from '../plugins/unbuffered.ts';
import { useUnsentLimit } from '../plugins/unsent.ts';
import { useUpgrade } from '../plugins/upgrade.ts';
import { type Context, createContext } from '../request/context.ts';
import type { Lifetimes } from '../request/lifetime.ts';
import { upstreamAt } from '../rest/request.ts';
import { closedOf } from '../schema/closed.ts';
import { unavailableFieldsOf } from '../schema/unavailable.ts';
import type { UpstreamCaller, Upstreams } from '../upstream/index.ts';
import { interfacesOf } from '../upstream/profiles.ts';
import { createSchema } from './schema.ts';
import type { Unsent } from './unsent.ts';

/** The endpoint. It is fixed because clients know the gateway by it. */
export const graphqlPath = '/graphql';
/** Where agents call tools, if the gateway has tools. */
export const agentsPath = '/mcp';

interface YogaOptions {
  readonly config: Config;
  readonly log: Log;
  readonly upstreams: Upstreams;
  readonly streams: Streams;
  readonly lifetimes: Lifetimes;
  readonly graphiqlStart: GraphiqlStart;
  readonly health: Omit<HealthOptions, 'upstreams'>;
  /** Further plugins, which see every operation of every client. */
  readonly plugins: readonly GatewayPlugin[];
  /** Makes spans; undefined without traces. */
  readonly tracer: Tracer | undefined;
  readonly unsent: Pick<Unsent, 'isFull' | 'isHalfFull'>;
  readonly expecting: Expecting;
  /** How long a response in parts may be silent, in milliseconds. */
  readonly silenceMs: number;
  /** The plans of agents that replicas have used; undefined without replicas. */
  readonly usedPlans: SharedNotes | undefined;
  /** Undefined if metrics are off. */
  readonly metrics: Pick<Metrics, 'operations' | 'rest'> | undefined;
}

/** The gateway's schema with its policies, each of which is a plugin. */
export const createGatewayYoga = ({
  config,
  log,
  upstreams,
  streams,
  lifetimes,
  graphiqlStart,
  health,
  plugins,
  tracer,
  metrics,
  unsent,
  expecting,
  silenceMs,
  usedPlans,
}: YogaOptions) => {
  const { persistedOperations, persistedOperationsFile, introspection, mutations } = config;
  const profiles = [config.managementProfile, config.observabilityProfile];
  const limits = { tokens: config.maxTokens, cost: config.maxCost };
  const schema = createSchema();
  const callers: Callers = new WeakMap();
  const { execute, useExecution } = createExecution({
    ...{ hideSuggestions: !introspection, maxSize: config.maxResponseSize },
    mayDefer: createPartsLimit(callers, upstreams.credentialStatuses),
  });
  const spans = tracer && createSpans(tracer, callers);
  const errorExit = createErrorExit(log);
  const unavailableFields = unavailableFieldsOf(schema, upstreams.unavailable, profiles, mutations);
  const facts = { unavailableFields, clickstackService: config.clickstackService };
  const contextOf = (caller: UpstreamCaller): Context => createContext(upstreams, facts, caller);
  const interfaces = interfacesOf(config);
  const hasOneKey = interfaces.observability.destination === 'management';
  const stacks = hasOneKey ? { service: config.clickstackService } : undefined;
  const agents =
    config.mcp === 'off'
      ? undefined
      : createAgents({
          ...{ path: agentsPath, callers, contextOf, execute, hasOneKey, config },
          notes: usedPlans,
          tools: new Map([
            ...readTools(schema, config.mcp, unavailableFields, stacks),
            ...queryTools(schema, {
              ...{ closed: closedOf(schema), unavailable: unavailableFields, config },
            }),
          ]),
        });
  const rest =
    config.rest === 'off'
      ? undefined
      : createRest({
          ...{ mode: config.rest, callers, direct: upstreams.direct, isFull: unsent.isHalfFull },
          ...{ maxBodyBytes: config.maxBodyBytes, expecting, spans, figures: metrics?.rest },
        });
  const wayOf = (req: IncomingMessage) => {
    if (agents?.isOfAgent(req)) return 'mcp';
    return rest?.isOfTool(req) ? 'rest' : undefined;
  };
  const toolPathOf = (target: string): string | undefined => {
    const upstream = rest && upstreamAt(target);
    return upstream && `/${upstream}`;
  };
  const writeLine = createRequestLines({ log, config, wayOf });
  const manifest =
    persistedOperations === 'off' ? new Map() : readManifest(persistedOperationsFile);
  const cannotLoad = (error: unknown): void => log.error(errorFacts(error), 'cannot load GraphiQL');

  return createYoga<ServerContext>({
    schema,
    // Yoga runs its hooks only for its endpoint.
    graphqlEndpoint: agents ? `(${graphqlPath}/?|${agentsPath}/?)` : graphqlPath,
    extraParamNames: ['documentId'],
    // Yoga calls each hook of all plugins in the order of this list. First come plugins that affect every response,
    // then plugins that answer requests themselves, then the steps of an operation from request to result. A hook that
    // handles results sees the changes of earlier hooks: the log and further plugins see errors as clients do.
    plugins: [
      useBrowserSafety(config, log, rest?.isOfTool),
      useUnbuffered(),
      useHealth({ upstreams, ...health }),
      useLanding(graphqlPath, config.graphiql, rest?.isOfTool),
      config.graphiql && useGraphiql(graphqlPath, graphiqlStart, hasOneKey, cannotLoad),
      useCaller(callers, lifetimes, { ...config, interfaces }),
      agents?.usePath() ?? false,
      spans?.useServerSpan(agents ? [graphqlPath, agentsPath] : [graphqlPath], toolPathOf) ?? false,
      rest?.useCalls() ?? false,
      useUpgrade(callers),
      useRequestHead(callers),
      useUnsentLimit(callers, unsent.isFull),
      agents?.useCalls() ?? false,
      useBody(config.maxBodyBytes, expecting),
      usePersistedOperations(persistedOperations, manifest, agents?.isCall),
      useDocuments(createDocuments({ schema, limits, introspection, mutations })),
      useVariableChecks(schema, limits),
      useDryRuns(callers, schema, mutations),
      useExecution(),
      agents?.useSteps() ?? false,
      useContext(callers, contextOf),
      agents?.useWaits() ?? false,
      useLive({
        ...{ callers, upstreams, streams, contextOf, errorExit, config, spans, unsent },
        ...{ execute, writeLine, isWait: agents?.isCall },
      }),
      useErrors(callers, errorExit),
      spans?.useExecutionSpan() ?? false,
      useAges(callers),
      useExplain(callers, upstreams),
      useOperationLog(callers, upstreams, writeLine, (req) => rest?.factsOf(req)),
      metrics !== undefined && useMetrics(callers, metrics.operations),
      useEmptyParts(callers, silenceMs),
      ...plugins,
      useLargeAnswers(),
      agents?.useResults() ?? false,
    ],
    // Plugins here replace these features of Yoga.
    maskedErrors: false,
    parserAndValidationCache: false,
    maxRequestBodySize: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    // No URL ends in a space, so this path never matches; `useHealth` has its own paths.
    healthCheckEndpoint: ' ',
    // A page of another origin can send forms without a preflight.
    multipart: false,
  });
};
