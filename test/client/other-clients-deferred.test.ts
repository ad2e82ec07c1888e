import '../support/client/built.ts';
import { gql, type TypedDocumentNode } from '@apollo/client';
import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';
import { apolloClient, graphqlSse, urqlClient } from '../support/client/others.ts';
import { startSandboxStack } from '../support/harness.ts';

interface Page {
  readonly service: {
    readonly name: string;
    readonly pipes?: readonly { readonly name: string }[];
  } | null;
}
type Ids = Readonly<Record<'organizationId' | 'serviceId', string>>;

const document: TypedDocumentNode<Page, Ids> = gql`
  query Deferred($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) {
      id
      name
      ... @defer { pipes { id name } }
    }
  }
`;
const { organizationId, services } = world.management.main;
const ids: Ids = { organizationId, serviceId: services.staging };

const pipes = [{ name: 'clickstream (staging)' }, { name: 'invoices' }];
const name = 'staging';

/** Test of the parts that come as slots do: test/defer. Here each client takes the parts of the demo's answer. */
describe('a deferred part, against the demo, in', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    stack = await startSandboxStack();
    const { management } = stack.sandbox.credentials;
    headers = { 'management-authorization': management.admin.header };
  });
  afterAll(() => stack.close());

  it('Apollo Client 4', async () => {
    const client = apolloClient(stack.url, headers);
    const seen: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      client
        .watchQuery({ query: document, variables: ids })
        .subscribe(({ data, dataState, error }) => {
          if (error) reject(error);
          if (data) seen.push(data);
          if (dataState === 'complete') resolve();
        });
    });
    expect(seen[0]).toMatchObject({ service: { name } });
    expect(seen[0]).not.toHaveProperty('service.pipes');
    expect(seen.at(-1)).toMatchObject({ service: { name, pipes } });
  });

  it('urql', async () => {
    const seen: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      urqlClient(stack.url, headers)
        .query(document, ids)
        .subscribe(({ data, error, hasNext }) => {
          if (error) reject(error);
          seen.push(structuredClone(data));
          if (!hasNext) resolve();
        });
    });
    expect(seen[0]).toMatchObject({ service: { name } });
    expect(seen[0]).not.toHaveProperty('service.pipes');
    expect(seen.at(-1)).toMatchObject({ service: { name, pipes } });
  });

  it("graphql-sse's client, which hands the parts on as they are", async () => {
    const parts: unknown[] = [];
    const query = { query: print(document), variables: { ...ids } };
    for await (const part of graphqlSse(stack.url, headers).iterate(query)) parts.push(part);
    expect(parts[0]).toMatchObject({ data: { service: { name } }, hasNext: true });
    expect(JSON.stringify(parts[0])).not.toContain('pipes');
    expect(parts.slice(1)).toContainEqual(
      expect.objectContaining({
        incremental: [
          expect.objectContaining({
            path: ['service'],
            data: { pipes: pipes.map((each) => expect.objectContaining(each)) },
          }),
        ],
      }),
    );
  });
});
