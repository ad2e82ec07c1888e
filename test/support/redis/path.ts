import { existsSync } from 'node:fs';
import { find, inUsualFolders } from '../programs.ts';

/** The path of Redis; undefined if this machine has none. REDIS_SERVER sets the path, or is `none`. */
export const redisPath = find('REDIS_SERVER', ...inUsualFolders('redis-server'));

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
