import '../support/client/built.ts';
import { gql } from '@apollo/client';
import { type DocumentNode, getOperationAST, print } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import {
  LivePipeDocument,
  PipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from '../../client/src/document-nodes.ts';
import { world } from '../../sandbox/world/ids.ts';
import { apolloClient, graphqlSse, urqlClient } from '../support/client/others.ts';
import { startSandboxStack } from '../support/harness.ts';
import { assembled, type Part } from '../support/in-parts.ts';

type Values = Readonly<Record<string, unknown>>;
type Tell = (data: unknown) => void;

interface OtherClient {
  change(mutation: DocumentNode, variables: Values): Promise<unknown>;
  /** Tells of data as it comes, until it is left. */
  watch(document: DocumentNode, variables: Values, tell: Tell): () => void;
}
type Create = (...to: Parameters<typeof apolloClient>) => OtherClient;

const isLive = (document: DocumentNode): boolean =>
  getOperationAST(document)?.operation === 'subscription';

const apollo: Create = (...to) => {
  const client = apolloClient(...to);
  return {
    change: async (mutation, variables) => (await client.mutate({ mutation, variables })).data,
    watch: (query, variables, tell) => {
      const next = ({ data }: { readonly data?: unknown }) => void (data && tell(data));
      const watching = isLive(query)
        ? client.subscribe({ query, variables }).subscribe(next)
        : client.watchQuery({ query, variables }).subscribe(next);
      return () => watching.unsubscribe();
    },
  };
};

const urql: Create = (...to) => {
  const client = urqlClient(...to);
  return {
    change: async (mutation, variables) => (await client.mutation(mutation, variables)).data,
    watch: (query, variables, tell) =>
      (isLive(query)
        ? client.subscription(query, variables)
        : client.query(query, variables)
      ).subscribe(({ data }) => tell(data)).unsubscribe,
  };
};

const sse: Create = (...to) => {
  const client = graphqlSse(...to);
  const watch: OtherClient['watch'] = (query, variables, tell) => {
    const parts: Part[] = [];
    const next = (part: Part) => {
      parts.push(part);
      tell(part.data ?? assembled(parts));
    };
    const request = { query: print(query), variables };
    return client.subscribe(request, { next, error: tell, complete: () => {} });
  };
  return {
    change: (mutation, variables) => new Promise((tell) => watch(mutation, variables, tell)),
    watch,
  };
};

const { organizationId, services, pipes } = world.management.main;
const pipe = { organizationId, serviceId: services.production, pipeId: pipes.telemetry };
const deferred = gql`
  query Deferred($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) {
      id
      name
      ... @defer { pipes { id name } }
    }
  }
`;

/** The documents of the client package are given to each client as they are. */
it.each([
  // What Apollo's query shows changes with the events; urql asks again after its own mutation.
  ['Apollo Client 4', apollo, ['Running', 'Stopping', 'Stopped']],
  ['urql', urql, ['Running', 'Stopping']],
  ["graphql-sse's client, which hands the parts on as they are,", sse, ['Running']],
] as const)('%s queries, changes, subscribes and takes parts', async (_, create, queried) => {
  let time = Date.parse('2026-11-21T10:00:00Z');
  const stack = await startSandboxStack({
    sandbox: { clock: () => new Date(time) },
    gateway: { pollMs: { management: 50, observability: 50 } },
  });
  onTestFinished(() => stack.close());
  const { management } = stack.sandbox.credentials;
  const client = create(stack.url, { 'management-authorization': management.admin.header });
  await stack.query(print(StartPipeDocument), { variables: { input: pipe } });
  time += 60_000;

  const states = (document: DocumentNode) => {
    const seen: unknown[] = [];
    const tell: Tell = (data) => {
      const { pipe } = Object(data);
      if (pipe && pipe.state !== seen.at(-1)) seen.push(pipe.state);
    };
    return { seen, leave: client.watch(document, pipe, tell) };
  };
  const query = states(PipeDocument);
  await expect.poll(() => query.seen).toEqual(['Running']);
  const live = states(LivePipeDocument);
  await expect.poll(() => live.seen).toEqual(['Running']);
  const stopped = await client.change(StopPipeDocument, { input: pipe });
  expect(stopped).toMatchObject({ stopPipe: { pipe: { state: 'Stopping' } } });
  await expect.poll(() => live.seen).toEqual(['Running', 'Stopping']);
  await expect.poll(() => query.seen).toEqual(queried.slice(0, 2));
  time += 60_000;
  await expect.poll(() => live.seen).toEqual(['Running', 'Stopping', 'Stopped']);
  await expect.poll(() => query.seen).toEqual(queried);
  query.leave();
  live.leave();
  await expect.poll(() => stack.gateway.streams().streams).toBe(0);

  const parts: unknown[] = [];
  const staging = { organizationId, serviceId: services.staging };
  client.watch(deferred, staging, (data) => parts.push(structuredClone(data)));
  const rest = [{ name: 'clickstream (staging)' }, { name: 'invoices' }];
  await expect
    .poll(() => parts.at(-1))
    .toMatchObject({ service: { name: 'staging', pipes: rest } });
  expect(parts[0]).toMatchObject({ service: { name: 'staging' } });
  expect(parts[0]).not.toHaveProperty('service.pipes');
});
