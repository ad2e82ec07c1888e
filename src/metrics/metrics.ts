import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type StreamEnd, streamEnds } from '../live/stream.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { Observer } from '../upstream/fates/metrics.ts';
import type { BreakerState } from '../upstream/sending/breaker.ts';
import { version } from '../version.ts';
import { createCallFigures } from './calls.ts';
import { createOperationFigures, type OperationFigures } from './operations.ts';
import { createRestFigures, type RestFigures } from './rest.ts';
import { addStates, type States } from './states.ts';

/** Metrics in the text format of Prometheus. */
export interface Scrape {
  readonly contentType: string;
  readonly text: string;
}

/** All metrics. Labels come from closed sets: no identifier, no name that a caller chose, no part of a credential. */
export interface Metrics {
  readonly operations: OperationFigures;
  readonly calls: Observer;
  readonly rest: RestFigures;
  breakerChanged(upstream: UpstreamName, state: BreakerState): void;
  streamEnded(reason: StreamEnd): void;
  /** Must be called once, with the states that each scrape reads. */
  watch(states: States): void;
  scrape(): Promise<Scrape>;
}

/** @param destinations the upstreams that have a breaker and a limit each */
export const createMetrics = (destinations: readonly UpstreamName[]): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const openings = new Counter({
    name: 'sluice_breaker_openings_total',
    help: 'How often the breaker of an upstream has opened.',
    labelNames: ['upstream'],
    registers,
  });
  const ended = new Counter({
    name: 'sluice_streams_ended_total',
    help: 'Subscriptions that have ended.',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'sluice_build_info',
    help: 'Always 1; the labels are the versions that run.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);
  for (const upstream of destinations) openings.inc({ upstream }, 0);
  for (const reason of streamEnds) ended.inc({ reason }, 0);

  return {
    operations: createOperationFigures(registry),
    calls: createCallFigures(registry, destinations),
    rest: createRestFigures(registry, destinations),
    breakerChanged: (upstream, state) => {
      if (state === 'open') openings.inc({ upstream });
    },
    streamEnded: (reason) => ended.inc({ reason }),
    watch: (states) => addStates(registry, states),
    scrape: async () => ({
      contentType: registry.contentType,
      text: await registry.metrics(),
    }),
  };
};
