import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayServerOptions } from '../../src/gateway/server.ts';
import { data, stackInTest } from '../support/harness.ts';
import { call, headOf, postOf } from '../support/http/raw.ts';

const authorization = 'authorization: Bearer token';
const closing = 'connection: close';
const list = '{ alerts { id message } }';

/** A gateway whose list has one alert with that message, and how many of its reads were under way at a time. */
const start = async (message = 'lag', gateway: Partial<GatewayServerOptions> = {}, readMs = 20) => {
  const reads = { now: 0, most: 0, all: 0 };
  const stack = await stackInTest({
    observability: async ({ path }) => {
      reads.now += 1;
      reads.all += 1;
      reads.most = Math.max(reads.most, reads.now);
      await pause(readMs);
      reads.now -= 1;
      const id = path.split('/').at(-1);
      return data(id === 'alerts' ? [{ id: 'a1', message }] : { id, message: `m${reads.all}` });
    },
    gateway,
  });
  const port = Number(new URL(stack.url).port);
  // Answered later than what was written before it has arrived.
  const heard = async () => (await fetch(new URL('/healthz', stack.url))).text();
  /** Sends the pieces, each once the one before has been read; all that comes back until the connection closes. */
  const send = async (...pieces: readonly string[]): Promise<string> => {
    const { socket, text, closed } = call(port);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await heard();
      socket.write(piece);
    }
    expect(await closed).toBeUndefined();
    return text();
  };
  return { ...stack, reads, port, send, heard };
};

/** The read of this alert. */
const asking = (index: number): string => `{ alert(alertId: "a${index}") { id message } }`;
const answers = (text: string): readonly string[] =>
  [...text.matchAll(/"alert":\{"id":"(\w+)"/g)].map(([, id = '']) => id);
const endOf = (text: string): readonly string[] =>
  (text.match(/^connection: .*$/gim) ?? []).map((line) => line.toLowerCase());

const whole = postOf(list, authorization, closing);
const headEnd = whole.indexOf('\r\n\r\n') + 4;
const [head, body] = [whole.slice(0, headEnd), whole.slice(headEnd)];
const inChunks = head.replace(/content-length: \d+/, 'transfer-encoding: chunked');
const expects = ['\r\n\r\n', '\r\nexpect: 100-Continue\r\n\r\n'] as const;
/** A head whose body is never sent; the gateway closes the connection unasked. */
const doomed = (...change: readonly [from: string | RegExp, to: string]): string =>
  head
    .replace(`${closing}\r\n`, '')
    .replace(...expects)
    .replace(...change);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunks = chunk(body.slice(0, 7)) + chunk(body.slice(7)) + chunk('');
const get = (target: string, ...headers: readonly string[]) =>
  headOf(`GET ${target} HTTP/1.1`, ...headers);
const at = (path: string) => [get(`http://sluice.example${path}`, closing)];
const upgrade = (to: string) =>
  get('/graphql', 'connection: Upgrade', `upgrade: ${to}`, 'sec-websocket-version: 13');
const h2c = [
  'connection: Upgrade, HTTP2-Settings, close',
  'upgrade: h2c',
  'http2-settings: AAMAAABk',
];
const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const rename = `mutation { updateOrganization(input: { organizationId: "${organizationId}", name: "n" }) { organization { name } } }`;
const two =
  postOf(rename, `management-authorization: Basic ${btoa('key:secret')}`) +
  postOf(asking(0), authorization);
const broken = postOf('{ __typename }').replace(
  /content-length: \d+/,
  'transfer-encoding: chunked',
);
const alerts = '"alerts":[{"id":"a1","message":"lag"}]';
const typename = '{"data":{"__typename":"Query"}}';

it.each<[title: string, pieces: readonly string[], statuses: string, shown: string]>([
  ['a body with its head', [whole], '200', alerts],
  ['half a body', [whole.slice(0, headEnd + 20), whole.slice(headEnd + 20)], '200', alerts],
  ['chunks after their head', [inChunks, chunks], '200', alerts],
  ['a whole URL: /', at('/'), '200', 'The GraphQL endpoint is /graphql.'],
  ['a whole URL of a query', at('/graphql?query={__typename}'), '200', typename],
  ['a whole URL of a POST', [whole.replace(' /', ' https://s.example:8443/')], '200', alerts],
  ['OPTIONS *', [headOf('OPTIONS * HTTP/1.1', closing)], '404', ''],
  ['an upgrade to WebSocket', [upgrade('WebSocket')], '426', 'Server-Sent Events'],
  ['an upgrade to HTTP/2, which is ignored', [postOf('{ __typename }', ...h2c)], '200', typename],
  ['a body that is waited for', [head.replace(...expects), body], '100 200', alerts],
  ['a body, not waited for, that is too long', [doomed(/h: \d+/, 'h: 9999999')], '413', 'bytes'],
  ['two and bytes that are no request', [`${two}garbage\r\n\r\n`], '200 200', '"id":"a0"'],
  ['two and a long head', [two + get('/', `x: ${'x'.repeat(20_000)}`)], '200 200', '"id":"a0"'],
  ['two and a broken body', [two + broken], '200 200', '"id":"a0"'],
])('%s: what is a request is answered, and the connection ends', async (...row) => {
  const [, pieces, statuses, shown] = row;
  const { send, callList } = await start();
  const text = await send(...pieces);
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' ')).toBe(statuses);
  expect(text).toContain(shown);
  expect(endOf(text).at(-1)).toMatch(/^connection: (?:upgrade, )?close$/);
  const sent = ['GET /api/v2/alerts/a0', `PATCH /v1/organizations/${organizationId}`];
  if (statuses === '200 200') expect(callList()).toEqual(sent);
});

it('a body that is cut off is not read, complete as it may seem', async () => {
  const { port, send, heard, calls, complaints } = await start();
  const cut = call(port);
  cut.socket.write(whole.replace(/(content-length: )\d+/, `$1${body.length + 1}`));
  await heard();
  cut.socket.resetAndDestroy();
  await cut.closed;
  await heard();
  expect(await send(whole)).toMatch(/^HTTP\/1\.1 200 /);
  expect(calls).toHaveLength(1);
  // An internal error would call the operator.
  expect(complaints()).toBe('');
});

const streams = {
  events: ['subscription { alerts { message } }', 'text/event-stream'],
  parts: ['{ __typename ... @defer { alerts { message } } }', 'multipart/mixed'],
  'one answer': [list, 'application/json'],
} as const;
it.each([
  ['events', '1.0', 'keep-alive'],
  ['parts', '1.1', 'close'],
  ['one answer', '1.1', 'close'],
  ['one answer', '1.0', 'close'],
] as const)(
  'a response of %s ends with its connection where the client asks for that: HTTP/%s, connection: %s',
  async (kind, version, connection) => {
    const [query, accept] = streams[kind];
    const { send } = await start('lag', { streamLifetimeMs: 3000 });
    const headers = [authorization, `accept: ${accept}`, `connection: ${connection}`];
    const text = await send(postOf(query, ...headers).replace('HTTP/1.1', `HTTP/${version}`));
    const [head = ''] = text.toLowerCase().split('\r\n\r\n', 1);
    const isStream = kind !== 'one answer';
    expect(head).toMatch(/^http\/1\.1 200 ok\r\n/);
    expect(endOf(head)).toEqual(['connection: close']);
    expect(text).toContain('"message":"lag"');
    // Asks proxies to hand on what is sent while it grows.
    expect(head.includes('\nx-accel-buffering: no')).toBe(isStream);
    // A client of HTTP/1.0 would read the lengths of the chunks as part of the answer.
    if (version !== '1.0') return;
    expect(head).not.toContain('transfer-encoding');
    if (isStream) expect(text.slice(head.length + 4)).toMatch(/^(?::\n\n|\r\n---)/);
  },
);

describe('requests that are sent together on one connection', () => {
  it('requests that are sent together are answered one after another, in their order; it stays open until something is no request', async () => {
    const { port, reads, callList } = await start();
    const { socket, text, statuses, closed } = call(port);
    const sent = [0, 1, 2, 3, 4];
    socket.write(sent.map((index) => postOf(asking(index), authorization)).join(''));
    await expect.poll(statuses).toEqual(sent.map(() => 200));
    await expect.poll(() => answers(text())).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect([reads.most, callList().length]).toEqual([1, 5]);
    socket.write(postOf(asking(5), authorization));
    await expect.poll(() => answers(text()).at(-1)).toBe('a5');
    // Nothing comes before this.
    socket.write('garbage\r\n\r\n');
    expect(await closed).toBeUndefined();
    expect(statuses()).toEqual([...sent, 5].map(() => 200).concat(400));
  });

  it.each([
    [4000, 10],
    [6, 3e6],
  ])(
    '%d requests that are sent together are answered but for those beyond five, whose %d bytes are whole',
    async (count, length) => {
      const { port, callList, log } = await start('m'.repeat(length));
      const { socket, text, statuses, closed } = call(port);
      socket.write(postOf(list, authorization, 'cache-control: no-cache').repeat(count));
      expect(await closed).toBeUndefined();
      expect(statuses()).toEqual([200, 200, 200, 200, 200]);
      const found = [...text().matchAll(/m{10,}/g)].map(([each]) => each.length);
      expect(found).toEqual(Array(5).fill(length));
      expect(endOf(text())).toEqual([...Array(4).fill('connection: keep-alive'), closing]);
      expect([log().match(/"msg":"operation"/g)?.length, callList().length]).toEqual([5, 5]);
    },
  );

  it('a client that pipelines more than may wait sends the others again, and gets every answer', async () => {
    const { url } = await start();
    const client = new Client(new URL(url).origin, { pipelining: 12 });
    onTestFinished(() => client.destroy());
    const headers = { accept: 'application/json', authorization: 'Bearer token' };
    const asked = Array.from({ length: 60 }, async (_, index) => {
      const path = `/graphql?query=${encodeURIComponent(asking(index))}`;
      const { body } = await client.request({ method: 'GET', path, headers });
      return answers(await body.text())[0];
    });
    expect(await Promise.all(asked)).toEqual(asked.map((_, index) => `a${index}`));
  });

  it('requests that wait are given up when their client leaves', async () => {
    const { port, reads, query, log } = await start('lag', {}, 300);
    const { socket, closed } = call(port);
    socket.write(postOf(asking(0), authorization).repeat(5));
    await expect.poll(() => reads.now).toBe(1);
    socket.resetAndDestroy();
    await closed;
    await query(asking(1));
    // The one that was under way, and the query.
    expect(log().match(/"msg":"operation"/g)).toHaveLength(2);
  });
});

it('while too many bytes wait for slow clients, nothing is carried out, and streams send nothing new', async () => {
  const pollMs = { management: 20, observability: 20 };
  const stack = await start('m'.repeat(9e6), { maxUnsentBytes: 1e6, pollMs });
  const { query, port, callList } = stack;
  const status = async () => (await query('{ __typename }')).status;
  const watching = call(port);
  const headers = ['accept: text/event-stream', authorization];
  watching.socket.write(postOf('subscription { alert(alertId: "a1") { message } }', ...headers));
  const events = () => watching.text().split('event: next').length - 1;
  await expect.poll(events).toBeGreaterThan(2);
  // A client that does not read its 9 MB.
  const { socket } = call(port);
  socket.pause();
  socket.write(postOf(list, authorization));
  await expect.poll(status).toBe(503);
  // One event may have been under way.
  await pause(500);
  const before = events();
  const refused = await query(
    'mutation { createDashboard(input: {name: "new"}) { dashboard { id } } }',
  );
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const message =
    'Too many responses wait for clients that read slowly. Nothing was carried out; retry in a few seconds.';
  const extensions = {
    ...{ code: 'LIMIT_EXCEEDED', limit: 'unsentBytes', requestId: expect.any(String) },
    ...{ retryable: true, retryAfterSeconds: 5 },
  };
  expect(refused.body).toEqual({ errors: [{ message, extensions }] });
  for (const path of ['/healthz', '/readyz'])
    expect((await fetch(new URL(path, stack.url))).status).toBe(200);
  await pause(500);
  expect(events()).toBe(before);
  expect(callList().filter((each) => !each.startsWith('GET'))).toEqual([]);
  socket.destroy();
  await expect.poll(status).toBe(200);
  await expect.poll(events).toBeGreaterThan(before);
});
