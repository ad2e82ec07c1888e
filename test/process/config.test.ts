import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const urls = {
  MANAGEMENT_URL: 'https://management.example',
  OBSERVABILITY_URL: 'https://observability.example',
};

type Environment = Parameters<typeof readConfig>[0];

/** The faults of an environment, which must have some. */
const faultsOf = (environment: Environment): readonly string[] => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('no fault was found');
};

describe('readConfig', () => {
  it('needs the two URLs alone, and has these defaults', () => {
    const config = readConfig(urls);
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      extendedReads: true,
      managementRate: { calls: 10, windowMs: 10_000 },
      observabilityRate: { calls: 100, windowMs: 60_000 },
      pacingWaitMs: 25_000,
      readCacheBytes: 64 * 1024 * 1024,
      introspection: true,
      graphiql: true,
      pipeStateCommandField: 'command',
    });
    expect(config.managementUrl.href).toBe('https://management.example/');
    expect(config.observabilityUrl.href).toBe('https://observability.example/');
  });

  it('takes every variable', () => {
    const config = readConfig({
      MANAGEMENT_URL: 'http://127.0.0.1:4101/base/',
      OBSERVABILITY_URL: 'http://[::1]:4102',
      HOST: '0.0.0.0',
      PORT: '8080',
      LOG_FORMAT: 'json',
      EXTENDED_READS: 'off',
      MANAGEMENT_RATE: '20/10s',
      OBSERVABILITY_RATE: 'off',
      PACING_WAIT_MS: '5000',
      READ_CACHE_MB: '8',
      INTROSPECTION: 'off',
      GRAPHIQL: 'off',
      PIPE_STATE_COMMAND_FIELD: 'state_command',
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      logFormat: 'json',
      extendedReads: false,
      managementRate: { calls: 20, windowMs: 10_000 },
      observabilityRate: undefined,
      pacingWaitMs: 5000,
      readCacheBytes: 8 * 1024 * 1024,
      introspection: false,
      graphiql: false,
      pipeStateCommandField: 'state_command',
    });
    expect(config.managementUrl.href).toBe('http://127.0.0.1:4101/base/');
    expect(config.observabilityUrl.href).toBe('http://[::1]:4102/');
  });

  it.each([
    'HOST',
    'PORT',
    'LOG_FORMAT',
    'EXTENDED_READS',
    'MANAGEMENT_RATE',
    'OBSERVABILITY_RATE',
    'PACING_WAIT_MS',
    'READ_CACHE',
    'READ_CACHE_MB',
    'GRAPHIQL',
    'PIPE_STATE_COMMAND_FIELD',
  ])('counts an empty or blank %s as none', (name) => {
    const expected = readConfig(urls);
    expect(readConfig({ ...urls, [name]: '' })).toEqual(expected);
    expect(readConfig({ ...urls, [name]: ' \t' })).toEqual(expected);
  });

  it('ignores blanks around a value', () => {
    const config = readConfig({ ...urls, PORT: ' 8080 ', EXTENDED_READS: ' off ' });
    expect(config).toMatchObject({ port: 8080, extendedReads: false });
  });

  it('tells all faults at once, each by the name of its variable', () => {
    const faults = faultsOf({
      MANAGEMENT_URL: '',
      OBSERVABILITY_URL: 'observability.example',
      PORT: '65536',
      LOG_FORMAT: 'xml',
      EXTENDED_READS: 'true',
      MANAGEMENT_RATE: '10',
      OBSERVABILITY_RATE: 'on',
      PACING_WAIT_MS: '-1',
      READ_CACHE: 'yes',
      READ_CACHE_MB: '0',
      INTROSPECTION: '1',
      GRAPHIQL: 'yes',
      PIPE_STATE_COMMAND_FIELD: 'a b',
    });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'EXTENDED_READS',
      'GRAPHIQL',
      'INTROSPECTION',
      'LOG_FORMAT',
      'MANAGEMENT_RATE',
      'MANAGEMENT_URL',
      'OBSERVABILITY_RATE',
      'OBSERVABILITY_URL',
      'PACING_WAIT_MS',
      'PIPE_STATE_COMMAND_FIELD',
      'PORT',
      'READ_CACHE',
      'READ_CACHE_MB',
    ]);
    for (const fault of faults) expect(fault).not.toContain('\n');
  });

  it('says of missing URLs that they are required', () => {
    expect(faultsOf({})).toEqual([
      expect.stringMatching(/^MANAGEMENT_URL is required: /),
      expect.stringMatching(/^OBSERVABILITY_URL is required: /),
    ]);
  });

  it.each(['MANAGEMENT_URL', 'OBSERVABILITY_URL'])('names a wrong %s, and nothing else', (name) => {
    for (const value of [
      'management.example',
      '//management.example',
      'http://',
      'ftp://management.example',
      'file:///etc/passwd',
      'https://management.example?a=b',
      'https://management.example#part',
      'https://management.example:99999',
    ]) {
      const faults = faultsOf({ ...urls, [name]: value });
      expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
    }
  });

  it.each([
    'https://user:canary@management.example',
    'https://canary@management.example',
    'https://:canary@management.example',
    'ftp://user:canary@management.example',
    'https://user:canary@management.example:99999',
    'https://user:canary@',
    'user:canary@management.example',
    'https://management.example?token=canary',
    'https://management.example#canary',
  ])('refuses a URL with a secret in it, and does not print it: %s', (value) => {
    const faults = faultsOf({ ...urls, MANAGEMENT_URL: value });
    expect(faults).toEqual([expect.stringMatching(/^MANAGEMENT_URL /)]);
    expect(faults.join()).not.toContain('canary');
  });

  it.each([
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ])('takes the port %s', (text, port) => {
    expect(readConfig({ ...urls, PORT: text }).port).toBe(port);
  });

  it.each(['65536', '-1', '+1', '80.5', '4e3', '0x50', '100000', 'http', '80 81', '８０'])(
    'refuses the port %s, and quotes it',
    (port) => {
      expect(faultsOf({ ...urls, PORT: port })).toEqual([
        `PORT must be a port from 0 to 65535, got ${JSON.stringify(port)}`,
      ]);
    },
  );

  const switches = ['EXTENDED_READS', 'READ_CACHE', 'INTROSPECTION', 'GRAPHIQL', 'EXPLAIN'];

  it.each(switches)('takes on and off for %s', (name) => {
    const on = readConfig({ ...urls, [name]: 'on' });
    const off = readConfig({ ...urls, [name]: 'off' });
    expect(off).not.toEqual(on);
  });

  it.each(switches)('refuses anything else for %s', (name) => {
    for (const value of ['true', 'false', '1', '0', 'yes', 'no', 'onn', 'on off']) {
      expect(faultsOf({ ...urls, [name]: value })).toEqual([
        `${name} must be on or off, got ${JSON.stringify(value)}`,
      ]);
    }
  });

  describe.each([
    ['MANAGEMENT_RATE', 'managementRate'],
    ['OBSERVABILITY_RATE', 'observabilityRate'],
  ] as const)('%s', (name, member) => {
    it.each([
      ['10/10s', { calls: 10, windowMs: 10_000 }],
      ['1/1s', { calls: 1, windowMs: 1000 }],
      ['3/2s', { calls: 3, windowMs: 2000 }],
      ['9999/9999s', { calls: 9999, windowMs: 9_999_000 }],
      [' 20/5s ', { calls: 20, windowMs: 5000 }],
      ['off', undefined],
      ['OFF', undefined],
      [' Off ', undefined],
    ])('may be %j', (value, rate) => {
      expect(readConfig({ ...urls, [name]: value })[member]).toEqual(rate);
    });

    it.each([
      '10',
      '10/10',
      '/10s',
      '10/s',
      '10/10S',
      '10/10m',
      '10/10ms',
      '10/1min',
      '0/10s',
      '10/0s',
      '-1/10s',
      '10/-1s',
      '+10/10s',
      '010/10s',
      '10/010s',
      '1.5/10s',
      '10/1.5s',
      '1e3/10s',
      '10000/10s',
      '10/10000s',
      '10 / 10s',
      '10/10s/',
      '10/10s,100/60s',
      '10 in 10s',
      '１０/10s',
      'on',
      'none',
      '0',
    ])('may not be %j, and is quoted', (value) => {
      expect(faultsOf({ ...urls, [name]: value })).toEqual([
        `${name} must be calls and seconds such as 10/10s, each at most 9999, or off, got ${JSON.stringify(value)}`,
      ]);
    });
  });

  it.each([
    ['PACING_WAIT_MS', 'pacingWaitMs', '0', 0],
    ['PACING_WAIT_MS', 'pacingWaitMs', '1', 1],
    ['PACING_WAIT_MS', 'pacingWaitMs', '999999999', 999_999_999],
    ['READ_CACHE_MB', 'readCacheBytes', '1', 1024 * 1024],
    ['READ_CACHE_MB', 'readCacheBytes', '1024', 1024 ** 3],
  ] as const)('takes for %s, as %s, %s', (name, member, text, value) => {
    expect(readConfig({ ...urls, [name]: text })[member]).toBe(value);
  });

  it.each([
    ['PACING_WAIT_MS', 0, ['-1', '+1', '1.5', '25s', '1e3', '0x10', '1000000000', 'off', '2 5']],
    ['READ_CACHE_MB', 1, ['0', '-1', '0.5', '64MB', '64 MB', '1e3', '1000000000', 'off']],
  ] as const)('refuses for %s what is no whole number from %d', (name, least, values) => {
    for (const value of values) {
      expect(faultsOf({ ...urls, [name]: value })).toEqual([
        `${name} must be a whole number from ${least} to 999999999, got ${JSON.stringify(value)}`,
      ]);
    }
  });

  it('keeps no read where READ_CACHE is off, whatever READ_CACHE_MB says, which is checked all the same', () => {
    const off = { ...urls, READ_CACHE: 'off' };
    expect(readConfig(off).readCacheBytes).toBe(0);
    expect(readConfig({ ...off, READ_CACHE_MB: '128' }).readCacheBytes).toBe(0);
    expect(faultsOf({ ...off, READ_CACHE_MB: '0' })).toHaveLength(1);
  });

  it.each(['command', 'state', '_x', 'stateCommand2', 'a'.repeat(64)])(
    'takes %s for the member of the state command',
    (value) => {
      const config = readConfig({ ...urls, PIPE_STATE_COMMAND_FIELD: value });
      expect(config.pipeStateCommandField).toBe(value);
    },
  );

  it.each(['a-b', 'a.b', '1a', 'a"b', 'a'.repeat(65)])(
    'refuses %s for the member of the state command',
    (value) => {
      expect(faultsOf({ ...urls, PIPE_STATE_COMMAND_FIELD: value })).toHaveLength(1);
    },
  );

  describe('replicas', () => {
    const secret = 'a secret of no fewer than thirty-two characters';

    it('share the rates over Redis, and divide them without it', () => {
      const divided = { managementRate: { calls: 3 }, observabilityRate: { calls: 33 } };
      expect(readConfig({ ...urls, REPLICAS: '3' })).toMatchObject(divided);
      const redis = { REDIS_URL: 'rediss://:password@redis.example:6380/1', CACHE_SECRET: secret };
      expect(readConfig({ ...urls, ...redis, REPLICAS: '3' })).toMatchObject({
        redisUrl: redis.REDIS_URL,
        cacheSecret: secret,
        replicas: 3,
        managementRate: { calls: 10 },
        observabilityRate: { calls: 100 },
      });
    });

    it('are at most as many as the calls of each rate', () => {
      expect(faultsOf({ ...urls, REPLICAS: '11', OBSERVABILITY_RATE: 'off' })).toEqual([
        'REPLICAS must be at most 10, the calls of MANAGEMENT_RATE, got "11"',
      ]);
      expect(faultsOf({ ...urls, REPLICAS: '101' })).toHaveLength(2);
    });

    it.each([
      ['http://redis.example', secret, 'REDIS_URL must be a redis:// or rediss:// URL'],
      ['redis-of-password', secret, 'REDIS_URL must be a redis:// or rediss:// URL'],
      ['redis://redis.example', undefined, 'CACHE_SECRET is required where REDIS_URL is set'],
      ['redis://redis.example', 'password', 'CACHE_SECRET must be at least 32 characters long'],
    ])('%s with the secret %s is refused, and neither is shown', (url, cacheSecret, message) => {
      const faults = faultsOf({ ...urls, REDIS_URL: url, CACHE_SECRET: cacheSecret });
      expect(faults).toEqual([expect.stringContaining(message)]);
      expect(faults.join()).not.toMatch(/redis\.example|password/);
    });
  });

  it.each([
    ['off', undefined],
    ['9464', 9464],
    ['0', 0],
  ])('serves metrics on METRICS_PORT=%s', (METRICS_PORT, metricsPort) => {
    expect(readConfig({ ...urls, METRICS_PORT })).toMatchObject({ metricsPort });
  });
});
