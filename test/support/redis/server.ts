import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drawPort } from '../ports.ts';
import { type DumpedKey, dumpKeys, type Reply, sendCommands } from './commands.ts';
import { redisPath } from './path.ts';

/** A new Redis on loopback that writes nothing to disk. Each method acts only on this process, by its id. */
export interface Redis {
  readonly port: number;
  /** In the form of REDIS_URL, with the password if there is one. */
  readonly url: string;
  /** Ends it in any state, and removes its folder. May be called again. */
  stop(): Promise<void>;
  /** SIGKILL: connections break, and new ones are refused until it is restarted. */
  kill(): Promise<void>;
  /** SIGSTOP: connections remain open, new ones are accepted, and nothing is answered. */
  hang(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
  /** Starts it on the same port after `kill`. It is empty. */
  restart(): Promise<void>;
  /** FLUSHALL: removes all keys, and keeps connections. */
  flush(): Promise<void>;
  /** Every key, byte for byte. */
  dump(): Promise<readonly DumpedKey[]>;
  /** Sends one command over a new connection. */
  command(...command: readonly (string | Buffer)[]): Promise<Reply>;
}

export interface RedisOptions {
  readonly password?: string;
  /** Further arguments of redis-server, such as `['--maxmemory', '2mb']`. */
  readonly args?: readonly string[];
}

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

/** The process when it accepts connections; undefined if its port is in use. */
const launch = async (
  port: number,
  folder: string,
  { password, args = [] }: RedisOptions,
): Promise<ChildProcess | undefined> => {
  if (redisPath === undefined) throw new Error('there is no redis-server here (REDIS_SERVER=path)');
  const [command = '', ...rest] = [
    ...endWithParent,
    redisPath,
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...args,
  ];
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
    const hear = (text: string): void => {
      output = (output + text).slice(-4000);
      if (output.includes('Ready to accept connections')) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
  });
  if (running.has(child)) return child;
  if (output.includes('Address already in use')) return undefined;
  throw new Error(`redis-server ended: ${output}`);
};

const launchSomewhere = async (folder: string, options: RedisOptions) => {
  for (let tries = 0; tries < 20; tries += 1) {
    const port = drawPort();
    const child = await launch(port, folder, options);
    if (child) return { child, port };
  }
  throw new Error('there is no free port for Redis');
};

/** Whether a process has stopped: the signal takes effect a moment after it is sent. */
const hasStopped = ({ pid }: ChildProcess): boolean =>
  process.platform !== 'linux' || /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** Starts a Redis that runs until it is stopped, or this process ends. */
export const launchRedis = async (options: RedisOptions = {}): Promise<Redis> => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-redis-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const { child, port } = await launchSomewhere(folder, options).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const { password } = options;
  let current = child;
  const command = async (...words: readonly (string | Buffer)[]): Promise<Reply> => {
    const [reply = null] = await sendCommands(port, password, [words]);
    return reply;
  };
  return {
    port,
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    command,
    dump: () => dumpKeys(port, password),
    stop: async () => {
      await end(current);
      await remove();
    },
    kill: () => end(current),
    hang: async () => {
      current.kill('SIGSTOP');
      while (!hasStopped(current)) await pause(5);
    },
    resume: () => void current.kill('SIGCONT'),
    restart: async () => {
      await end(current);
      const next = await launch(port, folder, options);
      if (next === undefined) throw new Error(`port ${port} was taken while Redis was down`);
      current = next;
    },
    flush: async () => {
      await command('FLUSHALL');
    },
  };
};
