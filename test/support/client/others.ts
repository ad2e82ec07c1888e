import './built.ts';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { createClient as createSluiceClient } from '@sluice/client';
import { cacheExchange, fetchExchange, Client as Urql } from '@urql/core';
import { createClient } from 'graphql-sse';
import { possibleTypes, typePolicies } from '../../../client/src/apollo.ts';
import { withLive } from '../../../examples/apollo-links.ts';

type Headers = Readonly<Record<string, string>>;

/** graphql-sse's own client. */
export const graphqlSse = (url: string, headers: Headers) => createClient({ url, headers });

/** Apollo Client, with events through the client package, as docs/clients.md describes. */
export const apolloClient = (url: string, headers: Headers): ApolloClient => {
  return new ApolloClient({
    link: withLive(createSluiceClient({ url, headers }), new HttpLink({ uri: url, headers })),
    cache: new InMemoryCache({ possibleTypes, typePolicies }),
    incrementalHandler: new Defer20220824Handler(),
  });
};

/** urql, as docs/clients.md describes. */
export const urqlClient = (url: string, headers: Headers): Urql =>
  new Urql({
    url,
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers },
    exchanges: [cacheExchange, fetchExchange],
  });
