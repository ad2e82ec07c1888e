import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answering, data, json, paced, result, startStack } from '../support/harness.ts';
import { documentOf } from '../support/pacing/exact-upstream.ts';
import { type Redis, redisPath, startAgedRedis, startRedis } from '../support/redis.ts';

const password = 'pass-word-of-redis';

const startReplica = async (redis: Redis, management: Answering = () => result([])) => {
  const stack = await startStack({
    management,
    observability: () => data([]),
    config: {
      ...paced,
      redisUrl: redis.url,
      redisTimeoutMs: 20_000,
      cacheSecret: 'a-secret-that-all-replicas-have-in-common',
      replicas: 2,
      // Whoever cannot call now is to be refused.
      pacingWaitMs: 1000,
    },
  });
  onTestFinished(() => stack.close());
  const { origin } = new URL(stack.url);
  return {
    ...stack,
    ask: (calls: number) => stack.query(documentOf(calls), { headers: { 'sluice-explain': '1' } }),
    readiness: async () => {
      const response = await fetch(`${origin}/readyz`);
      return { status: response.status, body: await response.json() };
    },
    lines: () =>
      stack
        .complaints()
        .split('\n')
        .filter(Boolean)
        .map((line): Record<string, unknown> => JSON.parse(line))
        .map(({ level, msg, redis, reason }) => ({ level, msg, redis, reason })),
  };
};

const startTwo = async (management?: Answering) => {
  const redis = await startAgedRedis();
  return {
    redis,
    one: await startReplica(redis, management),
    other: await startReplica(redis),
  };
};

describe.skipIf(redisPath === undefined)('two gateways over one Redis', () => {
  it('make the calls of one limit together', async () => {
    const { one, other } = await startTwo();
    const pages = await Promise.all([one.ask(5), other.ask(5)]);
    expect(one.calls.length + other.calls.length).toBe(10);
    expect(pages.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
    for (const gateway of [one, other]) {
      const { body } = await gateway.ask(1);
      expect(body.errors[0].extensions).toMatchObject({
        ...{ code: 'RATE_LIMITED', retryAfterSeconds: 10 },
      });
    }
    expect(one.calls.length + other.calls.length).toBe(10);
  });

  it('tell how many calls both have left', async () => {
    const { one, other } = await startTwo();
    await one.ask(3);
    const { body } = await other.ask(2);
    expect(body.extensions.budget).toEqual({ management: 5, observability: 100 });
  });

  it('hold a credential back together', async () => {
    const { one, other } = await startTwo(() => ({
      ...json({ status: 429, error: 'Too many requests' }, 429),
      headers: { 'retry-after': '120' },
    }));
    await one.ask(1);
    const { body } = await other.ask(1);
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });
    expect(other.calls).toEqual([]);
  });

  it('say on /readyz and in the log whether it answers, and stay ready', async () => {
    const { redis, one } = await startTwo();
    expect(await one.readiness()).toMatchObject({ status: 200, body: { redis: 'up' } });
    await redis.kill();
    await expect.poll(one.readiness).toMatchObject({ status: 200, body: { redis: 'down' } });
    await redis.restart();
    await expect.poll(one.readiness).toMatchObject({ status: 200, body: { redis: 'up' } });
    expect(one.lines()).toMatchObject([
      { level: 30, msg: 'Redis', redis: 'up' },
      { level: 40, msg: 'Redis', redis: 'down', reason: expect.any(String) },
      { level: 30, msg: 'Redis', redis: 'up' },
    ]);
  });

  it('say that they are not let in, and name neither the address nor the password', async () => {
    const redis = await startRedis({ password });
    const wrong = 'wrong-pass-word';
    const one = await startReplica({ ...redis, url: redis.url.replace(password, wrong) });
    await expect.poll(one.lines).toHaveLength(1);
    expect(one.lines()).toMatchObject([
      { redis: 'down', reason: expect.stringMatching(/^(WRONGPASS|NOAUTH)$/) },
    ]);
    const { body } = await one.ask(5);
    expect(body.errors).toBeUndefined();
    const shown = one.log() + JSON.stringify([await one.readiness(), body]);
    for (const secret of [wrong, password, String(redis.port), '127.0.0.1']) {
      expect(shown).not.toContain(secret);
    }
  });

  it('answer without it, also where it was never there, and keep its address and password to themselves', async () => {
    const redis = await startRedis({ password });
    await redis.kill();
    const one = await startReplica(redis);
    const { body } = await one.ask(5);
    expect(body.errors).toBeUndefined();
    expect(one.lines()).toMatchObject([{ redis: 'down', reason: 'ECONNREFUSED' }]);
    await redis.restart();
    await expect.poll(one.readiness).toMatchObject({ body: { redis: 'up' } });
    const shown = one.log() + JSON.stringify(await one.readiness());
    for (const secret of [password, String(redis.port), '127.0.0.1']) {
      expect(shown).not.toContain(secret);
    }
  });
});

it('a gateway without a Redis says nothing of one', async () => {
  const stack = await startStack({ management: () => result([]), observability: () => data([]) });
  onTestFinished(() => stack.close());
  const response = await fetch(`${new URL(stack.url).origin}/readyz`);
  expect(Object.keys(await response.json())).toEqual(['status', 'upstreams', 'uncaughtErrors']);
});
