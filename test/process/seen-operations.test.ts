import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { expect, it } from 'vitest';
import { run } from '../support/process/run-main.ts';

/** Instruments node:http as tracing does: from outside, before the gateway is loaded. */
const instrumentation = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('http.server.request.start', ({ request }) => {
    process.stderr.write(request.method + ' ' + request.headers.accept + '\\n');
  });
`)}`;

/** What each client sends of its own accord, by both methods. */
const clients = {
  Fetch: async (url: string, isGet: boolean, query: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = isGet
      ? await fetch(`${url}?${new URLSearchParams({ query })}`)
      : await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await response.json()).data;
  },
  Apollo: async (uri: string, useGETForQueries: boolean, query: string) => {
    const link = new HttpLink({ uri, useGETForQueries });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    return (await client.query({ query: gql(query), fetchPolicy: 'no-cache' })).data;
  },
  Urql: async (url: string, isGet: boolean, query: string) => {
    const preferGetMethod = isGet && 'force';
    const client = new UrqlClient({ url, exchanges: [fetchExchange], preferGetMethod });
    return (await client.query(query, {})).data;
  },
};

it('a plugin and an instrumentation of node:http see every operation of every client', async () => {
  const urls = { MANAGEMENT_URL: 'http://127.0.0.1:1', OBSERVABILITY_URL: 'http://127.0.0.1:1' };
  const command = [process.execPath, '--import', instrumentation, 'src/main.ts'] as const;
  const gateway = run({ ...urls, PORT: '0' }, command);
  const { port } = await gateway.logged('listening');
  for (const [name, send] of Object.entries(clients))
    for (const isGet of [false, true]) {
      const data = await send(
        `http://127.0.0.1:${port}/graphql`,
        isGet,
        `query ${name} { __typename }`,
      );
      expect([name, data]).toMatchObject([name, { __typename: 'Query' }]);
    }

  // The line of an operation is a plugin's.
  await gateway.logged('operation', 6);
  const seenByPlugin = gateway.lines('operation').map(({ operationName }) => operationName);
  expect(seenByPlugin).toEqual(['Fetch', 'Fetch', 'Apollo', 'Apollo', 'Urql', 'Urql']);
  const seen = gateway.output.errors.trimEnd().split('\n');
  const methods = seen.map((line) => line.split(' ', 1)[0]);
  expect(methods).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET']);
  // They do not send the same, or this would show less than it says.
  expect(new Set(seen).size).toBeGreaterThanOrEqual(4);
});
