import { existsSync } from 'node:fs';

const asked = process.env.REDIS_SERVER;
const usual = [
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
];

/** Where Redis is, or undefined where this machine has none. REDIS_SERVER names the one to use, or is `none`. */
export const redisPath =
  asked === 'none' ? undefined : asked || usual.find((path) => existsSync(path));

/** Says once, for all tests, that those with Redis are skipped; a Redis that is asked for has to be there. */
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
