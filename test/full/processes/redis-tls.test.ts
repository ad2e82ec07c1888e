import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { drawPort } from '../../support/ports.ts';
import { startMain } from '../../support/process/run-main.ts';
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
  return { cert, key };
};

it.skipIf(redisPath === undefined || opensslPath === undefined).each(['rediss'])(
  'over %s, a refused certificate is named, and NODE_EXTRA_CA_CERTS makes it good',
  async (scheme) => {
    const { cert, key } = await createCertificate();
    const port = drawPort();
    const tls = [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert],
    ];
    await startRedis({ password: 'pass-word', args: tls });
    const start = (env: Readonly<Record<string, string>> = {}) =>
      startMain((response) => response.end(), {
        ...{ REDIS_URL: `${scheme}://:pass-word@127.0.0.1:${port}`, CACHE_SECRET: cacheSecret },
        ...{ REDIS_TIMEOUT_MS: '5000', ...env },
      });
    const readinessOf = async (gateway: Awaited<ReturnType<typeof start>>) =>
      (await fetch(`http://127.0.0.1:${gateway.port}/readyz`)).json();
    const reason = 'DEPTH_ZERO_SELF_SIGNED_CERT';
    const refused = await start();
    expect(await refused.logged('Redis')).toMatchObject({ redis: 'down', reason });
    const told = { status: 'ready', redis: 'down', redisProblem: { reason } };
    expect(await readinessOf(refused)).toMatchObject(told);
    const trusting = await start({ NODE_EXTRA_CA_CERTS: cert });
    expect(await trusting.logged('Redis')).toMatchObject({ redis: 'up' });
  },
);
