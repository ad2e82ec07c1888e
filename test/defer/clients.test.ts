import { ApolloClient, gql as apollo, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { Client, fetchExchange } from '@urql/core';
import { expect, it, onTestFinished } from 'vitest';
import { credentials, paced, startStack } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const page = withIds(
  'query Page { organization(id: "organization-1") { id name services { id name ... @defer { pipes { id name } } } } }',
);
/** With these the response ends in a part that has extensions alone. */
const headers = { ...credentials, 'sluice-explain': '1' };

interface Page {
  readonly organization?: {
    readonly services?: readonly {
      readonly name: string;
      readonly pipes?: readonly { readonly name: string }[];
    }[];
  };
}

/** Asks for the page, tells what it shows each time, and ends with the response. */
type Ask = (
  uri: string,
  fetch: typeof globalThis.fetch,
  show: (page: Page | undefined) => void,
) => Promise<void>;

const askWithApollo: Ask = (uri, fetch, show) =>
  new Promise((resolve, reject) => {
    const link = new HttpLink({ uri, headers, fetch });
    const incrementalHandler = new Defer20220824Handler();
    const client = new ApolloClient({ cache: new InMemoryCache(), link, incrementalHandler });
    onTestFinished(() => client.stop());
    client.watchQuery<Page>({ query: apollo(page) }).subscribe(({ data, error, dataState }) => {
      if (error) reject(error);
      if (data) show(data as Page);
      if (dataState === 'complete') resolve();
    });
  });
const askWithUrql: Ask = (url, fetch, show) =>
  new Promise((resolve, reject) => {
    const how = { exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers } };
    new Client({ url, fetch, ...how })
      .query<Page>(page, {})
      .subscribe(({ data, error, extensions, hasNext }) => {
        if (error) reject(error);
        show(data);
        if (hasNext) return;
        expect(extensions?.upstream).toHaveLength(14);
        resolve();
      });
  });

it.each([
  ['Apollo Client 4', askWithApollo],
  ['urql', askWithUrql],
])(
  '%s shows the names of twelve services under the limit, and their pipes as they come, whatever empty parts come',
  async (_, ask) => {
    const clock = stopTime();
    const stack = await startStack({
      ...createBackend(worldOf({ services: 12 })),
      config: { ...paced, explain: true },
      gateway: { silenceMs: 1000 },
    });
    onTestFinished(() => stack.close());
    const bodies: Promise<string>[] = [];
    const noting: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      bodies.push(response.clone().text());
      return response;
    };
    /** For each service its name, and those of its pipes where they are there. */
    const seen: (readonly string[])[][] = [];
    const done = ask(stack.url, noting, (shown) => {
      const services = shown?.organization?.services;
      if (services)
        seen.push(
          services.map(({ name, pipes = [] }) => [name, ...pipes.map((pipe) => pipe.name)]),
        );
    });
    const withPipes = (rows: readonly (readonly string[])[] = []) =>
      rows.filter(({ length }) => length > 1).length;
    await clock.still(() => withPipes(seen.at(-1)) === 6);
    await clock.until(done);
    expect(seen[0]).toEqual(numbers(12).map((number) => [`Service ${number}`]));
    expect(seen.at(-1)).toEqual(
      numbers(12).map((number) => [`Service ${number}`, `Pipe ${number}`]),
    );
    const emptyParts = (await Promise.all(bodies)).join('').split('\n{"hasNext":true}\r');
    expect(emptyParts.length).toBeGreaterThan(6);
  },
);
