import type { Config } from '../config.ts';
import type { Setting } from './kinds.ts';
import { settings } from './settings.ts';

/** A setting that was given, but has no effect, or another effect than it says, because of another setting. */
export interface Idle {
  readonly setting: string;
  /** Why: the rest of a sentence that begins with the setting's name. */
  readonly reason: string;
}

type Rule = readonly [
  setting: Setting<unknown>,
  isIdle: (config: Config) => boolean,
  reason: string,
];

const rules: readonly Rule[] = [
  [
    settings.graphiql,
    (config) => config.graphiql && !config.introspection,
    'cannot show the schema while INTROSPECTION is off',
  ],
  [
    settings.graphiql,
    (config) => config.graphiql && config.persistedOperations === 'only',
    'can send nothing of its own while PERSISTED_OPERATIONS is only',
  ],
  [
    settings.persistedOperationsFile,
    (config) => config.persistedOperations === 'off',
    'has no effect while PERSISTED_OPERATIONS is off',
  ],
  [
    settings.redisTimeoutMs,
    (config) => config.redisUrl === undefined,
    'has no effect without REDIS_URL',
  ],
  [
    settings.logSuccessPercent,
    ({ logLevel }) => logLevel !== 'info' && logLevel !== 'debug',
    'has no effect while LOG_LEVEL leaves out all requests',
  ],
  [settings.mcpMaxCharacters, (config) => config.mcp === 'off', 'has no effect while MCP is off'],
  [
    settings.maxStaleMs,
    (config) => config.maxStaleMs > 0 && config.readCacheBytes === 0,
    'has no effect while READ_CACHE_MB is 0',
  ],
  [
    settings.writeTimeoutMs,
    (config) => config.writeTimeoutMs < config.operationTimeoutMs,
    'is below OPERATION_TIMEOUT_MS, and treated as that value',
  ],
  [
    settings.deferTimeoutMs,
    (config) => config.deferTimeoutMs < config.operationTimeoutMs,
    'is below OPERATION_TIMEOUT_MS, and treated as that value',
  ],
  [settings.writeTimeoutMs, (config) => !config.mutations, 'has no effect while MUTATIONS is off'],
  [
    settings.pacingWaitMs,
    (config) => config.pacingWaitMs > config.operationTimeoutMs,
    'is above OPERATION_TIMEOUT_MS, which ends the wait of a read',
  ],
  [
    settings.replicas,
    ({ redisUrl, replicas, managementRate, observabilityRate }) =>
      redisUrl === undefined && replicas > 1 && !managementRate && !observabilityRate,
    'has no effect without REDIS_URL while both rates are off',
  ],
  [
    settings.observabilityRate,
    ({ observabilityProfile }) => observabilityProfile === 'clickstack-cloud',
    'has no effect with the profile clickstack-cloud, whose calls count in MANAGEMENT_RATE',
  ],
  [
    settings.clickstackService,
    ({ observabilityProfile }) => observabilityProfile !== 'clickstack-cloud',
    'has no effect without the profile clickstack-cloud',
  ],
  [
    settings.corsHeaders,
    (config) => config.corsOrigins.length === 0,
    'has no effect without CORS_ORIGINS',
  ],
];

/**
 * Finds the given settings that have no effect because of others. `config` must be the one read from the environment.
 */
export const findIdle = (
  environment: Readonly<Record<string, string | undefined>>,
  config: Config,
): readonly Idle[] =>
  rules
    .filter(([{ name }, isIdle]) => Boolean(environment[name]?.trim()) && isIdle(config))
    .map(([{ name }, , reason]) => ({ setting: name, reason }));

export const describeIdle = ({ setting, reason }: Idle): string => `${setting} ${reason}.`;
