import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check } from '../../../src/command/check.ts';
import { createAuthority } from '../../support/certificates.ts';
import { drawPort } from '../../support/ports.ts';
import { listen, node, run } from '../../support/process/run-main.ts';
import { redisPath, startRedis } from '../../support/redis.ts';
import { startServer } from '../../support/servers.ts';

/** A server that answers with one status, and what it was asked. */
const answering = async (status: number) => {
  const asked: string[] = [];
  const { url } = await listen((response) => {
    const { method, url: path, headers } = response.req;
    asked.push(`${method} ${path} ${headers.authorization}`);
    response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end('cnry');
  });
  return { url, asked };
};

const checkOf = async (MANAGEMENT_URL: string, OBSERVABILITY_URL: string, env = {}) => {
  const command = [...node, '--check'] as const;
  const { code, text, errors } = await run({ MANAGEMENT_URL, OBSERVABILITY_URL, ...env }, command)
    .ended;
  return { code, errors, lines: text.trimEnd().split('\n') };
};

it.each([
  [200, ''],
  [401, ''],
  [503, ''],
  [302, ': a redirect, which is never followed; see whether the URL is right'],
])('--check takes status %d for an upstream that is there', async (status, more) => {
  const [management, observability] = [await answering(status), await answering(200)];
  expect(await checkOf(`${management.url}/base`, observability.url)).toEqual({
    code: 0,
    errors: '',
    lines: [
      'configuration: nothing is wrong',
      `management: ${management.url}/base answers, with status ${status}${more}`,
      `observability: ${observability.url}/ answers, with status 200`,
    ],
  });
  expect(management.asked).toEqual(['GET /base undefined']);
  expect(observability.asked).toEqual(['GET / undefined']);
});

it('--check asks the one upstream of ClickStack in Cloud once', async () => {
  const { url, asked } = await answering(401);
  const profiles = {
    MANAGEMENT_PROFILE: 'clickhouse-cloud',
    OBSERVABILITY_PROFILE: 'clickstack-cloud',
  };
  expect(await checkOf(url, '', profiles)).toEqual({
    code: 0,
    errors: '',
    lines: ['configuration: nothing is wrong', `management: ${url}/ answers, with status 401`],
  });
  expect(asked).toEqual(['GET / undefined']);
});

it('--check ends with 2 where an upstream cannot be reached, and says why', async () => {
  const { url } = await answering(200);
  const refused = await checkOf('http://127.0.0.1:1', url.replace('http:', 'https:'));
  expect([refused.code, ...refused.lines.slice(1)]).toEqual([
    2,
    'management: http://127.0.0.1:1/ cannot be reached: nothing listens there (ECONNREFUSED)',
    expect.stringMatching(
      /cannot be reached: it speaks no TLS; the URL probably needs http, not https \(ERR_SSL_\w+\)$/,
    ),
  ]);
  const other = await startServer(createServer((socket) => socket.end('SSH-2.0-other\r\n')));
  onTestFinished(other.close);
  const unknown = await checkOf('http://management.invalid', other.origin);
  expect([unknown.code, ...unknown.lines.slice(1)]).toEqual([
    2,
    expect.stringMatching(/cannot be reached: DNS does not .* \((ENOTFOUND|EAI_AGAIN)\)$/),
    `observability: ${other.origin}/ cannot be reached: it answers with something that is not HTTP (HPE_INVALID)`,
  ]);
});

it('--check tells an upstream that takes connections and does not answer', async () => {
  const silent = await startServer(createServer());
  const url = new URL(silent.origin);
  const { exitCode, lines } = await check(
    { managementUrl: url, observabilityUrl: url, redisUrl: undefined },
    100,
  );
  await silent.close();
  expect(exitCode).toBe(2);
  expect(lines[1]).toMatch(/connected, but no answer in time \(UND_ERR_HEADERS_TIMEOUT\)$/);
});

it('--check tells which certificate is refused and why, and a port without TLS from one with it', async () => {
  const authority = await createAuthority();
  const startTls = async (certificate: Awaited<ReturnType<typeof authority.issue>>) => {
    const { port, close } = await startServer(
      createTlsServer(certificate, (_, response) => response.end()),
    );
    onTestFinished(close);
    return `https://localhost:${port}`;
  };
  const trusting = { NODE_EXTRA_CA_CERTS: authority.own.files.cert };
  const [good, own] = [await startTls(await authority.issue()), await startTls(authority.own)];
  const old = await startTls(await authority.issue('localhost', 0));
  const other = await startTls(await authority.issue('other.example'));
  const refused = 'cannot be reached: TLS: its certificate is refused, as';
  const advice = 'name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS';
  expect((await checkOf(good, own)).lines.slice(1)).toEqual([
    `management: ${good}/ ${refused} its authority is not known; ${advice} (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    `observability: ${own}/ ${refused} it is self-signed; name a file with it in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  ]);
  expect((await checkOf(old, other, trusting)).lines.slice(1)).toEqual([
    `management: ${old}/ ${refused} it has expired (CERT_HAS_EXPIRED)`,
    `observability: ${other}/ ${refused} it is for another name (ERR_TLS_CERT_ALTNAME_INVALID)`,
  ]);
  const plain = good.replace('https', 'http');
  expect((await checkOf(good, plain, trusting)).lines.slice(1)).toEqual([
    `management: ${good}/ answers, with status 200`,
    expect.stringMatching(/closes the connection; the URL may need https, not http \(\w+\)$/),
  ]);
});

describe.skipIf(redisPath === undefined)('--check tries Redis', () => {
  const lineFor = async (redisUrl: string) => {
    const { url } = await answering(200);
    const both = { managementUrl: new URL(url), observabilityUrl: new URL(url) };
    const { exitCode, lines } = await check({ ...both, redisUrl }, 500);
    expect(exitCode).toBe(lines[3]?.startsWith('redis: answers') ? 0 : 2);
    return lines[3];
  };

  it('and tells its version, or what it refuses', async () => {
    const { url, command } = await startRedis({ password: 'cnry' });
    expect(await lineFor(url)).toMatch(/^redis: answers, version \d+\.\d+\.\d+$/);
    expect(await lineFor(url.replace('cnry', 'cnry2'))).toBe(
      'redis: refuses the user or the password (WRONGPASS)',
    );
    expect(await lineFor(url.replace(':cnry@', ''))).toBe('redis: asks for a password (NOAUTH)');
    await command('ACL', 'SETUSER', 'plain', 'on', '>cnry', '+ping');
    expect(await lineFor(url.replace(':cnry', 'plain:cnry'))).toBe(
      'redis: does not let this user run info (NOPERM info)',
    );
    expect(await lineFor(`${url}/99`)).toBe('redis: has no database of this number (DATABASE)');
    expect(await lineFor(url.replace('redis:', 'rediss:'))).toBe(
      'redis: cannot be reached: no connection in time; if it speaks no TLS, the URL needs redis, not rediss (ETIMEDOUT)',
    );
    const silent = await startServer(createServer());
    onTestFinished(silent.close);
    expect(await lineFor(`redis://127.0.0.1:${silent.port}`)).toBe(
      'redis: cannot be reached: connected, but no answer in time (timeout)',
    );
    expect(await lineFor('redis://127.0.0.1:1')).toBe(
      'redis: cannot be reached: nothing listens there (ECONNREFUSED)',
    );
  });

  it('over TLS, too', async () => {
    const authority = await createAuthority();
    const { key, cert } = (await authority.issue()).files;
    const port = drawPort();
    const args = ['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key];
    await startRedis({
      args: [...args, '--tls-ca-cert-file', authority.own.files.cert, '--tls-auth-clients', 'no'],
    });
    const { url } = await answering(200);
    const env = { REDIS_URL: `rediss://localhost:${port}`, CACHE_SECRET: 'x'.repeat(32) };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority.own.files.cert };
    expect((await checkOf(url, url, trusting)).lines[3]).toMatch(/^redis: answers, version /);
    expect(await lineFor(env.REDIS_URL)).toMatch(/authority is not known.*NODE_EXTRA_CA_CERTS/);
    expect(await lineFor(env.REDIS_URL.replace('rediss', 'redis'))).toMatch(
      /closes the connection; the URL may need rediss, not redis \(ECONNRESET\)$/,
    );
  });
});

it('--check ends with 1 where a setting is wrong, and asks nobody', async () => {
  const { url, asked } = await answering(200);
  const { code, errors } = await checkOf(url, url, { MAX_COST: 'high' });
  expect([code, asked]).toEqual([1, []]);
  expect(errors).toMatch(/^Sluice cannot start:\n {2}MAX_COST must be .*\n$/);
});
