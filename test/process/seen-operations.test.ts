import '../support/client/built.ts';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { expect, it } from 'vitest';
import { createClient, TypedDocumentString } from '../../client/src/index.ts';
import { run } from '../support/process/run-main.ts';

/** Instruments node:http as tracing does: from outside, before the gateway is loaded. */
const instrumentation = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('http.server.request.start', ({ request }) => {
    process.stderr.write(request.method + ' ' + request.headers.accept + '\\n');
  });
`)}`;

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
  const urls = { MANAGEMENT_URL: 'http://127.0.0.1:1', OBSERVABILITY_URL: 'http://127.0.0.1:1' };
  const command = [process.execPath, '--import', instrumentation, 'src/main.ts'] as const;
  const gateway = run({ ...urls, PORT: '0' }, command);
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;
  const names: unknown[] = [];
  for (const [name, send] of Object.entries(clients)) {
    for (const method of ['POST', 'GET'] as const) {
      const data = await send(url, method, `query ${name} { __typename }`, name);
      expect([name, data]).toMatchObject([name, { __typename: 'Query' }]);
      names.push(name);
    }
  }
  const client = createClient({ url });
  await client.request(new TypedDocumentString<unknown, object>('query Own { __typename }'), {});
  names.push('Own');

  // The line of an operation is a plugin's.
  await gateway.logged('operation', names.length);
  const seenByPlugin = gateway.lines('operation').map(({ operationName }) => operationName);
  expect(seenByPlugin).toEqual(names);
  const seen = gateway.output.errors.trimEnd().split('\n');
  const methods = names.map((_, index) => (index % 2 === 0 ? 'POST' : 'GET'));
  expect(seen.map((line) => line.split(' ', 1)[0])).toEqual(methods);
  // They do not send the same, or this would show less than it says.
  expect(new Set(seen).size).toBeGreaterThanOrEqual(4);
});
