import { onTestFinished } from 'vitest';
import { launchRedis, type Redis, type RedisOptions } from './redis/server.ts';

export { redisPath } from './redis/path.ts';
export type { Redis } from './redis/server.ts';

/**
 * A real Redis until the test ends. Throws if none is installed, so use `describe.skipIf(redisPath === undefined)`. For a
 * Redis that several tests share, use `launchRedis`, and stop it in `afterAll`.
 */
export const startRedis = async (options: RedisOptions = {}): Promise<Redis> => {
  const redis = await launchRedis(options);
  onTestFinished(redis.stop);
  return redis;
};
