import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { check } from '../../../src/command/check.ts';
import { listen, node, run } from '../../support/process/run-main.ts';
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
  const unknown = await checkOf('http://management.invalid', url);
  expect([unknown.code, ...unknown.lines.slice(1)]).toEqual([
    2,
    expect.stringMatching(/cannot be reached: DNS does not .* \((ENOTFOUND|EAI_AGAIN)\)$/),
    `observability: ${url}/ answers, with status 200`,
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

it('--check ends with 1 where a setting is wrong, and asks nobody', async () => {
  const { url, asked } = await answering(200);
  const { code, errors } = await checkOf(url, url, { MAX_COST: 'high' });
  expect([code, asked]).toEqual([1, []]);
  expect(errors).toMatch(/^Sluice cannot start:\n {2}MAX_COST must be .*\n$/);
});

it.skipIf(process.platform === 'win32')('npm start passes arguments on', async () => {
  const gateway = run({}, ['npm', 'start', '--silent', '--', '--help']);
  await once(gateway.child, 'exit');
  expect(await gateway.ended).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Sluice is a GraphQL gateway /),
  });
});
