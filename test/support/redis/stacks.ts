import { namePrefix } from '../../../src/redis/names.ts';
import { type Call, paced, type Stack, stackInTest, type startStack } from '../harness.ts';
import { createLiveWorld } from '../live-world.ts';
import { type Redis, startAgedRedis } from '../redis.ts';

type StackOptions = Parameters<typeof startStack>[0];

/** A text that cannot occur in other test data. */
export const cacheSecret = 'a secret that only these gateways have in common';

export const tenant = (name: string) => ({
  'management-authorization': `Basic ${btoa(`${name}:secret`)}`,
});

const next = 'another secret that only these gateways have in common';

/** The secrets of two gateways, while the secret is changed. */
export const rotations: readonly (readonly [string, string])[] = [
  [cacheSecret, `${next},${cacheSecret}`],
  [`${next},${cacheSecret}`, next],
].flatMap(([one = '', other = '']) => [
  [one, other],
  [other, one],
]);

/**
 * Two gateways with one Redis, whose data is an hour old, in front of the same upstreams, until the test ends. By default
 * without rate limits.
 */
export const startTwoOverRedis = async ({
  redis: given,
  secrets = [cacheSecret, cacheSecret],
  ...options
}: Partial<StackOptions> & {
  readonly redis?: Redis;
  readonly secrets?: readonly [string, string];
} = {}) => {
  const redis = given ?? (await startAgedRedis());
  const world = createLiveWorld();
  const { management, observability } = world;
  const start = async (cacheSecret: string): Promise<Stack> => {
    const stack = await stackInTest({
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
    return stack;
  };
  const [one, other] = [await start(secrets[0]), await start(secrets[1])];
  const stateOf = async ({ url }: Stack): Promise<unknown> => {
    const response = await fetch(new URL('/readyz', url));
    return (await response.json()).redis;
  };
  return {
    ...{ redis, world, one, other },
    /** The keys of a kind. */
    keysOf: async (kind: string) =>
      (await redis.dump()).filter(({ name }) => name.startsWith(`${namePrefix}${kind}:`)),
    /** `METHOD /path` of both gateways' calls since the last use of this function, sorted. */
    calls: (): readonly string[] =>
      [one, other]
        .flatMap((stack) => stack.calls.splice(0))
        .map(({ method, path }: Call) => `${method} ${path}`)
        .sort(),
    /** Waits until both gateways report this state of Redis. */
    untilRedisIs: async (state: 'up' | 'down'): Promise<void> => {
      for (const stack of [one, other]) {
        while ((await stateOf(stack)) !== state) await new Promise((go) => setTimeout(go, 10));
      }
    },
  };
};
