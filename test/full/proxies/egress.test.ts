import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../../support/certificates.ts';
import { createFolder } from '../../support/client/folder.ts';
import { drawPort } from '../../support/ports.ts';
import { answered, node, run, sendAlerts, until } from '../../support/process/run-main.ts';
import { tinyproxyPath } from '../../support/programs.ts';
import { rowsOf } from '../../support/rows.ts';
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
const directives: Readonly<Record<string, string>> = {
  'that asks for a password': `BasicAuth ${user.replace(':', ' ')}`,
  'that forbids it': 'ConnectPort 1',
};

/** What `--check` says, by the cause of a failure in the log. */
const findings: Readonly<Record<string, string>> = {
  'proxy 407': 'the proxy asks for another user or password',
  'proxy 403': 'the proxy answers, and does not connect to it',
  'proxy ECONNREFUSED': 'this is the proxy: nothing listens there',
};

// What is set, where `SECRET` stands for a user and a password, and what the proxy is asked, or why a call fails.
it.skipIf(tinyproxyPath === undefined).each(
  rowsOf(`
  https through a proxy
    HTTPS_PROXY=http://PROXY -> CONNECT HOST
  https through a proxy by the other variable
    http_proxy=http://PROXY -> CONNECT HOST
  http through a proxy
    HTTP_PROXY=http://PROXY -> GET http://HOST/api/v2/alerts
  https through the proxy of http, as it has none of its own
    HTTP_PROXY=http://PROXY -> CONNECT HOST
  https through none, by NO_PROXY
    HTTPS_PROXY=http://PROXY NO_PROXY=a.example,localhost -> nothing
  http through none, as its variable is not set
    HTTPS_PROXY=http://PROXY -> nothing
  https through a proxy that asks for a password
    HTTPS_PROXY=http://SECRET@PROXY -> CONNECT HOST
  http through a proxy that asks for a password
    HTTP_PROXY=http://SECRET@PROXY -> GET http://HOST/api/v2/alerts
  https without it through a proxy that asks for a password
    HTTPS_PROXY=http://PROXY -> proxy 407
  http without it through a proxy that asks for a password
    HTTP_PROXY=http://PROXY -> proxy 407
  https through a proxy that forbids it
    HTTPS_PROXY=http://PROXY -> proxy 403
  https through a proxy that is down
    HTTPS_PROXY=http://SECRET@PROXY -> proxy ECONNREFUSED
  http through a proxy that is down
    HTTP_PROXY=http://SECRET@PROXY -> proxy ECONNREFUSED
  http with too large an answer through a proxy
    HTTP_PROXY=http://PROXY -> UND_ERR_RES_EXCEEDED_MAX_SIZE
`),
)('calls and probes go to %s', async (told, set, outcome) => {
  const scheme = told.startsWith('https') ? 'https' : 'http';
  const upstream = await startUpstream(scheme, told.includes('too large'));
  const [, kind = ''] = /a proxy (.*)/.exec(told) ?? [];
  const isDown = kind === 'that is down';
  const proxy = isDown ? { port: drawPort(), asked: () => [] } : await startProxy(directives[kind]);
  const placed = set
    .replace('SECRET', user)
    .replace('//PROXY', `//127.0.0.1:${proxy.port}`)
    .replace('@PROXY', `@127.0.0.1:${proxy.port}`);
  const env = {
    ...{ MANAGEMENT_URL: upstream.url, OBSERVABILITY_URL: upstream.url, PORT: '0' },
    ...{ NODE_EXTRA_CA_CERTS: upstream.trusted, READY_REQUIRES: 'upstreams' },
    ...Object.fromEntries(placed.split(' ').map((pair) => pair.split('='))),
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
