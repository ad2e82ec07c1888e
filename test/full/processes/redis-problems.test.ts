import { describe, expect, it } from 'vitest';
import { scriptCommands } from '../../../src/redis/scripts.ts';
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

  it('may run each command of the scripts and no other', () => {
    const sources = Object.values(scriptCommands).map(({ lua }) => lua);
    const used = sources.join().matchAll(/\b(?:run|redis\.p?call)\('(\w+)'/g);
    const commands = new Set([...used].map(([, name = '']) => name.toLowerCase()));
    const others = ['eval', 'evalsha', 'info'];
    const allowed = userRules(password).filter((rule) => /^\+\w+$/.test(rule));
    expect(allowed.sort()).toEqual([...commands, ...others].map((name) => `+${name}`).sort());
  });
});

type Words = readonly [string, ...string[]];
/** What happens to Redis, what is said of it, and how that ends. */
type Row = readonly [
  ...[title: string, harm: Words, state: string, reason: string, cure: Words],
  sentence: string | undefined,
];

const evicting = (policy: string): Row => [
  `removes keys by ${policy}`,
  ['CONFIG', 'SET', 'maxmemory-policy', policy],
  ...(['up', `maxmemory-policy ${policy}`] as const),
  ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
  undefined,
];
const forbidding = (command: string): Row => [
  `refuses ${command}`,
  ['ACL', 'SETUSER', 'sluice', `-${command}`],
  ...(['down', `NOPERM ${command}`] as const),
  ['ACL', 'SETUSER', 'sluice', `+${command}`],
  `Redis does not let this user run ${command}.`,
];

it
  .skipIf(redisPath === undefined)
  .each<Row>([
    evicting('allkeys-lru'),
    evicting('volatile-ttl'),
    ...['hset', 'zadd', 'evalsha', 'info'].map(forbidding),
    [
      'is full',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ...(['down', 'OOM'] as const),
      ['CONFIG', 'SET', 'maxmemory', '0'],
      undefined,
    ],
    [
      'has become a replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      ...(['down', 'READONLY'] as const),
      ['REPLICAOF', 'NO', 'ONE'],
      'Redis is a replica, which takes no writes.',
    ],
  ])(
  'where Redis %s, the log says so again and again until it is over, and /readyz does',
  async (_, harm, state, reason, cure, sentence) => {
    const redis = await withUser(await startAgedRedis());
    const { one } = await startTwoOverRedis({ redis, gateway: { redisRemindMs: 500 } });
    const readiness = async () => (await fetch(new URL('/readyz', one.url))).json();
    const lines = () =>
      one
        .complaints()
        .split('\n')
        .filter((line) => line.includes(`"reason":"${reason}"`))
        .map((line) => JSON.parse(line));
    expect((await readiness()).redisProblem).toBeUndefined();
    await redis.command(...harm);
    const headers = { 'cache-control': 'no-cache' };
    // A command that is refused is noticed when it is needed.
    const linesOnceAsked = async () => {
      expect((await one.query(pipeQuery, { headers })).body.data.pipe.state).toBe('Running');
      return lines().length;
    };
    await expect.poll(linesOnceAsked, { timeout: 10_000 }).toBeGreaterThan(2);
    const [, second, third] = lines();
    const redisProblem = { reason, since: third.since };
    expect(second).toMatchObject({ level: 'warn', msg: 'Redis', redis: state, reason });
    expect(third.explanation).toBe(sentence);
    expect(await readiness()).toMatchObject({ status: 'ready', redis: state, redisProblem });
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
