import type { ServerResponse } from 'node:http';
import { securityHeaders } from './http-headers.ts';
import type { Upstreams } from './upstream/index.ts';

export interface HealthOptions {
  readonly upstreams: Pick<Upstreams, 'breakers'>;
  readonly isDraining: () => boolean;
  /** How many errors this process met that nobody had caught. */
  readonly uncaughtErrors: () => number;
}

/** Answers a request for the process's health; whether the path was one of its own. */
export type AnswerHealth = (path: string | undefined, response: ServerResponse) => boolean;

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
  });
  response.end(JSON.stringify(body));
};

/**
 * `/healthz` tells that the process answers, and `/readyz` whether it is to be sent requests. An upstream
 * that is down shows in the latter's body alone: a gateway out of service helps the other upstream's
 * callers as little.
 */
export const createHealth =
  ({ upstreams, isDraining, uncaughtErrors }: HealthOptions): AnswerHealth =>
  (path, response) => {
    if (path === '/healthz') {
      answer(response, 200, { status: 'alive' });
      return true;
    }
    if (path !== '/readyz') return false;
    const draining = isDraining();
    const { management, observability } = upstreams.breakers();
    answer(response, draining ? 503 : 200, {
      status: draining ? 'draining' : 'ready',
      upstreams: {
        management: { breaker: management },
        observability: { breaker: observability },
      },
      uncaughtErrors: uncaughtErrors(),
    });
    return true;
  };
