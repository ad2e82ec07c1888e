import { type Setting, SettingError } from './config/kinds.ts';
import { settings } from './config/settings.ts';
import type { Limits } from './documents/limits.ts';
import { PersistedOperationsError, readManifest } from './documents/manifest.ts';
import type { Rate } from './upstream/gate/slots.ts';
import type { ManagementProfileName } from './upstream/management/profiles/index.ts';
import type { ObservabilityProfileName } from './upstream/observability/profiles/index.ts';

/** The gateway's settings, checked (docs/operating.md has the tables). */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  /** What the two services do differently from the reference. */
  readonly managementProfile: ManagementProfileName;
  readonly observabilityProfile: ObservabilityProfileName;
  readonly extendedReads: boolean;
  /** How often a credential may call each upstream; undefined where nothing is to be counted. */
  readonly managementRate: Rate | undefined;
  readonly observabilityRate: Rate | undefined;
  /** How long a call may wait for its turn within these rates. */
  readonly pacingWaitMs: number;
  /** Bytes of reads kept in memory; 0 where none are to be kept. */
  readonly readCacheBytes: number;
  readonly maxStaleMs: number;
  /** The Redis that replicas share limits and memory through; it may hold a password. */
  readonly redisUrl: string | undefined;
  /** How long Redis may take for an answer before the gateway goes on without it. */
  readonly redisTimeoutMs: number;
  /** What the names and bodies in Redis are hidden with; present where Redis is. */
  readonly cacheSecret: string | undefined;
  /** How many gateways serve the same credentials. */
  readonly replicas: number;
  /** Where metrics are served; undefined for nowhere. */
  readonly metricsPort: number | undefined;
  /** What has to work for the gateway to call itself ready. */
  readonly readyRequires: 'nothing' | 'upstreams';
  /** Whether OpenTelemetry's variables ask for traces. */
  readonly traces: boolean;
  readonly introspection: boolean;
  readonly graphiql: boolean;
  /** Whether a request may ask for the list of its upstream calls. */
  readonly explain: boolean;
  readonly pipeStateCommandField: string;
  /** How long an operation may take, with all its upstream calls; and after a write, what comes then. */
  readonly operationTimeoutMs: number;
  /** How long after its arrival the writes of an operation have to be answered. */
  readonly writeTimeoutMs: number;
  /** How long after its arrival the deferred parts of a response may come. */
  readonly deferTimeoutMs: number;
  /** Upstream calls of one operation. */
  readonly maxUpstreamCalls: number;
  /** Bytes of the upstreams' answers to one operation, together. */
  readonly maxUpstreamBytes: number;
  /** Characters of the response to one operation. */
  readonly maxResponseSize: number;
  /** How often a read is sent again where what failed may pass. */
  readonly maxRetries: number;
  /** Failures in a row that open an upstream's circuit breaker. */
  readonly breakerFailures: number;
  /** Connections to each upstream. */
  readonly upstreamConnections: number;
  /** Connections that callers may have open. */
  readonly maxConnections: number;
  /** How long a connection is kept for its caller's next request. */
  readonly keepAliveMs: number;
  /** Subscriptions that may be open, in all and of one credential. */
  readonly maxStreams: number;
  readonly maxStreamsPerCredential: number;
  /** The origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  /** Headers that these pages may send beside those that are always allowed; in lower case. */
  readonly corsHeaders: readonly string[];
  /** Whether operations are named by hash, may be, or must be. */
  readonly persistedOperations: 'off' | 'allow' | 'only';
  readonly persistedOperationsFile: string | undefined;
  /** How the log is written; where nothing is said, it depends on whether a terminal shows it. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  readonly limits: Limits;
}

/** All that is wrong with the environment, in one error. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const givenFor = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;

const faultOf = <Fault extends Error>(
  name: string,
  read: () => unknown,
  Kind: new (message: string) => Fault,
): readonly string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof Kind) return [`${name} ${error.message}`];
    throw error;
  }
};

const isGiven = (environment: Environment, { name }: Setting<unknown>): boolean =>
  givenFor(environment, name) !== undefined;

/** What of a setting can be used, for checks that concern several. */
const usable = <Value>(environment: Environment, setting: Setting<Value>): Value | undefined => {
  try {
    return setting.parse(givenFor(environment, setting.name));
  } catch (error) {
    if (error instanceof SettingError) return undefined;
    throw error;
  }
};

/** What is wrong with the settings of replicas, taken together. */
const replicaFaults = (environment: Environment): readonly string[] => {
  const { redisUrl, cacheSecret, replicas, managementRate, observabilityRate } = settings;
  const count = usable(environment, replicas) ?? 1;
  const faults = [managementRate, observabilityRate].flatMap((rate) => {
    const { calls = Infinity } = usable(environment, rate) ?? {};
    const most = `at most ${calls}, the calls of ${rate.name}`;
    return count > calls ? [`${replicas.name} must be ${most}, got "${count}"`] : [];
  });
  if (isGiven(environment, redisUrl) && !isGiven(environment, cacheSecret)) {
    const expected = 'a text of at least 32 characters, the same for all replicas';
    faults.push(`${cacheSecret.name} is required where ${redisUrl.name} is set: ${expected}`);
  }
  return faults;
};

/** Whether OpenTelemetry's variables ask for traces: they say where to, or how, and do not switch them off. */
const asksForTraces = (environment: Environment): boolean => {
  const { otelEndpoint, otelTracesEndpoint, otelExporter, otelDisabled } = settings;
  const [endpoint, tracesEndpoint, exporter = '', disabled] = [
    ...[otelEndpoint, otelTracesEndpoint, otelExporter, otelDisabled],
  ].map(({ name }) => givenFor(environment, name));
  const isOff = disabled?.toLowerCase() === 'true' || /\bnone\b/i.test(exporter);
  return !isOff && (endpoint ?? tracesEndpoint ?? exporter) !== '';
};

/** What of a rate is one replica's where they do not share it. */
const shareOf = (rate: Rate | undefined, replicas: number): Rate | undefined =>
  rate && { ...rate, calls: Math.floor(rate.calls / replicas) };

/**
 * Reads the settings from environment variables; an empty value counts as none.
 * @throws ConfigError with a sentence for every variable at fault.
 */
export const readConfig = (environment: Environment): Config => {
  const value = <Value>({ name, parse }: Setting<Value>): Value =>
    parse(givenFor(environment, name));

  const faults = Object.values(settings).flatMap((setting: Setting<unknown>) =>
    faultOf(setting.name, () => value(setting), SettingError),
  );
  const { persistedOperations, persistedOperationsFile: file } = settings;
  const persisted = givenFor(environment, persistedOperations.name)?.toLowerCase();
  if (persisted === 'allow' || persisted === 'only') {
    const read = (): unknown => readManifest(value(file));
    faults.push(...faultOf(file.name, read, PersistedOperationsError));
  }
  faults.push(...replicaFaults(environment));
  if (faults.length > 0) throw new ConfigError(faults);

  const redisUrl = value(settings.redisUrl);
  const replicas = value(settings.replicas);
  // Over Redis they share the whole rate.
  const sharers = redisUrl === undefined ? replicas : 1;

  return {
    host: value(settings.host),
    port: value(settings.port),
    managementUrl: value(settings.managementUrl),
    observabilityUrl: value(settings.observabilityUrl),
    managementProfile: value(settings.managementProfile),
    observabilityProfile: value(settings.observabilityProfile),
    extendedReads: value(settings.extendedReads),
    managementRate: shareOf(value(settings.managementRate), sharers),
    observabilityRate: shareOf(value(settings.observabilityRate), sharers),
    pacingWaitMs: value(settings.pacingWaitMs),
    maxStaleMs: value(settings.maxStaleSeconds) * 1000,
    readCacheBytes: Number(value(settings.readCache)) * value(settings.readCacheMb) * 1024 * 1024,
    redisUrl,
    redisTimeoutMs: value(settings.redisTimeoutMs),
    cacheSecret: value(settings.cacheSecret),
    replicas,
    metricsPort: value(settings.metricsPort),
    readyRequires: value(settings.readyRequires),
    traces: asksForTraces(environment),
    introspection: value(settings.introspection),
    graphiql: value(settings.graphiql),
    explain: value(settings.explain) ?? value(settings.nodeEnv) !== 'production',
    pipeStateCommandField: value(settings.pipeStateCommandField),
    operationTimeoutMs: value(settings.operationTimeoutMs),
    writeTimeoutMs: value(settings.writeTimeoutMs),
    deferTimeoutMs: value(settings.deferTimeoutMs),
    maxUpstreamCalls: value(settings.maxUpstreamCalls),
    maxUpstreamBytes: value(settings.maxUpstreamBytes),
    maxResponseSize: value(settings.maxResponseSize),
    maxRetries: value(settings.maxRetries),
    breakerFailures: value(settings.breakerFailures),
    upstreamConnections: value(settings.upstreamConnections),
    maxConnections: value(settings.maxConnections),
    keepAliveMs: value(settings.keepAliveMs),
    maxStreams: value(settings.maxStreams),
    maxStreamsPerCredential: value(settings.maxStreamsPerCredential),
    corsOrigins: value(settings.corsOrigins),
    corsHeaders: value(settings.corsHeaders),
    persistedOperations: value(persistedOperations),
    persistedOperationsFile: value(file),
    logFormat: value(settings.logFormat),
    limits: {
      bodyBytes: value(settings.maxBodyBytes),
      headerBytes: value(settings.maxHeaderBytes),
      tokens: value(settings.maxTokens),
      depth: value(settings.maxDepth),
      aliases: value(settings.maxAliases),
      rootFields: value(settings.maxRootFields),
      mutationFields: value(settings.maxMutationFields),
      directives: value(settings.maxDirectives),
      cost: value(settings.maxCost),
      nodeIds: value(settings.maxNodeIds),
    },
  };
};
