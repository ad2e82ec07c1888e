import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../../support/certificates.ts';
import { createFolder } from '../../support/client/folder.ts';
import { drawPort } from '../../support/ports.ts';
import { answered, node, run, sendAlerts, until } from '../../support/process/run-main.ts';
import { tinyproxyPath } from '../../support/programs.ts';
import { startServer } from '../../support/servers.ts';

const password = 'cnry4711';

/** A real proxy on loopback, until the test ends. */
const startProxy = async (directive = '') => {
  const port = drawPort();
  const config = `Port ${port}\nListen 127.0.0.1\nLogLevel Info\nDisableViaHeader Yes\n${directive}\n`;
  const folder = await createFolder({ 'tinyproxy.conf': config }, []);
  const file = join(folder, 'tinyproxy.conf');
  const { child, output } = run({}, [tinyproxyPath ?? '', '-d', '-c', file]);
  await until(() => output.text.includes('Accepting connections') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`tinyproxy ended: ${output.text}${output.errors}`);
  /** The first lines of the requests that it got. */
  const asked = () =>
    [...output.text.matchAll(/: ([A-Z]+ \S+) HTTP\/1\.1$/gm)].map(([, line]) => line);
  return { port, asked };
};

const tooLarge = ' '.repeat(11 * 1024 * 1024);

/** An upstream that answers on localhost, and what it was asked. */
const startUpstream = async (scheme: 'http' | 'https', isTooLarge: boolean) => {
  const authority = await createAuthority();
  const asked: string[] = [];
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    const { method, url, headers } = request;
    asked.push(`${method} ${url} ${headers['proxy-authorization']}`);
    if (isTooLarge) response.end(tooLarge);
    else sendAlerts(response);
  };
  const server =
    scheme === 'http' ? createServer(answer) : createTlsServer(await authority.issue(), answer);
  const { port, close } = await startServer(server);
  onTestFinished(close);
  return { url: `${scheme}://localhost:${port}`, asked, trusted: authority.own.files.cert };
};

const read = '{ alerts { name } }';
const write = 'mutation { deleteDashboard(input: { dashboardId: "d1" }) { deletedDashboardId } }';

const user = `user:${password}`;
const closed = `BasicAuth ${user.replace(':', ' ')}`;
const forbidding = 'ConnectPort 1';

/** What `--check` says, by the cause of a failure in the log. */
const findings: Readonly<Record<string, string>> = {
  'proxy 407': 'the proxy asks for another user or password',
  'proxy 403': 'the proxy answers, and does not connect to it',
  'proxy ECONNREFUSED': 'this is the proxy: nothing listens there',
};

interface Way {
  readonly scheme: 'http' | 'https';
  /** By the address of the proxy. */
  readonly set: (proxy: string) => Readonly<Record<string, string>>;
  /** Its configuration, or that nothing listens there. */
  readonly proxy?: string | null;
  readonly isTooLarge?: boolean;
}
const byHttps = (proxy: string) => ({ HTTPS_PROXY: `http://${proxy}` });
const byHttp = (proxy: string) => ({ HTTP_PROXY: `http://${proxy}` });
const withPassword = (proxy: string) => ({ http_proxy: `http://${user}@${proxy}` });
const connects = 'CONNECT HOST';
const gets = 'GET http://HOST/api/v2/alerts';

/** What the proxy is asked, or why a call fails. */
it.skipIf(tinyproxyPath === undefined).each<[title: string, way: Way, outcome: string]>([
  ['https through a proxy', { scheme: 'https', set: byHttps }, connects],
  ['http through a proxy', { scheme: 'http', set: byHttp }, gets],
  ['https through the proxy of http, as it has none', { scheme: 'https', set: byHttp }, connects],
  [
    'https through none, by NO_PROXY',
    { scheme: 'https', set: (to) => ({ ...byHttps(to), NO_PROXY: 'a.example,localhost' }) },
    'nothing',
  ],
  ['http through none, as its variable is not set', { scheme: 'http', set: byHttps }, 'nothing'],
  [
    'https through a proxy that asks for a password',
    { scheme: 'https', set: withPassword, proxy: closed },
    connects,
  ],
  [
    'http through a proxy that asks for a password',
    { scheme: 'http', set: withPassword, proxy: closed },
    gets,
  ],
  ['https without it', { scheme: 'https', set: byHttps, proxy: closed }, 'proxy 407'],
  ['http without it', { scheme: 'http', set: byHttp, proxy: closed }, 'proxy 407'],
  [
    'https through a proxy that forbids it',
    { scheme: 'https', set: byHttps, proxy: forbidding },
    'proxy 403',
  ],
  [
    'https through a proxy that is down',
    { scheme: 'https', set: withPassword, proxy: null },
    'proxy ECONNREFUSED',
  ],
  [
    'http with too large an answer through a proxy',
    { scheme: 'http', set: byHttp, isTooLarge: true },
    'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  ],
])('calls and probes go to %s', async (_, way, outcome) => {
  const upstream = await startUpstream(way.scheme, way.isTooLarge ?? false);
  const proxy =
    way.proxy === null ? { port: drawPort(), asked: () => [] } : await startProxy(way.proxy);
  const env = {
    ...{ MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url, PORT: '0' },
    ...{ NODE_EXTRA_CA_CERTS: upstream.trusted, READY_REQUIRES: 'upstreams' },
    ...way.set(`127.0.0.1:${proxy.port}`),
  };
  const { text } = await run(env, [...node, '--check']).ended;
  const finding = findings[outcome];
  const found = finding ? `cannot be reached: ${finding} (${outcome})` : 'answers, with status 200';
  expect(text.split('\n').slice(0, 2)).toEqual([
    'configuration: nothing is wrong; calls go by HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
    `management: ${upstream.url}/ ${found}`,
  ]);

  const gateway = run(env);
  const origin = `http://127.0.0.1:${(await gateway.logged('listening')).port}`;
  await expect
    .poll(async () => (await fetch(`${origin}/readyz`)).json())
    .toMatchObject({ upstreams: { management: { reachable: finding === undefined } } });
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer token' };
    const body = JSON.stringify({ query });
    return (await fetch(`${origin}/graphql`, { method: 'POST', headers, body })).json();
  };
  if (finding !== undefined) {
    const { errors } = await ask(write);
    expect(errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } },
    ]);
    expect(errors[0].message).not.toMatch(/may have/);
    expect(upstream.asked).toEqual([]);
    const line = { reason: 'unreachable', cause: outcome };
    expect(await gateway.logged('upstream call failed')).toMatchObject(line);
  } else if (/^[A-Z_]+$/.test(outcome)) {
    expect(await ask(read)).toMatchObject({
      errors: [{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }],
    });
    expect(await gateway.logged('upstream call failed')).toMatchObject({ cause: outcome });
  } else {
    expect(await ask(read)).toEqual(answered);
    const asked = outcome.replace('HOST', new URL(upstream.url).host);
    if (outcome === 'nothing') expect(proxy.asked()).toEqual([]);
    else expect(proxy.asked()).toContain(asked);
    expect(upstream.asked).toContain('GET /api/v2/alerts undefined');
  }
  const said = gateway.output.text + gateway.output.errors + text;
  expect(said).not.toMatch(new RegExp(`${password}|${btoa(user)}|:${proxy.port}`));
});
