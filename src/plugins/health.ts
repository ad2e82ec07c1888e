import type { RedisConnection } from '../redis/connection.ts';
import { upstreamNames } from '../upstream/error.ts';
import type { Upstreams } from '../upstream/index.ts';
import type { Reachable } from '../upstream/reachability.ts';
import type { GatewayPlugin } from './plugin.ts';

export interface HealthOptions {
  readonly upstreams: Pick<Upstreams, 'breakers'>;
  readonly isDraining: () => boolean;
  /** Whether each upstream is reachable; undefined if the gateway does not probe. */
  readonly reachable: () => Reachable | undefined;
  readonly uncaughtErrors: () => number;
  /** The Redis that replicas share; undefined without Redis. */
  readonly redis: () => Pick<RedisConnection, 'state' | 'problem'> | undefined;
}

const statusOf = (isDraining: boolean, reachable: Reachable | undefined) => {
  if (isDraining) return 'draining';
  const found = Object.values(reachable ?? {});
  if (found.includes(false)) return 'upstream unreachable';
  return found.includes(undefined) ? 'starting' : 'ready';
};

/**
 * `/healthz` says that the process responds, and `/readyz` whether it should receive requests. An upstream that is down
 * shows only in the body of `/readyz`, unless `READY_REQUIRES` says otherwise: taking the gateway out of service would
 * also stop callers of the other upstream.
 */
export const useHealth = ({
  upstreams,
  isDraining,
  reachable,
  uncaughtErrors,
  redis,
}: HealthOptions): GatewayPlugin => {
  const readiness = () => {
    const breakers = upstreams.breakers();
    const found = reachable();
    const upstreamsNow = upstreamNames
      .filter((name) => name in breakers)
      .map((name) => [
        name,
        { breaker: breakers[name], ...(found && { reachable: found[name] ?? null }) },
      ]);
    return {
      status: statusOf(isDraining(), found),
      upstreams: Object.fromEntries(upstreamsNow),
      redis: redis()?.state,
      redisProblem: redis()?.problem,
      uncaughtErrors: uncaughtErrors(),
    };
  };
  return {
    onRequest: ({ serverContext: { req }, endResponse, fetchAPI }) => {
      const end = (body: unknown, status = 200): void =>
        endResponse(fetchAPI.Response.json(body, { status }));
      if (req.url === '/healthz') end({ status: 'alive' });
      else if (req.url === '/readyz') {
        const body = readiness();
        end(body, body.status === 'ready' ? 200 : 503);
      }
    },
  };
};
