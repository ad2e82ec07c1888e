import { onTestFinished } from 'vitest';
import { namePrefix } from '../../../src/redis/connection.ts';
import { type Call, paced, type Stack, startStack } from '../harness.ts';
import { createLiveWorld } from '../live-world.ts';
import { type Redis, startRedis } from '../redis.ts';
import { age } from './shared-logs.ts';

type StackOptions = Parameters<typeof startStack>[0];

/** Unmatched in anything else that a test may look for. */
export const cacheSecret = 'a secret that only these gateways have in common';

export const tenant = (name: string) => ({
  'management-authorization': `Basic ${btoa(`${name}:secret`)}`,
});

/** Two gateways over one Redis, which is an hour old, before the same upstreams, until the test ends. Nothing is paced unless asked for. */
export const startTwoOverRedis = async ({
  redis: given,
  ...options
}: Partial<StackOptions> & { readonly redis?: Redis } = {}): Promise<{
  readonly redis: Redis;
  readonly world: ReturnType<typeof createLiveWorld>;
  readonly one: Stack;
  readonly other: Stack;
  /** `METHOD /path` of the calls of both since the last time that this was asked, sorted. */
  calls(): readonly string[];
  /** Waits until both say so of Redis. */
  untilRedisIs(state: 'up' | 'down'): Promise<void>;
  /** The keys of a kind. */
  keysOf(kind: string): Promise<Awaited<ReturnType<Redis['dump']>>>;
}> => {
  const redis = given ?? (await startRedis());
  if (!given) await age(redis);
  const world = createLiveWorld();
  const { management, observability } = world;
  const start = async (): Promise<Stack> => {
    const stack = await startStack({
      ...{ management, observability, ...options },
      config: {
        readCacheBytes: paced.readCacheBytes ?? 0,
        maxRetries: 0,
        ...{ redisUrl: redis.url, cacheSecret, replicas: 2 },
        // The machine may be busy.
        redisTimeoutMs: 1000,
        ...options.config,
      },
    });
    onTestFinished(stack.close);
    return stack;
  };
  const [one, other] = [await start(), await start()];
  const stateOf = async ({ url }: Stack): Promise<unknown> => {
    const response = await fetch(new URL('/readyz', url));
    return (await response.json()).redis;
  };
  return {
    ...{ redis, world, one, other },
    keysOf: async (kind) =>
      (await redis.dump()).filter(({ name }) => String(name).startsWith(`${namePrefix}${kind}:`)),
    calls: () =>
      [one, other]
        .flatMap((stack) => stack.calls.splice(0))
        .map(({ method, path }: Call) => `${method} ${path}`)
        .sort(),
    untilRedisIs: async (state) => {
      for (const stack of [one, other]) {
        while ((await stateOf(stack)) !== state) await new Promise((go) => setTimeout(go, 10));
      }
    },
  };
};
