import { Counter, type Registry } from 'prom-client';
import type { UpstreamName } from '../upstream/error.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** The class of a status; 429 is a class of its own. `left`: the caller did not wait for the whole answer. */
const statuses = ['2xx', '4xx', '429', '5xx', 'left'] as const;
type Status = (typeof statuses)[number];

export interface RestFigures {
  /** Notes the end of a tool's request; no status if the tool has left before it had the whole answer. */
  answered(upstream: UpstreamName, method: string, status: number | undefined): void;
}

const classOf = (status: number | undefined): Status => {
  if (status === undefined) return 'left';
  if (status === 429) return '429';
  if (status < 400) return '2xx';
  return status < 500 ? '4xx' : '5xx';
};

/**
 * The metrics of requests of REST tools.
 *
 * @param destinations the upstreams that have a door each
 */
export const createRestFigures = (
  registry: Registry,
  destinations: readonly UpstreamName[],
): RestFigures => {
  const requests = new Counter({
    name: 'sluice_rest_requests_total',
    help: 'Requests of REST tools that were answered.',
    labelNames: ['upstream', 'method', 'status'],
    registers: [registry],
  });
  // `rate` ignores the first event of a counter that begins with this event.
  for (const upstream of destinations) {
    for (const method of methods) {
      for (const status of statuses) requests.inc({ upstream, method, status }, 0);
    }
  }
  return {
    answered: (upstream, given, status) => {
      const method = methods.find((each) => each === given) ?? 'other';
      requests.inc({ upstream, method, status: classOf(status) });
    },
  };
};
