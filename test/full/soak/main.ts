// `npm run soak`: operations without end against a gateway in a process of its own, whose upstreams fail
// now and then. Ends with 1 where it has kept anything: heap, connections or listeners.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FromGateway, Measures, ToGateway } from './gateway.ts';
import { createLoad } from './load.ts';
import { startUpstreams } from './upstreams.ts';

const numberOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const operations = numberOf('SOAK_OPERATIONS', 200_000);
const callers = numberOf('SOAK_CREDENTIALS', 2000);
const faultPercent = numberOf('SOAK_FAULT_PERCENT', 10);
const seed = numberOf('SOAK_SEED', 1);
/** Fills the caches, which are bounded, and has all code compiled that is going to be. */
const warmUp = numberOf('SOAK_WARM_UP', 40_000);

const rounds = 10;
const connections = 64;
const upstreamConnections = 64;
/** How much more than after the warm-up the heap may hold. */
const tolerance = 0.05;

/** Those of Node's HTTP server on one connection, and some more. */
const mostListeners = 15;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const startGateway = async (upstreamUrl: string) => {
  const child = fork(fileURLToPath(new URL('./gateway.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      MANAGEMENT_URL: upstreamUrl,
      OBSERVABILITY_URL: upstreamUrl,
      // One credential is to make all the calls, and each operation is to make its own.
      MANAGEMENT_RATE: 'off',
      OBSERVABILITY_RATE: 'off',
      READ_CACHE: 'off',
      OPERATION_TIMEOUT_MS: '3000',
      UPSTREAM_CONNECTIONS: String(upstreamConnections),
    },
    // The log is written, as it always is, and nobody reads it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const next = async (): Promise<FromGateway> => {
    const [message] = await Promise.race([
      once(child, 'message'),
      ended.then(([code, signal]) => {
        throw new Error(`the gateway ended: ${code ?? signal}`);
      }),
    ]);
    return message;
  };
  const tell = (message: ToGateway): void => {
    child.send(message);
  };
  const first = await next();
  if (first.type !== 'listening') throw new Error('the gateway does not listen');
  return {
    url: `http://127.0.0.1:${first.port}/graphql`,
    measure: async (): Promise<Measures> => {
      tell('measure');
      const message = await next();
      if (message.type !== 'measures') throw new Error('no measures');
      return message.measures;
    },
    stop: async (): Promise<number | null> => {
      tell('stop');
      const [code] = await ended;
      return code;
    },
    kill: () => child.kill('SIGKILL'),
  };
};

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2);

const rowOf = (title: string, measures: Measures): string =>
  [
    title.padEnd(16),
    `heap ${megabytes(measures.heapBytes)} MB`,
    `external ${megabytes(measures.externalBytes)} MB`,
    `rss ${megabytes(measures.rssBytes)} MB`,
    `sockets ${measures.sockets}`,
    `listeners ${measures.listeners}, of a socket at most ${measures.listenersOfASocket}`,
    `other resources ${JSON.stringify(measures.resources)}`,
  ].join(' · ');

/** A sentence for everything that has grown, however busy the gateway has just been. */
const growthUnderLoad = (before: Measures, after: Measures): readonly string[] => {
  const grown: string[] = [];
  const most = connections + 2 * upstreamConnections;
  if (after.sockets > most) grown.push(`sockets: ${after.sockets}, allowed ${most}`);
  if (after.listeners > before.listeners) {
    grown.push(`listeners: ${after.listeners}, before ${before.listeners}`);
  }
  if (after.listenersOfASocket > mostListeners) {
    grown.push(`listeners of a socket: ${after.listenersOfASocket}, allowed ${mostListeners}`);
  }
  return grown;
};

/** The same where nothing is under way. */
const growth = (before: Measures, after: Measures): readonly string[] => {
  const grown = [...growthUnderLoad(before, after)];
  const limit = before.heapBytes * (1 + tolerance);
  if (after.heapBytes > limit) {
    grown.push(`heap: ${megabytes(after.heapBytes)} MB, allowed ${megabytes(limit)} MB`);
  }
  if (after.sockets > 0) grown.push(`sockets that are never closed: ${after.sockets}`);
  if (JSON.stringify(after.resources) !== JSON.stringify(before.resources)) {
    grown.push(`other resources: ${JSON.stringify(after.resources)}`);
  }
  return grown;
};

/** What it holds once the connections have gone that were kept for a next call; they go in their own time. */
const measureIdle = async (measure: () => Promise<Measures>): Promise<Measures> => {
  const patience = performance.now() + 120_000;
  let idle = await measure();
  while (idle.sockets > 0 && performance.now() < patience) {
    await pause(1000);
    idle = await measure();
  }
  return idle;
};

const started = performance.now();
const upstreams = await startUpstreams({ faultPercent, seed });
const gateway = await startGateway(upstreams.url);
const load = createLoad({ url: gateway.url, connections, callers, seed });
const failures: string[] = [];

try {
  print(`${operations} operations of ${callers} credentials, ${faultPercent} % faults`);
  await load.send(warmUp);
  const warm = await measureIdle(gateway.measure);
  print(rowOf('after warm-up', warm));

  for (let round = 1; round <= rounds && load.faults.length === 0; round += 1) {
    await load.send(Math.ceil(operations / rounds));
    const measures = await gateway.measure();
    print(rowOf(`${Math.round((round / rounds) * operations)} operations`, measures));
    failures.push(...growthUnderLoad(warm, measures));
  }
  failures.push(...load.faults);
  const seconds = (performance.now() - started) / 1000;

  await load.close();
  const idle = await measureIdle(gateway.measure);
  print(rowOf('at the end', idle));
  failures.push(...growth(warm, idle));
  failures.push(...idle.complaints);
  const code = await gateway.stop();
  if (code !== 0) failures.push(`the gateway ended with ${code}`);

  const { counts } = load;
  const listed = (entries: ReadonlyMap<string, number>): string =>
    [...entries].map(([name, count]) => `${name} ${count}`).join(', ');
  print(`${counts.operations} operations in ${seconds.toFixed(0)} s, warm-up included`);
  print(
    `answers: ${counts.data} without errors, ${counts.errors} with; ${counts.left} callers left`,
  );
  print(`codes: ${listed(counts.codes)}`);
  print(`upstream calls: ${upstreams.counts.calls}; never answered: ${upstreams.counts.hanging}`);
  print(`faults: ${listed(upstreams.counts.faults)}`);
  print(
    `heap: ${((idle.heapBytes / warm.heapBytes - 1) * 100).toFixed(2)} % beyond that after warm-up`,
  );
} catch (error) {
  failures.push(String(error));
} finally {
  gateway.kill();
  upstreams.close();
}

for (const failure of failures) print(`FAILED: ${failure}`);
if (failures.length === 0) print('passed');
process.exitCode = failures.length === 0 ? 0 : 1;
