import '../support/client/built.ts';
import { stripTypeScriptTypes } from 'node:module';
import { gql, type OperationVariables } from '@apollo/client';
import { type DocumentNode, getOperationAST, print } from 'graphql';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as operations from '../../client/src/document-nodes.ts';
import * as samples from '../../client/src/samples.ts';
import { world } from '../../sandbox/world/ids.ts';
import { live, rows } from '../operations/table.ts';
import { apolloClient } from '../support/client/others.ts';
import { read } from '../support/docs/pages.ts';
import { startSandboxStack } from '../support/harness.ts';
import { isSubscription, variablesOf } from '../support/operations.ts';

const { dashboards } = world.observability.main;

/** Apollo Client against the demo, which complains of policies that lose something in the console alone. */
const start = async (isLive = false) => {
  const spies = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  let time = Date.parse('2026-11-21T10:00:00Z');
  const stack = await startSandboxStack({
    sandbox: { clock: () => new Date(time), ...(isLive && { profile: 'live' }) },
    ...(isLive && { config: live }),
  });
  const { management, observability } = stack.sandbox.credentials;
  const apollo = apolloClient(stack.url, {
    'management-authorization': management.admin.header,
    'observability-authorization': observability.main.header,
  });
  onTestFinished(async () => {
    await stack.close();
    const complaints = spies.flatMap(({ mock }) => mock.calls);
    vi.restoreAllMocks();
    expect(complaints).toEqual([]);
  });
  return {
    apollo,
    /** Sends a document, and expects of a query that the cache then answers likewise. */
    send: async <Data>(
      document: operations.TypedDocumentNode<Data, never>,
      variables: OperationVariables = {},
    ): Promise<Data> => {
      // Long enough for a pipe to have stopped.
      time += 60_000;
      const query = document as DocumentNode;
      if (getOperationAST(query)?.operation === 'mutation') {
        return (await apollo.mutate({ mutation: query, variables })).data as Data;
      }
      const { data } = await apollo.query({ query, variables, fetchPolicy: 'network-only' });
      expect(apollo.readQuery({ query, variables })).toEqual(data);
      return data as Data;
    },
    /** What the cache alone can answer; null where it would ask. */
    cached: (query: string): unknown => apollo.readQuery({ query: gql(query) }),
  };
};

it.each([
  ['the demo', false],
  ['the demo with --profile live', true],
])('the cache has each answer of any operation of %s as it came', async (_, isLive) => {
  const documents = new Map<string, operations.TypedDocumentNode<unknown, never>>([
    ...Object.entries(operations),
    ...Object.entries(samples).map(([name, text]) => [name, gql(String(text))] as const),
  ]);
  const { send } = await start(isLive);
  // Events: other-clients.test.ts.
  for (const name of Object.keys(rows)) {
    const document = documents.get(`${name}Document`);
    if (!document) throw new Error(`the client has no ${name}Document`);
    const isOther = rows[name]?.profile !== (isLive ? 'live' : undefined);
    if (!isOther && !isSubscription(name)) await send(document, variablesOf(name));
  }
});

it("the cache finds what it read in lists, until the README's own lines take it out", async () => {
  const [code = ''] =
    read('client/README.md').match(/^export const forgetDashboard = [\s\S]*?^};$/m) ?? [];
  const { forgetDashboard } = await import(
    `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`
  );
  const { apollo, send, cached } = await start();
  const readAll = async () => ({
    ...(await send(operations.DashboardsDocument)),
    ...(await send(operations.AlertsDocument)),
  });
  const id = dashboards.ingestion;
  const before = await readAll();
  const alert = before.alerts?.find(({ dashboardId, tileId }) => dashboardId === id && tileId);
  const near = `{ alert(alertId: "${alert?.id}") { dashboard { id } tile { name dashboard { id } } } }`;
  expect(cached(near)).toMatchObject({ alert: { dashboard: { id }, tile: { dashboard: { id } } } });

  await send(operations.AlertDocument, { alertId: alert?.id });
  await send(operations.DeleteDashboardDocument, { input: { dashboardId: id } });
  forgetDashboard(apollo.cache, id);
  const left = [operations.DashboardsDocument, operations.AlertsDocument].map((document) =>
    cached(print(document)),
  );
  expect(JSON.stringify(apollo.extract())).not.toContain(`"dashboardId":"${id}"`);
  expect(cached(`{ alert(alertId: "${alert?.id}") { name } }`)).toBeNull();
  const { dashboards: kept, alerts } = await readAll();
  expect(left).toEqual([{ dashboards: kept }, { alerts }]);
  expect(alerts?.length).toBeLessThan(before.alerts?.length ?? 0);
});
