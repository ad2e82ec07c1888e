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

/** An upstream that answers on localhost, and what it was asked. */
const startUpstream = async (scheme: 'http' | 'https', isTooLarge: boolean) => {
  const authority = await createAuthority();
  const asked: string[] = [];
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    const { method, url, headers } = request;
    asked.push(`${method} ${url} ${headers['proxy-authorization']}`);
    if (isTooLarge) response.end(' '.repeat(11 * 1024 * 1024));
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

const byHttps = (proxy: string) => ({ HTTPS_PROXY: `http://${proxy}` });
const byHttp = (proxy: string) => ({ HTTP_PROXY: `http://${proxy}` });
const withPassword = (proxy: string) => ({ http_proxy: `http://${user}@${proxy}` });
const connects = 'CONNECT HOST';
const gets = 'GET http://HOST/api/v2/alerts';

const besides = (proxy: string) => ({ ...byHttps(proxy), NO_PROXY: 'a.example,localhost' });
const tooLarge = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

type Scheme = 'http' | 'https';
type Set = (proxy: string) => Readonly<Record<string, string>>;
/** The configuration of the proxy, or none where nothing listens there; and what it is asked, or why a call fails. */
type Row = [title: string, scheme: Scheme, set: Set, proxy: string | undefined, outcome: string];
it.skipIf(tinyproxyPath === undefined).each<Row>([
  ['https through a proxy', 'https', byHttps, '', connects],
  ['http through a proxy', 'http', byHttp, '', gets],
  ['https through the proxy of http, as it has none of its own', 'https', byHttp, '', connects],
  ['https through none, by NO_PROXY', 'https', besides, '', 'nothing'],
  ['http through none, as its variable is not set', 'http', byHttps, '', 'nothing'],
  ['https through a proxy, with its password', 'https', withPassword, closed, connects],
  ['http through a proxy, with its password', 'http', withPassword, closed, gets],
  ['https through a proxy, without its password', 'https', byHttps, closed, 'proxy 407'],
  ['http through a proxy, without its password', 'http', byHttp, closed, 'proxy 407'],
  ['https through a proxy that forbids it', 'https', byHttps, forbidding, 'proxy 403'],
  ['https where no proxy is', 'https', withPassword, undefined, 'proxy ECONNREFUSED'],
  ['http through a proxy, with too large an answer', 'http', byHttp, '', tooLarge],
])('calls and probes go by %s', async (_, scheme, set, configured, outcome) => {
  const upstream = await startUpstream(scheme, outcome === tooLarge);
  const isDown = configured === undefined;
  const proxy = isDown ? { port: drawPort(), asked: () => [] } : await startProxy(configured);
  const env = {
    ...{ MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url, PORT: '0' },
    ...{ NODE_EXTRA_CA_CERTS: upstream.trusted, READY_REQUIRES: 'upstreams' },
    ...set(`127.0.0.1:${proxy.port}`),
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
