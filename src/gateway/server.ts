import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { createStreams, type StreamCounts } from '../live/streams.ts';
import { errorFacts, type Log } from '../log.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createMetricsServer } from '../metrics/server.ts';
import type { GraphiqlStart } from '../plugins/graphiql.ts';
import type { GatewayPlugin } from '../plugins/plugin.ts';
import { shareOverRedis } from '../redis/share.ts';
import { describeRefusal } from '../redis/unavailable.ts';
import { idsOf } from '../request/call-facts.ts';
import { createLifetimes, timeIsUp } from '../request/lifetime.ts';
import type { UpstreamName } from '../upstream/error.ts';
import { createUpstreams } from '../upstream/index.ts';
import { urlsOf } from '../upstream/options.ts';
import { watchReachability } from '../upstream/reachability.ts';
import { version } from '../version.ts';
import { waitingOptions } from './connections.ts';
import { createHttp } from './http.ts';
import type { Tracing } from './tracing.ts';
import { createUnsent } from './unsent.ts';
import { createGatewayYoga } from './yoga.ts';

const maxResponseBytes = 10 * 1024 * 1024;

/**
 * How long before the end of a stop the last call may be sent, and operations under way are given up, in milliseconds:
 * a call needs a second for its answer, and callers need time to read theirs. A short stop has shares of it.
 */
const lastMsOf = (drainMs: number) => ({
  lastCallMs: Math.min(3000, (drainMs * 3) / 4),
  lastAnswerMs: Math.min(2000, drainMs / 2),
});

export interface GatewayServerOptions {
  readonly config: Config;
  readonly log: Log;
  /** Initial content of GraphiQL; only the demo gives credentials here. */
  readonly graphiqlStart?: GraphiqlStart;
  /** Plugins of Yoga that run after the gateway's own. They see every operation of every client. */
  readonly plugins?: readonly GatewayPlugin[];
  /** How long a caller may take to send a request, in milliseconds; half of that for its head. */
  readonly requestTimeoutMs?: number;
  /** How long a response may wait for a client that does not read, in milliseconds. */
  readonly stallMs?: number;
  /** The most bytes of responses that may wait for slow clients, over all connections. */
  readonly maxUnsentBytes?: number;
  /** How long the breaker of a failing upstream blocks all calls, in milliseconds. */
  readonly breakerHalfOpenMs?: number;
  readonly uncaughtErrors?: () => number;
  /** How long a subscription may last before its client has to subscribe again, in milliseconds. */
  readonly streamLifetimeMs?: number;
  /** The least time between two reads of the same data for subscriptions, in milliseconds. */
  readonly pollMs?: Readonly<Record<UpstreamName, number>>;
  /** Exports spans; without it no spans are made. */
  readonly tracing?: Tracing | undefined;
  /** How long a response in parts may be silent before an empty part is sent, in milliseconds. */
  readonly silenceMs?: number;
  /** The time between two probes of an upstream if readiness requires the upstreams, in milliseconds. */
  readonly probeMs?: number;
  /** How often the log tells a problem of Redis while it lasts, in milliseconds. */
  readonly redisRemindMs?: number;
}

export interface GatewayServer {
  /** Not listening yet. */
  readonly server: Server;
  /** Answers requests that came over another server. */
  readonly handler: RequestListener;
  /**
   * Resolves when it is known whether Redis answers; at once without Redis. Requests must not be sent earlier. Rejects
   * with `RedisRefused` if Redis cannot be used.
   */
  readonly started: Promise<void>;
  /** Serves metrics, if they are switched on. Not listening yet. */
  readonly metricsServer: Server | undefined;
  /** The open subscriptions, and the reads that they watch. */
  streams(): StreamCounts;
  /**
   * Stops accepting requests, answers the requests under way within `DRAIN_MS`, and then closes the connections to the
   * upstreams. Nothing is logged after that.
   */
  close(): Promise<void>;
}

/** The connection to the Redis that replicas share, if there is one. */
const connectShare = (config: Config, log: Log, remindMs: number | undefined) => {
  const { redisUrl: url, redisTimeoutMs: timeoutMs, cacheSecret, replicas } = config;
  if (url === undefined || cacheSecret === undefined) return undefined;
  return shareOverRedis({
    ...{ url, timeoutMs, cacheSecret, replicas, remindMs },
    onChange: (state, problem) => {
      const refusal = problem && describeRefusal(problem.reason);
      const explanation = refusal && `Redis ${refusal}.`;
      if (problem) log.warn({ redis: state, ...problem, explanation }, 'Redis');
      else log.info({ redis: state }, 'Redis');
    },
  });
};

/** An HTTP server with the schema, and one connection pool for each upstream. */
export const createGatewayServer = ({
  config,
  log,
  graphiqlStart = {},
  plugins = [],
  requestTimeoutMs = 30_000,
  stallMs = 30_000,
  maxUnsentBytes = 128 * 1024 * 1024,
  breakerHalfOpenMs = 10_000,
  uncaughtErrors = () => 0,
  streamLifetimeMs = 3_600_000,
  pollMs,
  tracing,
  silenceMs = 15_000,
  probeMs = 10_000,
  redisRemindMs,
}: GatewayServerOptions): GatewayServer => {
  const redis = connectShare(config, log, redisRemindMs);
  const destinations = urlsOf(config).map(([name]) => name);
  const metrics = config.metricsPort === undefined ? undefined : createMetrics(destinations);
  const upstreams = createUpstreams({
    ...config,
    foreignWrites: config.rest === 'write',
    shared: redis?.shared,
    userAgent: `sluice/${version}`,
    timeoutMs: 30_000,
    maxResponseBytes,
    breakerHalfOpenMs,
    pollMs,
    tracer: tracing?.tracer,
    observer: metrics?.calls,
    onBreaker: (upstream, state) => {
      log.warn({ upstream, breaker: state }, 'circuit breaker');
      metrics?.breakerChanged(upstream, state);
    },
    onSent: (call, ids) => log.debug({ ...call, ...idsOf(ids) }, 'upstream call'),
    onUnusableRows: (upstream, operation, rows, ids) =>
      log.warn({ upstream, operation, rows, ...idsOf(ids) }, 'left out list rows without an id'),
    onFailure: ({ upstream, operation, reason, status, cause }, ids) =>
      log.warn(
        { upstream, operation, reason, status, cause, ...idsOf(ids) },
        'upstream call failed',
      ),
  });
  let draining = false;
  const reachability =
    config.readyRequires === 'upstreams'
      ? watchReachability({
          urls: config,
          proxies: config.proxies,
          everyMs: probeMs,
          onChange: (upstream, reachable, finding) =>
            log.warn({ upstream, reachable, finding }, 'probe of an upstream'),
        })
      : undefined;
  const health = {
    isDraining: () => draining,
    reachable: () => reachability?.now,
    uncaughtErrors,
    redis: () => redis?.connection,
  };
  const { maxConnections } = config;
  // Each stream has a connection, and other requests need connections too.
  const maxStreams = config.maxStreams ?? Math.ceil(maxConnections * 0.8);
  const streams = createStreams({
    maxStreams,
    maxStreamsPerCredential: config.maxStreamsPerCredential ?? Math.ceil(maxConnections / 5),
    lifetimeMs: streamLifetimeMs,
    watched: upstreams.watched,
    credentialStatuses: upstreams.credentialStatuses,
    onEnd: metrics?.streamEnded,
  });
  metrics?.watch({
    ...{ breakers: upstreams.breakers, streams: streams.counts, maxStreams },
    redis: redis && (() => redis.connection.state),
  });
  const unsent = createUnsent(maxUnsentBytes);
  const expecting = new WeakSet<IncomingMessage>();
  const lifetimes = createLifetimes();
  const yoga = createGatewayYoga({
    ...{ config, log, upstreams, streams, lifetimes, graphiqlStart, health, plugins, metrics },
    ...{ unsent, expecting, silenceMs },
    tracer: tracing?.tracer,
    usedPlans: redis?.usedPlans,
  });

  const http = createHttp({
    ...{ yoga, log, unsent, expecting, maxConnections, requestTimeoutMs, stallMs },
    maxHeaderBytes: config.maxHeaderBytes,
    keepAliveMs: config.keepAliveMs,
  });

  const metricsServer =
    metrics &&
    createMetricsServer({
      scrape: metrics.scrape,
      onError: (error) => log.error(errorFacts(error), 'unexpected error'),
      waiting: waitingOptions(requestTimeoutMs),
    });

  const stop = async (): Promise<void> => {
    draining = true;
    reachability?.stop();
    const { drainMs } = config;
    const { lastCallMs, lastAnswerMs } = lastMsOf(drainMs);
    const lastCallAt = performance.now() + drainMs - lastCallMs;
    const lastAnswer = setTimeout(() => {
      lifetimes.expire();
      upstreams.giveUp(timeIsUp);
    }, drainMs - lastAnswerMs);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), drainMs);
    await http.refuse(deadline.signal);
    // Not earlier, since clients that are told to leave connect again at once.
    streams.drain();
    upstreams.drain(lastCallAt);
    await http.close(deadline.signal);
    upstreams.giveUp();
    // Another server may pass on requests even now.
    upstreams.drain(performance.now());
    await upstreams.close(deadline.signal);
    await redis?.close();
    await tracing?.stop(deadline.signal);
    clearTimeout(lastAnswer);
    clearTimeout(timer);
    // The lines of operations that were cut off are written some turns of the event loop later.
    await nextRound();
    await nextRound();
    // Last, so that metrics stay available while the gateway stops.
    metricsServer?.close();
    metricsServer?.closeAllConnections();
  };
  let stopped: Promise<void> | undefined;

  return {
    server: http.server,
    handler: http.handler,
    started: redis?.known ?? Promise.resolve(),
    metricsServer,
    streams: () => streams.counts(),
    close: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};
