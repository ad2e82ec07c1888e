import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { credentials, startSandboxStack } from '../support/harness.ts';
import { sendChunked, sendSized } from '../support/http/requests.ts';

const { organizationId, services, pipes } = world.management.main;
const service = `organizationId: "${organizationId}", serviceId: "${services.production}"`;
const pipe = `${service}, pipeId: "${pipes.clickstream}"`;

const operations: Record<string, unknown> = {
  'a query': { query: `{ service(${service}) { name pipes { name source { __typename } } } }` },
  'a query with variables': {
    query: 'query One($id: ID!) { organization(id: $id) { name } }',
    variables: { id: organizationId },
    operationName: 'One',
  },
  'one of two operations': {
    query: 'query A { dashboards { name } } query B { alerts { name } }',
    operationName: 'B',
  },
  'a refused mutation': {
    query: `mutation { startPipe(input: {${pipe}}) { userErrors { message } } }`,
  },
  'partial data': { query: `{ dashboards { name } alert(id: "gone") { name } }` },
  'an identifier that is none': { query: '{ organization(id: "..") { name } }' },
  'null for what may be left out': {
    query: '{ __typename }',
    variables: null,
    operationName: null,
  },
  introspection: { query: '{ __schema { queryType { name fields { name } } } }' },
  'an unknown operation name': { query: 'query A { __typename }', operationName: 'B' },
  'no name for two operations': { query: 'query A { __typename } query B { __typename }' },
  'variables that do not fit': {
    query: 'query One($id: ID!) { organization(id: $id) { name } }',
    variables: { id: { password: 'x' } },
  },
  'a syntax error': { query: '{ organizations { ' },
  'an unknown field': { query: '{ nothing }' },
  'an empty query': { query: '' },
  'no query': {},
  'a query that is a number': { query: 7 },
  'variables that are text': { query: '{ __typename }', variables: 'x' },
  'variables that are a list': { query: '{ __typename }', variables: [] },
  'an operation name that is a number': { query: '{ __typename }', operationName: 7 },
  'an unknown parameter': { query: '{ __typename }', surprise: true },
  'a list of requests': [{ query: '{ __typename }' }],
  'a text': '{ __typename }',
  nothing: null,
};

/** What clients accept, as they send it of their own accord. */
const accepts: Readonly<Record<string, string>> = {
  fetch: '*/*',
  'a client of JSON alone': 'application/json',
  'Apollo Client 4': 'application/graphql-response+json,application/json;q=0.9',
  urql: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  'graphql-request and our client': 'application/graphql-response+json, application/json',
};

describe('every client is answered alike', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  afterAll(() => stack.close());

  const send = async (body: string, accept: string) => {
    stack.calls.length = 0;
    const { management, observability } = stack.sandbox.credentials;
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'x-request-id': 'the-same',
        'management-authorization': management.admin.header,
        'observability-authorization': observability.main.header,
      },
      body,
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      requestId: response.headers.get('x-request-id'),
      // The sandbox gives each of its answers an id of its own.
      text: (await response.text()).replaceAll(/"requestId":"(?!the-same)[^"]*"/g, ''),
      calls: stack.callList(),
    };
  };

  /** GraphQL over HTTP has the status depend on the media type alone where there is no data. */
  const expectAlike = async (body: string): Promise<void> => {
    const { status: statusOfJson, type: _, ...json } = await send(body, 'application/json');
    const hasData = 'data' in JSON.parse(json.text);
    for (const [client, accept] of Object.entries(accepts)) {
      const { status, type, ...rest } = await send(body, accept);
      const isResponseJson = accept.includes('application/graphql-response+json');
      const mediaType = isResponseJson ? 'application/graphql-response+json' : 'application/json';
      expect({ client, type, ...rest }).toEqual({
        client,
        type: `${mediaType}; charset=utf-8`,
        ...json,
      });
      if (hasData || !isResponseJson) expect([client, status]).toEqual([client, statusOfJson]);
      else expect([client, status >= 400 && status < 500]).toEqual([client, true]);
    }
  };

  it.each(Object.entries(operations))('to %s', async (_, operation) => {
    await expectAlike(JSON.stringify(operation));
  });

  it.each(['', '{', '"', '{"query":"{ __typename }"', '[]', 'null', '<html></html>', '\u0000'])(
    'to the body %j',
    expectAlike,
  );

  it('the second time too, when the document is known', async () => {
    const body = JSON.stringify(operations['a query']);
    const first = await send(body, '*/*');
    expect(await send(body, '*/*')).toEqual(first);
    expect(first.text).toContain('"name":"production"');
  });

  it('to a body above the limit', async () => {
    await expectAlike(JSON.stringify({ query: `{ __typename }${' '.repeat(2 * 1024 * 1024)}` }));
  });
});

it.each([
  ['no origin is listed', [], undefined],
  ['a page is of no listed origin', ['https://one.example'], 'https://other.example'],
  ['a page is of a listed origin', ['https://one.example'], 'https://one.example'],
])('responses are the same, head and all, however a body is framed, where %s', async (...of) => {
  const [, corsOrigins, origin] = of;
  const stack = await startSandboxStack({ config: { corsOrigins } });
  onTestFinished(() => stack.close());
  const ask = async (way: typeof sendSized) => {
    const answer = await way(stack.url, {
      method: 'POST',
      headers: {
        ...credentials,
        'content-type': 'application/json',
        'x-request-id': 'the-same',
        ...(origin && { origin }),
      },
      body: JSON.stringify({ query: '{ __typename } # ä' }),
    });
    const headers: Record<string, string> = Object.fromEntries(answer.headers);
    return {
      status: answer.status,
      text: await answer.text(),
      headers: Object.assign(headers, { date: '' }),
    };
  };
  const answer = await ask(sendSized);
  expect(answer).toEqual(await ask(sendChunked));
  expect(answer.headers['access-control-allow-origin']).toBe(
    origin === 'https://one.example' ? origin : undefined,
  );
});
