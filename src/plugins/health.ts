import type { RedisState } from '../redis/connection.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { Upstreams } from '../upstream/index.ts';
import type { Reachable } from '../upstream/reachability.ts';
import type { GatewayPlugin } from './plugin.ts';

export interface HealthOptions {
  readonly upstreams: Pick<Upstreams, 'breakers'>;
  readonly isDraining: () => boolean;
  /** Whether the upstreams can be reached; undefined where that is not asked. */
  readonly reachable: () => Reachable | undefined;
  /** How many errors this process met that nobody had caught. */
  readonly uncaughtErrors: () => number;
  /** How the Redis that replicas share stands; undefined where there is none. */
  readonly redis: () => RedisState | undefined;
}

const statusOf = (isDraining: boolean, reachable: Reachable | undefined) => {
  if (isDraining) return 'draining';
  const found = Object.values(reachable ?? {});
  if (found.includes(false)) return 'upstream unreachable';
  return found.includes(undefined) ? 'starting' : 'ready';
};

/**
 * `/healthz` tells that the process answers, and `/readyz` whether it is to be sent requests. An upstream that is
 * down shows in the latter's body alone, unless `READY_REQUIRES` says otherwise: a gateway out of service helps the other
 * upstream's callers as little.
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
    const of = (name: UpstreamName) => ({
      breaker: breakers[name],
      ...(found && { reachable: found[name] ?? null }),
    });
    return {
      status: statusOf(isDraining(), found),
      upstreams: { management: of('management'), observability: of('observability') },
      redis: redis(),
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
