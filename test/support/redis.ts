import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { namePrefix } from '../../src/redis/names.ts';
import type { Rate } from '../../src/upstream/gate/slots.ts';
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

const eraName = `${namePrefix}era`;

/** A Redis whose data is an hour old, so that replicas share rate limits from their start. */
export const startAgedRedis = async (options: RedisOptions = {}): Promise<Redis> => {
  const redis = await startRedis(options);
  await redis.command('SET', eraName, `aged ${Date.now() - 3_600_000}`);
  return redis;
};

const [, documentedUser = ''] =
  /`user sluice on >password (.+?)`/.exec(
    readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8'),
  ) ?? [];
/** The rules of the user that the guide gives the gateway, with another password. */
export const userRules = (password: string): readonly string[] => [
  ...['on', `>${password}`],
  ...documentedUser.split(' '),
];

/** The era of the data, and since when it lasts. */
export const eraOf = async (redis: Redis): Promise<readonly [id: string, bornAt: number]> => {
  const [id = '', bornAt] = String(await redis.command('GET', eraName)).split(' ');
  return [id, Number(bornAt)];
};

/** Waits until the data in Redis is older than a window, so that replicas share rate limits. */
export const untilShared = async (redis: Redis, { windowMs }: Rate): Promise<void> => {
  // One second for late calls, and one until each replica knows.
  while (!((await eraOf(redis))[1] + windowMs + 2000 < Date.now())) await pause(20);
};
