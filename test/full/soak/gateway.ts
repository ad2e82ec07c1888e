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
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly rssBytes: number;
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

export type ToGateway = 'measure' | 'stop';
export type FromGateway =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'measures'; readonly measures: Measures };

const collect = globalThis.gc;
if (!collect || !process.send)
  throw new Error('test/full/soak/main.ts starts this with --expose-gc');

const complaints: string[] = [];
const complain = (kind: string) => (reason: unknown) => {
  complaints.push(`${kind}: ${reason instanceof Error ? reason.stack : String(reason)}`);
};
process.on('unhandledRejection', complain('unhandled rejection'));
process.on('uncaughtException', complain('uncaught exception'));
process.on('warning', complain('warning'));

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
  const { heapUsed, external, rss } = process.memoryUsage();
  const kinds = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const resources = Object.fromEntries(
    Object.entries(kinds).map(([kind, all]) => [kind, all?.length ?? 0]),
  );
  const { TCPSocketWrap: sockets = 0, ...others } = resources;
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
    sockets,
    resources: others,
    listeners: listenersOf(process) + listenersOf(gateway.server),
    listenersOfASocket: Math.max(
      0,
      ...handles().map((handle) => (handle instanceof EventEmitter ? listenersOf(handle) : 0)),
    ),
    streams: gateway.streams(),
    complaints,
  };
};

process.on('message', (message: ToGateway) => {
  if (message === 'stop') {
    void gateway.close().then(() => process.disconnect());
  } else {
    void measure().then((measures) => tell({ type: 'measures', measures }));
  }
});

const address = gateway.server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
tell({ type: 'listening', port: address.port });
