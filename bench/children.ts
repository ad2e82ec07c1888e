import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { launchRedis, type Redis } from '../test/support/redis/server.ts';
import type { Counts } from './backend.ts';
import { startBalancer } from './balancer.ts';
import { headersOf, post } from './clients.ts';

/** Node's arguments for each server. For Sluice, those of `npm start`. */
const started = {
  Sluice: ['--import', './src/preload.js', 'src/main.ts'],
  Mercurius: ['bench/servers/mercurius.ts'],
  Yoga: ['bench/servers/yoga.ts'],
  Apollo: ['bench/servers/apollo.ts'],
  LIMIT: ['bench/servers/limit.ts'],
} as const;
export type ServerName = keyof typeof started;
export const serverNames = Object.keys(started) as readonly ServerName[];

/** The servers whose pages are compared. */
export const compared: readonly ServerName[] = ['Sluice', 'Mercurius', 'Yoga', 'Apollo'];

/** Something that listens. */
export interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

/** A child that listens. */
export interface Child extends Started {
  readonly pid: number;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
};

/** Starts Node in the project's folder, and waits until the server answers. If it exits unexpectedly, the benchmark ends. */
const start = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isReady: (url: string) => Promise<boolean>,
): Promise<Child> => {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
  });
  children.add(child);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2000);
  });
  const ended = (code: number | null): never => {
    throw new Error(`${args.join(' ')} ended with ${code}: ${complaints}`);
  };
  child.once('exit', ended);
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  // Requests fail until the server listens.
  while (!(await isReady(url).catch(() => false))) {
    if (performance.now() - began > 60_000) throw new Error(`${args.join(' ')} never answers`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    pid: child.pid ?? 0,
    url,
    stop: async () => {
      child.off('exit', ended);
      children.delete(child);
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};

/** The counts of a backend since the last time; from then on its calls take this number of milliseconds. */
export const takeCounts = async (url: string, delay = 0): Promise<Counts> =>
  // The JSON comes from our own backend.
  (await (await fetch(`${url}/control/take?delay=${delay}`)).json()) as Counts;

export const startBackend = (env: Readonly<Record<string, string>> = {}): Promise<Child> =>
  start(['bench/backend.ts'], env, async (url) => (await takeCounts(url)).calls === 0);

/** Starts a server in front of a backend. It has made no upstream call when this resolves. */
export const startServer = (
  name: ServerName,
  backend: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> => {
  const urls = { MANAGEMENT_URL: backend, OBSERVABILITY_URL: backend };
  return start(started[name], { ...urls, ...env }, async (url) => {
    const pool = new Pool(url);
    const body = '{"query":"{ __typename }","operationName":null}';
    const { status } = await post(pool, headersOf('Apollo Client 4', 0), body);
    await pool.destroy();
    return status < 500;
  });
};

/**
 * Starts several processes of Sluice in front of a backend, with one Redis, and a balancer in front of them.
 *
 * @param windowMs the window of management's limit
 */
export const startReplicas = async (
  backend: string,
  count: number,
  further: Readonly<Record<string, string>> = {},
  windowMs = 10_000,
  given?: Redis,
): Promise<Started & { readonly urls: readonly string[] }> => {
  const redis = given ?? (await launchRedis());
  const secret = { CACHE_SECRET: 'x'.repeat(32) };
  const env = { ...further, ...secret, REDIS_URL: redis.url, REPLICAS: String(count) };
  const replicas = await Promise.all(
    Array.from({ length: count }, () => startServer('Sluice', backend, env)),
  );
  const balancer = await startBalancer();
  for (const { url } of replicas) await balancer.add(Number(new URL(url).port));
  // With an empty Redis, each process uses only its share of management's limit until a window and a second have passed.
  await pause(windowMs + 2000);
  return {
    url: balancer.origin,
    urls: replicas.map(({ url }) => url),
    stop: async () => {
      await balancer.close();
      for (const replica of replicas) await replica.stop();
      await redis.stop();
    },
  };
};

/** CPU time of a process, user and system, in microseconds; `/proc/<pid>/stat` has it only in steps of 10 ms. */
export const cpuMicroseconds = (pid: number): number => {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1000;
  }, 0);
};

/** The peak memory of a process, in megabytes. */
export const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
