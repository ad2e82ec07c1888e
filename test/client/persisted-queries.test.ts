import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createRequest, fetchExchange, stringifyDocument, Client as Urql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { parse, print } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { credentials } from '../support/harness.ts';
import {
  createFolder,
  hashOf,
  manifestOf,
  reading,
  startOperations,
} from '../support/http/operations.ts';

const query = parse('query Names { alerts { name __typename } }');
/** Each of them prints a document in its way. */
const texts = [print(query), stringifyDocument(createRequest(query, {}).query)];
const { fileOf } = createFolder();
const files = { known: fileOf(JSON.stringify(manifestOf(...texts))), unknown: fileOf('{}') };

/** What a request brought: its method, a hash, a text. */
const sentOf = (input: RequestInfo | URL, { method = 'GET', body }: RequestInit = {}): string => {
  const { searchParams } = new URL(String(input));
  const given = typeof body === 'string' ? JSON.parse(body) : Object.fromEntries(searchParams);
  const hash = JSON.stringify(given.extensions ?? '').includes('sha256Hash') ? ' hash' : '';
  return method + hash + (given.query ? ' text' : '');
};

/** Asks without a client's own cache. */
type Create = (uri: string, fetch: typeof globalThis.fetch) => () => Promise<{ data?: unknown }>;

const apollo =
  (useGETForHashedQueries: boolean): Create =>
  (uri, fetch) => {
    const persisted = new PersistedQueryLink({ sha256: hashOf, useGETForHashedQueries });
    const link = ApolloLink.from([persisted, new HttpLink({ uri, headers: credentials, fetch })]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    return () => client.query({ query, fetchPolicy: 'no-cache' });
  };

const urql =
  (preferGetForPersistedQueries: boolean): Create =>
  (url, fetch) => {
    const generateHash = async (text: string) => hashOf(text);
    const persisted = persistedExchange({ preferGetForPersistedQueries, generateHash });
    const exchanges = [persisted, fetchExchange];
    const fetchOptions = { headers: credentials };
    const client = new Urql({ url, fetch, fetchOptions, exchanges, preferGetMethod: false });
    return async () => client.query(query, {});
  };

const clients = [
  ["Apollo Client's link by POST", 'POST', apollo(false)],
  ["Apollo Client's link by GET", 'GET', apollo(true)],
  ["urql's exchange by POST", 'POST', urql(false)],
  ["urql's exchange by GET", 'GET', urql(true)],
] as const;
const gateways = [
  ['off', undefined, /^% hash,\w+ text,\w+ text$/],
  ['allow', files.unknown, /^(% hash,\w+ hash text,?){2}$/],
  ['allow', files.known, /^% hash,% hash$/],
  ['only', files.known, /^% hash,% hash$/],
] as const;

// Texts only, once a gateway has refused a hash; the text too to a gateway without the hash; and else hashes only.
it.each(
  clients.flatMap(([name, ...client]) =>
    gateways.map((gateway) => [name, ...client, ...gateway] as const),
  ),
)(
  '%s: asked twice, it sends no more texts than the gateway needs',
  async (_, method, create, persistedOperations, persistedOperationsFile, sent) => {
    const stack = await startOperations({ persistedOperations, persistedOperationsFile });
    onTestFinished(() => stack.close());
    const requests: string[] = [];
    const ask = create(stack.url, (input, init) => {
      requests.push(sentOf(input, init));
      return fetch(input, init);
    });
    const data = { alerts: [{ ...reading.data.alerts[0], __typename: 'Alert' }] };
    expect([await ask(), await ask()]).toMatchObject([{ data }, { data }]);
    expect(stack.callList()).toEqual([reading.call, reading.call]);
    expect(requests.join()).toMatch(new RegExp(sent.source.replaceAll('%', method)));
  },
);
