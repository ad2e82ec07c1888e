import { type ClientContext, Redis, type RedisOptions, type Result } from 'ioredis';
import type { Script } from './scripts.ts';
import { sentinelOptionsOf } from './sentinels.ts';

type ScriptCommands<Context extends ClientContext> = {
  readonly [Name in `${Script}Buffer`]: (
    ...keysAndArguments: readonly (string | number | Buffer)[]
  ) => Result<unknown, Context>;
};

declare module 'ioredis' {
  interface RedisCommander<Context> extends ScriptCommands<Context> {}
}

/** A client for one Redis, or for the master that sentinels name. */
export const openRedis = (url: string, given: Omit<RedisOptions, 'replyMapping'>): Redis => {
  const options = {
    // `askInfo` checks more than ioredis' own check.
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectionName: 'sluice',
    disableClientInfo: true,
    ...given,
  };
  const sentinels = sentinelOptionsOf(url);
  return sentinels ? new Redis({ ...options, ...sentinels }) : new Redis(url, options);
};
