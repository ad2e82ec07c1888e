// The gateway of a soak, in a process of its own: it listens as the real one does, and tells on demand
// what it holds once everything has been collected that can be.
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../../src/config.ts';
import { createGateway } from '../../../src/gateway/server.ts';
import type { StreamCounts } from '../../../src/live/streams.ts';
import { openLog } from '../../../src/log.ts';

/** What the process holds. */
export interface Measures {
  readonly heapMegabytes: number;
  /** Open connections, of callers and to the upstreams. */
  readonly sockets: number;
  /** Everything else that keeps the loop alive, by its kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Of the process and the server together. */
  readonly listeners: number;
  /** The most that any one connection has. */
  readonly listenersOfASocket: number;
  /** Subscriptions, the reads that they watch, and whose these are. */
  readonly streams: StreamCounts;
  /** Errors that nobody caught, and warnings such as that of too many listeners. */
  readonly complaints: readonly string[];
}

export type FromGateway = { readonly port: number } | Measures;

const { gc: collect } = globalThis;
if (!collect) throw new Error('test/full/soak/main.ts starts this with --expose-gc');

const complaints: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (reason: unknown) => {
    complaints.push(`${event}: ${reason instanceof Error ? reason.stack : String(reason)}`);
  });
}

const tell = (message: FromGateway): void => {
  process.send?.(message);
};

const gateway = createGateway({ config: readConfig(process.env), log: await openLog('json') });
await gateway.started;
gateway.server.listen(0, '127.0.0.1');
await once(gateway.server, 'listening');

const listenersOf = (emitter: EventEmitter): number =>
  emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);

/** Every open handle; Node has no public name for them, and `getActiveResourcesInfo` tells their kinds alone. */
const handles = (): readonly unknown[] =>
  (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();

const measure = async (): Promise<Measures> => {
  // Finalizers free more, and run between one collection and the next.
  for (let time = 0; time < 6; time += 1) {
    collect();
    await pause(50);
  }
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  const { TCPSocketWrap: sockets = 0, ...resources } = counts;
  const emitters = handles().filter((handle) => handle instanceof EventEmitter);
  return {
    heapMegabytes: process.memoryUsage().heapUsed / 1024 / 1024,
    ...{ sockets, resources, complaints, streams: gateway.streams() },
    listeners: listenersOf(process) + listenersOf(gateway.server),
    listenersOfASocket: Math.max(0, ...emitters.map(listenersOf)),
  };
};

process.on('message', (message) => {
  if (message === 'measure') void measure().then(tell);
  else void gateway.close().then(() => process.disconnect());
});

const address = gateway.server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
tell({ port: address.port });
