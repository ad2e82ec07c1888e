import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import {
  ApolloClient,
  gql,
  HttpLink,
  InMemoryCache,
  type OperationVariables,
} from '@apollo/client';
import { type DocumentNode, getOperationAST, print } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { possibleTypes, typePolicies } from '../../client/src/apollo.ts';
import * as operations from '../../client/src/document-nodes.ts';
import { world } from '../../sandbox/world/ids.ts';
import { rows } from '../operations/table.ts';
import { startSandboxStack } from '../support/harness.ts';
import { isSubscription, variablesOf } from '../support/operations.ts';

const { main } = world.management;
const { dashboards } = world.observability.main;
const production = { organizationId: main.organizationId, serviceId: main.services.production };

describe('Apollo Client, against the demo', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let time = Date.parse('2026-11-21T10:00:00Z');
  beforeAll(async () => {
    stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
  });
  afterAll(() => stack.close());

  // Apollo complains of policies that lose something in the console alone.
  beforeEach(() => {
    for (const name of ['warn', 'error'] as const) vi.spyOn(console, name);
  });
  afterEach(() => {
    const { warn, error } = vi.mocked(console);
    const complaints = [...warn.mock.calls, ...error.mock.calls];
    vi.restoreAllMocks();
    expect(complaints).toEqual([]);
  });

  const connect = (): ApolloClient => {
    const { management, observability } = stack.sandbox.credentials;
    const headers = {
      'management-authorization': management.admin.header,
      'observability-authorization': observability.main.header,
    };
    const link = new HttpLink({ uri: stack.url, headers });
    return new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes, typePolicies }) });
  };

  /** Sends a document, and expects of a query that the cache then answers likewise. */
  const send = async <Data>(
    apollo: ApolloClient,
    document: operations.TypedDocumentNode<Data, never>,
    variables: OperationVariables = {},
  ): Promise<Data> => {
    const query = document as DocumentNode;
    if (getOperationAST(query)?.operation === 'mutation') {
      return (await apollo.mutate({ mutation: query, variables })).data as Data;
    }
    const { data } = await apollo.query({ query, variables, fetchPolicy: 'network-only' });
    expect(apollo.readQuery({ query, variables })).toEqual(data);
    return data as Data;
  };

  /** What the cache alone can answer; null where it would ask. */
  const cached = (apollo: ApolloClient, query: string): unknown =>
    apollo.readQuery({ query: gql(query) });

  it('has each answer of any operation as it came, with one cache for all', async () => {
    const documents = new Map<string, operations.TypedDocumentNode<unknown, never>>(
      Object.entries(operations),
    );
    const apollo = connect();
    // Events: other-clients.test.ts.
    for (const name of Object.keys(rows)) {
      const document = documents.get(`${name}Document`);
      if (!document) throw new Error(`the client has no ${name}Document`);
      if (rows[name]?.live || isSubscription(name)) continue;
      await send(apollo, document, variablesOf(name));
      // Long enough for a pipe to have stopped.
      time += 60_000;
    }
  });

  it('finds in the cache what it has read in lists', async () => {
    const apollo = connect();
    await send(apollo, operations.OrganizationsDocument);
    await send(apollo, operations.DashboardsDocument);
    const { alerts } = await send(apollo, operations.AlertsDocument);
    const alert = alerts?.find(({ dashboardId }) => dashboardId === dashboards.api);
    const [organization, service] = Object.values(production).map((id) => JSON.stringify(id));
    const one = `service(organizationId: ${organization}, serviceId: ${service})`;
    expect(cached(apollo, `{ ${one} { name organization { name } } }`)).toMatchObject({
      service: { name: 'production', organization: { name: expect.any(String) } },
    });
    expect(cached(apollo, `{ service(organizationId: "o", serviceId: ${service}) { name } }`)).toBe(
      null,
    );
    const near = 'dashboard { name } tile { name dashboard { id } }';
    expect(cached(apollo, `{ alert(id: "${alert?.id}") { ${near} } }`)).toMatchObject({
      alert: { dashboard: { name: 'API health' }, tile: { dashboard: { id: dashboards.api } } },
    });
  });

  it("forgets a dashboard, its tiles and its alerts by the README's own lines", async () => {
    const readme = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8');
    const [code = ''] = readme.match(/^export const forgetDashboard = [\s\S]*?^};$/m) ?? [];
    const { forgetDashboard } = await import(
      `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`
    );

    const apollo = connect();
    const id = dashboards.ingestion;
    const read = async () => ({
      ...(await send(apollo, operations.DashboardsDocument)),
      ...(await send(apollo, operations.AlertsDocument)),
    });
    const before = await read();
    const [alert] = before.alerts?.filter(({ dashboardId }) => dashboardId === id) ?? [];
    await send(apollo, operations.AlertDocument, { id: alert?.id });
    await send(apollo, operations.DeleteDashboardDocument, { input: { dashboardId: id } });
    forgetDashboard(apollo.cache, id);

    const left = [operations.DashboardsDocument, operations.AlertsDocument].map((document) =>
      cached(apollo, print(document)),
    );
    expect(JSON.stringify(apollo.extract())).not.toContain(`"dashboardId":"${id}"`);
    expect(cached(apollo, `{ alert(id: "${alert?.id}") { name } }`)).toBeNull();
    const { dashboards: kept, alerts } = await read();
    expect(left).toEqual([{ dashboards: kept }, { alerts }]);
    expect(alerts?.length).toBeLessThan(before.alerts?.length ?? 0);
  });
});
