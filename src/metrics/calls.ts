import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type UpstreamName, upstreamNames } from '../upstream/error.ts';
import { cacheStates } from '../upstream/fate.ts';
import type { Observer } from '../upstream/fates/metrics.ts';
import { priorities } from '../upstream/priority.ts';
import { dropReasons } from '../upstream/reads/entries.ts';

/**
 * How long a credential counts as failing after a failed call, in milliseconds, and how many credentials are counted.
 */
const failingMs = 300_000;
const mostFailing = 1000;

/**
 * The metrics of upstream calls, and of the reads in memory that save calls.
 *
 * @param destinations the upstreams that have a limit each
 */
export const createCallFigures = (
  registry: Registry,
  destinations: readonly UpstreamName[],
): Observer => {
  const registers = [registry];
  const calls = new Counter({
    name: 'sluice_upstream_calls_total',
    help: 'Calls sent to the upstreams, by outcome.',
    labelNames: ['upstream', 'operation', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'sluice_upstream_call_duration_seconds',
    help: 'Time from sending a call to the end of its answer, without waiting for a slot.',
    labelNames: ['upstream', 'operation'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const retries = new Counter({
    name: 'sluice_upstream_retries_total',
    help: 'Calls that were sent again after a failure.',
    labelNames: ['upstream', 'operation'],
    registers,
  });
  const waiting = new Gauge({
    name: 'sluice_slots_waiting',
    help: 'Calls that wait for a slot now.',
    labelNames: ['upstream'],
    registers,
  });
  const waits = new Histogram({
    name: 'sluice_slot_wait_seconds',
    help: 'How long calls waited for the slot that they got.',
    labelNames: ['upstream'],
    buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 60, 150, 300],
    registers,
  });
  const left = new Histogram({
    name: 'sluice_slots_left',
    help: 'Slots that a credential had left after it got one.',
    labelNames: ['upstream'],
    buckets: [0, 1, 2, 3, 5, 8, 10, 20, 40, 60, 80, 100],
    registers,
  });
  const refusals = new Counter({
    name: 'sluice_slot_refusals_total',
    help: 'Calls that were not sent, since their slot would have come too late.',
    labelNames: ['upstream', 'priority'],
    registers,
  });
  const reads = new Counter({
    name: 'sluice_reads_total',
    help: 'Reads that requests made, by the source of the answer.',
    labelNames: ['upstream', 'from'],
    registers,
  });
  const dropped = new Counter({
    name: 'sluice_reads_dropped_total',
    help: 'Reads that were dropped from memory before their time.',
    labelNames: ['reason'],
    registers,
  });
  const failing = { max: mostFailing, ttl: failingMs };
  const failingHolders = {
    management: new LRUCache<string, true>(failing),
    observability: new LRUCache<string, true>(failing),
  };
  new Gauge({
    name: 'sluice_failing_credentials',
    help: 'Credentials of which a call has failed in the last five minutes, at most 1000.',
    labelNames: ['upstream'],
    registers,
    collect() {
      for (const upstream of upstreamNames) {
        failingHolders[upstream].purgeStale();
        this.set({ upstream }, failingHolders[upstream].size);
      }
    },
  });
  // `rate` ignores the first event of a counter that begins with this event.
  for (const upstream of destinations) {
    waiting.set({ upstream }, 0);
    waits.zero({ upstream });
    left.zero({ upstream });
    for (const priority of priorities) refusals.inc({ upstream, priority }, 0);
  }
  for (const upstream of upstreamNames) {
    for (const from of cacheStates) reads.inc({ upstream, from }, 0);
  }
  for (const reason of dropReasons) dropped.inc({ reason }, 0);

  return {
    read: (upstream, from) => reads.inc({ upstream, from }),
    dropped: (reason) => dropped.inc({ reason }),
    waiting: (upstream, change) => waiting.inc({ upstream }, change),
    granted: (upstream, waitedMs, slots) => {
      waits.observe({ upstream }, waitedMs / 1000);
      left.observe({ upstream }, slots);
    },
    refused: (upstream, priority) => refusals.inc({ upstream, priority }),
    sent: ({ upstream, operation, method, outcome, milliseconds, isRetry, holder }) => {
      calls.inc({ upstream, operation, method, status: outcome });
      durations.observe({ upstream, operation }, milliseconds / 1000);
      retries.inc({ upstream, operation }, isRetry ? 1 : 0);
      if (outcome === '5xx' || outcome === 'failed') failingHolders[upstream].set(holder, true);
    },
  };
};
