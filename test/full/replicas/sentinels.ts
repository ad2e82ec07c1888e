import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { drawPort } from '../../support/ports.ts';
import { run } from '../../support/process/run-main.ts';
import { sendCommand } from '../../support/redis/server.ts';
import { type Redis, redisPath, startRedis, userRules } from '../../support/redis.ts';

const password = 'pass-word-of-redis';
const userPassword = 'pass-word-of-sluice';
const sentinelPassword = 'pass+word-of-sentinels';

const infoOf = async ({ command }: Redis): Promise<string> =>
  String(await command('INFO', 'replication'));

/** Two of Redis, one the replica of the other, and three sentinels, until the test ends. */
export const startSentinels = async () => {
  const start = (...args: readonly string[]) =>
    startRedis({
      password,
      args: [
        ...['--masterauth', password, '--repl-diskless-sync-delay', '0', ...args],
        ...['--user', 'sluice', ...userRules(userPassword)],
      ],
    });
  const first = await start();
  const second = await start('--replicaof', '127.0.0.1', String(first.port));
  const hasReplica = (master: Redis) => expect.poll(() => infoOf(master)).toContain('state=online');
  await hasReplica(first);

  const folder = await mkdtemp(join(tmpdir(), 'sluice-sentinels-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const startSentinel = async (): Promise<number> => {
    const port = drawPort();
    const file = join(folder, `${port}.conf`);
    const lines = [
      ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, `requirepass ${sentinelPassword}`],
      ...[
        `sentinel sentinel-pass ${sentinelPassword}`,
        `sentinel monitor m 127.0.0.1 ${first.port} 2`,
      ],
      ...[`sentinel auth-pass m ${password}`, 'sentinel down-after-milliseconds m 1000'],
      'sentinel failover-timeout m 2000',
    ];
    await writeFile(file, lines.join('\n'));
    run({}, [redisPath ?? '', file, '--sentinel']);
    return port;
  };
  const ports = [await startSentinel(), await startSentinel(), await startSentinel()];
  const ask = (port: number, ...words: readonly [string, ...string[]]): Promise<unknown> =>
    sendCommand(port, sentinelPassword, ['SENTINEL', ...words]);
  for (const port of ports) {
    // Each agrees with the others that a failover would be possible.
    const isReady = async () => String(await ask(port, 'CKQUORUM', 'm').catch(String));
    await expect.poll(isReady).toMatch(/^OK 3/);
    const replicas = async () => JSON.stringify(await ask(port, 'REPLICAS', 'm').catch(String));
    await expect.poll(replicas).not.toBe('[]');
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return {
    ...{ first, second, infoOf, hasReplica },
    url: `redis+sentinel://sluice:${userPassword}@${hosts}/m?sentinelPassword=${sentinelPassword}`,
    secrets: [userPassword, sentinelPassword, '127.0.0.1'],
    /** Waits until all sentinels name it as the master. */
    isMaster: async ({ port }: Redis): Promise<void> => {
      for (const sentinel of ports) {
        const named = async () => String(await ask(sentinel, 'GET-MASTER-ADDR-BY-NAME', 'm'));
        await expect.poll(named).toBe(`127.0.0.1,${port}`);
      }
    },
  };
};
