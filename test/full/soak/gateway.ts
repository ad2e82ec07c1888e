// The gateway of a soak, in a process of its own: it listens as the real one does, and tells on demand
// what it holds once everything has been collected that can be.
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../../src/config.ts';
import { createGateway } from '../../../src/gateway/server.ts';
import { openLog } from '../../../src/log.ts';

const { gc: collect } = globalThis;
if (!collect) throw new Error('test/full/soak/main.ts starts this with --expose-gc');

/** Errors that nobody caught, and warnings such as that of too many listeners. */
const complaints: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (reason: unknown) => {
    complaints.push(`${event}: ${reason instanceof Error ? reason.stack : String(reason)}`);
  });
}

const gateway = createGateway({ config: readConfig(process.env), log: await openLog('json') });
await gateway.started;
gateway.server.listen(0, '127.0.0.1');
await once(gateway.server, 'listening');

const listenersOf = (emitter: EventEmitter): number =>
  emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);

/** Every open handle; Node has no public name for them, and `getActiveResourcesInfo` tells their kinds alone. */
const handles = (): readonly unknown[] =>
  (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();

const measure = async () => {
  // Finalizers free more, and run between one collection and the next.
  for (let time = 0; time < 6; time += 1) {
    collect();
    await pause(50);
  }
  /** What keeps the loop alive, by its kind. */
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const emitters = handles().filter((handle) => handle instanceof EventEmitter);
  return {
    heapMegabytes: process.memoryUsage().heapUsed / 1024 / 1024,
    ...{ resources, complaints, streams: gateway.streams().streams },
    listeners: listenersOf(process) + listenersOf(gateway.server),
    /** The most that any one connection has. */
    listenersOfASocket: Math.max(0, ...emitters.map(listenersOf)),
  };
};
export type Measures = Awaited<ReturnType<typeof measure>>;

process.on('message', (message) => {
  if (message === 'measure') void measure().then((measures) => process.send?.(measures));
  else void gateway.close().then(() => process.disconnect());
});
process.send?.(gateway.server.address());
