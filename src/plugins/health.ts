import type { RedisState } from '../redis/connection.ts';
import type { Upstreams } from '../upstream/index.ts';
import type { GatewayPlugin } from './plugin.ts';

export interface HealthOptions {
  readonly upstreams: Pick<Upstreams, 'breakers'>;
  readonly isDraining: () => boolean;
  /** How many errors this process met that nobody had caught. */
  readonly uncaughtErrors: () => number;
  /** How the Redis that replicas share stands; undefined where there is none. */
  readonly redis: () => RedisState | undefined;
}

/**
 * `/healthz` tells that the process answers, and `/readyz` whether it is to be sent requests. An upstream that is
 * down shows in the latter's body alone: a gateway out of service helps the other upstream's callers as little.
 */
export const useHealth = ({
  upstreams,
  isDraining,
  uncaughtErrors,
  redis,
}: HealthOptions): GatewayPlugin => {
  const readiness = () => {
    const { management, observability } = upstreams.breakers();
    return {
      status: isDraining() ? 'draining' : 'ready',
      upstreams: {
        management: { breaker: management },
        observability: { breaker: observability },
      },
      redis: redis(),
      uncaughtErrors: uncaughtErrors(),
    };
  };
  return {
    onRequest: ({ serverContext: { req }, endResponse, fetchAPI }) => {
      const end = (body: unknown, status = 200): void =>
        endResponse(fetchAPI.Response.json(body, { status }));
      if (req.url === '/healthz') end({ status: 'alive' });
      else if (req.url === '/readyz') end(readiness(), isDraining() ? 503 : 200);
    },
  };
};
