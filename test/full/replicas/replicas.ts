import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type Answering, type Call, data, startBackend } from '../../support/harness.ts';
import { createExactUpstream } from '../../support/pacing/exact-upstream.ts';
import { node, run } from '../../support/process/run-main.ts';
import { type Redis, startRedis, untilShared } from '../../support/redis.ts';

type Replica = ReturnType<typeof run> & { readonly port: number };

const redisOf = async ({ port }: Pick<Replica, 'port'>): Promise<string> => {
  const headers = { connection: 'close' };
  return (await (await fetch(`http://127.0.0.1:${port}/readyz`, { headers })).json()).redis;
};

/**
 * Three processes with the image's command and one Redis, before a management interface with a jitter of 60 ms each way,
 * until the test ends. They share its rate limit.
 *
 * @param isExact whether it refuses calls beyond the rate
 * @param folder where their code is, if it is not the present one
 */
export const startReplicas = async (
  rate: Rate,
  isExact: boolean,
  accepted?: Answering,
  env: Readonly<Record<string, string>> = {},
  given?: Redis,
  folder?: string,
) => {
  const upstream = createExactUpstream(isExact ? rate : undefined, 60, accepted);
  const calls: Call[] = [];
  const open = async (name: Call['upstream'], answering: Answering): Promise<string> => {
    const { origin, close } = await startBackend(name, calls, answering);
    onTestFinished(close);
    return origin;
  };
  const all = {
    MANAGEMENT_URL: await open('management', upstream.answering),
    OBSERVABILITY_URL: await open('observability', () => data([])),
    MANAGEMENT_RATE: `${rate.calls}/${rate.windowMs / 1000}s`,
    // The machine may be busy with other tests: a replica without Redis would go by itself, and exceed the rate.
    REDIS_TIMEOUT_MS: isExact ? '20000' : '2000',
    ...env,
  };
  const redis = given ?? (await startRedis());
  const start = async (from?: string): Promise<Replica> => {
    const env = {
      ...{ PORT: '0', REDIS_URL: redis.url, REPLICAS: '3' },
      ...{ CACHE_SECRET: 'a-secret-that-all-replicas-have-in-common', ...all },
    };
    const process = run(env, node, from);
    const replica = { ...process, port: Number((await process.logged('listening')).port) };
    // The last release listens without Redis if it needs more than a second to connect, and goes by its own share until
    // then. The present code must have Redis when it listens.
    while (from !== undefined && (await redisOf(replica)) !== 'up') await pause(10);
    return replica;
  };
  const replicas = await Promise.all([start(folder), start(folder), start(folder)]);
  await untilShared(redis, rate);
  let turn = 0;
  return {
    /** The replica whose turn it is. */
    nextUrl: (): string => {
      turn += 1;
      return `http://127.0.0.1:${replicas[turn % replicas.length]?.port}/graphql`;
    },
    ...{
      redis,
      upstream,
      calls: calls as readonly Call[],
      replicas: replicas as readonly Replica[],
    },
    /**
     * Replaces a replica as a cluster does: a new one is ready, the old one gets no further requests, has read those that it
     * got, and is told to stop.
     *
     * @param by where the new one's code is, if it is not the present one
     */
    replace: async (index: number, by?: string): Promise<void> => {
      const old = replicas[index];
      if (!old) throw new Error(`there is no replica ${index}`);
      replicas[index] = await start(by);
      // Connections are accepted in their order: when this one is answered, earlier ones have been accepted.
      for (const _ of [1, 2]) await redisOf(old);
      old.child.kill('SIGTERM');
      const { code, signal, errors } = await old.ended;
      if (code !== 0) throw new Error(`a replica ended with ${code ?? signal}: ${errors}`);
    },
    /** Waits until every replica reports this state of Redis. */
    untilRedisIs: async (state: string): Promise<void> => {
      while (!(await Promise.all(replicas.map(redisOf))).every((each) => each === state)) {
        await pause(10);
      }
    },
  };
};
