import { managementProfileNames } from '../upstream/management/profiles/index.ts';
import { observabilityProfileNames } from '../upstream/observability/profiles/index.ts';
import {
  count,
  headerNames,
  memberName,
  oneOf,
  optionalOneOf,
  optionalPort,
  optionalSwitch,
  optionalText,
  origins,
  port,
  rate,
  redisUrl,
  type Setting,
  secret,
  switched,
  text,
  url,
} from './kinds.ts';

const megabytes = 1024 * 1024;

const server = {
  managementUrl: url('MANAGEMENT_URL', 'base URL of the management interface'),
  observabilityUrl: url('OBSERVABILITY_URL', 'base URL of the observability interface'),
  managementProfile: oneOf(
    'MANAGEMENT_PROFILE',
    managementProfileNames,
    'service behind MANAGEMENT_URL, where it is a public one',
  ),
  observabilityProfile: oneOf(
    'OBSERVABILITY_PROFILE',
    observabilityProfileNames,
    'the same for OBSERVABILITY_URL',
  ),
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  port: port('PORT', 4000, 'port to listen on; 0 takes a free one'),
  logFormat: optionalOneOf(
    'LOG_FORMAT',
    ['json', 'pretty'],
    'json or pretty; unset: pretty in a terminal, else json',
  ),
  metricsPort: optionalPort(
    'METRICS_PORT',
    'port of the metrics for Prometheus; 0 takes a free one',
  ),
  readyRequires: oneOf(
    'READY_REQUIRES',
    ['nothing', 'upstreams'],
    'upstreams: /readyz is 503 while one cannot be reached',
  ),
  nodeEnv: optionalText('NODE_ENV', 'production turns the default of EXPLAIN to off'),
  extendedReads: switched('EXTENDED_READS', true, 'use reads that the interfaces do not document'),
  pipeStateCommandField: memberName(
    'PIPE_STATE_COMMAND_FIELD',
    'command',
    'member of a body that carries start, stop or resync',
  ),
};

const pacing = {
  managementRate: rate('MANAGEMENT_RATE', '10/10s', 'calls to management of a credential, or off'),
  observabilityRate: rate('OBSERVABILITY_RATE', '100/60s', 'the same for observability'),
  pacingWaitMs: count('PACING_WAIT_MS', 25_000, 'milliseconds that a call may wait its turn', 0),
  readCache: switched('READ_CACHE', true, 'keep reads in memory for some seconds'),
  readCacheMb: count('READ_CACHE_MB', 64, 'megabytes of them'),
  // Replicas know for so long what has changed.
  maxStaleSeconds: count(
    'MAX_STALE_SECONDS',
    600,
    'how old a read may be that is shown while it is read anew',
    0,
    600,
  ),
};

const sharing = {
  redisUrl: redisUrl('REDIS_URL', 'Redis that replicas share limits and memory through'),
  cacheSecret: secret('CACHE_SECRET', 'encrypts what is in Redis; the same for all replicas'),
  redisTimeoutMs: count('REDIS_TIMEOUT_MS', 50, 'milliseconds that Redis has for an answer'),
  replicas: count('REPLICAS', 1, 'gateways that serve the same credentials'),
};

/** OpenTelemetry's own: its SDK reads these and many more, and the gateway only whether traces are wanted. */
const traces = {
  otelEndpoint: optionalText('OTEL_EXPORTER_OTLP_ENDPOINT', 'where traces are sent to'),
  otelTracesEndpoint: optionalText('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'the same, with its path'),
  otelExporter: optionalText('OTEL_TRACES_EXPORTER', 'otlp, console or none'),
  otelDisabled: optionalText('OTEL_SDK_DISABLED', 'true: no traces'),
};

const failures = {
  operationTimeoutMs: count('OPERATION_TIMEOUT_MS', 30_000, 'milliseconds that an operation has'),
  writeTimeoutMs: count(
    'WRITE_TIMEOUT_MS',
    180_000,
    'the same while a change is sent and answered',
  ),
  deferTimeoutMs: count('DEFER_TIMEOUT_MS', 300_000, 'the same for parts with @defer'),
  maxRetries: count('MAX_RETRIES', 2, 'how often a read is sent again', 0),
  breakerFailures: count(
    'BREAKER_FAILURES',
    10,
    'failed reads in a row after which an upstream is left alone',
  ),
  upstreamConnections: count('UPSTREAM_CONNECTIONS', 64, 'connections to each upstream'),
  // With a full head and a body of full length on each, a thousand connections hold some 270 MB.
  maxConnections: count('MAX_CONNECTIONS', 1000, 'open connections of callers'),
  keepAliveMs: count('KEEP_ALIVE_MS', 75_000, 'milliseconds that an idle connection is kept'),
  maxStreams: count('MAX_STREAMS', 800, 'subscriptions open at a time', 0),
  maxStreamsPerCredential: count(
    'MAX_STREAMS_PER_CREDENTIAL',
    200,
    'the same for one credential',
    0,
  ),
};

const operation = {
  maxUpstreamCalls: count('MAX_UPSTREAM_CALLS', 50, 'upstream calls of an operation'),
  maxUpstreamBytes: count(
    'MAX_UPSTREAM_BYTES',
    32 * megabytes,
    "bytes of the upstreams' answers to an operation",
  ),
  maxResponseSize: count('MAX_RESPONSE_SIZE', 32 * megabytes, 'characters of a response'),
  maxBodyBytes: count('MAX_BODY_BYTES', 256 * 1024, "bytes of a request's body"),
  maxHeaderBytes: count('MAX_HEADER_BYTES', 16 * 1024, "bytes of a request's headers", 1024),
  maxTokens: count('MAX_TOKENS', 2000, 'tokens of a document'),
  maxDepth: count('MAX_DEPTH', 10, 'levels of fields'),
  maxAliases: count('MAX_ALIASES', 30, 'aliases of an operation', 0),
  maxRootFields: count('MAX_ROOT_FIELDS', 20, 'root fields of a query'),
  maxMutationFields: count('MAX_MUTATION_FIELDS', 5, 'mutations of an operation'),
  maxDirectives: count('MAX_DIRECTIVES', 50, 'directives of an operation', 0),
  maxCost: count('MAX_COST', 5000, 'objects that an answer may come to hold'),
  maxNodeIds: count('MAX_NODE_IDS', 100, 'identifiers given to node and nodes'),
};

const tools = {
  corsOrigins: origins('CORS_ORIGINS', 'origins whose pages may read answers, with commas between'),
  corsHeaders: headerNames('CORS_HEADERS', 'further headers that these pages may send'),
  graphiql: switched('GRAPHIQL', true, 'show GraphiQL to browsers at /graphql'),
  introspection: switched('INTROSPECTION', true, 'the schema may be queried'),
  explain: optionalSwitch('EXPLAIN', 'on', 'a request may ask for the list of its upstream calls'),
  persistedOperations: oneOf(
    'PERSISTED_OPERATIONS',
    ['off', 'allow', 'only'],
    'allow: operations may be named by hash; only: they must',
  ),
  persistedOperationsFile: optionalText(
    'PERSISTED_OPERATIONS_FILE',
    'JSON file of SHA-256 hashes and documents',
  ),
};

/** Every environment variable that the gateway reads (docs/operating.md says more of each). */
export const settings = {
  ...server,
  ...traces,
  ...pacing,
  ...sharing,
  ...failures,
  ...operation,
  ...tools,
};

/** The same in groups, as people read them. */
export const groups: readonly (readonly [title: string, members: readonly Setting<unknown>[]])[] = [
  ['Upstreams and server', Object.values(server)],
  ["Traces (more of OpenTelemetry's variables count too)", Object.values(traces)],
  ['Limits of the interfaces, and memory', Object.values(pacing)],
  ['Replicas', Object.values(sharing)],
  ['Time, failures and connections', Object.values(failures)],
  ['Limits of an operation', Object.values(operation)],
  ['Browsers and tools', Object.values(tools)],
];
