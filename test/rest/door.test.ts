import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { oneTree } from '../profiles/rows.ts';
import { blocks } from '../support/docs/blocks.ts';
import { type Answer, data, json, paced, result } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { basic, bearer, open, organization, path, service, services } from './open.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sends a request head as it stands, and returns the answer. */
const raw = async (origin: string, head: string): Promise<string> => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.end(`${head}\r\nhost: gateway\r\nauthorization: ${basic}\r\nconnection: close\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
};

it.each([
  [`/management${service}?x=1&x=%C3%A9`, `GET ${service}?x=1&x=%C3%A9`],
  ['/observability/api/v2/dashboards', 'GET /api/v2/dashboards'],
])(
  'a GET of %s goes to the same path of its upstream, with the credential alone',
  async (target, sent) => {
    const { call, calls, paths } = await open();
    const { status } = await call(target, {
      headers: { 'x-secret': 'a', cookie: 'b', 'if-none-match': '"c"', accept: 'text/plain' },
    });
    expect(status).toBe(200);
    expect(paths()).toEqual([sent]);
    const { headers } = calls[0] ?? {};
    expect(headers).toMatchObject({ accept: 'text/plain' });
    expect(Object.keys(headers ?? {}).sort()).toEqual(
      ['accept', 'authorization', 'connection', 'host', 'user-agent', 'x-request-id'].sort(),
    );
  },
);

it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a %s passes the body on byte for byte',
  async (method) => {
    const { call, calls } = await open();
    const body = '{ "name" : "é",\n"n": 1.0 }';
    const headers = { 'content-type': 'application/json; charset=utf-8', accept: 'text/plain' };
    const targets = [service, `${service}/scaling`];
    for (const at of targets) await call(`/management${at}`, { method, headers, body });
    const sent = { method, body, headers: { accept: 'text/plain' } };
    expect(calls).toMatchObject([sent, sent]);
  },
);

it.each<readonly [string, Answer, object]>([
  [
    'a failure',
    { ...json({ status: 404, error: 'nothing' }, 404), body: '{ "error":"nothing" }' },
    { status: 404, text: '{ "error":"nothing" }' },
  ],
  [
    'plain text',
    { headers: { 'content-type': 'text/plain; version=0.0.4' }, body: 'up 1\n' },
    { status: 200, text: 'up 1\n' },
  ],
  [
    'a failure in plain text',
    { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' },
    { status: 404, text: 'Not Found' },
  ],
  ['an empty failure', { status: 404, body: '' }, { status: 404, text: '' }],
  ['an empty answer', { status: 204, body: '' }, { status: 204, text: '' }],
])('%s of the upstream comes as it came', async (_, answer, expected) => {
  const { call } = await open({ management: () => answer });
  expect(await call(`/management${services}/x`)).toMatchObject(expected);
});

it('headers of the limit come with an answer, and no cookie, place or challenge', async () => {
  const headers = {
    ...{ 'content-type': 'application/json', 'x-ratelimit-remaining': '7', 'set-cookie': 'a=b' },
    ...{ 'www-authenticate': 'Basic', location: '/elsewhere', etag: '"1"' },
  };
  const { call } = await open({ management: () => ({ status: 401, headers, body: '{}' }) });
  const answer = await call(`/management${service}`);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('7');
  for (const name of ['set-cookie', 'www-authenticate', 'location', 'etag']) {
    expect(answer.headers.has(name)).toBe(false);
  }
});

describe('what a tool cannot use is one sentence in JSON', () => {
  const page = { headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' };
  it.each<readonly [string, string, Answer, number, string | null]>([
    ['a redirect', 'GET', { status: 302, headers: { location: '/x' }, body: '' }, 502, null],
    ['a page', 'GET', page, 502, null],
    ['a page instead of an error', 'GET', { ...page, status: 404 }, 502, null],
    ['a page after a write', 'POST', page, 504, 'close'],
    ['the place of what was written', 'POST', { status: 303, body: '' }, 504, 'close'],
    ['half an answer', 'GET', { body: '{"a', isCutOff: true }, 502, null],
    ['half an answer to a write', 'POST', { body: '{"a', isCutOff: true }, 504, 'close'],
  ])('%s (%s)', async (_, method, answer, status, connection) => {
    const { call, write } = await open({ management: () => answer, config: { maxRetries: 0 } });
    const target = `/management${services}`;
    const answered = method === 'GET' ? await call(target) : await write(method, target);
    expect(answered.status).toBe(status);
    expect(answered.headers.get('retry-after')).toBeNull();
    if (connection) expect(answered.headers.get('connection')).toBe(connection);
    const { error, message } = JSON.parse(answered.text);
    expect(message).toBe(error);
    expect(error).toMatch(status === 504 ? /may have been carried out/ : /^management /);
    expect(answered.text).not.toContain('Sign in');
  });
});

it('a write behind one that may have been carried out is not sent, since its answer would not come', async () => {
  const { origin, call, paths } = await open({
    management: () => ({ body: '{"a', isCutOff: true }),
    config: { maxRetries: 0 },
  });
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  const write = (target: string) =>
    `DELETE /management${target} HTTP/1.1\r\nhost: gateway\r\nauthorization: ${basic}\r\n\r\n`;
  socket.write(write(`${services}/a`) + write(`${services}/b`));
  const chunks = await socket.toArray();
  expect(
    Buffer.concat(chunks)
      .toString()
      .match(/HTTP\/1\.1 \d+/g),
  ).toEqual(['HTTP/1.1 504']);
  // A call that arrives later shows that the second one was not sent meanwhile.
  await call(`/management${services}/c`);
  expect(paths()).toEqual([`DELETE ${services}/a`, `GET ${services}/c`]);
});

it('a call that cannot be sent in time is a 429 that says when, and the same in both forms', async () => {
  const { call } = await open({
    config: { ...paced, managementRate: { calls: 1, windowMs: 60_000 }, pacingWaitMs: 10 },
  });
  await call(`/management${service}`);
  const answer = await call(`/management${services}`);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(50);
  expect(JSON.parse(answer.text)).toMatchObject({
    error: expect.stringMatching(/^The rate limit of management is used up/),
    message: expect.any(String),
  });
});

it('an upstream that cannot be reached is a 503 with the time to wait, and was not sent', async () => {
  const { write, call } = await open({
    config: { managementUrl: new URL('http://127.0.0.1:1'), maxRetries: 0 },
  });
  for (const answer of [
    await write('POST', `/management${services}`),
    await call(`/management${service}`),
  ]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
});

it.each([
  ['of another scheme', bearer],
  ['that is missing', ''],
])('a credential %s is a 401 that names the header', async (_, authorization) => {
  const { call, calls } = await open();
  const { status, text, headers } = await call(`/management${service}`, {
    headers: { authorization },
  });
  expect([status, calls]).toEqual([401, []]);
  expect(headers.has('www-authenticate')).toBe(false);
  expect(JSON.parse(text).error).toMatch(/"(?:Authorization: )?Basic …"/);
});

describe('a request that is refused reaches no upstream:', () => {
  const target = `/management${service}`;
  const refused: readonly (readonly [string, number, string, RequestInit | undefined])[] = [
    ['a page of another site', 403, target, { headers: { origin: 'https://a.example' } }],
    ['a listed page', 403, target, { headers: { origin: 'https://listed.example' } }],
    [
      'a preflight',
      403,
      target,
      { method: 'OPTIONS', headers: { origin: 'https://listed.example' } },
    ],
    ['a page of the same site', 403, target, { headers: { 'sec-fetch-site': 'same-origin' } }],
    ['a foreign path', 404, '/management/v2/organizations', undefined],
    ['a path above', 404, '/observability/api/v1/dashboards', undefined],
    ['nothing but the place', 404, '/management', undefined],
    ['a method that is not served', 405, target, { method: 'OPTIONS' }],
    ['a condition', 400, target, { headers: { 'if-match': '"1"' } }],
    ['a key of idempotency', 400, target, { method: 'POST', headers: { 'idempotency-key': 'a' } }],
    ['another method', 400, target, { headers: { 'x-http-method-override': 'DELETE' } }],
    ['a condition of a write', 400, target, { method: 'PUT', headers: { 'if-none-match': '*' } }],
    ['a range', 400, target, { headers: { range: 'bytes=0-1' } }],
    ['a part', 400, target, { method: 'PUT', headers: { 'content-range': 'bytes 0-1/2' } }],
    ['a form', 415, target, { method: 'POST', body: new URLSearchParams('a=b') }],
    [
      'a body that is no JSON',
      400,
      target,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
    ],
    [
      'a body that is too large',
      413,
      target,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify('x'.repeat(300_000)),
      },
    ],
    ['an escaped dot', 400, `${target}/%2e%2e/%2e%2e`, undefined],
    ['an escaped slash', 400, `${target}%2fkeys`, undefined],
    ['an escaped letter', 400, `${target}%61`, undefined],
    ['an empty segment', 400, `/management${services}//a`, undefined],
    ['a slash at the end', 400, `${target}/`, undefined],
    ['parameters of a path', 400, `${target};a=b`, undefined],
    ['a path of many segments', 400, `/management/v1${'/a'.repeat(20)}`, { method: 'POST' }],
  ];
  it.each(refused)('%s (%i)', async (_, status, at, init) => {
    const { call, calls } = await open({ config: { corsOrigins: ['https://listed.example'] } });
    const answer = await call(at, init);
    expect([answer.status, calls]).toEqual([status, []]);
    expect(JSON.parse(answer.text).error).toMatch(/^[A-Z].*\.$/);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    expect(answer.headers.has('allow')).toBe(status === 405);
  });

  it.each([
    [`GET http://other.example/management${service} HTTP/1.1`, 400],
    [`GET /management${services}/../../v1 HTTP/1.1`, 400],
    [`GET /management${services}/./a HTTP/1.1`, 400],
    [`GET /management/v1/../../observability/api/v2/alerts HTTP/1.1`, 400],
    [`GET //management${service} HTTP/1.1`, 404],
    [`GET /management${service}?a="b" HTTP/1.1\r\nrange: x`, 400],
    [`GET /management${service}?a=#b HTTP/1.1`, 400],
    [`GET /management${service} HTTP/1.1\r\ncontent-length: 2`, 400],
  ])('%s', async (head, status) => {
    const { origin, calls } = await open();
    expect(await raw(origin, head)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(calls).toEqual([]);
  });

  it('a write through a door that only reads', async () => {
    const { write, calls } = await open({ config: { rest: 'read' } });
    const answer = await write('PUT', '/observability/api/v2/alerts/a');
    expect([answer.status, answer.headers.get('allow'), calls]).toEqual([405, 'GET', []]);
  });

  it('any request where the door is closed', async () => {
    const { call, calls } = await open({ config: { rest: 'off' } });
    expect([(await call(target)).status, calls]).toEqual([404, []]);
  });
});

type Settings = NonNullable<Parameters<typeof open>[0]>['config'];

describe('memory', () => {
  const query = withIds(
    '{ service(organizationId: "organization-1", serviceId: "service-1") { name } }',
  );
  const record = path('{"id":"service-1","name":"one"}');
  const startKept = async (config: Settings = {}) =>
    open({
      management: ({ path: at }) => result(at.endsWith('services') ? [] : JSON.parse(record)),
      observability: () => data([]),
      config: { ...paced, managementRate: undefined, ...config },
    });

  it('a GET and a query of the same read are one call, and the age is told', async () => {
    const { call, query: ask, paths } = await startKept();
    await ask(query);
    const { text, headers } = await call(`/management${service}`);
    expect(JSON.parse(text)).toMatchObject({ result: JSON.parse(record) });
    expect(headers.get('age')).toBe('0');
    await call(`/management${service}`);
    expect(paths()).toEqual([`GET ${service}`]);
  });

  it.each([
    ['a tool that allows no age', service, { 'cache-control': 'no-cache' }],
    ['a tool that takes no JSON', service, { accept: 'text/plain' }],
    ['a query that its row does not know', `${service}?expand=1`, {}],
    ['an empty query where its row has none', `${service}?`, {}],
    ['a path that no row has', `${service}/prometheus`, {}],
  ])('%s gets no kept answer', async (_, at, headers) => {
    const { call, paths } = await startKept();
    for (const __ of [1, 2]) await call(`/management${at}`, { headers });
    expect(paths()).toEqual([`GET ${at}`, `GET ${at}`]);
  });

  it('a kept failure answers no tool', async () => {
    const {
      call,
      query: ask,
      paths,
    } = await open({
      management: ({ path: at }) =>
        at === service ? json({ status: 404, error: 'gone' }, 404) : result([]),
      config: { ...paced, managementRate: undefined },
    });
    // A success proves the credential.
    await call(`/management${organization}/x`);
    await ask(query);
    await ask(query);
    expect(await call(`/management${service}`)).toMatchObject({ status: 404 });
    expect(paths().filter((each) => each.endsWith(service))).toHaveLength(2);
  });

  it.each([
    ['with a row', 'PATCH', `${service}/scaling`, 1],
    ['without a row, at the path', 'PUT', service, 1],
    ['without a row, below', 'POST', `${service}/privateEndpoints`, 1],
    ['without a row, above', 'DELETE', services, 1],
    ['without a row, elsewhere', 'POST', `${organization}/byoc`, 0],
  ])(
    'a write %s lets the read be sent anew exactly if it may have changed it',
    async (_, method, at, anew) => {
      const { write, call, query: ask, paths } = await startKept();
      await ask(query);
      await write(method, `/management${at}`);
      await ask(query);
      await call(`/management${service}`);
      expect(paths().filter((each) => each === `GET ${service}`)).toHaveLength(1 + anew);
    },
  );

  it('a read with an empty query is sent anew after a write', async () => {
    const { write, call, paths } = await startKept();
    for (const step of [service, `${service}?`]) await call(`/management${step}`);
    await write('PATCH', `/management${service}/scaling`);
    for (const step of [service, `${service}?`]) await call(`/management${step}`);
    expect(paths().filter((each) => each.startsWith(`GET ${service}`))).toHaveLength(4);
  });

  it('a write without a row changes all that its token reads of HyperDX', async () => {
    const { write, call, paths } = await startKept({ observabilityRate: undefined });
    const target = '/observability/api/v2/dashboards';
    await call(target);
    await write('POST', '/observability/api/v2/teams');
    await call(target);
    expect(paths().filter((each) => each.startsWith('GET'))).toHaveLength(2);
  });
});

it('ClickStack in Cloud has one door, and a write without a row changes that ClickStack alone', async () => {
  const { call, write, paths } = await open({
    management: () => result([]),
    config: { ...paced, ...oneTree, managementRate: undefined },
    credentials: { 'observability-authorization': '' },
  });
  expect(await call('/observability/api/v2/dashboards')).toMatchObject({ status: 404 });
  const other = path(`${services}/service-2`);
  const targets = [service, other].map((each) => `/management${each}/clickstack/dashboards`);
  for (const target of [...targets, ...targets]) await call(target);
  await write('POST', `/management${service}/clickstack/roles`);
  for (const target of targets) await call(target);
  expect(paths()).toEqual([
    ...[service, other].map((each) => `GET ${each}/clickstack/dashboards`),
    `POST ${service}/clickstack/roles`,
    `GET ${service}/clickstack/dashboards`,
  ]);
});

it('the log names the way, the method and the template, and neither an identifier nor a secret', async () => {
  const { call, write, log } = await open();
  await call(`/management${service}?token=hidden-1`);
  await write('POST', `/management${service}/password`, { newPasswordHash: 'hidden-2' });
  await call(`/management${services}/unknown-3`, { headers: { origin: 'https://a.example' } });
  const lines = log()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      way: 'rest',
      upstream: 'management',
      method: 'GET',
      path: '/v1/organizations/{organizationId}/services/{serviceId}',
      status: 200,
      upstreamCalls: 1,
    },
    { way: 'rest', method: 'POST', path: 'other', status: 200 },
    { way: 'rest', method: 'GET', status: 403 },
  ]);
  for (const secret of ['hidden', path('service-1'), 'unknown-3', 'a2V5']) {
    expect(log()).not.toContain(secret);
  }
});

it.each([
  ['with a row', service],
  ['without a row', `${service}/other`],
])('the headers of the limit come with a success too (%s)', async (_, target) => {
  const { call } = await open({
    management: () => ({
      ...result({}),
      headers: { 'content-type': 'application/json', 'x-ratelimit-remaining': '7' },
    }),
    config: { ...paced, managementRate: undefined },
  });
  expect((await call(`/management${target}`)).headers.get('x-ratelimit-remaining')).toBe('7');
  // From memory they would be those of another call.
  if (target === service) {
    const kept = await call(`/management${target}`);
    expect(kept.headers.has('age')).toBe(true);
    expect(kept.headers.has('x-ratelimit-remaining')).toBe(false);
  }
});

it('an answer without a content type has none here', async () => {
  const { call } = await open({ management: () => ({ body: 'text' }) });
  const { status, headers, text } = await call(`/management${service}`);
  expect([status, headers.has('content-type'), text]).toEqual([200, false, 'text']);
});

it.each([
  ['GET', service, 'gzip', 502],
  ['GET', `${service}/other`, 'gzip', 502],
  ['GET', `${service}/other`, ['identity', 'gzip'], 502],
  ['POST', `${service}/other`, 'gzip', 504],
])('encoded bytes never come as plain ones (%s %s, %j)', async (method, target, coding, status) => {
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'application/json').setHeader('content-encoding', coding);
    res.end(gzipSync('{"status":200,"result":{}}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { call } = await open({
    config: { managementUrl: new URL(`http://127.0.0.1:${port}`), maxRetries: 0 },
  });
  const answer = await call(`/management${target}`, { method });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error).toContain('content-encoding');
});

it('a deeply nested body is passed on', async () => {
  const { call, calls } = await open();
  const body = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(
    await call(`/management${services}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
  ).toMatchObject({ status: 200 });
  expect(calls).toMatchObject([{ body }]);
});

it.each([
  ['no-transform', 2],
  ['', 2],
  ['max-stale=60', 2],
  ['max-age=5', 2],
  ['max-age=60', 1],
])(
  'with cache-control "%s", no answer is older than five seconds, or than it says',
  async (control, sent) => {
    const { call, calls } = await open({
      management: () => result({}),
      config: { ...paced, managementRate: undefined },
    });
    const headers = { 'cache-control': control };
    await call(`/management${service}`, { headers });
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 6000);
    await call(`/management${service}`, { headers });
    expect(calls).toHaveLength(sent);
  },
);

it.each([
  [200, 2],
  [400, 1],
])('a write of another credential counts after a success alone (%i)', async (status, sent) => {
  const { call, write, calls } = await open({
    management: ({ method }) => (method === 'GET' ? result({}) : json({ status }, status)),
    config: { ...paced, managementRate: undefined },
  });
  const headers = { authorization: `Basic ${btoa('another:secret')}` };
  await call(`/management${service}`, { headers });
  await write('POST', `/management${service}/other`);
  await call(`/management${service}`, { headers });
  expect(calls.filter(({ method }) => method === 'GET')).toHaveLength(sent);
});

it.each([
  ['GET', 502],
  ['POST', 504],
])('an answer of more than ten MiB does not come (%s)', async (method, status) => {
  const { call } = await open({
    management: () => json('x'.repeat(10 * 1024 * 1024)),
    config: { maxRetries: 0 },
  });
  const answer = await call(`/management${service}/other`, { method });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error).toMatch(/^management /);
});

it.each([
  ['GET', service, 1500, 504, 'did not answer this call in time.'],
  ['GET', `${service}/other`, 1500, 504, 'did not answer this call in time.'],
  ['POST', `${service}/other`, 1500, 504, 'Look before you repeat it.'],
  // A write has its own time.
  ['POST', `${service}/other`, 60_000, 200, ''],
])(
  'a %s of %s may take as long as the setting says (%i ms for a write)',
  async (method, target, writeTimeoutMs, status, words) => {
    const { call } = await open({
      management: async () => {
        await new Promise((go) => setTimeout(go, 3000));
        return result({});
      },
      config: { operationTimeoutMs: 1500, writeTimeoutMs, maxRetries: 0 },
    });
    const answer = await call(`/management${target}`, { method });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, null]);
    expect(JSON.parse(answer.text).error ?? '').toContain(words);
  },
);

it('a scrape is told in time that it gets no turn', async () => {
  const { call, calls } = await open({
    config: { ...paced, managementRate: { calls: 1, windowMs: 20_000 } },
  });
  const scrape = () =>
    call(`/management${organization}/prometheus`, {
      headers: {
        accept: 'application/openmetrics-text;version=1.0.0;q=0.6,*/*;q=0.1',
        'x-prometheus-scrape-timeout-seconds': '10',
      },
    });
  expect(await scrape()).toMatchObject({ status: 200 });
  const refused = await scrape();
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
  expect(calls).toHaveLength(1);
});

it("the guide's lines reach the organizations", async () => {
  const { origin, paths } = await open({ management: () => result([]) });
  const [shown] = blocks.filter(({ conditions }) => conditions['run-by']?.includes('test/rest'));
  const lines = `KEY_ID=key-id KEY_SECRET=key-secret\n${shown?.text}`;
  const args = ['-euc', lines.replace('http://127.0.0.1:4000', origin)];
  const { stdout } = await promisify(execFile)('sh', args);
  expect(JSON.parse(stdout)).toMatchObject({ result: [] });
  expect(paths()).toEqual(['GET /v1/organizations']);
});
