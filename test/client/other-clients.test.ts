import '../support/client/built.ts';
import { print } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  LivePipeDocument,
  PipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from '../../client/src/document-nodes.ts';
import { world } from '../../sandbox/world/ids.ts';
import { apolloClient, graphqlSse, urqlClient } from '../support/client/others.ts';
import { startSandboxStack } from '../support/harness.ts';
import { until } from '../support/process/run-main.ts';

const { organizationId, services, pipes } = world.management.main;
const pipe = { organizationId, serviceId: services.production, pipeId: pipes.telemetry };

const all = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** The documents of the client package are given to each client as they are. */
describe('other clients, against the demo', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let time = Date.parse('2026-11-21T10:00:00Z');
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    stack = await startSandboxStack({
      sandbox: { clock: () => new Date(time) },
      gateway: { pollMs: { management: 50, observability: 50 } },
    });
    const { management, observability } = stack.sandbox.credentials;
    headers = {
      'management-authorization': management.admin.header,
      'observability-authorization': observability.main.header,
    };
  });
  afterAll(() => stack.close());

  const hasNoStream = () => until(() => stack.gateway.streams().streams === 0);

  // Each finds the pipe running, and stops it.
  beforeEach(async () => {
    time += 60_000;
    // To its end: who leaves before fails when the connection is closed.
    await all(
      graphqlSse(stack.url, headers).iterate({
        query: print(StartPipeDocument),
        variables: { input: pipe },
      }),
    );
    time += 60_000;
  });

  it('Apollo Client 4 queries, changes and subscribes', async () => {
    const client = apolloClient(stack.url, headers);
    const { data } = await client.query({ query: PipeDocument, variables: pipe });
    expect(data?.pipe?.state).toBe('Running');
    const states: unknown[] = [];
    const cached: unknown[] = [];
    const watching = client
      .watchQuery({ query: PipeDocument, variables: pipe })
      .subscribe(({ data }) => cached.push(data?.pipe?.state));
    const live = client
      .subscribe({ query: LivePipeDocument, variables: pipe })
      .subscribe(({ data }) => states.push(data?.pipe?.state));
    await until(() => states.length === 1);
    const stopped = await client.mutate({ mutation: StopPipeDocument, variables: { input: pipe } });
    expect(stopped.data?.stopPipe.pipe?.state).toBe('Stopping');
    await until(() => states.length === 2);
    time += 60_000;
    await until(() => states.length === 3);
    expect(states).toEqual(['Running', 'Stopping', 'Stopped']);
    // What a query shows changes with the events.
    await until(() => cached.at(-1) === 'Stopped');
    live.unsubscribe();
    watching.unsubscribe();
    await hasNoStream();
  });

  it('urql queries, changes and subscribes', async () => {
    const client = urqlClient(stack.url, headers);
    const { data } = await client.query(PipeDocument, pipe);
    expect(data?.pipe?.state).toBe('Running');
    const states: unknown[] = [];
    const live = client
      .subscription(LivePipeDocument, pipe)
      .subscribe(({ data }) => states.push(data?.pipe?.state));
    await until(() => states.length === 1);
    const stopped = await client.mutation(StopPipeDocument, { input: pipe });
    expect(stopped.data?.stopPipe.pipe?.state).toBe('Stopping');
    await until(() => states.length === 2);
    time += 60_000;
    await until(() => states.length === 3);
    expect(states).toEqual(['Running', 'Stopping', 'Stopped']);
    live.unsubscribe();
    await hasNoStream();
  });

  it("graphql-sse's client queries, changes and subscribes", async () => {
    const client = graphqlSse(stack.url, headers);
    const ask = (query: string, variables: Record<string, unknown>) =>
      client.iterate<Record<string, { readonly state?: string }>>({ query, variables });
    const [read] = await all(ask(print(PipeDocument), pipe));
    expect(read?.data?.pipe?.state).toBe('Running');
    const events = ask(print(LivePipeDocument), pipe);
    const next = async () => (await events.next()).value?.data?.pipe?.state;
    expect(await next()).toBe('Running');
    const [stopped] = await all(ask(print(StopPipeDocument), { input: pipe }));
    expect(stopped?.data).toMatchObject({ stopPipe: { pipe: { state: 'Stopping' } } });
    expect(await next()).toBe('Stopping');
    time += 60_000;
    expect(await next()).toBe('Stopped');
    await events.return?.(undefined);
    client.dispose();
    await hasNoStream();
  });
});
