import { existsSync } from 'node:fs';

const asked = process.env.REDIS_SERVER;
const usual = [
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
];

/** The path of Redis; undefined if this machine has none. REDIS_SERVER sets the path, or is `none`. */
export const redisPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Reports once that tests with Redis are skipped; throws if the Redis in REDIS_SERVER does not exist. */
export const setup = (): void => {
  if (redisPath !== undefined && !existsSync(redisPath)) {
    throw new Error(
      `REDIS_SERVER must be the path of redis-server, and ${redisPath} does not exist`,
    );
  }
  if (redisPath === undefined) {
    process.stderr.write('No Redis here: the tests with Redis are skipped (REDIS_SERVER=path).\n');
  }
};
