import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { world } from '../sandbox/world/ids.ts';
import { credentials, type Stack, startSandboxStack } from './harness.ts';
import { nodeWay, shortWay } from './http-ways.ts';

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

describe('the short way in and Yoga’s answer alike', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  afterAll(() => stack.close());

  const send = async (body: string, accept: string) => {
    stack.calls.length = 0;
    const response = await fetch(stack.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'x-request-id': 'the-same',
        'management-authorization': `Basic ${Buffer.from('demo-admin-key:demo-admin-secret').toString('base64')}`,
        'observability-authorization': 'Bearer demo-main-token',
      },
      body,
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      requestId: response.headers.get('x-request-id'),
      // The sandbox gives each of its answers an id of its own.
      body: (await response.text()).replaceAll(/"requestId":"(?!the-same)[^"]*"/g, ''),
      calls: stack.callList(),
    };
  };

  /** Only the exact media types take the short way; this one means the same. */
  const throughYoga = 'application/json;q=1';

  it.each(Object.entries(operations))('to %s', async (_, operation) => {
    const body = JSON.stringify(operation);
    expect(await send(body, '*/*')).toEqual(await send(body, throughYoga));
  });

  it.each(['', '{', '"', '{"query":"{ __typename }"', '[]', 'null'])(
    'to the body %j',
    async (body) => {
      expect(await send(body, '*/*')).toEqual(await send(body, throughYoga));
    },
  );

  it('the second time too, when the document is known', async () => {
    const body = JSON.stringify(operations['a query']);
    const first = await send(body, '*/*');
    expect(await send(body, '*/*')).toEqual(first);
    expect(first.body).toContain('"name":"production"');
  });

  it('to a body above the limit, of known size or not', async () => {
    const body = JSON.stringify({ query: `{ __typename }${' '.repeat(2 * 1024 * 1024)}` });
    const [short, long] = [await send(body, '*/*'), await send(body, throughYoga)];
    expect(short.status).toBe(413);
    expect(short).toEqual(long);
  });
});

it.each([
  ['no origin is listed', [], undefined],
  ['a page is of no listed origin', ['https://one.example'], 'https://other.example'],
  ['a page is of a listed origin', ['https://one.example'], 'https://one.example'],
])('answers are the same, head and all, whoever reads the request, where %s', async (...of) => {
  const [, corsOrigins, origin] = of;
  const stack = await startSandboxStack({ config: { corsOrigins } });
  onTestFinished(() => stack.close());
  const ask = async (way: typeof shortWay) => {
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
  const answer = await ask(shortWay);
  expect(answer).toEqual(await ask(nodeWay));
  expect(answer.headers['access-control-allow-origin']).toBe(
    origin === 'https://one.example' ? origin : undefined,
  );
});
