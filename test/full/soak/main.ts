// `npm run soak`: operations without end against a gateway in a process of its own, with limits, memory, subscriptions
// and Redis, while the upstreams and Redis fail now and then. Ends with 1 where it has kept anything, or has sent more
// calls than the limits allow. With SOAK_MINUTES, it lasts so long at SOAK_PER_SECOND operations, which take about half a
// core, and tells what it holds after each third of the time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startBackend } from '../../support/harness.ts';
import { drawPort } from '../../support/ports.ts';
import { redisPath } from '../../support/redis/path.ts';
import { launchRedis } from '../../support/redis/server.ts';
import { createLoad, createUpstreams, watch } from './traffic.ts';

const seed = Number(process.env.SOAK_SEED ?? 1);
const minutes = Number(process.env.SOAK_MINUTES ?? 0);
const perSecond = Number(process.env.SOAK_PER_SECOND ?? 150);
const operations = minutes > 0 ? 25_000 : Number(process.env.SOAK_OPERATIONS ?? 200_000);
/** Fills the caches, which are bounded, and has all code compiled that is going to be. */
const warmUp = operations / 5;
const [rounds, connections, upstreamConnections, streamCount, replicas] = [10, 128, 64, 500, 2];
const thirds = 3;
/** How many times the heap after the warm-up the heap may hold. */
const mostHeap = 1.05;
/** Whatever is kept in memory is gone after so long, and what holds the loop some time later, in milliseconds. */
const [forgottenAfterMs, patienceMs] = [65_000, 120_000];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const failures: string[] = [];
const check = (holds: boolean, failure: string): void => {
  if (!holds) failures.push(failure);
};

const redis = redisPath === undefined ? undefined : await launchRedis();
if (!redis) print('No Redis here: it is left out (REDIS_SERVER=path).');
/** Redis is flushed, hangs, and is away, one after the other. */
const failRedis = async (round: number): Promise<void> => {
  if (round % 3 === 0) await redis?.flush();
  if (round % 3 === 1) await redis?.hang();
  if (round % 3 === 2) await redis?.kill();
  await pause(2000);
  if (round % 3 === 1) redis?.resume();
  if (round % 3 === 2) await redis?.restart();
};

// While Redis changes between up and down, both replicas' shares may be used beside what was counted there.
const upstreams = createUpstreams(seed, redis ? 2 - 1 / replicas : 1);
/** Keeps none of the calls, which are too many. */
const none = Object.assign([], { push: () => 0 });
const management = await startBackend('management', none, upstreams.answer);
const observability = await startBackend('observability', none, upstreams.answer);
const [port, metricsPort] = [drawPort(), drawPort()];
// Garbage is collected before each measurement, so that the heap is what is kept.
const collecting = "--import=data:text/javascript,process.on('SIGUSR2', () => gc())";
const child = spawn(process.execPath, ['--expose-gc', collecting, 'src/main.ts'], {
  env: {
    PATH: process.env.PATH,
    ...{ MANAGEMENT_URL: management.origin, OBSERVABILITY_URL: observability.origin },
    ...{ PORT: String(port), METRICS_PORT: String(metricsPort) },
    ...{ OPERATION_TIMEOUT_MS: '3000', WRITE_TIMEOUT_MS: '3000', MCP: 'read' },
    // The memory is soon full, so that it has to let answers go.
    ...{ UPSTREAM_CONNECTIONS: String(upstreamConnections), READ_CACHE_MB: '8' },
    ...(redis && {
      ...{ REDIS_URL: redis.url, CACHE_SECRET: 'a secret of a soak that is long enough' },
      REPLICAS: String(replicas),
    }),
  },
  // The log is written, as it always is, and nobody reads it.
  stdio: ['ignore', 'ignore', 'pipe'],
});
/** Warnings, such as that of too many listeners. */
let complaints = '';
child.stderr.on('data', (text) => {
  complaints += text;
});
const ended = once(child, 'exit');

/** What the gateway holds: its heap in megabytes, its streams, and what keeps its loop alive, by kind. */
const measure = async (title: string) => {
  // Finalizers free more, and run between one collection and the next.
  for (let time = 0; time < 6; time += 1) {
    child.kill('SIGUSR2');
    await pause(50);
  }
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const metric = (name: string): number =>
    Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, 'm').exec(text)?.[1]);
  const resources = Object.fromEntries(
    [...text.matchAll(/^nodejs_active_resources{type="(\w+)"} (\d+)$/gm)].map(
      ([, kind = '', count]) => [kind, Number(count)],
    ),
  );
  const heap = metric('nodejs_heap_size_used_bytes') / 1024 / 1024;
  const measures = { heap, streams: metric('sluice_streams'), resources };
  print(`${title.padEnd(18)} ${JSON.stringify(measures)}`);
  return measures;
};
type Measures = Awaited<ReturnType<typeof measure>>;

/** Whether it holds no more than before any request. */
const isIdle = (bare: Measures, { resources, streams }: Measures): boolean =>
  Object.entries(resources).every(([kind, count]) => count <= (bare.resources[kind] ?? 0)) &&
  streams === 0;

/** What it holds once connections and answers have gone that were kept for a next call. */
const measureIdle = async (title: string, bare: Measures): Promise<Measures> => {
  await pause(forgottenAfterMs);
  const patience = performance.now() + patienceMs;
  let idle = await measure(title);
  while (!isIdle(bare, idle) && performance.now() < patience) {
    await pause(1000);
    idle = await measure(title);
  }
  return idle;
};

try {
  const url = `http://127.0.0.1:${port}/graphql`;
  const listens = () => fetch(url).then(...[() => true, () => child.exitCode !== null]);
  while (!(await listens())) await pause(100);
  if (child.exitCode !== null) throw new Error(`the gateway did not start: ${complaints}`);
  const load = createLoad(url, connections, seed);
  /** Does this while all streams are open. */
  const withStreams = async (work: () => Promise<void>): Promise<void> => {
    const closing = new AbortController();
    const watching = watch(url, streamCount, closing.signal);
    await work();
    closing.abort();
    await watching;
  };
  // By then it has connected to Redis.
  await pause(2000);
  const bare = await measure('before');
  await withStreams(() => load.send(warmUp));
  const warm = await measureIdle('after warm-up', bare);

  const socketsOf = ({ resources: { TCPSocketWrap = 0 } }: Measures) => TCPSocketWrap;
  const mostSockets = socketsOf(bare) + connections + streamCount + 2 * upstreamConnections;
  await withStreams(async () => {
    for (let third = 1; third <= thirds && minutes > 0; third += 1) {
      const lasting = load.sendFor((minutes * 60_000) / thirds, perSecond);
      await Promise.all([lasting, redis && failRedis(third)]);
      await measure(`${(third * minutes) / thirds} minutes`);
    }
    for (let round = 1; round <= rounds && minutes === 0 && load.faults.length === 0; round += 1) {
      const sent = Math.ceil(operations / rounds);
      await Promise.all([load.send(sent), redis && failRedis(round)]);
      const now = await measure(`${round * sent} sent`);
      check(socketsOf(now) <= mostSockets, `sockets: ${socketsOf(now)}, allowed ${mostSockets}`);
    }
  });
  await load.close();
  failures.push(...load.faults.map((fault) => fault.slice(0, 1000)));

  const idle = await measureIdle('at the end', bare);
  check(isIdle(bare, idle), 'it holds more than before any request');
  const heap = idle.heap / warm.heap;
  check(heap <= mostHeap, `heap: ${heap.toFixed(3)} times that after the warm-up`);
  check(complaints === '', complaints);
  const { uncaughtErrors } = await (await fetch(new URL('/readyz', url))).json();
  check(uncaughtErrors === 0, `errors that nobody caught: ${uncaughtErrors}`);
  const { beyondLimits } = upstreams.counts;
  check(beyondLimits === 0, `calls beyond the limits: ${beyondLimits}`);
  child.kill('SIGTERM');
  const [code] = await ended;
  check(code === 0, `the gateway ended with ${code}`);
  print(JSON.stringify({ ...load.counts, ...upstreams.counts }));
} catch (error) {
  failures.push(String(error));
} finally {
  child.kill('SIGKILL');
  await management.close();
  await observability.close();
  await redis?.stop();
}

for (const failure of failures) print(`FAILED: ${failure}`);
if (failures.length === 0) print('passed');
process.exitCode = failures.length === 0 ? 0 : 1;
