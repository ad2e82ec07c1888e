// `npm run soak`: operations without end against a gateway in a process of its own, with limits, memory, subscriptions
// and Redis, while the upstreams and Redis fail now and then. Ends with 1 where it has kept anything, or has sent more
// calls than the limits allow.
import { setTimeout as pause } from 'node:timers/promises';
import { startGateway } from './child.ts';
import { growth, growthUnderLoad, measureIdle, rowOf } from './growth.ts';
import { createLoad } from './load.ts';
import { hasRedis, startFaultyRedis } from './redis.ts';
import { createStreams } from './streams.ts';
import { startUpstreams } from './upstreams.ts';

const numberOf = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const operations = numberOf('SOAK_OPERATIONS', 200_000);
const callers = numberOf('SOAK_CREDENTIALS', 2000);
const streamCount = numberOf('SOAK_STREAMS', 500);
const faultPercent = numberOf('SOAK_FAULT_PERCENT', 10);
const seed = numberOf('SOAK_SEED', 1);
/** Fills the caches, which are bounded, and has all code compiled that is going to be. */
const warmUp = numberOf('SOAK_WARM_UP', 40_000);

const rounds = 10;
const connections = 128;
const upstreamConnections = 64;
const replicas = 2;
/** While Redis changes between up and down, both replicas' shares may be used beside what was counted there. */
const tolerance = hasRedis ? 2 - 1 / replicas : 1;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const redis = hasRedis ? await startFaultyRedis() : undefined;
if (!redis) print('No Redis here: it is left out (REDIS_SERVER=path).');
const upstreams = await startUpstreams({ faultPercent, seed, tolerance });
const gateway = await startGateway({
  MANAGEMENT_URL: upstreams.url,
  OBSERVABILITY_URL: upstreams.url,
  OPERATION_TIMEOUT_MS: '3000',
  WRITE_TIMEOUT_MS: '3000',
  UPSTREAM_CONNECTIONS: String(upstreamConnections),
  // Soon full, so that it has to let answers go.
  READ_CACHE_MB: '8',
  ...(redis && {
    REDIS_URL: redis.url,
    CACHE_SECRET: 'the secret of a soak, which is long enough',
    REPLICAS: String(replicas),
  }),
});
const load = createLoad({ url: gateway.url, connections, callers, seed });
const streams = createStreams({ url: gateway.url, streams: streamCount, seed });
const failures: string[] = [];
const faultsOfAll = (): readonly string[] => [...load.faults, ...streams.faults];

try {
  const started = performance.now();
  print(
    `${operations} operations of ${callers} credentials, ${streamCount} streams, ${faultPercent} % faults`,
  );
  // By then it has connected to Redis.
  await pause(2000);
  const bare = await gateway.measure();
  print(rowOf('before', bare));
  streams.open();
  await load.send(warmUp);
  await streams.leave();
  const warm = await measureIdle(bare, gateway.measure);
  print(rowOf('after warm-up', warm));

  streams.open();
  const mostSockets = bare.sockets + connections + streamCount + 2 * upstreamConnections;
  for (let round = 1; round <= rounds && faultsOfAll().length === 0; round += 1) {
    await Promise.all([load.send(Math.ceil(operations / rounds)), redis?.fail(round)]);
    const measures = await gateway.measure();
    print(rowOf(`${Math.round((round / rounds) * operations)} operations`, measures));
    failures.push(...growthUnderLoad(warm, measures, mostSockets));
  }
  await streams.leave();
  await load.close();
  failures.push(...faultsOfAll());
  const seconds = (performance.now() - started) / 1000;

  const idle = await measureIdle(bare, gateway.measure);
  print(rowOf('at the end', idle));
  failures.push(...growth(bare, warm, idle));
  failures.push(...idle.complaints);
  const beyond = upstreams.beyondLimits();
  if (beyond > 0) failures.push(`calls beyond the limits: ${beyond}`);
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
  print(
    `streams: ${streams.counts.opened} opened, ${streams.counts.events} events; ${streams.counts.ended} ended, ${streams.counts.left} left`,
  );
  print(`upstream calls: ${upstreams.counts.calls}; never answered: ${upstreams.counts.hanging}`);
  print(`faults: ${listed(upstreams.counts.faults)}`);
  if (redis) print(`faults of Redis: ${listed(redis.counts)}`);
  print(
    `heap: ${((idle.heapBytes / warm.heapBytes - 1) * 100).toFixed(2)} % beyond that after warm-up`,
  );
} catch (error) {
  failures.push(String(error));
} finally {
  gateway.kill();
  upstreams.close();
  await redis?.stop();
}

for (const failure of failures) print(`FAILED: ${failure}`);
if (failures.length === 0) print('passed');
process.exitCode = failures.length === 0 ? 0 : 1;
