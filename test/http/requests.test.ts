import { auditServer } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { credentials, data, result, useStack } from '../support/harness.ts';
import { sendChunked, sendSized, ways } from '../support/http/requests.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const read = '{ alerts { name } }';
/** A mutation that writes this name, and the one call that it makes. */
const renaming = (name: string): string =>
  `mutation { updateOrganization(input: { organizationId: "${organizationId}", name: ${JSON.stringify(name)} }) { organization { name } } }`;
const write = renaming('a');
const patch = `PATCH /v1/organizations/${organizationId}`;
const bodyOf = (query: string): string => JSON.stringify({ query });
const asJson = { ...credentials, 'content-type': 'application/json' };
const inUrl = (parameters: Readonly<Record<string, string>>): string =>
  `${stack.url}?${new URLSearchParams(parameters)}`;

const stack = useStack({
  management: ({ body }) => result({ id: organizationId, ...JSON.parse(body || '{}') }),
  observability: () => data([{ id: 'a1', name: 'é' }]),
});

/** The answer is an error in JSON that repeats the request's id, and nothing is called. */
const expectRefused = async (answer: Response, status: number, message: RegExp): Promise<void> => {
  const requestId = answer.headers.get('x-request-id');
  const extensions = expect.objectContaining({ code: 'BAD_REQUEST', requestId });
  const errors = [{ message: expect.stringMatching(message), extensions }];
  expect([answer.status, await answer.json()]).toEqual([status, { errors }]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(stack.callList()).toEqual([]);
};

const expectWritten = async (answer: Response, name = 'a'): Promise<void> => {
  expect(await answer.json()).toEqual({ data: { updateOrganization: { organization: { name } } } });
  expect(stack.callList()).toEqual([patch]);
  expect(JSON.parse(stack.calls[0]?.body ?? '')).toEqual({ name });
};

it.each(ways)('every audit of GraphQL over HTTP passes with %s', async (_, fetchFn) => {
  const results = await auditServer({ url: stack.url, fetchFn });
  expect(results).toHaveLength(61);
  expect(results.filter(({ status }) => status !== 'ok')).toEqual([]);
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
    way(stack.url, { method: 'POST', headers: { ...asJson, ...headers }, body });

  it.each(types)('a mutation as "%s" is refused before any call', async (type, body) => {
    const answer = await send(body(write), { 'content-type': type, 'x-request-id': 'mine-7' });
    await expectRefused(answer, 415, /content-type: application\/json/);
    expect(answer.headers.get('x-request-id')).toBe('mine-7');
  });

  it('a mutation without a type, or in the URL of a text, is refused before any call', async () => {
    const post = { method: 'POST', headers: credentials };
    await expectRefused(await way(stack.url, { ...post, body: bodyOf(write) }), 415, /type/);
    const headers = { ...credentials, 'content-type': 'text/plain' };
    const text = await way(inUrl({ query: write }), { ...post, headers, body: '' });
    await expectRefused(text, 415, /type/);
  });

  it.each([
    ['content-type', 'application/json; charset=iso-8859-1', /UTF-8/],
    ['content-type', 'application/json; x="; charset=utf-8"; charset=windows-1252', /UTF-8/],
    ['content-type', 'application/graphql+json; charset=latin1', /UTF-8/],
    ['content-type', 'application/json; charset=', /UTF-8/],
    ['content-type', 'application/json; charset=utf-8, text/plain', /UTF-8/],
    ['content-encoding', 'GZIP', /compressed/],
    ['content-encoding', 'identity, gzip', /compressed/],
    ['content-type', 'application/json;\tCHARSET="UTF-8"', undefined],
    ['content-type', 'Application/JSON;charset=Utf-8;x=y', undefined],
    ['content-type', 'application/json ; x="a;b" ; charset=utf8', undefined],
    ['content-type', 'application/graphql+json', undefined],
    ['content-encoding', 'identity , identity', undefined],
    ['content-encoding', '', undefined],
  ] as const)(
    'a mutation with %s: %s is refused with %s, or carried out',
    async (header, value, refusal) => {
      const name = 'é ☂ 𝄞 \uFEFF \uFFFD \u0000';
      const answer = await send(bodyOf(renaming(name)), { [header]: value });
      if (refusal) await expectRefused(answer, 415, refusal);
      else await expectWritten(answer, name);
    },
  );

  it.each([
    ['Latin-1', Buffer.from(bodyOf(renaming('Café')), 'latin1')],
    ['a character that is cut off', Buffer.from(bodyOf(renaming('\xe2\x98')), 'latin1')],
    ['half of a pair', Buffer.from(bodyOf(renaming('\xed\xa0\x80')), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${bodyOf(write)}`, 'utf16le')],
    ['a bad byte behind it', Buffer.concat([Buffer.from(bodyOf(write)), Buffer.from([0xff])])],
  ])('a mutation in bytes that are not UTF-8 is refused: %s', async (_title, body) => {
    await expectRefused(await send(body), 400, /UTF-8/);
  });

  it('a mutation is carried out after one byte order mark, and refused after two', async () => {
    await expectWritten(await send(`\uFEFF${bodyOf(write)}`));
    stack.calls.length = 0;
    await expectRefused(await send(`\uFEFF\uFEFF${bodyOf(write)}`), 400, /JSON/);
  });
});

it.each([
  ['gzip, chunked', false],
  ['x-odd, chunked', false],
  ['Chunked', true],
  [' , chunked', true],
])('a mutation whose transfer has the coding %s: %s', async (coding, isDone) => {
  const headers = { ...asJson, 'transfer-encoding': coding };
  const answer = await sendChunked(stack.url, { method: 'POST', headers, body: bodyOf(write) });
  await (isDone ? expectWritten(answer) : expectRefused(answer, 415, /compressed/));
});

describe('by GET', () => {
  const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    sendSized(url, { method, headers: { ...credentials, ...headers } });
  const answered = { data: { alerts: [{ name: 'é' }] } };

  it('by GET a query is answered, and a percent sign that encodes nothing is one', async () => {
    for (const url of [inUrl({ query: read }), `${stack.url}?query=${read}%23%C3%A9%E2%98%82%zz`]) {
      const answer = await get(url);
      expect([answer.status, await answer.json()]).toEqual([200, answered]);
    }
    expect(stack.callList()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts']);
  });

  it('by GET a mutation is refused with 405, also beside a query, or at least not executed', async () => {
    const both = { query: `query Q ${read} ${write.replace('{', 'M {')}`, operationName: 'M' };
    for (const accept of ['*/*', 'application/json', 'application/graphql-response+json'])
      for (const parameters of [{ query: write }, both]) {
        const answer = await get(inUrl(parameters), { accept });
        expect([answer.status, (await answer.json()).data]).toEqual([405, undefined]);
      }
    for (const accept of ['text/html', 'text/event-stream', 'multipart/mixed', 'image/webp,*/*'])
      await get(inUrl({ query: write }), { accept });
    expect(stack.callList()).toEqual([]);
  });

  it('by GET nothing is executed with the content type of a form, or by another method', async () => {
    const accept = 'application/json';
    for (const query of [write, read]) {
      for (const [type] of types.slice(0, -1)) {
        const answer = await get(inUrl({ query }), { 'content-type': type, accept });
        await expectRefused(answer, 415, /content-type/);
      }
      for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        await get(inUrl({ query }), {}, method);
        if (method !== 'HEAD')
          await sendSized(stack.url, { method, headers: asJson, body: bodyOf(query) });
      }
    }
    expect(stack.callList()).toEqual([]);
  });

  it.each([
    ['variables={"id":"%C3"}', /UTF-8/],
    ['variables={"id":"%ED%A0%80"}', /UTF-8/],
    ['operationName=%ff', /UTF-8/],
    ['variables={"a":}', /"variables" must be JSON/],
    ['extensions=x', /"extensions" must be JSON/],
  ])('by GET the parameter %s is refused', async (parameter, message) => {
    const accept = 'application/json';
    const answer = await get(`${stack.url}?query=${read}&${parameter}`, { accept });
    await expectRefused(answer, 400, message);
  });
});

describe('what is accepted is read as HTTP says:', () => {
  const ask = (accept: string) => {
    const headers = { ...asJson, accept };
    return sendSized(stack.url, { method: 'POST', headers, body: bodyOf('{ __typename }') });
  };
  const json = 'application/json; charset=utf-8';
  const types = {
    json,
    own: 'application/graphql-response+json; charset=utf-8',
    events: 'text/event-stream',
    parts: 'multipart/mixed; boundary="-"',
  };

  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json ; Charset="UTF-8"', 'json'],
    ['application/json;x="a,b;q=0"', 'json'],
    ['application/graphql-response+json,application/json;q=0.9', 'own'],
    ['application/graphql-response+json;Q=0.1, application/json;q=1.000', 'json'],
    ['application/graphql-response+json;q=0, */*', 'json'],
    ['application/json;q=0.0, application/*', 'own'],
    ['text/html;q=0.2, *; q=.2, */*; q=.2', 'json'],
    ['application/json;charset=iso-8859-1, application/graphql-response+json', 'own'],
    ['text/*', 'events'],
    ['text/event-stream;q=0, multipart/mixed', 'parts'],
    ['image/png', undefined],
    ['application/json;charset=utf-16', undefined],
    ['*/*;q=0', undefined],
    ['application/*;q=0, text/html', undefined],
    ['json', undefined],
  ] as const)('what accepts "%s" is answered as %s', async (accept, type) => {
    const answer = await ask(accept);
    if (type === undefined) return await expectRefused(answer, 406, /accept one of these/);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, types[type]]);
    expect(await answer.text()).toContain('{"data":{"__typename":"Query"}}');
  });

  const html = 'text/html; charset=utf-8';
  it.each([
    ['text/html;q=0, application/json', json],
    ['application/json, text/html;q=0.1', json],
    ['Text/HTML', html],
    ['text/html;charset="utf-8", */*;q=0.8', html],
  ])('what accepts "%s" is answered by GET', async (accept, type) => {
    const answer = await sendSized(inUrl({ query: '{ __typename }' }), { headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });
});

describe('every client is answered alike', () => {
  const misfit = 'query ($id: ID!) { organization(organizationId: $id) { id } }';
  /** Bodies, the status where the client knows the media type of GraphQL alone, and the code. */
  const bodies: readonly (readonly [body: unknown, status: number, code?: string])[] = [
    [{ query: read, variables: null, operationName: null }, 200],
    [{ query: `query A ${read} query B { __typename }`, operationName: 'A' }, 200],
    [{ query: '{ organization(organizationId: "..") { name } }' }, 200, 'BAD_USER_INPUT'],
    [{ query: `query A ${read}`, operationName: 'B' }, 400, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: misfit, variables: { id: {} } }, 400, 'BAD_USER_INPUT'],
    [{ query: '{ alerts { ' }, 400, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{ nothing }' }, 400, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: 7 }, 400, 'BAD_REQUEST'],
    [{ query: read, operationName: 7 }, 400, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: read, surprise: true }, 400, 'BAD_REQUEST'],
    [[{ query: read }], 400, 'BAD_REQUEST'],
    [null, 400, 'BAD_REQUEST'],
    ['{"query": "canary"', 400, 'BAD_REQUEST'],
    [`{ ${' '.repeat(2 * 1024 * 1024)}`, 413, 'REQUEST_ENTITY_TOO_LARGE'],
  ];
  const own = 'application/graphql-response+json';
  const accepts: Readonly<Record<string, string>> = {
    fetch: '*/*',
    'Apollo Client 4': `${own},application/json;q=0.9`,
    urql: `${own}, application/graphql+json, application/json, text/event-stream, multipart/mixed`,
  };
  const send = async (body: string, accept: string) => {
    stack.calls.length = 0;
    const headers = { ...asJson, 'x-request-id': 'same', accept };
    const answer = await sendSized(stack.url, { method: 'POST', headers, body });
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, text: await answer.text(), calls: stack.callList() };
  };

  it.each(bodies.map(([body, ...rest]) => [JSON.stringify(body).slice(0, 80), body, ...rest]))(
    'every client is answered alike to the body %s',
    async (_, body, statusOfOwn, code) => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const asked = await send(sent, 'application/json');
      expect(asked.text).not.toContain('canary');
      const { errors = [], data: found } = JSON.parse(asked.text);
      expect(errors[0]?.extensions.code).toBe(code);
      for (const [client, accept] of Object.entries(accepts)) {
        const isOwn = accept.startsWith(own);
        expect({ client, ...(await send(sent, accept)) }).toEqual({
          ...{ client, ...asked, type: `${isOwn ? own : 'application/json'}; charset=utf-8` },
          ...(isOwn && found === undefined && { status: statusOfOwn }),
        });
      }
    },
  );

  it('a client is told the place of a syntax error and of an unknown field, under an id of its own', async () => {
    const answers = [await stack.query('{ alerts { '), await stack.query('{ nothing }')];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    const [[syntax], [unknown]] = answers.map(({ body }) => body.errors);
    expect(syntax.message).toContain('Syntax Error');
    expect([syntax, unknown]).toMatchObject([
      { locations: [{ line: 1, column: 12 }], extensions: { requestId: ids[0] } },
      { locations: [{ line: 1, column: 3 }], extensions: { requestId: ids[1] } },
    ]);
  });
});
