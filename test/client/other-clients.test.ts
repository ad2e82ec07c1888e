import '../support/client/built.ts';
import { gql } from '@apollo/client';
import { type DocumentNode, getOperationAST, print } from 'graphql';
import { expect, it } from 'vitest';
import { LivePipeDocument, PipeDocument } from '../../client/src/document-nodes.ts';
import { apolloClient, graphqlSse, urqlClient } from '../support/client/others.ts';
import { credentials } from '../support/harness.ts';
import { askInParts, assembled, type Part } from '../support/in-parts.ts';
import { openLive, organizationId, pipeIds, serviceId } from '../support/live-world.ts';

type Values = Readonly<Record<string, unknown>>;
type Tell = (data: unknown) => void;

/** Tells of data as it comes, until it is left. */
type Watch = (document: DocumentNode, variables: Values, tell: Tell) => () => void;
type Create = (...to: Parameters<typeof apolloClient>) => Watch;

const isLive = (document: DocumentNode): boolean =>
  getOperationAST(document)?.operation === 'subscription';

const apollo: Create = (...to) => {
  const client = apolloClient(...to);
  return (query, variables, tell) => {
    const next = ({ data }: { readonly data?: unknown }) => void (data && tell(data));
    const watching = isLive(query)
      ? client.subscribe({ query, variables }).subscribe(next)
      : client.watchQuery({ query, variables }).subscribe(next);
    return () => watching.unsubscribe();
  };
};

const urql: Create = (...to) => {
  const client = urqlClient(...to);
  return (query, variables, tell) =>
    (isLive(query)
      ? client.subscription(query, variables)
      : client.query(query, variables)
    ).subscribe(({ data }) => tell(data)).unsubscribe;
};

const sse: Create = (...to) => {
  const client = graphqlSse(...to);
  return (query, variables, tell) => {
    const parts: Part[] = [];
    const next = (part: Part) => {
      parts.push(part);
      tell(part.data ?? assembled(parts));
    };
    const request = { query: print(query), variables };
    return client.subscribe(request, { next, error: tell, complete: () => {} });
  };
};

const variables = { organizationId, serviceId, pipeId: pipeIds[0] };
const deferred = gql`
  query Deferred($organizationId: ID!) {
    organization(organizationId: $organizationId) {
      id
      services { id name ... @defer { pipes { id name } } }
    }
  }
`;
const pipes = (count: number) => pipeIds.slice(-count).map((id) => ({ id }));

/** The documents of the client package are given to each client as they are. */
it.each([
  // What Apollo's query shows changes with the events.
  ['Apollo Client 4', apollo, ['Running', 'Stopped']],
  ['urql', urql, ['Running']],
  ["graphql-sse's client, which hands the parts on as they are,", sse, ['Running']],
] as const)('%s queries, subscribes and takes parts', async (_, create, queried) => {
  const held = Promise.withResolvers<void>();
  const { world, ...stack } = await openLive({
    gateway: { pollMs: { management: 50, observability: 50 }, silenceMs: 20 },
    config: { managementRate: undefined, explain: true },
    management: async (call) => {
      if (call.path.endsWith('3/pipes')) await held.promise;
      return world.management(call);
    },
  });
  // With this header responses end in a part that has extensions alone.
  const watch = create(stack.url, { ...credentials, 'sluice-explain': '1' });

  const states = (document: DocumentNode) => {
    const seen: unknown[] = [];
    const tell: Tell = (data) => {
      const { pipe } = Object(data);
      if (pipe && pipe.state !== seen.at(-1)) seen.push(pipe.state);
    };
    return { seen, leave: watch(document, variables, tell) };
  };
  const query = states(PipeDocument);
  await expect.poll(() => query.seen).toEqual(['Running']);
  const live = states(LivePipeDocument);
  await expect.poll(() => live.seen).toEqual(['Running']);
  world.states[0] = 'Stopped';
  await expect.poll(() => live.seen).toEqual(['Running', 'Stopped']);
  await expect.poll(() => query.seen).toEqual(queried);
  query.leave();
  live.leave();
  await expect.poll(() => stack.gateway.streams().streams).toBe(0);

  const shown: unknown[] = [];
  watch(deferred, { organizationId }, (data) => shown.push(structuredClone(data)));
  const services = (...lists: readonly (number | undefined)[]) => ({
    organization: { services: lists.map((count) => (count ? { pipes: pipes(count) } : {})) },
  });
  await expect.poll(() => shown.at(-1)).toMatchObject(services(3, undefined));
  expect(shown[0]).not.toHaveProperty('organization.services.0.pipes');
  // Parts without anything come while the last one is waited for.
  const { parts } = askInParts(stack, print(deferred), { variables: { organizationId } });
  const countEmpty = () => parts.filter((part) => Object.keys(part).length === 1).length;
  await expect.poll(countEmpty).toBeGreaterThan(3);
  expect(shown.at(-1)).not.toHaveProperty('organization.services.1.pipes');
  held.resolve();
  await expect.poll(() => shown.at(-1)).toMatchObject(services(3, 1));
});
