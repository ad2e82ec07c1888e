import { logLevels } from '../log.ts';
import { managementProfileNames } from '../upstream/management/profiles/index.ts';
import { observabilityProfileNames } from '../upstream/observability/profiles/index.ts';
import {
  count,
  headerNames,
  memberName,
  oneOf,
  optionalOneOf,
  optionalPort,
  optionalText,
  optionalUrl,
  origins,
  port,
  rate,
  redisUrl,
  type Setting,
  secrets,
  service,
  switched,
  text,
  url,
} from './kinds.ts';

const server = {
  managementUrl: url(
    'MANAGEMENT_URL',
    'base URL of the management interface. http or https, without credentials, query or fragment',
  ),
  observabilityUrl: optionalUrl(
    'OBSERVABILITY_URL',
    'base URL of the observability interface. Required, except with the profile `clickstack-cloud`, where it must not be set',
  ),
  managementProfile: oneOf(
    'MANAGEMENT_PROFILE',
    managementProfileNames,
    'service behind MANAGEMENT_URL. `clickhouse-cloud`: paths and names are those of ClickHouse Cloud',
  ),
  observabilityProfile: oneOf(
    'OBSERVABILITY_PROFILE',
    observabilityProfileNames,
    'service behind OBSERVABILITY_URL. `hyperdx`: names are those of HyperDX (ClickStack); `clickstack-cloud`: ClickStack in ClickHouse Cloud, behind MANAGEMENT_URL; see [the live services](live-services.md)',
  ),
  clickstackService: service(
    'CLICKSTACK_SERVICE',
    'service whose ClickStack is meant where a query names none. `<organizationId>/<serviceId>`; only with the profile `clickstack-cloud`',
  ),
  host: text('HOST', '127.0.0.1', 'address to listen on. The image sets `0.0.0.0`'),
  port: port('PORT', 4000, 'port to listen on; 0 takes a free one'),
  logFormat: optionalOneOf(
    'LOG_FORMAT',
    ['json', 'pretty'],
    'json or pretty; unset: pretty in a terminal, else json. Without pino-pretty, a development dependency, it is always JSON',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    logLevels,
    'least logged level: debug, info (requests), warn, error or silent. `debug` adds each upstream call',
  ),
  logSuccessPercent: count(
    'LOG_SUCCESS_PERCENT',
    100,
    'percentage of successful requests that are logged. Mutations, and requests of five seconds or more, always are',
    { least: 0, most: 100 },
  ),
  metricsPort: optionalPort(
    'METRICS_PORT',
    'port of the metrics for Prometheus; 0 takes a free one. They are at `/metrics`, on `HOST`',
  ),
  readyRequires: oneOf(
    'READY_REQUIRES',
    ['nothing', 'upstreams'],
    'upstreams: /readyz is 503 while one cannot be reached. Each is sent a GET without credentials every ten seconds',
  ),
  extendedReads: switched(
    'EXTENDED_READS',
    true,
    'use reads that the interfaces do not document. See [below](#reads-that-are-not-documented)',
  ),
  pipeStateCommandField: memberName(
    'PIPE_STATE_COMMAND_FIELD',
    'command',
    "field of a request's body that carries start, stop or resync. The interface's documentation does not name it",
  ),
};

const pacing = {
  managementRate: rate(
    'MANAGEMENT_RATE',
    '10/10s',
    'calls to management with one credential, or off. `10/10s` means 10 calls in 10 seconds',
  ),
  observabilityRate: rate(
    'OBSERVABILITY_RATE',
    '100/60s',
    'calls to observability with one credential, or off',
  ),
  pacingWaitMs: count(
    'PACING_WAIT_MS',
    25_000,
    'milliseconds that a call may wait for its turn. Deferred parts, and reads in the background, may wait longer',
    { least: 0 },
  ),
  readCacheBytes: count(
    'READ_CACHE_MB',
    64,
    'megabytes of reads kept in memory for some seconds; 0 keeps none. One credential may have a quarter',
    { least: 0, unit: 1024 * 1024 },
  ),
  // Replicas keep answers and changes for ten minutes.
  maxStaleMs: count(
    'MAX_STALE_SECONDS',
    600,
    'oldest answer that may be shown while a new one is read, in seconds. Also the longest wait of a read in the background. At most 600; 0 shows no old answers, and reads nothing in the background',
    { least: 0, most: 600, unit: 1000 },
  ),
};

const sharing = {
  redisUrl: redisUrl(
    'REDIS_URL',
    'Redis through which replicas share limits and memory. A `redis://`, `rediss://` or `redis+sentinel://` URL; it is never printed',
  ),
  redisTimeoutMs: count(
    'REDIS_TIMEOUT_MS',
    50,
    'milliseconds that Redis has for an answer. After that the gateway goes on without it, and tries it again each second',
  ),
  cacheSecret: secrets(
    'CACHE_SECRET',
    'encrypts what is in Redis; the same for all replicas. At least 32 characters; required with `REDIS_URL`. `new,old` while it changes',
  ),
  replicas: count(
    'REPLICAS',
    1,
    'number of processes, or the highest that autoscaling may start. Without Redis each process uses its share of the rates',
  ),
};

const failures = {
  operationTimeoutMs: count(
    'OPERATION_TIMEOUT_MS',
    30_000,
    'milliseconds that an operation has, with all its calls. What is read after a change may take as long again, at most until 20 seconds after `WRITE_TIMEOUT_MS`',
  ),
  writeTimeoutMs: count(
    'WRITE_TIMEOUT_MS',
    180_000,
    'milliseconds in which the changes of a mutation have to be answered. A value below `OPERATION_TIMEOUT_MS` is treated as that value',
  ),
  deferTimeoutMs: count(
    'DEFER_TIMEOUT_MS',
    300_000,
    'milliseconds in which parts with @defer may come. At a time at most 20 responses of a credential, and 200 in all (50 of new credentials), come in parts, others whole',
  ),
  drainMs: count(
    'DRAIN_MS',
    35_000,
    'milliseconds that the gateway takes to [stop](#stop), at most',
    { least: 0 },
  ),
  upstreamConnections: count(
    'UPSTREAM_CONNECTIONS',
    64,
    'connections to each upstream. One credential may use a quarter, and at least one',
  ),
  // A thousand connections, each with the longest head and body, hold some 270 MB.
  maxConnections: count(
    'MAX_CONNECTIONS',
    1000,
    'open connections of callers. Further connections are closed at once, those of health checks too. Four fifths may be subscriptions, and one fifth subscriptions of one credential',
  ),
  keepAliveMs: count(
    'KEEP_ALIVE_MS',
    75_000,
    'milliseconds that an idle connection is kept. Longer than [the proxy](#other-proxies) keeps its own',
  ),
};

const operation = {
  maxUpstreamCalls: count(
    'MAX_UPSTREAM_CALLS',
    50,
    'calls that are sent for an operation itself, retries included. Reads beyond that are sent [in the background](clients.md#show-a-large-page). With background reading off they fail with `UPSTREAM_BUDGET_EXCEEDED`',
  ),
  maxTokens: count(
    'MAX_TOKENS',
    2000,
    'tokens of a document. See [large operations](#when-a-caller-asks-too-much)',
  ),
  maxCost: count(
    'MAX_COST',
    100_000,
    'fields that an answer may have. See [the cost of an operation](#the-cost-of-an-operation)',
  ),
};

const tools = {
  corsOrigins: origins(
    'CORS_ORIGINS',
    'origins whose pages may read answers, separated by commas. Write an origin as `https://app.example`',
  ),
  corsHeaders: headerNames(
    'CORS_HEADERS',
    'further headers that these pages may send, separated by commas. See [the headers that they may send](#headers-of-pages-of-another-origin)',
  ),
  graphiql: switched('GRAPHIQL', true, 'show GraphiQL to browsers at /graphql'),
  mutations: switched(
    'MUTATIONS',
    true,
    'off: every mutation but a dry run is refused with `MUTATIONS_OFF`. The schema stays the same',
  ),
  mcp: oneOf(
    'MCP',
    ['off', 'read', 'write', 'author'],
    'tools for agents at `/mcp`; `write` and `author` may change something. See [agents](agents.md)',
  ),
  rest: oneOf(
    'REST',
    ['off', 'read', 'write'],
    'REST tools may call `/management` and `/observability`; `read`: only GET. See [REST tools](#rest-tools)',
  ),
  mcpMaxCharacters: count(
    'MCP_MAX_CHARACTERS',
    40_000,
    'characters that the answer of a tool may have',
  ),
  introspection: switched(
    'INTROSPECTION',
    true,
    'the schema may be queried. Errors may also suggest names from it; GraphiQL needs it',
  ),
  explain: switched('EXPLAIN', false, 'a request may ask for the list of its upstream calls'),
  persistedOperations: oneOf(
    'PERSISTED_OPERATIONS',
    ['off', 'allow', 'only'],
    'allow: operations may be named by hash; only: they must. See [below](#persisted-operations)',
  ),
  persistedOperationsFile: optionalText(
    'PERSISTED_OPERATIONS_FILE',
    'JSON file of SHA-256 hashes and documents',
  ),
};

/** Every environment variable that the gateway reads, by the name of its value in `Config`. */
export const settings = { ...server, ...pacing, ...sharing, ...failures, ...operation, ...tools };

/** The settings in groups, for people to read. */
export const groups: readonly (readonly [title: string, members: readonly Setting<unknown>[]])[] = [
  ['Upstreams and server', Object.values(server)],
  ['Limits of the interfaces, and memory', Object.values(pacing)],
  ['Replicas', Object.values(sharing)],
  ['Time and connections', Object.values(failures)],
  ['Limits of an operation', Object.values(operation)],
  ['Browsers and tools', Object.values(tools)],
];
