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

/** Twelve services under the interfaces' own limits, and nothing in memory. */
const start = async () => {
  const clock = stopTime();
  const stack = await startStack({
    ...createBackend(worldOf({ services: 12 })),
    config: { ...paced, explain: true },
    // While the clients wait for the limit, empty parts come.
    gateway: { silenceMs: 1000 },
  });
  onTestFinished(() => stack.close());
  const bodies: Promise<string>[] = [];
  const noting: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    bodies.push(response.clone().text());
    return response;
  };
  /** What a client showed at the different times: names alone, the pipes of six services, all. */
  const expectProgress = async (seen: readonly ReturnType<typeof shown>[]): Promise<void> => {
    expect(seen[0]).toEqual(whole.map(([name]) => [name]));
    expect(seen.map(withPipes)).toContain(6);
    expect(seen.at(-1)).toEqual(whole);
    const emptyParts = (await Promise.all(bodies)).join('').split('\n{"hasNext":true}\r');
    expect(emptyParts.length).toBeGreaterThan(6);
  };
  return { clock, stack, noting, expectProgress };
};

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

/** For each service its name, and those of its pipes where they are there. */
const shown = (data: Page | undefined) =>
  data?.organization?.services?.map(({ name, pipes }) => [
    name,
    ...(pipes ?? []).map((pipe) => pipe.name),
  ]);

const whole = numbers(12).map((number) => [`Service ${number}`, `Pipe ${number}`]);
const withPipes = (rows: ReturnType<typeof shown>): number =>
  rows?.filter(({ length }) => length > 1).length ?? 0;

it('Apollo Client 4 shows the names of twelve services, and their pipes as they come', async () => {
  const { clock, stack, noting, expectProgress } = await start();
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({ uri: stack.url, headers, fetch: noting }),
    incrementalHandler: new Defer20220824Handler(),
  });
  const seen: ReturnType<typeof shown>[] = [];
  const done = new Promise<void>((resolve, reject) => {
    client.watchQuery<Page>({ query: apollo(page) }).subscribe(({ data, error, dataState }) => {
      if (error) reject(error);
      const rows = shown(data as Page | undefined);
      if (rows) seen.push(rows);
      if (dataState === 'complete') resolve();
    });
  });
  await clock.still(() => withPipes(seen.at(-1)) === 6);
  await clock.until(done);
  await expectProgress(seen);
  client.stop();
});

it('urql shows the names of twelve services, and their pipes as they come', async () => {
  const { clock, stack, noting, expectProgress } = await start();
  const client = new Client({
    url: stack.url,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetch: noting,
    fetchOptions: { headers },
  });
  const seen: ReturnType<typeof shown>[] = [];
  let told: unknown;
  const done = new Promise<void>((resolve, reject) => {
    client.query<Page>(page, {}).subscribe(({ data, error, extensions, hasNext }) => {
      if (error) reject(error);
      seen.push(shown(data));
      told = extensions?.upstream;
      if (!hasNext) resolve();
    });
  });
  await clock.still(() => withPipes(seen.at(-1)) === 6);
  await clock.until(done);
  await expectProgress(seen);
  expect(told).toHaveLength(14);
});
