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
  /** What all replicas have in common. */
  readonly cacheSecret: string;
  /** How many gateways share it. */
  readonly replicas: number;
  /** Told of each change, and why; at first only whether it could be reached. */
  readonly onChange: (state: RedisState, reason: string | undefined) => void;
}

/** What replicas share over one Redis, for the life of the gateway. */
export interface RedisShare {
  readonly shared: Shared;
  readonly state: RedisState;
  /** Resolves once it is known whether Redis answers. */
  readonly known: Promise<void>;
  /** Tells Redis what it is still to be told, and closes the connection. */
  close(): Promise<void>;
}

/** Connects to the Redis that replicas share. What it is needed for works without it too, by this process's own part. */
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
  const nameOf = createNames(cacheSecret);
  const slots = createRedisSlots({ connection, nameOf, replicas });
  const memory = createRedisMemory({ connection, nameOf, seal: createSeal(cacheSecret) });
  return {
    shared: {
      processes: replicas,
      slots: slots.of,
      memory,
      proofs: createRedisProofs({ connection, nameOf }),
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
