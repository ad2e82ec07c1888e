import '../support/client/built.ts';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import {
  basic,
  bearer,
  type ClientOptions,
  createClient,
  TypedDocumentString,
} from '../../client/src/index.ts';
import { CreateApiKeyDocument, DashboardsDocument } from '../../client/src/operations.ts';
import { errorOf, serveAlike, serveGraphql } from './kit.ts';

const send = (options: ClientOptions) => createClient(options).request(DashboardsDocument);
const live = new TypedDocumentString<unknown, Record<string, never>>('subscription { n }');

const start = () => serveAlike('{"data":{}}');

it('credentials go out byte for byte, each in its own header, and win over further headers', async () => {
  const { url, received } = await start();
  const further = { 'Management-Authorization': 'Basic bm8=', 'x-request-id': 'r-1' };
  const headers = { ...further, accept: '*/*', 'content-type': 'text/plain' };
  await send({ url, headers, management: 'Basic bQ==', observability: bearer('o~1') });
  expect(received[0]).toMatchObject({
    'management-authorization': 'Basic bQ==',
    'observability-authorization': 'Bearer o~1',
    'x-request-id': 'r-1',
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
  });
  expect(received[0]).not.toHaveProperty('authorization');
});

it('credentials may be functions, which are asked for each request; no value, no header', async () => {
  const { url, received } = await start();
  const values = ['Basic 1', 'Basic 2'];
  const management = () => values.shift();
  const client = createClient({ url, management, observability: async () => bearer('later') });
  for (const _ of [1, 2, 3]) await client.request(DashboardsDocument);
  await send({ url, management: undefined, observability: () => null });
  const names = ['management-authorization', 'observability-authorization'];
  expect(received.map((headers) => names.map((name) => headers[name]))).toEqual([
    ['Basic 1', 'Bearer later'],
    ['Basic 2', 'Bearer later'],
    [undefined, 'Bearer later'],
    [undefined, undefined],
  ]);
});

it('credentials that cannot be had: what their function throws comes out as it is', async () => {
  const { url, received } = await start();
  const reason = new Error('The login is over');
  const fail = () => {
    throw reason;
  };
  for (const management of [fail, async () => fail()]) {
    const client = createClient({ url, management });
    await expect(client.request(DashboardsDocument)).rejects.toBe(reason);
    await expect(client.subscribe(live).next()).rejects.toBe(reason);
  }
  expect(received).toEqual([]);
});

it('credentials do not follow a redirect', async () => {
  const { url, received } = await start();
  const away = await serveAlike('', 307, { location: url });
  const error = await errorOf(send({ url: away.url, management: 'Basic bQ==' }));
  expect(error.code).toBe('NETWORK_ERROR');
  expect(received).toEqual([]);
});

it.each([
  ['schlüssel', 'geheim€🔑:with:colons:'],
  ['', ''],
  ['long', 'é'.repeat(200_000)],
])('basic encodes UTF-8: %.20s', (id, secret) => {
  const [scheme, value = ''] = basic(id, secret).split(' ');
  expect(scheme).toBe('Basic');
  expect(Buffer.from(value, 'base64').toString('utf8') === `${id}:${secret}`).toBe(true);
});

it('basic refuses an id with a colon, without quoting it', () => {
  expect(() => basic('my:key', 'secret')).toThrow(/^(?!.*my:key).*colon/);
});

const secret = 'S3cr3t-Value';
/** All that a log, a console or a collector of errors would get to see. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: 20, showHidden: true, getters: false }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? value.stack : '',
  ].join('\n');
const holding = (url: string, management = `Basic ${secret}`) => ({
  ...{ url, management, observability: () => `Bearer ${secret}` },
});

it.each([
  ['of a page', () => serveAlike('<html>')],
  ['of a redirect', () => serveAlike('', 307, { location: '/' })],
  ['of an address', () => ({ url: 'nowhere' })],
  ['of no answer', async () => ({ url: await serveGraphql(({ socket }) => socket.destroy()) })],
])('secrets do not show in an error %s', async (_, start) => {
  const client = createClient(holding((await start()).url));
  const error = await errorOf(client.request(DashboardsDocument));
  expect(shown(client)).not.toContain(secret);
  expect(shown(error)).toContain(error.code);
  expect(shown(error)).not.toContain(secret);
});

it.each([`${secret}\n`, `${secret}é`, ` ${secret}`, `${secret}\0`, '', bearer(''), `${secret} `])(
  'secrets do not show where they cannot be sent (%j): BAD_CREDENTIAL, and nothing is sent',
  async (value) => {
    const { url, received } = await serveAlike('{"data":{}}');
    const error = await errorOf(send(holding(url, value)));
    expect(error).toMatchObject({ code: 'BAD_CREDENTIAL', status: undefined });
    expect(error.message).toContain('Management-Authorization');
    expect(shown(error)).not.toContain(secret);
    expect(received).toEqual([]);
  },
);

const usual = ['https://user:', 'https://', 'https://:', '//user:', 'git+https://user:', 'user:'];
const odd = ['https:user:', 'https:\\\\user:', ' https://user:', '\0https://a:', 'ht\ntps://a:'];
const urls = [...usual, ...odd].map((start) => `${start}${secret}@api.example/`);
it.each([...urls, new URL(urls[0] ?? '')])(
  'secrets are not taken in a url, nor quoted: %j',
  (url) => {
    const refusal = new TypeError('The url must hold no credentials');
    expect(() => createClient({ url })).toThrow(refusal);
  },
);

it.each([
  ['where a slash in the password ends the host', `https://user:${secret}/x@api.example/`],
  ['where the @ is another character', `https://user:${secret}＠api.example/`],
])('secrets are not quoted from a url that cannot be read: %s', (_, url) => {
  expect(() => createClient({ url })).toThrow(new TypeError('The url is not valid'));
});

it.each(['/@team/graphql', '', ' /graphql', 'https://a/@team?as=a@b', 'http://[::1]:4000/'])(
  'secrets are not seen where there are none: %s',
  (url) => {
    expect(() => createClient({ url })).not.toThrow();
  },
);

it('secrets of an answer are in the data of an error, which does not show', async () => {
  const data = { createApiKey: { keySecret: secret } };
  const body = JSON.stringify({ data, errors: [{ message: 'half of it' }] });
  const { url } = await serveAlike(body);
  const input = { organizationId: 'o', name: 'k' };
  const error = await errorOf(createClient({ url }).request(CreateApiKeyDocument, { input }));
  expect(error.data).toEqual(data);
  expect(shown(error)).not.toContain(secret);
});

it.each([undefined, 'same-origin', 'include'] as const)(
  'a login in front of the gateway gets cookies as fetch sends them with credentials: %s',
  async (credentials) => {
    const sent: unknown[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(init?.credentials);
      return Response.json({ data: {} });
    };
    await send({ url: '/graphql', fetch, ...(credentials && { credentials }) });
    expect(sent).toEqual([credentials ?? 'omit']);
  },
);

it('a login in front of the gateway gets further headers anew with each request', async () => {
  const { url, received } = await serveAlike('{"data":{}}');
  const values = ['first', 'second'];
  const headers = async () => ({ 'x-csrf-token': values.shift() ?? '' });
  const client = createClient({ url, headers });
  for (const _ of [1, 2]) await client.request(DashboardsDocument);
  expect(received.map((each) => each['x-csrf-token'])).toEqual(['first', 'second']);
});

it.each([
  ['a page', '<h1>Log in</h1>', 'text/html'],
  ['JSON', '{"error":"log in"}', 'application/json'],
  ['errors without a code', '{"errors":[{"message":"log in"}]}', 'application/json'],
  ['nothing', '', 'text/plain'],
])(
  'a login in front of the gateway refuses with 401 and %s, which reads as UNAUTHENTICATED',
  async (_, body, type) => {
    const { url } = await serveAlike(body, 401, { 'content-type': type });
    const client = createClient({ url });
    for (const request of [client.request(DashboardsDocument), client.subscribe(live).next()]) {
      expect(await errorOf(request)).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    }
  },
);
