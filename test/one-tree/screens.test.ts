import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { readTabs } from '../../src/graphiql/start.ts';
import { oneTree } from '../profiles/rows.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { useSandboxStack } from '../support/harness.ts';
import { shortCall, withIds } from '../support/world/ids.ts';

const organizationId = withIds('organization-1');

const stack = useSandboxStack({
  sandbox: { profile: 'clickstack-cloud' },
  config: oneTree,
});

const ask = (query: string, variables: Readonly<Record<string, unknown>>) =>
  stack.query(query, { variables, headers: { 'observability-authorization': '' } });

it('what needs attention has the alerts of each service, and nothing else fails', async () => {
  const path = new URL('../../operations/screens/attention.graphql', import.meta.url);
  const variables = { organizationId, inServices: true, withBackups: false };
  const { body } = await ask(readFileSync(path, 'utf8'), variables);
  const { servicesWithAlerts: services } = body.data.organization;
  const counts = services.map(({ alerts }: { alerts: unknown[] | null }) => alerts?.length);
  expect(counts).toEqual([expect.any(Number), undefined, expect.any(Number), undefined]);
  expect(counts[0]).toBeGreaterThan(0);
  const [first, second] = body.errors.toSorted(
    (one: { path: number[] }, other: { path: number[] }) =>
      Number(one.path[2]) - Number(other.path[2]),
  );
  for (const [error, at] of [
    [first, 1],
    [second, 3],
  ] as const) {
    expect(error.path).toEqual(['organization', 'servicesWithAlerts', at, 'alerts']);
    expect(error.extensions.code).toBe('OPERATION_UNAVAILABLE');
  }
  const ofAlerts = stack.calls.map(shortCall).filter((each) => each.includes('/clickstack/'));
  expect(ofAlerts.sort()).toEqual(
    [1, 2, 3, 4].map((count) => `services/service-${count}/clickstack/alerts`),
  );
});

it('the tabs of GraphiQL with dashboards run in the demo with one key, which the page asks for', async () => {
  const { variables, headers } = graphiqlStart(stack.sandbox);
  expect(Object.keys(headers)).toEqual(['Management-Authorization', 'Sluice-Explain']);
  expect(graphiqlStart({ ...stack.sandbox, fleetSize: 12 })).toEqual({ variables, headers });
  const tabs = await readTabs(variables);
  const { body: first } = await ask(tabs[0]?.query ?? '', {});
  const [{ services }] = first.data.organizations;
  const alertsIn = ({ dashboards }: { dashboards: { alerts: unknown[] }[] | null }) =>
    dashboards?.flatMap(({ alerts }) => alerts).length;
  expect(services.map(alertsIn)).toEqual([10, undefined, 2, undefined]);
  for (const { path, extensions } of first.errors) {
    expect([path.at(-1), extensions.code]).toEqual(['dashboards', 'OPERATION_UNAVAILABLE']);
  }
  for (const name of ['BoardWithAlerts', 'BoardInParts', 'NewDashboard']) {
    const tab = tabs.find(({ query }) => query.includes(` ${name}`));
    const { body } = await ask(tab?.query ?? '', JSON.parse(tab?.variables ?? '{}'));
    expect([name, body.errors]).toEqual([name, undefined]);
    // HyperDX too refuses a series without a source; the service is not refused.
    const refused = body.data.createDashboard?.userErrors ?? [];
    for (const { field } of refused) expect(field.at(-1)).toBe('sourceId');
  }
  const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
  const { defaultHeaders, defaultTabs } = startOf(await page.text()).options;
  expect(defaultHeaders).not.toContain('Observability-Authorization');
  expect(JSON.parse(defaultTabs.at(-2)?.variables ?? '')).toEqual({
    service: { organizationId: '<id of an organization>', serviceId: '<id of a service>' },
  });
});
