import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/redis/connection.ts';
import { createRedisMemory } from '../../src/redis/memory.ts';
import { createNames } from '../../src/redis/names.ts';
import { createSeal } from '../../src/redis/seal.ts';
import { redisPath, startRedis } from '../support/redis.ts';

const secret = 'a secret that all replicas have in common';
const read = {
  ...({ upstream: 'management', credential: 'Basic one', path: '/pipes' } as const),
  ...{ starts: [], pathsNameOwner: true },
};

/** What is known of a read that this process has, of so many milliseconds ago, while others may be doubted for so long. */
const lookAt = async (ageMs: number, doubtfulForMs: number) => {
  const connection: RedisConnection = {
    ...{ state: 'up', era: { id: 'era', bornAt: 0 }, settledAt: 0 },
    doubtfulUntil: performance.now() + doubtfulForMs,
    rejoined: async () => true,
    run: async () => [Buffer.from('marks'), 0, '', []],
    ...{ toRedis: (time) => time, fromRedis: (time) => time },
    ...{ beforeUp: () => undefined, onBeat: () => undefined, close: () => undefined },
  };
  const memory = createRedisMemory({
    connection,
    ...{ nameOf: createNames(secret), seal: createSeal(secret) },
  });
  const readAt = performance.now() - ageMs;
  const own = { sentAt: readAt, readAt, marks: 'marks' };
  return memory.look(read, { readAfter: 0, freshMs: 30_000, begunMs: 1500, own });
};

describe('after Redis was out of reach', () => {
  it.each([
    [10_000, 60_000, true],
    [10_000, -1, false],
    [0, 60_000, false],
  ])(
    'what was read %i ms ago is of no use as long as others may have untold changes (%i ms)',
    async (ageMs, doubtfulForMs, isUncertain) => {
      expect(await lookAt(ageMs, doubtfulForMs)).toMatchObject({ marks: 'marks', isUncertain });
    },
  );
});

describe.skipIf(redisPath === undefined)('others may have untold changes', () => {
  const start = async () => {
    const redis = await startRedis();
    const connection = connectRedis({ url: redis.url, timeoutMs: 300, onChange: () => undefined });
    onTestFinished(connection.close);
    await vi.waitUntil(() => connection.era);
    return { redis, connection };
  };

  it('neither at the start nor after a flush', async () => {
    const { redis, connection } = await start();
    const { era } = connection;
    await redis.flush();
    await vi.waitUntil(() => connection.era && connection.era !== era, 5000);
    expect(connection.doubtfulUntil).toBe(-Infinity);
  });

  it('after Redis did not answer', async () => {
    const { redis, connection } = await start();
    await redis.hang();
    await vi.waitUntil(() => connection.state === 'down', 5000);
    expect(await connection.rejoined()).toBe(false);
    redis.resume();
    await vi.waitUntil(() => connection.state === 'up', 5000);
    expect(connection.doubtfulUntil).toBeGreaterThan(0);
  });
});
