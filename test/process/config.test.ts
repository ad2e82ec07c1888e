import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeIdle, findIdle } from '../../src/config/idle.ts';
import { groups, settings } from '../../src/config/settings.ts';
import { findSlips } from '../../src/config/slips.ts';
import { type Config, ConfigError, readConfig } from '../../src/config.ts';

const urls = {
  MANAGEMENT_URL: 'https://management.example',
  OBSERVABILITY_URL: 'https://observability.example',
};
const names = Object.values(settings).map(({ name }) => name);
/** A manifest of persisted operations without any. */
const file = join(mkdtempSync(join(tmpdir(), 'sluice-config-')), 'none.json');
writeFileSync(file, '{}');
afterAll(() => rmSync(dirname(file), { recursive: true }));
const secret = 'a secret of no fewer than thirty-two characters';

/** The faults of an environment, which must have some. */
const faultsOf = (environment: Parameters<typeof readConfig>[0]): readonly string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('no fault was found');
};

it('needs the two URLs alone; there are at most 48 settings, each in one group', () => {
  expect(faultsOf({})).toEqual([
    expect.stringMatching(/^MANAGEMENT_URL is required: /),
    expect.stringMatching(/^OBSERVABILITY_URL is required: /),
  ]);
  expect(groups.flatMap(([, members]) => members.map(({ name }) => name))).toEqual(names);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeLessThanOrEqual(48);
});

const rateOf = (calls: number, seconds: number) => ({ calls, windowMs: seconds * 1000 });

describe('a setting takes', () => {
  it.each<[variable: string, value: string | undefined, expected: Partial<Config>]>([
    ['MANAGEMENT_URL', 'http://[::1]:41/a/', { managementUrl: new URL('http://[::1]:41/a/') }],
    ['MANAGEMENT_PROFILE', 'ClickHouse-Cloud', { managementProfile: 'clickhouse-cloud' }],
    ['OBSERVABILITY_PROFILE', undefined, { observabilityProfile: 'reference' }],
    ['PORT', ' 65535 ', { port: 65_535 }],
    ['METRICS_PORT', undefined, { metricsPort: undefined }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['LOG_FORMAT', undefined, { logFormat: undefined }],
    ['EXTENDED_READS', 'Off', { extendedReads: false }],
    ['PIPE_STATE_COMMAND_FIELD', 'a'.repeat(64), { pipeStateCommandField: 'a'.repeat(64) }],
    ['MANAGEMENT_RATE', undefined, { managementRate: rateOf(10, 10) }],
    ['OBSERVABILITY_RATE', undefined, { observabilityRate: rateOf(100, 60) }],
    ['MANAGEMENT_RATE', '9999/9999s', { managementRate: rateOf(9999, 9999) }],
    ['OBSERVABILITY_RATE', 'OFF', { observabilityRate: undefined }],
    ['READ_CACHE_MB', undefined, { readCacheBytes: 64 * 1024 * 1024 }],
    ['MAX_STALE_SECONDS', '600', { maxStaleMs: 600_000 }],
    ['CORS_ORIGINS', 'https://a.b, http://c', { corsOrigins: ['https://a.b', 'http://c'] }],
    ['CORS_HEADERS', 'X-Team,x-b', { corsHeaders: ['x-team', 'x-b'] }],
    ['REPLICAS', '3', { managementRate: rateOf(3, 10), observabilityRate: rateOf(33, 60) }],
  ])('a setting takes %s=%s', (variable, value, expected) => {
    const config: object = readConfig({ ...urls, [variable]: value });
    expect(config).toMatchObject(expected);
  });

  it.each(names.slice(2))('a setting takes an empty or blank %s as none', (name) => {
    for (const value of ['', ' \t'])
      expect(readConfig({ ...urls, [name]: value })).toEqual(readConfig(urls));
  });
});

describe('a setting refuses, and quotes,', () => {
  const port = 'must be a port from 0 to 65535';
  const rate = 'must be calls and seconds such as 10/10s, each at most 9999, or off';
  const digits = 'must be a whole number from 0 to 999999999';
  const member = 'must be the name of a JSON member (letters, digits, underscores)';
  const headers = 'must be names of headers such as x-team, separated by commas';
  const origins = 'must be origins such as https://app.example, separated by commas';
  const address = 'must be an http or https URL without query, fragment or credentials';
  const noRates = [
    '10',
    '10/10',
    '/10s',
    '10/10S',
    '10/1min',
    '0/10s',
    '10/0s',
    '-1/10s',
    '010/10s',
  ];
  const noOrigins = ['*', 'https://*.example', 'https://a.example/', 'app.example', 'null'];

  it.each<[name: string, fault: string, ...values: string[]]>([
    ['MANAGEMENT_URL', address, 'management.example', 'http://', 'ftp://a.example', '//a.example'],
    ['PORT', port, '65536', '-1', '80.5', '4e3', '0x50', '８０'],
    ['METRICS_PORT', port, '65536', 'on'],
    ['LOG_FORMAT', 'must be json or pretty', 'xml'],
    ['GRAPHIQL', 'must be on or off', 'true', '1', 'onn'],
    ['PIPE_STATE_COMMAND_FIELD', member, 'a-b', 'a.b', '1a', 'a"b', 'a'.repeat(65)],
    [
      'MANAGEMENT_RATE',
      rate,
      ...noRates,
      '1.5/10s',
      '10000/10s',
      '10/10000s',
      '１０/10s',
      'on',
      '0',
    ],
    ['PACING_WAIT_MS', digits, '-1', '+1', '1.5', '25s', '1e3', '1000000000'],
    ['MAX_COST', 'must be a whole number from 1 to 999999999', '0'],
    ['MAX_STALE_SECONDS', 'must be a whole number from 0 to 600', '601'],
    ['MCP', 'must be off or read or write or author', 'on'],
    ['REST', 'must be off or read or write', 'on'],
    ['PERSISTED_OPERATIONS', 'must be off or allow or only', 'on'],
    ['CORS_HEADERS', headers, '*', 'x:team'],
    ['CORS_ORIGINS', origins, ...noOrigins],
  ])('a setting says what it takes: %s %s', (name, fault, ...values) => {
    for (const value of values) {
      const expected = `${name} ${fault}, got ${JSON.stringify(value)}`;
      expect(faultsOf({ ...urls, [name]: value })).toEqual([expected]);
    }
  });

  it.each([
    ['MCP', 'write'],
    ['MCP', 'author'],
    ['REST', 'write'],
  ])('tools that write are refused where mutations are off: %s=%s', (name, value) => {
    const fault = `${name} must be off or read where MUTATIONS is off, got "${value}"`;
    expect(faultsOf({ ...urls, [name]: value, MUTATIONS: 'off' })).toEqual([fault]);
    expect(() => readConfig({ ...urls, [name]: 'read', MUTATIONS: 'off' })).not.toThrow();
  });

  it.each(['read', 'write'])(
    'a door for REST tools is refused beside a list of operations: %s',
    (value) => {
      const only = { PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_FILE: file };
      const fault = `REST must be off where PERSISTED_OPERATIONS is only, got "${value}"`;
      expect(faultsOf({ ...urls, ...only, REST: value })).toEqual([fault]);
    },
  );

  it('one port for two servers is refused, and two free ones are taken', () => {
    const fault = 'METRICS_PORT must be another port than PORT, got "4000"';
    expect(faultsOf({ ...urls, METRICS_PORT: '4000' })).toEqual([fault]);
    expect(readConfig({ ...urls, PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0);
  });

  it.each([
    ...['proxy.example:3128', 'socks5://proxy.example', 'http://:canary@', 'http://u:canary%@p'],
    ...['http://proxy.example/canary', 'http://proxy.example?canary', 'http://a.example#canary'],
  ])('a proxy that is none is refused: %s', (value) => {
    const expected = 'an http or https URL such as http://proxy.example:3128';
    for (const name of ['HTTPS_PROXY', 'http_proxy']) {
      const fault = `${name} must be ${expected}, got something else (not shown)`;
      expect(faultsOf({ ...urls, [name]: value })).toEqual([fault]);
    }
  });

  it.each([
    ...['https://user:canary@a.example', 'https://canary@a.example', 'ftp://user:canary@a.example'],
    ...['https://user:canary@', 'https://a.example?token=canary', 'https://a.example#canary'],
  ])('a fault quotes no secret in a URL: %s', (value) => {
    const faults = faultsOf({ ...urls, MANAGEMENT_URL: value });
    expect(faults).toEqual([expect.stringMatching(/^MANAGEMENT_URL (?!.*canary)/)]);
  });

  const plain = 'REDIS_URL must be a redis://, rediss:// or redis+';
  const sentinel = 'REDIS_URL must be like redis+sentinel://host1';
  const short = 'CACHE_SECRET must be at least 32 characters long, got 8';
  it.each<[url: string, secret: string | undefined, fault: string]>([
    ['http://redis.example', secret, plain],
    ['redis:password@redis.example', secret, plain],
    ['redis://:password%@redis.example', secret, plain],
    ['redis://:password@redis.example/password', secret, plain],
    ['redis://', secret, plain],
    ['redis+sentinel://redis.example', secret, sentinel],
    ['redis+sentinel://redis.example:x/m', secret, sentinel],
    ['redis+sentinel://:password%@redis.example/m', secret, sentinel],
    ['redis+sentinel://redis.example/m?password=password', secret, sentinel],
    ['redis://redis.example', undefined, 'CACHE_SECRET is required where REDIS_URL is set'],
    ['redis://redis.example', `${secret}, password`, short],
    ['redis://redis.example', [secret, secret, secret].join(), 'a new and an old one, got 3'],
  ])('a fault quotes nothing of %s with the secret %s', (url, cacheSecret, message) => {
    const faults = faultsOf({ ...urls, REDIS_URL: url, CACHE_SECRET: cacheSecret });
    expect(faults).toEqual([expect.stringContaining(message)]);
    expect(faults.join()).not.toMatch(new RegExp(`redis\\.example|password|${secret}`));
  });
});

it('a new and an old secret may have spaces around their comma', () => {
  const { cacheSecret } = readConfig({ ...urls, CACHE_SECRET: `new ${secret} , old ${secret}` });
  expect(cacheSecret).toBe(`new ${secret},old ${secret}`);
});

it('replicas share the rates over Redis, and are at most as many as the calls of each', () => {
  for (const url of [
    'rediss://:password@redis.example:6380/1',
    'rediss+sentinel://user:pass%2Fword@a.example,[::1]:26380/m/1?sentinelPassword=a+b',
  ]) {
    const redis = { REDIS_URL: url, CACHE_SECRET: secret };
    expect(readConfig({ ...urls, ...redis, REPLICAS: '10' })).toMatchObject({
      managementRate: { calls: 10 },
      observabilityRate: { calls: 100 },
    });
  }
  expect(faultsOf({ ...urls, REPLICAS: '11', OBSERVABILITY_RATE: 'off' })).toEqual([
    'REPLICAS must be at most 10, the calls of MANAGEMENT_RATE, got "11"',
  ]);
  expect(faultsOf({ ...urls, REPLICAS: '101' })).toHaveLength(2);
});

it('proxies are those of the variables that undici reads, names in lower case first', () => {
  const [one, other] = ['http://u:p@proxy.example:3128', 'https://other.example'];
  expect(readConfig({ ...urls, NO_PROXY: '*', HTTPS_PROXY: '' }).proxies).toBeUndefined();
  const both = { HTTP_PROXY: one, http_proxy: '', HTTPS_PROXY: one, https_proxy: other };
  expect(readConfig({ ...urls, ...both, no_proxy: ' a.example ' }).proxies).toEqual({
    ...{ httpProxy: '', httpsProxy: other, noProxy: 'a.example' },
  });
});

it.each<[idle: string | undefined, given: Readonly<Record<string, string>>]>([
  ['GRAPHIQL', { GRAPHIQL: 'on', INTROSPECTION: 'off' }],
  [undefined, { INTROSPECTION: 'off' }],
  ['GRAPHIQL', { GRAPHIQL: 'on', PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_FILE: file }],
  ['PERSISTED_OPERATIONS_FILE', { PERSISTED_OPERATIONS_FILE: file }],
  [undefined, { PERSISTED_OPERATIONS: 'allow', PERSISTED_OPERATIONS_FILE: file }],
  ['REDIS_TIMEOUT_MS', { REDIS_TIMEOUT_MS: '50' }],
  [undefined, { REDIS_TIMEOUT_MS: '50', REDIS_URL: 'redis://a.example', CACHE_SECRET: secret }],
  ['MCP_MAX_CHARACTERS', { MCP_MAX_CHARACTERS: '100' }],
  [undefined, { MCP_MAX_CHARACTERS: '100', MCP: 'read' }],
  ['MAX_STALE_SECONDS', { READ_CACHE_MB: '0', MAX_STALE_SECONDS: '60' }],
  [undefined, { READ_CACHE_MB: '0', MAX_STALE_SECONDS: '0' }],
  ['WRITE_TIMEOUT_MS', { WRITE_TIMEOUT_MS: '1000' }],
  ['WRITE_TIMEOUT_MS', { WRITE_TIMEOUT_MS: '30000', MUTATIONS: 'off' }],
  ['DEFER_TIMEOUT_MS', { DEFER_TIMEOUT_MS: '1000' }],
  [undefined, { OPERATION_TIMEOUT_MS: '999999' }],
  ['LOG_SUCCESS_PERCENT', { LOG_SUCCESS_PERCENT: '10', LOG_LEVEL: 'warn' }],
  [undefined, { LOG_SUCCESS_PERCENT: '10', LOG_LEVEL: 'debug' }],
  ['PACING_WAIT_MS', { PACING_WAIT_MS: '30001' }],
  [undefined, { PACING_WAIT_MS: '30000' }],
  ['REPLICAS', { REPLICAS: '2', MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off' }],
  [undefined, { REPLICAS: '2', MANAGEMENT_RATE: 'off' }],
  ['CORS_HEADERS', { CORS_HEADERS: 'x-team' }],
])('%s does not do what it says beside other settings: %j', (idle, given) => {
  const environment = { ...urls, ...given };
  const found = findIdle(environment, readConfig(environment)).map(describeIdle);
  expect(found).toEqual(idle === undefined ? [] : [expect.stringMatching(`^${idle} \\w.*\\.$`)]);
});

describe('a name that is no setting is found', () => {
  it.each(names)('a name that is no setting is found where it is similar to %s', (name) => {
    const [before, a = '', b = ''] = [name.slice(0, -2), name.at(-2), name.at(-1)];
    const similar = [
      ...[before + b, before + a, `${before}Q${b}`, `${before}${a}Q`, `${before}Q${a}${b}`],
      ...[`${name}Q`, `Q${name}`, name.slice(1), name.toLowerCase(), before + b + a],
    ].filter((written) => !names.includes(written));
    for (const variable of similar)
      expect(findSlips({ [variable]: 'x' })).toEqual([{ variable, meant: name }]);
  });

  it('a name that is no setting is found where it was one once, and not where it is far from all', () => {
    const once = { variable: 'READ_CACHE', meant: 'READ_CACHE_MB' };
    expect(findSlips({ READ_CACHE: 'off' })).toEqual([once]);
    const others = ['PATH', 'HOSTNAME', 'MAX', 'MAX_DEEP', 'GRAPHIQLSS', 'RPOTT', 'NODE_ENV'];
    for (const variable of [...names, ...others]) expect(findSlips({ [variable]: '' })).toEqual([]);
  });
});
