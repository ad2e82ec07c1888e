import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis as Client } from 'ioredis';
import { drawPort } from '../ports.ts';
import { redisPath } from './path.ts';

type Words = readonly [string, ...(string | Buffer)[]];

/** Sends a command over a new connection; texts of the reply are buffers. */
export const sendCommand = async (
  port: number,
  password: string | undefined,
  [name, ...words]: Words,
): Promise<unknown> => {
  const client = new Client({
    ...{ port, lazyConnect: true, enableReadyCheck: false },
    ...{ maxRetriesPerRequest: 0, retryStrategy: () => null },
    ...(password !== undefined && { password }),
  });
  let failure: Error | undefined;
  client.on('error', (error: Error) => {
    failure = error;
  });
  try {
    await client.connect();
    return await client.callBuffer(name, ...words);
  } catch (error) {
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
};

/** Every key, with the milliseconds until it expires (-1 if never), and all that it holds. */
const dumpScript = `
local reads = { string = { 'GET' }, hash = { 'HGETALL' }, list = { 'LRANGE', 0, -1 },
  set = { 'SMEMBERS' }, zset = { 'ZRANGE', 0, -1, 'WITHSCORES' } }
local keys = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local read = reads[redis.call('TYPE', key).ok]
  local value = redis.call(read[1], key, unpack(read, 2))
  keys[#keys + 1] = { key, redis.call('PTTL', key), value }
end
return keys`;

const buffersIn = (reply: unknown): readonly Buffer[] => {
  if (Array.isArray(reply)) return reply.flatMap(buffersIn);
  return Buffer.isBuffer(reply) ? [reply] : [];
};

/** On Linux, makes the process end with the thread that started it. */
const setpriv = '/usr/bin/setpriv';
const endWithParent = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL'] : [];

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const end = async (child: ChildProcess): Promise<void> => {
  if (!running.has(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

export interface RedisOptions {
  readonly password?: string;
  /** Further arguments of redis-server, such as `['--maxmemory', '2mb']`. */
  readonly args?: readonly string[];
}

/** The process when it accepts connections; undefined if its port is in use. */
const launch = async (
  port: number,
  folder: string,
  { password, args = [] }: RedisOptions,
): Promise<ChildProcess | undefined> => {
  if (redisPath === undefined) throw new Error('there is no redis-server here (REDIS_SERVER=path)');
  const [command = '', ...rest] = [
    ...[...endWithParent, redisPath, '--port', String(port), '--bind', '127.0.0.1'],
    ...['--dir', folder, '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...args,
  ];
  const env = { PATH: process.env.PATH ?? '' };
  const child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
  if (running.has(child)) return child;
  if (output.includes('Address already in use')) return undefined;
  throw new Error(`redis-server ended: ${output}`);
};

/** Whether a process has stopped: the signal takes effect a moment after it is sent. */
const hasStopped = ({ pid }: ChildProcess): boolean =>
  process.platform !== 'linux' || /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** Starts a new Redis on loopback, which writes nothing to disk, until it is stopped, or this process ends. */
export const launchRedis = async (options: RedisOptions = {}) => {
  const { password } = options;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-redis-'));
  let port: number;
  let child: ChildProcess | undefined;
  do {
    port = drawPort();
    child = await launch(port, folder, options);
  } while (!child);
  let current = child;
  const command = (...words: Words): Promise<unknown> => sendCommand(port, password, words);
  return {
    port,
    /** In the form of REDIS_URL, with the password if there is one. */
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    command,
    /** Every key, byte for byte. */
    dump: async () => {
      const keys = (await command('EVAL', dumpScript, '0')) as [Buffer, number, unknown][];
      return keys.map(([name, expiresIn, value]) => ({
        ...{ name: String(name), expiresIn, values: buffersIn(value) },
      }));
    },
    /** Ends it in any state, and removes its folder. May be called again. */
    stop: async (): Promise<void> => {
      await end(current);
      await rm(folder, { recursive: true, force: true });
    },
    /** SIGKILL: connections break, and new ones are refused until it is restarted. */
    kill: () => end(current),
    /** SIGSTOP: connections remain open, new ones are accepted, and nothing is answered. */
    hang: async (): Promise<void> => {
      current.kill('SIGSTOP');
      while (!hasStopped(current)) await pause(5);
    },
    resume: (): void => void current.kill('SIGCONT'),
    /** Starts it on the same port, empty. */
    restart: async (): Promise<void> => {
      await end(current);
      const next = await launch(port, folder, options);
      if (next === undefined) throw new Error(`port ${port} was taken while Redis was down`);
      current = next;
    },
    /** Removes all keys, and keeps connections. */
    flush: () => command('FLUSHALL'),
  };
};

export type Redis = Awaited<ReturnType<typeof launchRedis>>;
