import type { Shared } from '../upstream/shared.ts';
import { connectRedis, type RedisState } from './connection.ts';
import { createRedisMemory } from './memory.ts';
import { createNames } from './names.ts';
import { createRedisProofs } from './proofs.ts';
import { createSeal } from './seal.ts';
import { createRedisSlots } from './slots.ts';

interface ShareOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long each command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** See `createNames`. */
  readonly cacheSecret: string;
  /** How many gateways share one Redis. */
  readonly replicas: number;
  /** Called for each change with its reason, and once at the start. */
  readonly onChange: (state: RedisState, reason: string | undefined) => void;
}

/** The state that replicas share over one Redis, for the life of the gateway. */
export interface RedisShare {
  readonly shared: Shared;
  readonly state: RedisState;
  /** Resolves once it is known whether Redis answers. */
  readonly known: Promise<void>;
  /** Waits for the last reports to Redis, and closes the connection. */
  close(): Promise<void>;
}

/** Connects to the Redis that replicas share. Without Redis all goes on, with this process's own part of the limits. */
export const shareOverRedis = (options: ShareOptions): RedisShare => {
  const { url, timeoutMs, cacheSecret, replicas } = options;
  const known = Promise.withResolvers<void>();
  const connection = connectRedis({
    url,
    timeoutMs,
    onChange: (state, reason) => {
      known.resolve();
      options.onChange(state, reason);
    },
  });
  const names = createNames(cacheSecret);
  const slots = createRedisSlots({ connection, names, replicas });
  const memory = createRedisMemory({ connection, names, seal: createSeal(cacheSecret) });
  return {
    shared: {
      processes: replicas,
      slots: slots.of,
      memory,
      proofs: createRedisProofs({ connection, names }),
    },
    get state() {
      return connection.state;
    },
    known: known.promise,
    close: async () => {
      await slots.close();
      connection.close();
      known.resolve();
    },
  };
};
