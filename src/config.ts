import { requiredUrl, type Setting, SettingError } from './config/kinds.ts';
import { proxyFaults, readProxies } from './config/proxies.ts';
import { settings } from './config/settings.ts';
import { PersistedOperationsError, readManifest } from './documents/manifest.ts';
import type { Rate } from './upstream/gate/slots.ts';
import type { Proxies } from './upstream/sending/egress.ts';

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

type Values = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> };

const megabyte = 1024 * 1024;

/** Limits that no deployment needs to change, but tests do. */
const constants = {
  /** How many times a read is sent again after failures that may pass. */
  maxRetries: 2,
  /** How many reads have to fail in a row to open an upstream's circuit breaker. */
  breakerFailures: 10,
  /** The most bytes of all upstream answers to one operation together. */
  maxUpstreamBytes: 32 * megabyte,
  /** The most characters of the response to one operation. */
  maxResponseSize: 32 * megabyte,
  maxBodyBytes: megabyte / 4,
  maxHeaderBytes: 16 * 1024,
};

/** The checked settings of the gateway. */
export type Config = Values &
  Readonly<typeof constants> & {
    /** From HTTP_PROXY, HTTPS_PROXY and NO_PROXY; absent if calls go directly to the upstreams. */
    readonly proxies?: Proxies | undefined;
    /** The most open subscriptions, in all and of one credential; if absent, a part of `maxConnections`. */
    readonly maxStreams?: number;
    readonly maxStreamsPerCredential?: number;
  };

/** All faults of the environment in one error. */
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

/** The value of a setting; undefined if it is not valid. For checks of several settings together. */
const usable = <Value>(environment: Environment, setting: Setting<Value>): Value | undefined => {
  try {
    return setting.parse(givenFor(environment, setting.name));
  } catch (error) {
    if (error instanceof SettingError) return undefined;
    throw error;
  }
};

/** Programs that create a gateway may give values of any type. */
const typeFaults = (environment: Environment): readonly string[] =>
  Object.values(settings).flatMap(({ name }) => {
    const given: unknown = environment[name];
    const isText = given === undefined || typeof given === 'string';
    return isText ? [] : [`${name} must be text, got ${given === null ? 'null' : typeof given}`];
  });

/** Whether the management upstream serves observability too, so that all calls count in its rate. */
const isOneTree = (profile: Values['observabilityProfile'] | undefined): boolean =>
  profile === 'clickstack-cloud';

/** Faults that show only in several settings of replicas together. */
const replicaFaults = (environment: Environment): readonly string[] => {
  const { redisUrl, cacheSecret, replicas, managementRate, observabilityRate } = settings;
  const count = usable(environment, replicas) ?? 1;
  const hasOneRate = isOneTree(usable(environment, settings.observabilityProfile));
  const rates = hasOneRate ? [managementRate] : [managementRate, observabilityRate];
  const faults = rates.flatMap((rate) => {
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

/** In ClickHouse Cloud, ClickStack is served by the management interface. Every other observability has a URL. */
const destinationFaults = (environment: Environment): readonly string[] => {
  const { managementProfile, observabilityProfile, observabilityUrl } = settings;
  const profile = usable(environment, observabilityProfile);
  if (profile === undefined) return [];
  if (!isOneTree(profile)) {
    return isGiven(environment, observabilityUrl) ? [] : [requiredUrl(observabilityUrl.name)];
  }
  const beside = `where ${observabilityProfile.name} is ${profile}`;
  const other = usable(environment, managementProfile);
  return [
    ...(isGiven(environment, observabilityUrl)
      ? [`${observabilityUrl.name} must not be set ${beside}: MANAGEMENT_URL serves both`]
      : []),
    ...(other === 'clickhouse-cloud' || other === undefined
      ? []
      : [`${managementProfile.name} must be clickhouse-cloud ${beside}, got "${other}"`]),
  ];
};

/** Agents and tools may do no more than GraphQL. */
const toolFaults = (environment: Environment): readonly string[] => {
  const { mcp, rest, mutations, persistedOperations } = settings;
  const areOff = usable(environment, mutations) === false;
  const faults = [mcp, rest].flatMap((setting) => {
    const value: string = usable<string>(environment, setting) ?? '';
    return areOff && ['write', 'author'].includes(value)
      ? [`${setting.name} must be off or read where ${mutations.name} is off, got "${value}"`]
      : [];
  });
  const door = usable(environment, rest) ?? 'off';
  return door !== 'off' && usable(environment, persistedOperations) === 'only'
    ? [
        ...faults,
        `${rest.name} must be off where ${persistedOperations.name} is only, got "${door}"`,
      ]
    : faults;
};

const portFaults = (environment: Environment): readonly string[] => {
  const taken = usable(environment, settings.port);
  const asked = usable(environment, settings.metricsPort);
  const { name } = settings.metricsPort;
  return asked !== undefined && asked !== 0 && asked === taken
    ? [`${name} must be another port than ${settings.port.name}, got "${asked}"`]
    : [];
};

/** One replica's part of a rate, for replicas without Redis. */
const shareOf = (rate: Rate | undefined, replicas: number): Rate | undefined =>
  rate && { ...rate, calls: Math.floor(rate.calls / replicas) };

/**
 * Reads the settings from environment variables; an empty value counts as none.
 * @throws ConfigError with a sentence for every faulty variable.
 */
export const readConfig = (environment: Environment): Config => {
  const ofTypes = typeFaults(environment);
  if (ofTypes.length > 0) throw new ConfigError(ofTypes);
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
  faults.push(...destinationFaults(environment), ...replicaFaults(environment));
  faults.push(...toolFaults(environment));
  faults.push(...portFaults(environment), ...proxyFaults(environment));
  if (faults.length > 0) throw new ConfigError(faults);

  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [name, value(setting)]),
  ) as Values;
  // With Redis, all replicas share the whole rate.
  const sharers = values.redisUrl === undefined ? values.replicas : 1;
  return {
    ...constants,
    ...values,
    proxies: readProxies(environment),
    managementRate: shareOf(values.managementRate, sharers),
    observabilityRate: isOneTree(values.observabilityProfile)
      ? undefined
      : shareOf(values.observabilityRate, sharers),
  };
};
