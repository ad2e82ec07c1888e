import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { launchRedis } from '../test/support/redis/server.ts';
import { startReplicas } from './children.ts';
import { headersOf, post } from './clients.ts';
import { fleetPage } from './fleet.ts';
import { startCounting } from './redis-commands.ts';
import { table } from './report.ts';
import { bodyOf, servicePage } from './scenarios.ts';
import { isWhole, readAnswer } from './shown.ts';
import { watch } from './viewers.ts';
import { callerOf, createLimiter } from './windows.ts';
import { createWorld, organizationId, serviceId } from './world.ts';

/** What several processes over one Redis cost: upstream calls, and commands of Redis, of one credential. */

const management = { calls: 10, milliseconds: 1000 };
const observability = { calls: 100, milliseconds: 60_000 };
const fleet = { services: 60, sleeping: 0, slow: 0 };
const page = fleetPage(fleet, 'pipes { id name state }');
const needed = fleet.services + 1;
const seconds = 20;

/** Both interfaces, with a jitter of 60 ms each way. Answers of the same state are the same, so that streams stay silent. */
const startUpstream = async () => {
  const { reads, commands } = createWorld(fleet);
  const limiter = createLimiter('sliding', { management, observability });
  let calls: { readonly path: string; readonly isRefused: boolean }[] = [];
  const jitter = (): Promise<void> => pause(Math.random() * 60);
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await text(request);
    await jitter();
    const caller = callerOf(path, headers.authorization) ?? 0;
    const { headers: own, refusal } = limiter(path, caller, performance.now());
    calls.push({ path, isRefused: refusal !== undefined });
    const look = { caller, at: 0 };
    const result = refusal
      ? undefined
      : (reads.get(path)?.(look) ?? commands.get(path)?.(look, JSON.parse(body).command));
    await jitter();
    response.writeHead(refusal ? 429 : 200, { ...own, 'content-type': 'application/json' });
    response.end(refusal ?? JSON.stringify({ status: 200, requestId: 'r', result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** The calls since the last time. */
    take: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};

interface Found {
  readonly result: string;
  readonly isMissed: boolean;
}
type Scenario = (urls: readonly string[]) => Promise<Found>;

const untilWhole = async (url: string): Promise<void> => {
  const pool = new Pool(url);
  const began = performance.now();
  const isShown = async (): Promise<boolean> =>
    isWhole(readAnswer((await post(pool, headersOf('fetch', 0), page.body)).text), page, 0);
  while (!(await isShown())) {
    if (performance.now() - began > 300_000) throw new Error('the page is never whole');
    await pause(1000);
  }
  await pool.close();
};

const writesEach = (every: number) => {
  const times = Math.floor((1000 * seconds) / every);
  return { offset: every / 2, every, times, pipes: [[0, 0, 0]] } as const;
};

/** The events of a stream until it is left. */
const countEvents = async (url: string, signal: AbortSignal): Promise<number> => {
  const ids = `organizationId: "${organizationId(0)}", serviceId: "${serviceId(0, 0)}"`;
  const response = await fetch(`${url}/graphql`, {
    ...{ method: 'POST', body: bodyOf(`subscription { pipes(${ids}) { name state } }`), signal },
    headers: { ...headersOf('fetch', 0), accept: 'text/event-stream' },
  });
  let events = '';
  try {
    for await (const chunk of response.body ?? []) events += Buffer.from(chunk).toString();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return events.split('event: next').length - 1;
};

/** The same subscription at two replicas, and a write each so many milliseconds. */
const streaming = async (urls: readonly string[], every: number): Promise<Found> => {
  const signal = AbortSignal.timeout(1000 * seconds);
  const writing = watch(urls, { viewers: [], writes: writesEach(every) });
  const streams = urls.slice(0, 2).map((url) => countEvents(url, signal));
  const [one = 0, other = 0] = await Promise.all(streams);
  const isMissed = (await writing).writes.some(({ isDone }) => !isDone);
  return { result: `${one} and ${other} events`, isMissed };
};

const scenarios: Readonly<Record<string, Scenario>> = {
  'a fleet of 60': async (urls) => {
    const began = performance.now();
    await Promise.all(urls.map(untilWhole));
    const result = `whole after ${((performance.now() - began) / 1000).toFixed(1)} s`;
    return { result, isMissed: false };
  },
  'readers and a writer': async (urls) => {
    const viewers = urls.map((_, at) => {
      const offset = (1000 * at) / urls.length;
      return { caller: 0, pages: [servicePage(0, 0)], offset, every: 1000, times: seconds };
    });
    const { views, writes } = await watch(urls, { viewers, writes: writesEach(2000) });
    const older = views.filter(({ earlier }) => earlier).length;
    const failed =
      views.filter(({ whole }) => !whole).length + writes.filter(({ isDone }) => !isDone).length;
    const result = `${older} of ${views.length} reads older, ${failed} failed`;
    return { result, isMissed: older + failed > 0 };
  },
  'a stream at two': (urls) => streaming(urls, 5000),
  'the same, no writes': (urls) => streaming(urls, Infinity),
};

/** Runs a scenario on new processes over a new Redis. */
const measure = async (scenario: Scenario, replicas: number) => {
  const upstream = await startUpstream();
  const redis = await launchRedis();
  const counting = await startCounting(redis.url);
  // On a busy machine a process must not go without Redis, since it would exceed the limit.
  const env = { MANAGEMENT_RATE: '10/1s', PACING_WAIT_MS: '1000', REDIS_TIMEOUT_MS: '20000' };
  const { milliseconds } = management;
  const started = await startReplicas(upstream.url, replicas, env, milliseconds, redis);
  // With another credential, so that all scripts are loaded, and nothing is in memory.
  for (const url of started.urls) {
    const pool = new Pool(url);
    await post(pool, headersOf('fetch', 1), servicePage(0, 0).body);
    await pool.close();
  }
  upstream.take();
  const before = await counting.take();
  const found = await scenario(started.urls);
  const { looks, scripts, commands } = await counting.take();
  const calls = upstream.take();
  counting.stop();
  await started.stop();
  upstream.stop();
  if (looks === 0) throw new Error('no script is known as the look');
  const seen = new Set<string>();
  // A page that is viewed again later may be read again, too.
  const untilAll = calls.filter(({ path }) => seen.size < needed && seen.add(path)).length;
  const refused = calls.filter(({ isRefused }) => isRefused).length;
  const again = seen.size < needed ? '–' : untilAll - needed;
  // Without the first of the two INFO.
  const ofRedis = [scripts - before.scripts, commands - before.commands - 1];
  const row = [calls.length, again, refused, looks - before.looks, ...ofRedis, found.result];
  return { row, isMissed: found.isMissed || refused > 0 };
};

export const measureReplicas = async (say: (what: string) => void) => {
  const rows: (readonly (string | number)[])[] = [];
  let isMissed = false;
  for (const [name, scenario] of Object.entries(scenarios)) {
    for (const replicas of [2, 2, 3, 3]) {
      say(`${name}, ${replicas} replicas`);
      const measured = await measure(scenario, replicas);
      isMissed ||= measured.isMissed;
      rows.push([name, replicas, ...measured.row]);
    }
  }
  const counts = ['calls', 'again', '429', 'looks', 'scripts', 'commands'];
  const header = ['scenario', 'replicas', ...counts, 'result'];
  const verdict = isMissed ? 'MISSED: 429, an older read, or a failure' : 'all bounds kept';
  return {
    isMissed,
    lines: [`- Replicas: ${verdict}.`],
    text: [
      '## Replicas over one Redis',
      `One credential, 10 calls in 1 s. The fleet: a viewer at each replica, each second, until whole; it needs ${needed} calls, *again* are those before each was made once. The others last ${seconds} s: a viewer at each replica each second and a write each 2 s, or the same stream at two replicas, with a write each 5 s and without. *looks*: runs of the look script; *scripts*: EVAL and EVALSHA; *commands*: all others, those within scripts too; *older*: reads that showed a state before an answered write.`,
      table(1, header, rows),
    ].join('\n\n'),
  };
};
