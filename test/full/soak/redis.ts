import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { redisPath } from '../../support/redis/path.ts';
import { launchRedis, type Redis } from '../../support/redis/server.ts';

/** How long Redis hangs, or is away, in milliseconds. */
const awayMs = 2000;

/** What happens to Redis, one after the other. */
const faults: Readonly<Record<string, (redis: Redis) => Promise<void>>> = {
  flush: (redis) => redis.flush(),
  hang: async (redis) => {
    await redis.hang();
    await pause(awayMs);
    redis.resume();
  },
  kill: async (redis) => {
    await redis.kill();
    await pause(awayMs);
    await redis.restart();
  },
};

const names = Object.keys(faults);

/** A real Redis whose faults the gateway has to live with. */
export const startFaultyRedis = async () => {
  const redis = await launchRedis();
  const counts = new Map<string, number>();
  return {
    url: redis.url,
    counts,
    /** The fault of that round; it is over when the promise is fulfilled. */
    fail: async (round: number): Promise<void> => {
      const name = names[round % names.length] ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await faults[name]?.(redis);
    },
    stop: () => redis.stop(),
  };
};

/** Whether Redis is installed here. */
export const hasRedis = redisPath !== undefined && existsSync(redisPath);
