import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { drawPort } from '../ports.ts';
import { run, until } from '../process/run-main.ts';
import { type Reply, sendCommands } from '../redis/commands.ts';
import { redisPath } from '../redis/path.ts';

/** A real Redis, started by a command of `deploy/` or compose.yaml, on loopback and until the test ends. */
export const startRedisBy = async ([program, ...args]: readonly [string, ...string[]]) => {
  if (redisPath === undefined) throw new Error('there is no redis-server here (REDIS_SERVER=path)');
  if (program !== 'redis-server') throw new Error(`not Redis: ${program}`);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-redis-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (let tries = 0; tries < 20; tries += 1) {
    const port = drawPort();
    const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const process = run({}, [redisPath, ...args, ...here]);
    const said = (text: string): boolean => process.output.text.includes(text);
    await until(() => said('Ready to accept connections') || process.child.exitCode !== null);
    const ask = async (
      password: string | undefined,
      ...words: readonly string[]
    ): Promise<Reply> => {
      const [reply = null] = await sendCommands(port, password, [words]);
      return reply;
    };
    if (process.child.exitCode === null) return { ...process, port, ask };
    if (!said('Address already in use')) throw new Error(process.output.text);
  }
  throw new Error('there is no free port for Redis');
};

/** What Redis has to keep to, wherever it runs: it forgets nothing by itself, writes no file, and lets nobody in. */
export const redisRules = async (
  redis: Awaited<ReturnType<typeof startRedisBy>>,
  password: string,
) => {
  const setting = async (name: string): Promise<string> => {
    const reply = await redis.ask(password, 'CONFIG', 'GET', name);
    return Array.isArray(reply) ? String(reply[1]) : '';
  };
  return {
    policy: await setting('maxmemory-policy'),
    hasMaximum: Number(await setting('maxmemory')) > 0,
    snapshots: await setting('save'),
    log: await setting('appendonly'),
    stranger: await redis.ask(undefined, 'PING').catch((error: Error) => error.message),
  };
};

/** The rules kept. */
export const keptRules = {
  policy: 'noeviction',
  hasMaximum: true,
  snapshots: '',
  log: 'no',
  stranger: 'Redis says: NOAUTH Authentication required.',
};
