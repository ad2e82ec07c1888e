import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  credentials,
  data,
  result,
  type Stack,
  startSandboxStack,
  startStack,
} from '../support/harness.ts';
import { type Sending, sendChunked, sendSized, ways } from '../support/http/requests.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const read = '{ alerts { name } }';
/** A mutation that writes this name, and the one call that it makes. */
const renaming = (name: string): string =>
  `mutation { updateOrganization(input: { organizationId: "${organizationId}", name: ${JSON.stringify(name)} }) { organization { name } } }`;
const write = renaming('a');
const patch = `PATCH /v1/organizations/${organizationId}`;
const bodyOf = (query: string): string => JSON.stringify({ query });
const inUrl = (parameters: Readonly<Record<string, string>>): string =>
  `${stack.url}?${new URLSearchParams(parameters)}`;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: ({ body }) => result({ id: organizationId, ...JSON.parse(body || '{}') }),
    observability: () => data([{ id: 'a1', name: 'é' }]),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** The answer is an error in JSON that repeats the request's id, and nothing is called. */
const expectRefused = async (answer: Response, status: number, message: RegExp): Promise<void> => {
  const requestId = answer.headers.get('x-request-id');
  const errors = [
    {
      message: expect.stringMatching(message),
      extensions: expect.objectContaining({ code: 'BAD_REQUEST', requestId }),
    },
  ];
  expect([answer.status, await answer.json()]).toEqual([status, { errors }]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(stack.callList()).toEqual([]);
};

const expectWritten = async (answer: Response, name = 'a'): Promise<void> => {
  expect(await answer.json()).toEqual({ data: { updateOrganization: { organization: { name } } } });
  expect(stack.callList()).toEqual([patch]);
  expect(JSON.parse(stack.calls[0]?.body ?? '')).toEqual({ name });
};

describe('every audit of GraphQL over HTTP passes with', () => {
  it.each<readonly [string, unknown]>([['fetch', undefined], ...ways])('%s', async (_, fetchFn) => {
    const results = await auditServer({ url: stack.url, fetchFn });
    expect(results).toHaveLength(61);
    expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
  });
});

const multipart = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`;
/** All that a form, an image, a link or a script may send anywhere without asking the server first, and other types. */
const types: readonly (readonly [type: string, body: (query: string) => string])[] = [
  ['application/x-www-form-urlencoded', (query) => `${new URLSearchParams({ query })}`],
  ['text/plain', (query) => `{"query":${JSON.stringify(query)},"extensions":{"x":"="}}`],
  ['text/plain;a="application/json"', bodyOf],
  ['text/plain, application/json', bodyOf],
  ['multipart/form-data; boundary=b', (query) => multipart('operations', bodyOf(query))],
  ['application/graphql; charset=utf-8', (query) => query],
  ['application/jsonx', bodyOf],
  ['text/json', bodyOf],
  ['', bodyOf],
];

describe.each(ways)('a mutation posted in %s', (_, way) => {
  const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    way(stack.url, {
      method: 'POST',
      headers: { ...credentials, 'content-type': 'application/json', ...headers },
      body,
    });

  it.each(types)('as "%s" is refused before any call', async (type, body) => {
    const answer = await send(body(write), { 'content-type': type, 'x-request-id': 'mine-7' });
    await expectRefused(answer, 415, /content-type: application\/json/);
    expect(answer.headers.get('x-request-id')).toBe('mine-7');
  });

  it('without a type, or in the URL of a text, is refused before any call', async () => {
    const headers = credentials;
    const untyped = await way(stack.url, { method: 'POST', headers, body: bodyOf(write) });
    await expectRefused(untyped, 415, /content-type/);
    const text = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' } };
    await expectRefused(await way(inUrl({ query: write }), { ...text, body: '' }), 415, /type/);
  });

  it.each([
    'application/json; charset=iso-8859-1',
    'application/json;charset="UTF-16LE"',
    'application/json; x="; charset=utf-8"; charset=windows-1252',
    'application/graphql+json; charset=latin1',
    'application/json; charset=',
    'application/json; charset=utf-8, text/plain',
  ])('as %s is refused for its charset', async (type) => {
    await expectRefused(await send(bodyOf(write), { 'content-type': type }), 415, /UTF-8/);
  });

  it.each([
    'application/json',
    'application/json;\tCHARSET="UTF-8"',
    'Application/JSON;charset=Utf-8;x=y',
    'application/json ; x="a;b" ; charset=utf8',
    'application/graphql+json',
    'application/json;',
  ])('as %s is carried out', async (type) => {
    const name = 'é ☂ 𝄞 \uFEFF \uFFFD \u0000';
    await expectWritten(await send(bodyOf(renaming(name)), { 'content-type': type }), name);
  });

  it.each([
    ['Latin-1', Buffer.from(bodyOf(renaming('Café')), 'latin1')],
    ['a character that is cut off', Buffer.from(bodyOf(renaming('\xe2\x98')), 'latin1')],
    ['half of a pair', Buffer.from(bodyOf(renaming('\xed\xa0\x80')), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${bodyOf(write)}`, 'utf16le')],
    ['a bad byte behind it', Buffer.concat([Buffer.from(bodyOf(write)), Buffer.from([0xff])])],
  ])('in bytes that are not UTF-8 is refused: %s', async (_title, body) => {
    await expectRefused(await send(body), 400, /UTF-8/);
  });

  it('is carried out after one byte order mark, and refused after two', async () => {
    await expectWritten(await send(`\uFEFF${bodyOf(write)}`));
    stack.calls.length = 0;
    await expectRefused(await send(`\uFEFF\uFEFF${bodyOf(write)}`), 400, /JSON/);
  });

  it.each(['IDENTITY', ' identity , identity', ''])('in the coding %j is done', async (coding) => {
    await expectWritten(await send(bodyOf(write), { 'content-encoding': coding }));
  });

  it.each(['GZIP', 'identity, gzip', 'none'])('in the coding %j is refused', async (coding) => {
    const answer = await send(gzipSync(bodyOf(write)), { 'content-encoding': coding });
    await expectRefused(answer, 415, /compressed/);
  });
});

describe('a mutation whose transfer has a coding', () => {
  const send = async (coding: string): Promise<Response> => {
    const headers = { ...credentials, 'content-type': 'application/json' };
    const sent = request(stack.url, {
      ...{ agent: false, method: 'POST' },
      headers: { ...headers, 'transfer-encoding': coding },
    });
    sent.end(bodyOf(write));
    const [answer] = await once(sent, 'response');
    const text = Buffer.concat(await answer.toArray()).toString();
    return new Response(text, { status: answer.statusCode, headers: answer.headers });
  };

  it.each(['gzip, chunked', 'x-odd, chunked'])('%s is refused', async (coding) => {
    await expectRefused(await send(coding), 415, /compressed/);
  });

  it.each(['Chunked', ' , chunked'])('%s is carried out', async (coding) => {
    await expectWritten(await send(coding));
  });
});

describe('by GET', () => {
  const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    sendSized(url, { method, headers: { ...credentials, ...headers } });

  it('a query is answered', async () => {
    const answer = await get(inUrl({ query: read }));
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { data: { alerts: [{ name: 'é' }] } },
    ]);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
  });

  it.each(['*/*', 'application/json', 'application/graphql-response+json'])(
    'a mutation is refused with 405, also beside a query, for who accepts %s',
    async (accept) => {
      const both = { query: `query Q ${read} ${write.replace('{', 'M {')}`, operationName: 'M' };
      for (const parameters of [{ query: write }, both]) {
        const answer = await get(inUrl(parameters), { accept });
        expect([answer.status, (await answer.json()).data]).toEqual([405, undefined]);
      }
      expect(stack.callList()).toEqual([]);
    },
  );

  it.each(['text/html', 'text/event-stream', 'multipart/mixed', 'image/webp,*/*'])(
    'a mutation is not executed for who accepts %s',
    async (accept) => {
      await get(inUrl({ query: write }), { accept });
      expect(stack.callList()).toEqual([]);
    },
  );

  it.each(types.flatMap(([type]) => (type ? [type] : [])))(
    'nothing is executed with the content type %s',
    async (type) => {
      for (const query of [write, read]) {
        const headers = { 'content-type': type, accept: 'application/json' };
        await expectRefused(await get(inUrl({ query }), headers), 415, /content-type/);
      }
    },
  );

  it.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s executes nothing', async (method) => {
    for (const query of [write, read]) {
      await get(inUrl({ query }), {}, method);
      const headers = { ...credentials, 'content-type': 'application/json' };
      if (method !== 'HEAD')
        await sendSized(stack.url, { method, headers, body: JSON.stringify({ query }) });
    }
    expect(stack.callList()).toEqual([]);
  });

  it.each([
    ['variables={"id":"%C3"}', /UTF-8/],
    ['variables={"id":"%ED%A0%80"}', /UTF-8/],
    ['operationName=%ff', /UTF-8/],
    ['variables={"a":}', /"variables" must be JSON/],
    ['extensions=x', /"extensions" must be JSON/],
  ])('the parameter %s is refused', async (parameter, message) => {
    const headers = { accept: 'application/json' };
    await expectRefused(
      await get(`${stack.url}?query=${read}&${parameter}`, headers),
      400,
      message,
    );
  });

  it('a percent sign that encodes nothing is one', async () => {
    const answer = await get(`${stack.url}?query={alerts{name}}%23%C3%A9%E2%98%82%zz`);
    expect(await answer.json()).toEqual({ data: { alerts: [{ name: 'é' }] } });
  });
});

describe('what is accepted is read as HTTP says:', () => {
  const json = 'application/json; charset=utf-8';
  const responseJson = 'application/graphql-response+json; charset=utf-8';
  const html = 'text/html; charset=utf-8';
  const ask = (accept: string) =>
    sendSized(stack.url, {
      method: 'POST',
      headers: { ...credentials, 'content-type': 'application/json', accept },
      body: bodyOf('{ __typename }'),
    });

  it.each([
    ['', json],
    ['*/*', json],
    ['APPLICATION/JSON', json],
    ['application/json ; Charset="UTF-8"', json],
    ['application/json;x="a,b;q=0"', json],
    ['application/graphql-response+json,application/json;q=0.9', responseJson],
    ['application/json;q=.5,application/graphql-response+json', responseJson],
    ['application/graphql-response+json;Q=0.1, application/json;q=1.000', json],
    ['application/graphql-response+json;q=0, */*', json],
    ['application/json;q=0.0, application/*', responseJson],
    ['application/*', json],
    ['text/html;q=0.2, *; q=.2, */*; q=.2', json],
    ['application/json;charset=iso-8859-1, application/graphql-response+json', responseJson],
    ['text/*', 'text/event-stream'],
    ['Text/Event-Stream;charset=UTF-8', 'text/event-stream'],
    ['text/event-stream, multipart/mixed;q=0', 'text/event-stream'],
    ['text/event-stream;q=0, multipart/mixed', 'multipart/mixed; boundary="-"'],
  ])('%s', async (accept, type) => {
    const answer = await ask(accept);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(await answer.text()).toContain('{"data":{"__typename":"Query"}}');
  });

  it.each([
    'image/png',
    'application/json;charset=utf-16',
    'application/json; charset="ISO-8859-1", text/event-stream;q=0.000',
    '*/*;q=0',
    'application/*;q=0, text/html',
    'application/json;q=0, application/graphql-response+json;q=0.00, */*;q=0',
    'json',
  ])('%s is refused in words', async (accept) => {
    await expectRefused(await ask(accept), 406, /accept one of these/);
  });

  it.each([
    ['text/html;q=0, application/json', json],
    ['application/json, text/html;q=0.1', json],
    ['Text/HTML', html],
    ['text/html;charset="utf-8", */*;q=0.8', html],
  ])('by GET: %s', async (accept, type) => {
    const answer = await sendSized(inUrl({ query: '{ __typename }' }), { headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });
});

describe('every client is answered alike', () => {
  /** Bodies, the status where the client knows the media type of GraphQL alone, and the code. */
  const bodies: readonly (readonly [body: unknown, status: number, code?: string])[] = [
    [{ query: read, variables: null, operationName: null }, 200],
    [{ query: `query A ${read} query B { __typename }`, operationName: 'A' }, 200],
    [{ query: '{ organization(id: "..") { name } }' }, 200, 'BAD_USER_INPUT'],
    [{ query: `query A ${read}`, operationName: 'B' }, 400, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: `query A ${read} query B ${read}` }, 400, 'OPERATION_RESOLUTION_FAILURE'],
    [
      { query: 'query ($id: ID!) { organization(id: $id) { id } }', variables: { id: {} } },
      400,
      'BAD_USER_INPUT',
    ],
    [{ query: '{ alerts { ' }, 400, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{ nothing }' }, 400, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: 7 }, 400, 'BAD_REQUEST'],
    [{ query: read, variables: [] }, 400, 'BAD_REQUEST'],
    [{ query: read, operationName: 7 }, 400, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: read, surprise: true }, 400, 'BAD_REQUEST'],
    [[{ query: read }], 400, 'BAD_REQUEST'],
    [null, 400, 'BAD_REQUEST'],
    ['{"query": "canary"', 400, 'BAD_REQUEST'],
    ['', 400, 'BAD_REQUEST'],
    [`{ ${' '.repeat(2 * 1024 * 1024)}`, 413, 'REQUEST_ENTITY_TOO_LARGE'],
  ];
  const accepts: Readonly<Record<string, string>> = {
    fetch: '*/*',
    'Apollo Client 4': 'application/graphql-response+json,application/json;q=0.9',
    urql: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  };
  const send = async (body: string, accept: string) => {
    stack.calls.length = 0;
    const headers = { ...credentials, 'content-type': 'application/json', 'x-request-id': 'same' };
    const sending = { method: 'POST', headers: { ...headers, accept }, body };
    const { status, headers: answered, ...answer } = await read200(sending);
    return { status, type: answered.get('content-type'), ...answer, calls: stack.callList() };
  };
  const read200 = async (sending: Sending) => {
    const answer = await sendSized(stack.url, sending);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it.each(bodies.map(([body, ...rest]) => [JSON.stringify(body).slice(0, 80), body, ...rest]))(
    'to the body %s',
    async (_, body, statusOfOwn, code) => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const asJson = await send(sent, 'application/json');
      expect(asJson.text).not.toContain('canary');
      const { errors = [], data: found } = JSON.parse(asJson.text);
      expect(errors[0]?.extensions.code).toBe(code);
      for (const [client, accept] of Object.entries(accepts)) {
        const isOwn = accept.includes('graphql-response');
        const answer = await send(sent, accept);
        expect({ client, ...answer }).toEqual({
          ...{ client, ...asJson },
          type: `application/${isOwn ? 'graphql-response+' : ''}json; charset=utf-8`,
          ...(isOwn && found === undefined && { status: statusOfOwn }),
        });
      }
    },
  );

  it('with the place of a syntax error and of an unknown field', async () => {
    const syntax = await stack.query('{ alerts { ');
    expect(syntax.body.errors[0]).toMatchObject({
      message: expect.stringContaining('Syntax Error'),
      locations: [{ line: 1, column: 12 }],
    });
    const { body } = await stack.query('{ nothing }');
    expect(body.errors[0].locations).toEqual([{ line: 1, column: 3 }]);
  });

  it('under an id of its own, which errors repeat', async () => {
    const answers = [await stack.query('{ nothing }'), await stack.query('{ nothing }')];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    expect(answers.map(({ body }) => body.errors[0].extensions.requestId)).toEqual(ids);
  });

  it.each([
    ['no origin is listed', [], undefined],
    ['a page of no listed origin asks', ['https://one.example'], 'https://other.example'],
    ['a page of a listed origin asks', ['https://one.example'], 'https://one.example'],
  ])('head and all, however a body is framed, where %s', async (_, corsOrigins, origin) => {
    const own = await startSandboxStack({ config: { corsOrigins } });
    onTestFinished(own.close);
    const ask = async (way: typeof sendSized) => {
      const headers = { 'content-type': 'application/json', 'x-request-id': 'same' };
      const answer = await way(own.url, {
        method: 'POST',
        headers: { ...headers, ...(origin && { origin }) },
        body: bodyOf('{ __typename } # ä'),
      });
      const sent: Record<string, string> = Object.fromEntries(answer.headers);
      return { status: answer.status, text: await answer.text(), ...sent, date: '' };
    };
    expect(await ask(sendChunked)).toEqual(await ask(sendSized));
  });
});

it.each(['[', 'a b', 'a:99999', '@', '%00', 'a/b?c#d', 'a, b', 'é'])(
  'the Host %s is no fault of the gateway, and no stack is told',
  async (host) => {
    const headers = { ...credentials, 'content-type': 'application/json', host };
    const sendings: readonly (readonly [path: string, sending: Sending])[] = [
      ...(['/elsewhere', '/healthz', '/graphql?query={__typename}'] as const).map(
        (path) => [path, { headers }] as const,
      ),
      ['/graphql', { method: 'POST', headers, body: bodyOf(read) }],
    ];
    for (const [path, sending] of sendings) {
      const answer = await sendSized(new URL(path, stack.url), sending);
      const isTraced = /^\s+at |node_modules/m.test(await answer.text());
      expect([path, answer.status < 500, isTraced]).toEqual([path, true, false]);
    }
  },
);

it.each([
  ['/healthz', 200],
  ['/elsewhere/healthz', 404],
  ['/health', 404],
  ['/graphql?query={__typename}&more=/health', 200],
])('GET %s is answered %d', async (path, status) => {
  expect((await fetch(new URL(path, stack.url))).status).toBe(status);
});

it('hides GraphiQL and the schema where they are switched off', async () => {
  const own = await startSandboxStack({ config: { graphiql: false, introspection: false } });
  onTestFinished(own.close);
  const page = await fetch(own.url, { headers: { accept: 'text/html' } });
  expect(await page.text()).not.toContain('<html');
  const { body } = await own.query('{ __schema { types { name } } }');
  expect([body.data, body.errors[0].extensions.code]).toEqual([
    undefined,
    'GRAPHQL_VALIDATION_FAILED',
  ]);
});
