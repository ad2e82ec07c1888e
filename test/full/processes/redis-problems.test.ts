import { readdirSync, readFileSync } from 'node:fs';
import { Redis as Client } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspectRedis } from '../../../src/redis/inspect.ts';
import { paced } from '../../support/harness.ts';
import { pipePath, pipeQuery, stopPipe } from '../../support/live-world.ts';
import { documentOf } from '../../support/pacing/exact-upstream.ts';
import { startMain } from '../../support/process/run-main.ts';
import { cacheSecret, startTwoOverRedis } from '../../support/redis/stacks.ts';
import {
  type Redis,
  redisPath,
  startAgedRedis,
  startRedis,
  userRules,
} from '../../support/redis.ts';

const password = 'pass-word-of-sluice';
const withUser = async (redis: Redis) => {
  await redis.command('ACL', 'SETUSER', 'sluice', ...userRules(password));
  return { ...redis, url: redis.url.replace('//', `//sluice:${password}@`) };
};

describe.skipIf(redisPath === undefined)('the documented user of Redis', () => {
  it('is enough for limits, answers and marks, and after a flush', async () => {
    const redis = await withUser(await startAgedRedis());
    const { one, other, calls, keysOf } = await startTwoOverRedis({
      redis,
      config: { ...paced, pacingWaitMs: 1000, redisTimeoutMs: 20_000 },
    });
    await one.query(pipeQuery);
    const shared = await other.query(pipeQuery);
    expect([shared.body.data.pipe.state, calls()]).toEqual(['Running', [`GET ${pipePath()}`]]);
    await one.query(stopPipe());
    expect((await other.query(pipeQuery)).body.data.pipe.state).toBe('Stopping');
    await other.query(documentOf(7));
    const { body } = await one.query(documentOf(1));
    expect(body.errors[0].extensions.code).toBe('RATE_LIMITED');
    await redis.flush();
    await expect.poll(() => keysOf('slots')).not.toEqual([]);
    expect(one.complaints() + other.complaints()).not.toMatch(/NOPERM|ERR\b/);
    // What was refused anywhere, in a script too.
    expect(await redis.command('ACL', 'LOG')).toEqual([]);
  });

  it('may run each command of the scripts and no other, and of each is told if it may not', async () => {
    const folder = new URL('../../../src/redis/', import.meta.url);
    const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const used = sources.join().matchAll(/redis\.p?call\('(\w+)'/g);
    const commands = new Set([...used].map(([, name = '']) => name.toLowerCase()));
    const allowed = userRules(password).filter((rule) => /^\+\w+$/.test(rule));
    expect(allowed.sort()).toEqual([...commands, 'eval'].map((name) => `+${name}`).sort());

    const redis = await withUser(await startRedis());
    const client = new Client(redis.url, { enableReadyCheck: false });
    onTestFinished(() => client.disconnect());
    for (const command of commands) {
      await redis.command('ACL', 'SETUSER', 'sluice', `-${command}`, '+info');
      const { fault } = await inspectRedis(
        () => client.info(),
        (script, key) => client.call('EVAL', script, 1, key),
        '{sluice}:rehearsal',
      );
      expect(fault).toBe(command === 'info' ? undefined : `NOPERM ${command}`);
      await redis.command('ACL', 'SETUSER', 'sluice', `+${command}`);
    }
    expect(await redis.dump()).toEqual([]);
  });
});

type Words = readonly [string, ...string[]];
type Row = readonly [title: string, harm: Words, state: string, reason: string, cure: Words];

const evicting = (policy: string): Row => [
  `removes keys by ${policy}`,
  ['CONFIG', 'SET', 'maxmemory-policy', policy],
  ...(['up', `maxmemory-policy ${policy}`] as const),
  ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
];
const forbidding = (...commands: readonly string[]): Row => [
  `refuses ${commands.join(' and ')}`,
  ['ACL', 'SETUSER', 'sluice', ...commands.map((command) => `-${command}`)],
  ...(['down', `NOPERM ${commands.join(' ')}`] as const),
  ['ACL', 'SETUSER', 'sluice', ...commands.map((command) => `+${command}`)],
];

it
  .skipIf(redisPath === undefined)
  .each<Row>([
    evicting('allkeys-lru'),
    evicting('volatile-ttl'),
    forbidding('hset', 'zadd'),
    forbidding('eval'),
    forbidding('info'),
    [
      'has become a replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      ...(['down', 'READONLY'] as const),
      ['REPLICAOF', 'NO', 'ONE'],
    ],
  ])(
  'where Redis %s, the log says so again and again until it is over, and /readyz does',
  async (_, harm, state, reason, cure) => {
    const redis = await withUser(await startAgedRedis());
    const { one } = await startTwoOverRedis({ redis, gateway: { redisRemindMs: 50 } });
    const readiness = async () => (await fetch(new URL('/readyz', one.url))).json();
    const lines = () =>
      one
        .complaints()
        .split('\n')
        .filter((line) => line.includes(`"reason":"${reason}"`))
        .map((line) => JSON.parse(line));
    expect((await readiness()).redisProblem).toBeUndefined();
    await redis.command(...harm);
    await expect.poll(() => lines().length).toBeGreaterThan(2);
    const [, second, third] = lines();
    const redisProblem = { reason, since: third.since };
    expect(second).toMatchObject({ level: 'warn', msg: 'Redis', redis: state, ...redisProblem });
    expect(await readiness()).toMatchObject({ status: 'ready', redis: state, redisProblem });
    expect((await one.query(pipeQuery)).body.data.pipe.state).toBe('Running');
    await redis.command(...cure);
    await expect.poll(readiness).not.toHaveProperty('redisProblem');
    expect(await readiness()).toMatchObject({ redis: 'up' });
    const shown = one.log() + JSON.stringify(await readiness());
    for (const secret of [password, String(redis.port), '127.0.0.1']) {
      expect(shown).not.toContain(secret);
    }
  },
);

it.skipIf(redisPath === undefined)(
  'a master that has become a replica is read no more',
  async () => {
    const { redis, one, other, calls } = await startTwoOverRedis();
    await one.query(pipeQuery);
    calls();
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    await other.query(pipeQuery);
    expect(calls()).toEqual([`GET ${pipePath()}`]);
  },
);

describe.skipIf(redisPath === undefined)('a Redis Cluster', () => {
  const args = ['--cluster-enabled', 'yes'];

  it('is refused at the start with a sentence', async () => {
    const { url } = await startRedis({ args });
    const env = { REDIS_URL: url, CACHE_SECRET: cacheSecret };
    await expect(startMain((response) => response.end(), env)).rejects.toThrow(
      /^it ended: .*Sluice cannot start:\n {2}REDIS_URL is a Redis Cluster, which/s,
    );
  });

  it('that is seen later is told, and not used', async () => {
    const redis = await startRedis({ args });
    await redis.kill();
    const { one } = await startTwoOverRedis({ redis });
    await redis.restart();
    const readiness = async () => (await fetch(new URL('/readyz', one.url))).json();
    const told = { status: 'ready', redis: 'down', redisProblem: { reason: 'CLUSTER' } };
    await expect.poll(readiness).toMatchObject(told);
    expect((await one.query(pipeQuery)).body.errors).toBeUndefined();
    expect(await redis.dump()).toEqual([]);
  });
});
