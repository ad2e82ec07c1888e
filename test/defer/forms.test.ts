import '../support/client/built.ts';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { fetchExchange, Client as Urql } from '@urql/core';
import { getOperationAST } from 'graphql';
import { describe, expect, it } from 'vitest';
import { profiles, rows } from '../operations/table.ts';
import { type AnswerError, useSandboxStack } from '../support/harness.ts';
import {
  askInParts,
  assembled,
  deferred,
  events,
  multipart,
  type Part,
} from '../support/in-parts.ts';
import { documents, textOf } from '../support/operations.ts';

const v02 = 'multipart/mixed;incrementalSpec=v0.2,application/json';
const forms = [multipart, events, v02, 'text/event-stream;incrementalSpec=v0.2'];

const isQuery = (name: string): boolean => {
  const document = documents[name];
  return document !== undefined && getOperationAST(document)?.operation === 'query';
};

const queries = Object.entries(rows).filter(
  ([name, { profile }]) => isQuery(name) && profile !== 'clickstack-cloud',
);

/** Apollo Client and urql add this to what they select. */
const withoutTypenames = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data, (key, value) => (key === '__typename' ? undefined : value)));

const codesOf = (errors: readonly unknown[] = []): readonly string[] =>
  (errors as readonly AnswerError[]).map(({ extensions }) => extensions.code).sort();

const errorsOf = (parts: readonly Part[]): readonly unknown[] =>
  parts.flatMap(({ errors = [], incremental = [], completed = [] }) =>
    [{ errors }, ...incremental, ...completed].flatMap((each) => each.errors ?? []),
  );

type Ask = (text: string, variables: object) => Promise<{ readonly data?: unknown }>;

type Headers = Readonly<Record<string, string>>;
type Handler = NonNullable<ApolloClient.Options['incrementalHandler']>;

const once = { fetchPolicy: 'no-cache', errorPolicy: 'all' } as const;
const apollo =
  (url: string, headers: Headers, incrementalHandler: Handler): Ask =>
  async (text, variables) => {
    const link = new HttpLink({ uri: url, headers });
    const client = new ApolloClient({ link, cache: new InMemoryCache(), incrementalHandler });
    return await client.query({ query: gql(text), variables, ...once });
  };

const urql = (url: string, headers: Headers): Ask => {
  const exchanges = [fetchExchange];
  const client = new Urql({ url, fetchOptions: { headers }, exchanges, preferGetMethod: false });
  return (text, variables) =>
    new Promise((resolve) => {
      client.query(text, variables).subscribe((result) => {
        if (!result.hasNext) resolve(result);
      });
    });
};

describe('every query of operations/, with all below its root fields in parts,', () => {
  const stack = useSandboxStack({
    sandbox: { profile: 'live', clock: () => new Date('2026-11-21T10:00:00Z') },
    config: { ...profiles.live, maxUpstreamCalls: 500 },
  });

  it.each(queries)(
    '%s ends with the same data in each form, for each client',
    async (name, row) => {
      const { management, observability } = stack.sandbox.credentials;
      const headers = {
        'management-authorization': management.admin.header,
        'observability-authorization': observability.main.header,
      };
      const { variables } = row;
      const { body } = await stack.query(textOf(name), { variables, headers });
      expect(body.data).toBeTruthy();
      const codes = codesOf(body.errors);
      const text = deferred(textOf(name));
      for (const accept of forms) {
        const { ended, head } = askInParts(stack, text, { accept, variables, headers });
        const parts = await ended;
        expect([accept, codesOf(errorsOf(parts)), assembled(parts)]).toEqual([
          accept,
          codes,
          body.data,
        ]);
        expect([accept, parts.some(({ pending }) => pending)]).toEqual([
          accept,
          accept.includes('v0.2'),
        ]);
        expect(head().headers['content-type']).toContain(accept.slice(0, accept.search(/[;,]|$/)));
      }
      for (const ask of [
        apollo(stack.url, headers, new Defer20220824Handler()),
        apollo(stack.url, headers, new GraphQL17Alpha9Handler() as Handler),
        urql(stack.url, headers),
      ]) {
        const { data } = await ask(text, variables);
        expect(withoutTypenames(data)).toEqual(withoutTypenames(body.data));
      }
    },
  );
});
