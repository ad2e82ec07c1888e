import type { Limits } from './documents/limits.ts';
import { PersistedOperationsError, readManifest } from './plugins/persisted-operations.ts';
import type { Rate } from './upstream/slots.ts';

/** The gateway's settings, checked (docs/operating.md has the tables). */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly managementUrl: URL;
  readonly observabilityUrl: URL;
  readonly extendedReads: boolean;
  readonly shareInFlight: boolean;
  /** How often a credential may call each upstream; undefined where nothing is to be counted. */
  readonly managementRate: Rate | undefined;
  readonly observabilityRate: Rate | undefined;
  /** How long a call may wait for its turn within these rates. */
  readonly pacingWaitMs: number;
  /** Bytes of reads kept in memory; 0 where none are to be kept. */
  readonly readCacheBytes: number;
  readonly introspection: boolean;
  readonly graphiql: boolean;
  /** Whether a request may ask for the list of its upstream calls. */
  readonly explain: boolean;
  readonly pipeStateCommandField: string;
  /** How long an operation may take, with all its upstream calls. */
  readonly operationTimeoutMs: number;
  /** Upstream calls of one operation, in all and at a time. */
  readonly maxUpstreamCalls: number;
  readonly maxParallelCalls: number;
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
  /** Calls that may wait for one of these. */
  readonly upstreamQueue: number;
  /** Connections that callers may have open. */
  readonly maxConnections: number;
  /** Subscriptions that may be open, in all and of one credential. */
  readonly maxStreams: number;
  readonly maxStreamsPerCredential: number;
  /** The origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
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

/**
 * Reads the settings from environment variables; an empty value counts as none.
 * @throws ConfigError with a sentence for every variable at fault.
 */
export const readConfig = (environment: Environment): Config => {
  const faults: string[] = [];
  const fault = (name: string, expected: string, value: string | undefined): void => {
    faults.push(
      value === undefined
        ? `${name} is required: ${expected}`
        : `${name} must be ${expected}, got ${JSON.stringify(value)}`,
    );
  };
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;

  const url = (name: string): URL => {
    const expected = 'an http or https URL without query, fragment or credentials';
    const value = text(name);
    const parsed = value === undefined ? null : URL.parse(value);
    const usable =
      parsed !== null &&
      /^https?:$/.test(parsed.protocol) &&
      parsed.username + parsed.password + parsed.search + parsed.hash === '';
    if (usable) return parsed;
    // Credentials and tokens stand in these parts of a URL, also of one that cannot be parsed.
    const printable = value === undefined || !/[@?#]/.test(value);
    fault(name, expected, printable ? value : '(a value that may hold a secret)');
    return new URL('http://invalid.invalid');
  };

  const port = (name: string, fallback: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
      fault(name, 'a port from 0 to 65535', value);
    }
    return Number(value);
  };

  const count = (name: string, fallback: number, least = 1): number => {
    const value = text(name) ?? String(fallback);
    const usable = /^\d{1,9}$/.test(value) && Number(value) >= least;
    if (!usable) fault(name, `a whole number from ${least} to 999999999`, value);
    return Number(value);
  };

  const origins = (name: string): readonly string[] => {
    const listed =
      text(name)
        ?.split(',')
        .map((origin) => origin.trim()) ?? [];
    for (const origin of listed) {
      if (URL.parse(origin)?.origin !== origin || origin.includes('*')) {
        fault(name, 'origins such as https://app.example, separated by commas', origin);
      }
    }
    return listed;
  };

  const oneOf = <Value extends string>(
    name: string,
    values: readonly [Value, ...Value[]],
  ): Value => {
    const value = text(name)?.toLowerCase() ?? values[0];
    const found = values.find((each) => each === value);
    if (found === undefined) fault(name, values.join(' or '), value);
    return found ?? values[0];
  };

  const switched = (name: string, fallback: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (value !== 'on' && value !== 'off') fault(name, 'on or off', value);
    return value === 'on';
  };

  const rate = (name: string, fallback: string): Rate | undefined => {
    const value = text(name) ?? fallback;
    if (value.toLowerCase() === 'off') return undefined;
    // Each slot of a credential is looked at for each call: with more of them, that would take longer than sending.
    const [, calls = '0', seconds = '0'] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})s$/.exec(value) ?? [];
    if (calls === '0') {
      fault(name, 'calls and seconds such as 10/10s, each at most 9999, or off', value);
    }
    return { calls: Number(calls), windowMs: Number(seconds) * 1000 };
  };

  const memberName = (name: string, fallback: string): string => {
    const value = text(name) ?? fallback;
    if (!/^[A-Za-z_]\w{0,63}$/.test(value)) {
      fault(name, 'the name of a JSON member (letters, digits, underscores)', value);
    }
    return value;
  };

  const config: Config = {
    host: text('HOST') ?? '127.0.0.1',
    port: port('PORT', 4000),
    managementUrl: url('MANAGEMENT_URL'),
    observabilityUrl: url('OBSERVABILITY_URL'),
    extendedReads: switched('EXTENDED_READS', true),
    shareInFlight: switched('SHARE_IN_FLIGHT', true),
    managementRate: rate('MANAGEMENT_RATE', '10/10s'),
    observabilityRate: rate('OBSERVABILITY_RATE', '100/60s'),
    pacingWaitMs: count('PACING_WAIT_MS', 25_000, 0),
    readCacheBytes: Number(switched('READ_CACHE', true)) * count('READ_CACHE_MB', 64) * 1024 * 1024,
    introspection: switched('INTROSPECTION', true),
    graphiql: switched('GRAPHIQL', true),
    explain: switched('EXPLAIN', text('NODE_ENV') !== 'production'),
    pipeStateCommandField: memberName('PIPE_STATE_COMMAND_FIELD', 'command'),
    operationTimeoutMs: count('OPERATION_TIMEOUT_MS', 30_000),
    maxUpstreamCalls: count('MAX_UPSTREAM_CALLS', 50),
    maxParallelCalls: count('MAX_PARALLEL_UPSTREAM_CALLS', 10),
    maxUpstreamBytes: count('MAX_UPSTREAM_BYTES', 32 * 1024 * 1024),
    maxResponseSize: count('MAX_RESPONSE_SIZE', 32 * 1024 * 1024),
    maxRetries: count('MAX_RETRIES', 2, 0),
    breakerFailures: count('BREAKER_FAILURES', 10),
    upstreamConnections: count('UPSTREAM_CONNECTIONS', 64),
    upstreamQueue: count('UPSTREAM_QUEUE', 1000, 0),
    // With a full head and a body of full length on each, a thousand connections hold some 270 MB.
    maxConnections: count('MAX_CONNECTIONS', 1000),
    maxStreams: count('MAX_STREAMS', 5000, 0),
    maxStreamsPerCredential: count('MAX_STREAMS_PER_CREDENTIAL', 1000, 0),
    corsOrigins: origins('CORS_ORIGINS'),
    persistedOperations: oneOf('PERSISTED_OPERATIONS', ['off', 'allow', 'only']),
    persistedOperationsFile: text('PERSISTED_OPERATIONS_FILE'),
    logFormat:
      text('LOG_FORMAT') === undefined
        ? undefined
        : oneOf<'json' | 'pretty'>('LOG_FORMAT', ['json', 'pretty']),
    limits: {
      bodyBytes: count('MAX_BODY_BYTES', 256 * 1024),
      headerBytes: count('MAX_HEADER_BYTES', 16 * 1024, 1024),
      tokens: count('MAX_TOKENS', 2000),
      depth: count('MAX_DEPTH', 10),
      aliases: count('MAX_ALIASES', 30, 0),
      rootFields: count('MAX_ROOT_FIELDS', 20),
      mutationFields: count('MAX_MUTATION_FIELDS', 5),
      directives: count('MAX_DIRECTIVES', 50, 0),
      cost: count('MAX_COST', 5000),
      nodeIds: count('MAX_NODE_IDS', 100),
    },
  };
  if (config.persistedOperations !== 'off') {
    try {
      readManifest(config.persistedOperationsFile);
    } catch (error) {
      if (!(error instanceof PersistedOperationsError)) throw error;
      faults.push(`PERSISTED_OPERATIONS_FILE ${error.message}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
};
