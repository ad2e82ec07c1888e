import '../support/client/built.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../client/src/index.ts';
import type { FromGateway } from '../support/process/seen-gateway.ts';

/** Instruments node:http as tracing does: from outside, before the gateway is loaded. */
const instrumentation = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  const seen = [];
  globalThis.seenByInstrumentation = seen;
  subscribe('http.server.request.start', ({ request }) => {
    seen.push(request.method + ' ' + request.headers.accept);
  });
`)}`;

const start = async () => {
  const gateway = fork(
    fileURLToPath(new URL('../support/process/seen-gateway.ts', import.meta.url)),
    {
      execArgv: ['--import', instrumentation],
    },
  );
  onTestFinished(async () => {
    const ended = once(gateway, 'exit');
    gateway.disconnect();
    await ended;
  });
  const told = async (): Promise<FromGateway> => {
    const [message] = await once(gateway, 'message');
    return message;
  };
  const first = await told();
  if (!('port' in first)) throw new Error('the gateway does not listen');
  return {
    url: `http://127.0.0.1:${first.port}/graphql`,
    seen: async () => {
      const answer = told();
      gateway.send('seen?');
      const seen = await answer;
      if ('port' in seen) throw new Error('the gateway started twice');
      return seen;
    },
  };
};

type Method = 'GET' | 'POST';

const graphqlRequest = 'application/graphql-response+json, application/json';

const byFetch =
  (accept?: string) =>
  async (url: string, method: Method, query: string, operationName: string): Promise<unknown> => {
    const address = new URL(url);
    if (method === 'GET') {
      address.searchParams.set('query', query);
      address.searchParams.set('operationName', operationName);
    }
    const response = await fetch(address, {
      method,
      headers: { 'content-type': 'application/json', ...(accept !== undefined && { accept }) },
      ...(method === 'POST' && { body: JSON.stringify({ query, operationName }) }),
    });
    return (await response.json()).data;
  };

/** What each client sends of its own accord; of graphql-request, which is not installed here, its headers. */
const clients: Readonly<Record<string, ReturnType<typeof byFetch>>> = {
  Fetch: byFetch(),
  GraphqlRequest: byFetch(graphqlRequest),
  Apollo: async (uri, method, query) => {
    const link = new HttpLink({ uri, useGETForQueries: method === 'GET' });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    return (await client.query({ query: gql(query), fetchPolicy: 'no-cache' })).data;
  },
  Urql: async (url, method, query) => {
    const preferGetMethod = method === 'GET' && 'force';
    const client = new UrqlClient({ url, exchanges: [fetchExchange], preferGetMethod });
    return (await client.query(query, {})).data;
  },
};

it('a plugin and an instrumentation of node:http see every operation of every client', async () => {
  const { url, seen } = await start();
  const expected: string[] = [];
  for (const [name, send] of Object.entries(clients)) {
    for (const method of ['POST', 'GET'] as const) {
      const query = `query ${name} { __typename }`;
      expect([name, await send(url, method, query, name)]).toMatchObject([
        name,
        { __typename: 'Query' },
      ]);
      expected.push(`${method} ${name}`);
    }
  }
  const client = createClient({ url });
  await client.request(new TypedDocumentString<unknown, object>('query Own { __typename }'), {});
  expected.push('POST without a name');

  const { byPlugin, byInstrumentation } = await seen();
  expect(byPlugin).toEqual(expected);
  expect(byInstrumentation).toHaveLength(expected.length);
  const methods = (lines: readonly string[]) => lines.map((line) => line.split(' ', 1)[0]);
  expect(methods(byInstrumentation)).toEqual(methods(expected));
  // They do not send the same, or this would show less than it says.
  expect(new Set(byInstrumentation).size).toBeGreaterThanOrEqual(4);
});
