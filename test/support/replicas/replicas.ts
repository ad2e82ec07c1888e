import { onTestFinished } from 'vitest';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type Answering, type Call, data, startBackend } from '../harness.ts';
import { createExactUpstream, type WindowKind } from '../pacing/exact-upstream.ts';
import { run } from '../process/run-main.ts';
import { untilShared } from '../redis/shared-logs.ts';
import { startRedis } from '../redis.ts';
import { startBalancer } from './balancer.ts';

type Replica = ReturnType<typeof run> & { readonly port: number };

/** A replica's body on /readyz. */
interface Readiness {
  readonly status: string;
  readonly redis?: string;
}

const readinessOf = async ({ port }: Pick<Replica, 'port'>): Promise<Readiness> =>
  (await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } })).json();

/** Three processes with the image's command, one Redis, and a balancer, until the test ends. */
export const startReplicas = async (env: Readonly<Record<string, string>>, count = 3) => {
  const redis = await startRedis();
  const balancer = await startBalancer();
  onTestFinished(balancer.close);
  const start = async (): Promise<Replica> => {
    const process = run({
      PORT: '0',
      REDIS_URL: redis.url,
      REPLICAS: String(count),
      CACHE_SECRET: 'a-secret-that-all-replicas-have-in-common',
      ...env,
    });
    const { port } = await process.logged('listening');
    return { ...process, port: Number(port) };
  };
  const replicas = await Promise.all(Array.from({ length: count }, start));
  await Promise.all(replicas.map(({ port }) => balancer.add(port)));

  /**
   * Replaces a replica as a cluster does: a new one is ready, the old one gets no further requests, has read those that it
   * got, and is told to stop.
   */
  const replace = async (index: number): Promise<void> => {
    const old = replicas[index];
    if (!old) throw new Error(`there is no replica ${index}`);
    const next = await start();
    await balancer.add(next.port);
    replicas[index] = next;
    balancer.remove(old.port);
    // Connections are accepted in their order: when this one is answered, earlier ones have been accepted.
    for (const _ of [1, 2]) await readinessOf(old);
    old.child.kill('SIGTERM');
    const { code, signal, errors } = await old.ended;
    if (code !== 0) throw new Error(`a replica ended with ${code ?? signal}: ${errors}`);
  };
  return {
    url: `${balancer.origin}/graphql`,
    redis,
    balancer,
    replicas: replicas as readonly Replica[],
    replace,
    /** Waits until every replica reports this state of Redis. */
    untilRedisIs: async (state: string): Promise<void> => {
      const isSo = async (replica: Replica) => (await readinessOf(replica)).redis === state;
      while (!(await Promise.all(replicas.map(isSo))).every(Boolean)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
};

/** Three replicas that share the rate limit of a management interface that counts calls, with a jitter of 60 ms each way. */
export const startBeforeExact = async (
  rate: Rate,
  kind: WindowKind | 'counting',
  accepted?: Answering,
  env: Readonly<Record<string, string>> = {},
) => {
  const upstream = createExactUpstream(rate, kind, 60, accepted);
  const calls: Call[] = [];
  const open = async (name: Call['upstream'], answering: Answering): Promise<string> => {
    const { origin, close } = await startBackend(name, calls, answering);
    onTestFinished(close);
    return origin;
  };
  const replicas = await startReplicas({
    MANAGEMENT_URL: await open('management', upstream.answering),
    OBSERVABILITY_URL: await open('observability', () => data([])),
    MANAGEMENT_RATE: `${rate.calls}/${rate.windowMs / 1000}s`,
    // The machine may be busy with other tests.
    REDIS_TIMEOUT_MS: '2000',
    ...env,
  });
  await untilShared(replicas.redis, rate);
  return { ...replicas, upstream, calls: calls as readonly Call[] };
};
