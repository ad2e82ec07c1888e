import { Gauge, type Registry } from 'prom-client';
import type { StreamCounts } from '../live/streams.ts';
import type { RedisState } from '../redis/status.ts';
import type { Upstreams } from '../upstream/index.ts';
import { breakerStates } from '../upstream/sending/breaker.ts';

/** The states that each scrape reads. */
export interface States {
  readonly breakers: Upstreams['breakers'];
  readonly streams: () => StreamCounts;
  readonly maxStreams: number;
  /** Absent without Redis. */
  readonly redis?: (() => RedisState) | undefined;
}

export const addStates = (
  registry: Registry,
  { breakers, streams, maxStreams, redis }: States,
): void => {
  const registers = [registry];
  const add = (name: string, help: string, read: () => number): void => {
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  };
  new Gauge({
    name: 'sluice_breaker_state',
    help: '1 for the state that the breaker of an upstream is in, 0 for the other states.',
    labelNames: ['upstream', 'state'],
    registers,
    collect() {
      for (const [upstream, now] of Object.entries(breakers())) {
        for (const state of breakerStates) this.set({ upstream, state }, now === state ? 1 : 0);
      }
    },
  });
  add('sluice_streams', 'Subscriptions that are open.', () => streams().streams);
  add('sluice_streams_max', 'Subscriptions that may be open at a time.', () => maxStreams);
  add('sluice_polled_reads', 'Reads that are polled for subscriptions.', () => streams().reads);
  add(
    'sluice_polled_credentials',
    'Credentials with polled reads, counted once for each upstream.',
    () => streams().credentials,
  );
  if (redis) {
    add('sluice_redis_up', '1 while Redis answers, else 0.', () => (redis() === 'up' ? 1 : 0));
  }
};
