import '../support/client/built.ts';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { basic, bearer, type Client, createClient, SluiceError } from '../../client/src/index.ts';
import { CreateApiKeyDocument, DashboardsDocument } from '../../client/src/operations.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { errorOf, serveAlike, serveGraphql, serveRecording } from '../support/client/kit.ts';

const send = (client: Client) => client.request(DashboardsDocument);

describe('credentials', () => {
  it('go out byte for byte, each in its own header', async () => {
    const { url, received } = await serveRecording();
    await send(createClient({ url, management: 'Basic bQ==', observability: bearer('o~1') }));
    await send(createClient({ url, management: 'Basic bQ==' }));
    expect(received).toMatchObject([
      { 'management-authorization': 'Basic bQ==', 'observability-authorization': 'Bearer o~1' },
      { 'management-authorization': 'Basic bQ==' },
    ]);
    expect(received[1]).not.toHaveProperty('observability-authorization');
    for (const headers of received) expect(headers).not.toHaveProperty('authorization');
  });

  it('may be functions, which are asked for each request', async () => {
    const { url, received } = await serveRecording();
    let count = 0;
    const management = () => {
      count += 1;
      return `Basic ${count}`;
    };
    const client = createClient({ url, management, observability: async () => bearer('later') });
    await send(client);
    await send(client);
    expect(received).toMatchObject([
      { 'management-authorization': 'Basic 1', 'observability-authorization': 'Bearer later' },
      { 'management-authorization': 'Basic 2', 'observability-authorization': 'Bearer later' },
    ]);
  });

  it('are not sent where there are none', async () => {
    const { url, received } = await serveRecording();
    await send(createClient({ url, management: undefined, observability: () => null }));
    expect(Object.keys(received[0] ?? {})).not.toContainEqual(
      expect.stringContaining('authorization'),
    );
  });

  it('win over further headers, which go along', async () => {
    const { url, received } = await serveRecording();
    const headers = {
      'Management-Authorization': 'Basic bm8=',
      'x-request-id': 'r-1',
      accept: '*/*',
    };
    await send(createClient({ url, headers, management: 'Basic eWVz' }));
    expect(received).toMatchObject([
      {
        'management-authorization': 'Basic eWVz',
        'x-request-id': 'r-1',
        accept: 'application/graphql-response+json, application/json',
        'content-type': 'application/json',
      },
    ]);
  });

  it('that cannot be had: what their function throws comes out as it is', async () => {
    const { url, received } = await serveRecording();
    const reason = new Error('The login is over');
    const failing = [() => Promise.reject(reason), () => raise(reason)];
    for (const management of failing) {
      await expect(send(createClient({ url, management }))).rejects.toBe(reason);
    }
    expect(received).toEqual([]);
  });
  const raise = (reason: Error): never => {
    throw reason;
  };

  it.each([307, 308, 302])('do not follow a redirect (%i)', async (status) => {
    const { url, received } = await serveRecording();
    const away = await serveAlike('', status, { location: url });
    const error = await errorOf(send(createClient({ url: away, management: 'Basic bQ==' })));
    expect(error.code).toBe('NETWORK_ERROR');
    expect(received).toEqual([]);
  });

  it("go without a browser's own", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const recording: typeof fetch = async (_, init) => {
      inits.push(init);
      return new Response('{"data":{}}');
    };
    await send(createClient({ url: '/graphql', fetch: recording }));
    expect(inits).toMatchObject([{ method: 'POST', credentials: 'omit', redirect: 'error' }]);
  });
});

describe('basic', () => {
  it('is what the gateway takes', () => {
    const { keyId, keySecret, header } = credentials.management.admin;
    expect(basic(keyId, keySecret)).toBe(header);
  });

  it.each([
    ['schlüssel', 'geheim€🔑'],
    ['key', 'with:colons:'],
    ['', ''],
    ['long', 'é'.repeat(200_000)],
  ])('encodes UTF-8: %.20s', (id, secret) => {
    const [scheme, value = ''] = basic(id, secret).split(' ');
    expect(scheme).toBe('Basic');
    expect(Buffer.from(value, 'base64').toString('utf8') === `${id}:${secret}`).toBe(true);
  });

  it('refuses an id with a colon, without quoting it', () => {
    expect(() => basic('my:key', 'secret')).toThrow(/^(?!.*my:key).*colon/);
  });
});

describe('secrets', () => {
  const secret = 'S3cr3t-Value';
  /** All that a log, a console or a collector of errors would get to see. */
  const shown = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: false }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? value.stack : '',
    ].join('\n');
  const holding = (url: string, value = `Basic ${secret}`): Client =>
    createClient({ url, management: value, observability: () => `Bearer ${secret}` });

  it('do not show in a client', () => {
    expect(shown(holding('/graphql'))).not.toContain(secret);
  });

  it.each([
    ['of an answer', () => serveAlike('{"errors":[{"message":"no"}]}')],
    ['of a page', () => serveAlike('<html>')],
    ['of a redirect', () => serveAlike('', 307, { location: '/' })],
    ['of a connection', async () => 'http://127.0.0.1:1/'],
    ['of an address', async () => 'nowhere'],
    ['of an answer that breaks off', () => serveGraphql((request) => request.socket.destroy())],
  ])('do not show in an error %s', async (_, start) => {
    const error = await errorOf(send(holding(await start())));
    expect(shown(error)).toContain(error.code);
    expect(shown(error)).not.toContain(secret);
  });

  it.each([
    `Basic ${secret}\n`,
    `Basic ${secret}é`,
    ` ${secret}`,
    `${secret}\0`,
    '',
    bearer(''),
    bearer(`${secret} `),
  ])(
    'do not show where they cannot be sent (%j): BAD_CREDENTIAL, and nothing is sent',
    async (value) => {
      const { url, received } = await serveRecording();
      const error = await errorOf(send(holding(url, value)));
      expect(error).toMatchObject({ code: 'BAD_CREDENTIAL', status: undefined });
      expect(error.message).toContain('Management-Authorization');
      expect(shown(error)).not.toContain(secret);
      expect(received).toEqual([]);
    },
  );

  it.each([
    `https://user:${secret}@api.example/graphql`,
    `https://${secret}@api.example/`,
    `//user:${secret}@api.example/`,
    `https:user:${secret}@api.example/`,
    `https:\\\\user:${secret}@api.example/`,
    ` https://user:${secret}@api.example/`,
    `\thttps://user:${secret}@api.example/`,
    `\0https://user:${secret}@api.example/`,
    `ht\ntps://user:${secret}@api.example/`,
    `git+https://user:${secret}@api.example/`,
    `user:${secret}@api.example/`,
    new URL(`https://user:${secret}@api.example/`),
  ])('are not taken in a url, nor quoted from it: %j', (url) => {
    const attempt = () => createClient({ url });
    expect(attempt).toThrow(new TypeError('The url must hold no credentials'));
  });

  it.each([
    ['where a slash in the password ends the host', `https://user:${secret}/x@api.example/`],
    ['where the @ is another character', `https://user:${secret}＠api.example/`],
  ])('are not quoted from a url that cannot be read: %s', (_, url) => {
    const attempt = () => createClient({ url });
    expect(attempt).toThrow(new TypeError('The url is not valid'));
  });

  it.each([
    '/graphql',
    '/@team/graphql',
    'graphql',
    '',
    ' /graphql',
    'https://api.example/@team?as=a@b',
    'http://[::1]:4000/',
    new URL('https://api.example/@team'),
  ])('are not seen where there are none: %s', (url) => {
    expect(() => createClient({ url })).not.toThrow();
  });

  it('of an answer are in the data of an error, which does not show', async () => {
    const data = { createApiKey: { keySecret: secret } };
    const url = await serveAlike(JSON.stringify({ data, errors: [{ message: 'half of it' }] }));
    const input = { organizationId: 'o' };
    const error = await errorOf(createClient({ url }).request(CreateApiKeyDocument, { input }));
    expect(error).toBeInstanceOf(SluiceError);
    expect(error.data).toEqual(data);
    expect(shown(error)).not.toContain(secret);
  });
});
