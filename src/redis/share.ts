import type { Shared } from '../upstream/shared.ts';
import { connectRedis, type RedisConnection } from './connection.ts';
import { createRedisMemory } from './memory.ts';
import { createNames } from './names.ts';
import { createRedisNotes, type RedisNotes } from './notes.ts';
import { createSeal } from './seal.ts';
import { createRedisSlots } from './slots.ts';
import type { RedisProblem, RedisState } from './status.ts';

interface ShareOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** See `createNames`. */
  readonly cacheSecret: string;
  /** How many gateways share one Redis. */
  readonly replicas: number;
  /** Called for each change, at the start, and from time to time while there is a problem. */
  readonly onChange: (state: RedisState, problem: RedisProblem | undefined) => void;
  readonly remindMs?: number | undefined;
}

/** The gateway cannot use this Redis, however long it waits. The message is for the operator. */
export class RedisRefused extends Error {}

const clusterRefused =
  'REDIS_URL is a Redis Cluster, which Sluice does not support. Use a single Redis, or one with Sentinel.';

/** The state that replicas share over one Redis, for the life of the gateway. */
export interface RedisShare {
  readonly shared: Shared;
  /** The plans of agents that are used. */
  readonly usedPlans: RedisNotes;
  readonly connection: Pick<RedisConnection, 'state' | 'problem'>;
  /** Resolves once it is known whether Redis answers; rejects with `RedisRefused`. */
  readonly known: Promise<void>;
  /** Waits for the last reports to Redis, and closes the connection. */
  close(): Promise<void>;
}

/**
 * Connects to the Redis that replicas share. While Redis is down, the process goes on with its own part of the limits.
 */
export const shareOverRedis = (options: ShareOptions): RedisShare => {
  const { url, timeoutMs, cacheSecret, replicas, remindMs } = options;
  const known = Promise.withResolvers<void>();
  const connection = connectRedis({
    url,
    timeoutMs,
    remindMs,
    onChange: (state, problem) => {
      if (problem?.reason === 'CLUSTER') known.reject(new RedisRefused(clusterRefused));
      else known.resolve();
      options.onChange(state, problem);
    },
  });
  // The log tells it too, so nobody has to wait for this promise.
  known.promise.catch(() => undefined);
  const names = createNames(cacheSecret);
  // The order of the reports when Redis is back: changes come before slots, since reads wait for changes.
  const memory = createRedisMemory({ connection, names, seal: createSeal(cacheSecret) });
  const slots = createRedisSlots({ connection, names, replicas });
  return {
    shared: {
      processes: replicas,
      slots: slots.of,
      memory,
    },
    usedPlans: createRedisNotes(connection, names, 'plan'),
    connection,
    known: known.promise,
    close: async () => {
      await slots.close();
      connection.close();
      known.resolve();
    },
  };
};
