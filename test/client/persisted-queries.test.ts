import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createRequest, fetchExchange, stringifyDocument, Client as Urql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { parse, print } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { credentials, type Stack } from '../support/harness.ts';
import {
  createFolder,
  hashOf,
  manifestOf,
  reading,
  startOperations,
} from '../support/http/operations.ts';

const document = parse('query Names { alerts { name __typename } }');
/** Each of them prints a document in its way. */
const texts = [print(document), stringifyDocument(createRequest(document, {}).query)];
const { fileOf } = createFolder();
const files = { known: fileOf(JSON.stringify(manifestOf(...texts))), unknown: fileOf('{}') };
const expected = [{ ...reading.data.alerts[0], __typename: 'Alert' }];

let stack: Stack;
afterEach(() => stack.close());

/** What a request brought: its method, a hash, a text. */
type Sent = readonly string[];

const sentOf = (input: RequestInfo | URL, init: RequestInit = {}): Sent => {
  const { method = 'GET', body } = init;
  const url = new URL(String(input));
  const given = typeof body === 'string' ? JSON.parse(body) : Object.fromEntries(url.searchParams);
  return [
    method,
    ...(JSON.stringify(given.extensions ?? '').includes('sha256Hash') ? ['hash'] : []),
    ...(given.query ? ['text'] : []),
  ];
};

/** Asks twice, with a client's own cache out of the way. */
type Ask = (fetch: typeof globalThis.fetch) => () => Promise<unknown>;

const apollo =
  (useGETForHashedQueries: boolean): Ask =>
  (fetch) => {
    const persisted = new PersistedQueryLink({ sha256: hashOf, useGETForHashedQueries });
    const http = new HttpLink({ uri: stack.url, headers: credentials, fetch });
    const link = ApolloLink.from([persisted, http]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    return async () => {
      const { data } = await client.query<typeof reading.data>({
        query: document,
        fetchPolicy: 'no-cache',
      });
      return data?.alerts;
    };
  };

const urql =
  (preferGetForPersistedQueries: boolean): Ask =>
  (fetch) => {
    const persisted = persistedExchange({
      preferGetForPersistedQueries,
      generateHash: async (query) => hashOf(query),
    });
    const client = new Urql({
      url: stack.url,
      fetch,
      fetchOptions: { headers: credentials },
      exchanges: [persisted, fetchExchange],
      preferGetMethod: false,
    });
    return async () => {
      const { data, error } = await client.query<typeof reading.data>(document, {});
      if (error) throw error;
      return data?.alerts;
    };
  };

const clients = [
  ["Apollo Client's link by POST", apollo(false), 'POST'],
  ["Apollo Client's link by GET", apollo(true), 'GET'],
  ["urql's exchange by POST", urql(false), 'POST'],
  ["urql's exchange by GET", urql(true), 'GET'],
] as const;

describe.each(clients)('%s', (_, createAsk, method) => {
  const askTwice = async (): Promise<readonly Sent[]> => {
    const sent: Sent[] = [];
    const ask = createAsk((input, init) => {
      sent.push(sentOf(input, init));
      return fetch(input, init);
    });
    expect([await ask(), await ask()]).toEqual([expected, expected]);
    expect(stack.callList()).toEqual([reading.call, reading.call]);
    return sent;
  };

  it('sends texts only, once a gateway without persisted operations has refused a hash', async () => {
    stack = await startOperations({ persistedOperations: 'off' });
    const [first, ...others] = await askTwice();
    expect(first).toEqual([method, 'hash']);
    expect(others.map(([, ...parts]) => parts)).toEqual([['text'], ['text']]);
  });

  it('sends text and hash where the gateway does not have the hash', async () => {
    stack = await startOperations({
      persistedOperations: 'allow',
      persistedOperationsFile: files.unknown,
    });
    const sent = await askTwice();
    expect(sent.map(([, ...parts]) => parts)).toEqual([
      ['hash'],
      ['hash', 'text'],
      ['hash'],
      ['hash', 'text'],
    ]);
  });

  it.each(['allow', 'only'] as const)(
    'sends hashes only that the gateway has, in mode %s',
    async (persistedOperations) => {
      stack = await startOperations({ persistedOperations, persistedOperationsFile: files.known });
      expect(await askTwice()).toEqual([
        [method, 'hash'],
        [method, 'hash'],
      ]);
    },
  );
});
