import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { credentials, data, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const servicePath = `/v1/organizations/${organizationId}/services/${serviceId}`;

const read = '{ alerts { name } }';
const write = `mutation { updateServiceScaling(input: {
  organizationId: "${organizationId}", serviceId: "${serviceId}", numReplicas: 2
}) { service { numReplicas } } }`;

const reading = { data: { alerts: [{ name: 'lag' }] }, call: 'GET /api/v2/alerts' };
const writing = {
  data: { updateServiceScaling: { service: { numReplicas: 2 } } },
  call: `PATCH ${servicePath}/scaling`,
};

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({ id: serviceId, numReplicas: 2 }),
    observability: () => data([{ id: 'a1', name: 'lag' }]),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

interface Sent {
  readonly body: string | FormData | Uint8Array<ArrayBuffer>;
  /** Left out, `fetch` names the type that belongs to the body, or none for bytes. */
  readonly type?: string;
}

const post = ({ body, type }: Sent, headers: Readonly<Record<string, string>> = {}) =>
  fetch(stack.url, {
    method: 'POST',
    headers: { ...credentials, ...headers, ...(type !== undefined && { 'content-type': type }) },
    body,
  });

const bytes = (text: string) => new TextEncoder().encode(text);
const asJson = (query: string): string => JSON.stringify({ query });

const form = (entries: Readonly<Record<string, string>>): FormData => {
  const made = new FormData();
  for (const [name, value] of Object.entries(entries)) made.set(name, value);
  return made;
};

const refused: readonly (readonly [title: string, send: (query: string) => Sent])[] = [
  [
    'application/x-www-form-urlencoded',
    (query) => ({
      body: new URLSearchParams({ query }).toString(),
      type: 'application/x-www-form-urlencoded',
    }),
  ],
  ['multipart/form-data', (query) => ({ body: form({ query }) })],
  [
    'multipart/form-data as the multipart specification has it',
    (query) => ({ body: form({ operations: asJson(query), map: '{}' }) }),
  ],
  ['text/plain', (query) => ({ body: asJson(query), type: 'text/plain' })],
  [
    'text/plain with a charset',
    (query) => ({ body: asJson(query), type: 'text/plain;charset=UTF-8' }),
  ],
  ['application/graphql', (query) => ({ body: query, type: 'application/graphql' })],
  ['no content type', (query) => ({ body: bytes(asJson(query)) })],
  ['an empty content type', (query) => ({ body: bytes(asJson(query)), type: '' })],
  ['application/jsonx', (query) => ({ body: asJson(query), type: 'application/jsonx' })],
  ['text/json', (query) => ({ body: asJson(query), type: 'text/json' })],
  [
    'text/plain that mentions JSON',
    (query) => ({ body: asJson(query), type: 'text/plain; x=application/json' }),
  ],
  ['two types', (query) => ({ body: asJson(query), type: 'text/plain, application/json' })],
];

describe.each([
  ['a query', read],
  ['a mutation', write],
])('%s posted as', (_kind, query) => {
  it.each(refused)('%s is refused with 415 before any call', async (_, send) => {
    const answer = await post(send(query));
    expect(answer.status).toBe(415);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
    expect(await answer.json()).toEqual({
      errors: [
        {
          message: expect.stringMatching(/content-type: application\/json/i),
          extensions: { code: 'BAD_REQUEST', requestId: answer.headers.get('x-request-id') },
        },
      ],
    });
    expect(stack.callList()).toEqual([]);
  });

  it('anything but JSON is told apart by the id that the caller gave', async () => {
    const answer = await post({ body: query, type: 'text/plain' }, { 'x-request-id': 'mine-7' });
    expect(answer.headers.get('x-request-id')).toBe('mine-7');
    expect((await answer.json()).errors[0].extensions.requestId).toBe('mine-7');
  });

  const expected = query === read ? reading : writing;
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset=utf-8',
    'Application/JSON',
    'application/graphql+json',
  ])('%s is answered', async (type) => {
    const answer = await post({ body: asJson(query), type });
    expect([answer.status, await answer.json()]).toEqual([200, { data: expected.data }]);
    expect(stack.callList()).toEqual([expected.call]);
  });
});

describe('an operation in the URL', () => {
  const get = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${stack.url}?${new URLSearchParams({ query })}`, {
      headers: { ...credentials, accept: 'application/json', ...headers },
    });

  it('is answered when it is a query', async () => {
    const answer = await get(read);
    expect([answer.status, await answer.json()]).toEqual([200, { data: reading.data }]);
    expect(stack.callList()).toEqual([reading.call]);
  });

  it.each(['application/json', '*/*', 'application/graphql-response+json'])(
    'is refused with 405 before any call when it is a mutation, accepting %s',
    async (accept) => {
      const answer = await get(write, { accept });
      expect(answer.status).toBe(405);
      expect((await answer.json()).data).toBeUndefined();
      expect(stack.callList()).toEqual([]);
    },
  );

  it('does not make up for a body of another type', async () => {
    const url = `${stack.url}?${new URLSearchParams({ query: write })}`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...credentials, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(answer.status).toBe(415);
    expect(stack.callList()).toEqual([]);
  });
});
