import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { drawPort } from '../../support/ports.ts';
import { run, startMain } from '../../support/process/run-main.ts';
import { opensslPath } from '../../support/programs.ts';
import { cacheSecret } from '../../support/redis/stacks.ts';
import { redisPath, startRedis } from '../../support/redis.ts';

/** A certificate for 127.0.0.1 that no authority has signed, and its key. */
const createCertificate = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(opensslPath ?? '', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '1', '-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', key, '-out', cert],
  ]);
  return { folder, cert, key };
};

it.skipIf(redisPath === undefined || opensslPath === undefined).each([
  ['rediss', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['rediss+sentinel', 'SENTINELS'],
])(
  'over %s, a refused certificate is told as %s, and NODE_EXTRA_CA_CERTS makes it good',
  async (scheme, reason) => {
    const { folder, cert, key } = await createCertificate();
    const tlsOn = (port: number) => [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert],
      ...['--tls-replication', 'yes'],
    ];
    const [master, sentinel] = [drawPort(), drawPort()];
    await startRedis({ password: 'pass-word', args: tlsOn(master) });
    const file = join(folder, 'sentinel.conf');
    const watch = `sentinel monitor m 127.0.0.1 ${master} 1\nsentinel auth-pass m pass-word\n`;
    await writeFile(file, watch);
    const words = ['--sentinel', '--bind', '127.0.0.1', '--dir', folder, ...tlsOn(sentinel)];
    if (scheme !== 'rediss') run({}, [redisPath ?? '', file, ...words]);
    const address = scheme === 'rediss' ? `127.0.0.1:${master}` : `127.0.0.1:${sentinel}/m`;
    const start = (env: Readonly<Record<string, string>> = {}) =>
      startMain((response) => response.end(), {
        ...{ REDIS_URL: `${scheme}://:pass-word@${address}`, CACHE_SECRET: cacheSecret },
        ...{ REDIS_TIMEOUT_MS: '5000', ...env },
      });
    const readinessOf = async ({ port }: Awaited<ReturnType<typeof start>>) =>
      (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    const trusting = await start({ NODE_EXTRA_CA_CERTS: cert });
    await expect.poll(() => readinessOf(trusting)).toMatchObject({ redis: 'up' });
    const refused = await start();
    expect(await refused.logged('Redis')).toMatchObject({ redis: 'down', reason });
    const told = { status: 'ready', redis: 'down', redisProblem: { reason } };
    expect(await readinessOf(refused)).toMatchObject(told);
  },
);
