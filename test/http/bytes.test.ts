import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { credentials, data, result, type Stack, startStack } from '../support/harness.ts';
import { sendSized, ways } from '../support/http/requests.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const path = `/v1/organizations/${organizationId}`;

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

/** A mutation that writes this name. */
const renaming = (name: string): string =>
  JSON.stringify({
    query:
      'mutation ($input: UpdateOrganizationInput!) { updateOrganization(input: $input) { organization { name } } }',
    variables: { input: { organizationId, name } },
  });

const headers = { ...credentials, 'content-type': 'application/json' };

const expectRefused = async (answer: Response, status: number, message: RegExp): Promise<void> => {
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const { errors, data: nothing } = await answer.json();
  expect([answer.status, nothing]).toEqual([status, undefined]);
  expect(errors).toEqual([
    { message: expect.stringMatching(message), extensions: expect.anything() },
  ]);
  expect(errors[0].extensions.code).toBe('BAD_REQUEST');
  expect(stack.callList()).toEqual([]);
};

const expectWritten = async (answer: Response, name: string): Promise<void> => {
  const body = await answer.json();
  expect(body).toEqual({ data: { updateOrganization: { organization: { name } } } });
  expect(stack.calls.map((call) => [call.method, call.path, JSON.parse(call.body)])).toEqual([
    ['PATCH', path, { name }],
  ]);
};

describe.each(ways)('a mutation in %s', (_, way) => {
  const send = (body: string | Uint8Array, more: Readonly<Record<string, string>> = {}) =>
    way(stack.url, { method: 'POST', headers: { ...headers, ...more }, body });

  it.each([
    'application/json; charset=iso-8859-1',
    'application/json;charset="ISO-8859-1"',
    'application/json; charset=utf-16',
    'application/json; charset=UTF-16LE',
    'application/json; Charset="us-ascii"',
    'application/json; x="; charset=utf-8"; charset=windows-1252',
    'application/graphql+json; charset=latin1',
    'application/json; charset=',
    'application/json; charset=utf-8, text/plain',
  ])('that is called %s is refused, and nothing is written', async (type) => {
    const answer = await send(renaming('Cafe'), { 'content-type': type });
    await expectRefused(answer, 415, /UTF-8/);
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/json;\tCHARSET="UTF-8"',
    'Application/JSON;charset=Utf-8;x=y',
    'application/json ; x="a;b" ; charset=utf8',
    'Application/GraphQL+JSON; charset="UTF-8"',
    'application/json;',
  ])('that is called %s is carried out', async (type) => {
    await expectWritten(await send(renaming('Café'), { 'content-type': type }), 'Café');
  });

  it.each([
    ['Latin-1', Buffer.from(renaming('Café'), 'latin1')],
    ['a byte of the middle', Buffer.from(renaming('\x80'), 'latin1')],
    ['a character that is cut off', Buffer.from(renaming('\xe2\x98'), 'latin1')],
    ['a character that is longer than needed', Buffer.from(renaming('\xc0\xaf'), 'latin1')],
    ['half of a pair', Buffer.from(renaming('\xed\xa0\x80'), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${renaming('Café')}`, 'utf16le')],
    ['a bad byte behind it', Buffer.concat([Buffer.from(renaming('a')), Buffer.from([0xff])])],
  ])('in bytes that are not UTF-8 is refused, and nothing is written: %s', async (_title, body) => {
    await expectRefused(await send(body), 400, /UTF-8/);
  });

  it('is carried out with every other character', async () => {
    const name = 'é ☂ 𝄞 \uFEFF \uFFFD \u0000';
    await expectWritten(await send(renaming(name)), name);
  });

  it('is carried out after one byte order mark, and refused after two', async () => {
    await expectWritten(await send(`\uFEFF${renaming('Café')}`), 'Café');
    stack.calls.length = 0;
    await expectRefused(await send(`\uFEFF\uFEFF${renaming('Café')}`), 400, /JSON/);
  });

  it.each(['Identity', 'IDENTITY', ' identity , identity', ''])(
    'in the coding %j is carried out',
    async (coding) => {
      await expectWritten(await send(renaming('a'), { 'content-encoding': coding }), 'a');
    },
  );

  it.each(['gzip', 'GZIP', 'identity, gzip', 'none'])(
    'in the coding %j is refused',
    async (coding) => {
      const answer = await send(gzipSync(renaming('a')), { 'content-encoding': coding });
      await expectRefused(answer, 415, /compressed/);
    },
  );
});

describe('the parameters of a GET', () => {
  const get = (search: string) => sendSized(`${stack.url}?${search}`, { headers: credentials });
  const query = 'query=query($id:ID!){organization(id:$id){id}}';

  it.each([
    '&variables={"id":"%E9"}',
    '&variables={"id":"%C3"}',
    '&variables={"id":"%ED%A0%80"}',
    '&variables={"id":"a"}&operationName=%ff',
    '%23%80&variables={"id":"a"}',
  ])('are refused when they are not UTF-8: %s', async (rest) => {
    await expectRefused(await get(query + rest), 400, /UTF-8/);
  });

  it('are taken when they are, and a percent sign that encodes nothing is one', async () => {
    const answer = await get('query={alerts{name}}%23%C3%A9%E2%98%82%zz');
    expect(await answer.json()).toEqual({ data: { alerts: [{ name: 'é' }] } });
  });
});

describe('what is accepted is read as HTTP says', () => {
  const json = 'application/json; charset=utf-8';
  const responseJson = 'application/graphql-response+json; charset=utf-8';
  const ask = (accept: string, more: Readonly<Record<string, string>> = {}) =>
    sendSized(stack.url, {
      method: 'POST',
      headers: { ...headers, accept, ...more },
      body: JSON.stringify({ query: '{ __typename }' }),
    });

  it.each([
    ['', json],
    ['APPLICATION/JSON', json],
    ['application/json;charset=utf-8', json],
    ['application/json ; Charset="UTF-8"', json],
    ['application/json;indent=4', json],
    ['application/json;x="a,b;q=0"', json],
    ['application/json;q=0.5, application/graphql-response+json;q=0.9', responseJson],
    ['application/json;q=.5,application/graphql-response+json', responseJson],
    ['application/graphql-response+json;Q=0.1, application/json;q=1.000', json],
    ['application/graphql-response+json;q=0, */*', json],
    ['application/json;q=0.0, application/*', responseJson],
    ['*/*;q=0.1, application/graphql-response+json;q=0.2', responseJson],
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
    'application/json;q=0',
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
    ['Text/HTML', 'text/html; charset=utf-8'],
    ['text/html;charset="utf-8", */*;q=0.8', 'text/html; charset=utf-8'],
  ])('by GET: %s', async (accept, type) => {
    const answer = await sendSized(`${stack.url}?query={__typename}`, { headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });
});

describe('a mutation whose transfer has a coding', () => {
  const send = async (coding: string): Promise<Response> => {
    const sent = request(stack.url, {
      agent: false,
      method: 'POST',
      headers: { ...headers, 'transfer-encoding': coding },
    });
    sent.end(renaming('a'));
    const [answer] = await once(sent, 'response');
    const text = Buffer.concat(await answer.toArray()).toString();
    return new Response(text, { status: answer.statusCode, headers: answer.headers });
  };

  it.each(['gzip, chunked', 'Deflate,Chunked', 'x-odd, chunked'])(
    '%s is refused, and nothing is written',
    async (coding) => {
      await expectRefused(await send(coding), 415, /compressed/);
    },
  );

  it.each(['chunked', 'Chunked', ' , chunked'])('%s is carried out', async (coding) => {
    await expectWritten(await send(coding), 'a');
  });
});
