import { onTestFinished } from 'vitest';
import { launchRedis, type Redis, type RedisOptions } from './redis/server.ts';

export { redisPath } from './redis/path.ts';
export type { Redis } from './redis/server.ts';

/**
 * A real Redis until the test ends. Where none is installed it fails: have `describe.skipIf(redisPath === undefined)`
 * around. For one that serves several tests, use `launchRedis` and have `afterAll` stop it.
 */
export const startRedis = async (options: RedisOptions = {}): Promise<Redis> => {
  const redis = await launchRedis(options);
  onTestFinished(redis.stop);
  return redis;
};
