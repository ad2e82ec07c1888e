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
  managementUrl: url('MANAGEMENT_URL', 'base URL of the management interface'),
  observabilityUrl: optionalUrl(
    'OBSERVABILITY_URL',
    'base URL of the observability interface. Required, but not allowed with the profile `clickstack-cloud`',
  ),
  managementProfile: oneOf(
    'MANAGEMENT_PROFILE',
    managementProfileNames,
    '[service](live-services.md) behind MANAGEMENT_URL. `clickhouse-cloud`: ClickHouse Cloud',
  ),
  observabilityProfile: oneOf(
    'OBSERVABILITY_PROFILE',
    observabilityProfileNames,
    '[service](live-services.md) with dashboards and alerts. `hyperdx`: HyperDX; `clickstack-cloud`: ClickStack in ClickHouse Cloud',
  ),
  clickstackService: service(
    'CLICKSTACK_SERVICE',
    'service that is meant where a query names none. `<organizationId>/<serviceId>`; only with `clickstack-cloud`',
  ),
  host: text('HOST', '127.0.0.1', 'address to listen on. The image sets `0.0.0.0`'),
  port: port('PORT', 4000, 'port to listen on; 0 takes a free one'),
  logFormat: optionalOneOf(
    'LOG_FORMAT',
    ['json', 'pretty'],
    'json or pretty; unset: pretty in a terminal, else json. Without pino-pretty always json',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    logLevels,
    'least level: debug (calls), info (requests), warn, error or silent',
  ),
  logSuccessPercent: count(
    'LOG_SUCCESS_PERCENT',
    100,
    'percentage of successful requests that are logged. Mutations, and requests of five seconds or more, always are',
    { least: 0, most: 100 },
  ),
  metricsPort: optionalPort('METRICS_PORT', 'port of `/metrics`, on `HOST`; 0 takes a free one'),
  readyRequires: oneOf(
    'READY_REQUIRES',
    ['nothing', 'upstreams'],
    'upstreams: /readyz is 503 while one cannot be reached. Each is sent a GET without credentials every ten seconds',
  ),
  extendedReads: switched(
    'EXTENDED_READS',
    true,
    'use [reads that are not documented](#reads-that-are-not-documented)',
  ),
  pipeStateCommandField: memberName(
    'PIPE_STATE_COMMAND_FIELD',
    'command',
    "undocumented member of a request's body, for start, stop or resync",
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
    'milliseconds that a call may wait for its turn. Deferred parts and background reads may wait longer',
    { least: 0 },
  ),
  readCacheBytes: count(
    'READ_CACHE_MB',
    64,
    'megabytes of reads kept in memory; 0 keeps none. One credential may have a quarter',
    { least: 0, unit: 1024 * 1024 },
  ),
  // Replicas keep answers and changes for ten minutes.
  maxStaleMs: count(
    'MAX_STALE_SECONDS',
    600,
    'oldest answer that is shown while a new one is read, in seconds. Also the longest wait of a background read. At most 600; 0: no older answers and no background reads',
    { least: 0, most: 600, unit: 1000 },
  ),
};

const sharing = {
  redisUrl: redisUrl(
    'REDIS_URL',
    'Redis through which replicas share limits and memory. `redis://`, `rediss://` or `redis+sentinel://`',
  ),
  redisTimeoutMs: count(
    'REDIS_TIMEOUT_MS',
    50,
    'milliseconds that Redis has for an answer. After that the gateway goes on without it, and tries again each second',
  ),
  cacheSecret: secrets(
    'CACHE_SECRET',
    'encrypts what is in Redis; the same for all replicas. At least 32 characters; required with `REDIS_URL`. `new,old` while it [changes](#change-cache_secret)',
  ),
  replicas: count(
    'REPLICAS',
    1,
    'highest number of processes that may run. Without Redis each uses its share of the rates',
  ),
};

const failures = {
  operationTimeoutMs: count(
    'OPERATION_TIMEOUT_MS',
    30_000,
    'milliseconds that an operation has. Reads after a change have as long again, at most until 20 seconds after `WRITE_TIMEOUT_MS`',
  ),
  writeTimeoutMs: count(
    'WRITE_TIMEOUT_MS',
    180_000,
    'milliseconds that changes of a mutation have. Below `OPERATION_TIMEOUT_MS`, that counts',
  ),
  deferTimeoutMs: count(
    'DEFER_TIMEOUT_MS',
    300_000,
    'milliseconds in which parts with @defer may come. At a time 20 responses of a credential, and 200 in all (50 of new credentials), come in parts',
  ),
  drainMs: count(
    'DRAIN_MS',
    35_000,
    'milliseconds that the gateway takes to [stop](#stop) at most',
    {
      least: 0,
    },
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
    'open connections of callers, health checks too. Further ones are closed at once. Four fifths may be subscriptions, one fifth those of one credential',
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
    'calls of an operation itself, with retries. Further reads come [in the background](clients.md#show-a-large-page), or, if that is off, fail with `UPSTREAM_BUDGET_EXCEEDED`',
  ),
  maxTokens: count('MAX_TOKENS', 2000, '[tokens](#when-a-caller-asks-too-much) of a document'),
  maxCost: count(
    'MAX_COST',
    100_000,
    '[fields](#the-cost-of-an-operation) that an answer may have',
  ),
};

const tools = {
  corsOrigins: origins(
    'CORS_ORIGINS',
    'origins whose pages may read answers, separated by commas. Example: `https://app.example`',
  ),
  corsHeaders: headerNames(
    'CORS_HEADERS',
    'further [headers](#headers-of-pages-of-another-origin) that these pages may send, separated by commas',
  ),
  graphiql: switched('GRAPHIQL', true, 'show GraphiQL to browsers at /graphql'),
  mutations: switched(
    'MUTATIONS',
    true,
    'off: every mutation but a dry run is refused with `MUTATIONS_OFF`',
  ),
  mcp: oneOf(
    'MCP',
    ['off', 'read', 'write', 'author'],
    '[tools for agents](agents.md) at `/mcp`. `write` and `author` may change something',
  ),
  rest: oneOf(
    'REST',
    ['off', 'read', 'write'],
    '[REST tools](#rest-tools) may call the interfaces; `read`: only GET',
  ),
  mcpMaxCharacters: count(
    'MCP_MAX_CHARACTERS',
    40_000,
    'characters that the answer of a tool may have',
  ),
  introspection: switched(
    'INTROSPECTION',
    true,
    'the schema may be queried. Errors may also suggest names; GraphiQL needs it',
  ),
  explain: switched('EXPLAIN', false, 'a request may ask for the list of its upstream calls'),
  persistedOperations: oneOf(
    'PERSISTED_OPERATIONS',
    ['off', 'allow', 'only'],
    'allow: [operations](#persisted-operations) may be named by hash; only: they must',
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
