import { expect, it, onTestFinished } from 'vitest';
import { oneTree } from '../profiles/rows.ts';
import {
  type Answer,
  json,
  result,
  stackInTest,
  startSandboxStack,
  useSandboxStack,
} from '../support/harness.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { call, type Members, request, send } from './agent.ts';
import { organizationId, others, reads, writes } from './table.ts';

const [main = '', staging = ''] = ['service-1', 'service-3'].map(withIds);
const key = 'Basic a2V5LWlkOmtleS1zZWNyZXQ=';
const oneKey = { 'management-authorization': key, 'observability-authorization': '' };
const config = { ...oneTree, mcp: 'write' } as const;
const below = `/v1/organizations/${organizationId}/services`;

const stack = useSandboxStack({ sandbox: { profile: 'clickstack-cloud' }, config });

const use = (name: string, given: Members) => {
  const { header } = stack.sandbox.credentials.management.admin;
  return call(stack.url, name, given, { ...oneKey, 'management-authorization': header });
};

/** Those about dashboards, alerts and what belongs to them: a service is meant by each. */
const ofStack = ['alert', 'dashboard', 'data_source', 'webhook', 'saved_search'];
const isOfStack = (name: string): boolean => ofStack.some((kind) => name.includes(kind));

it('tools about a ClickStack take its service, which only a default makes optional, except for what creates', async () => {
  const withDefault = await stackInTest({
    management: () => result([]),
    config: { ...config, clickstackService: { organizationId, serviceId: main } },
  });
  for (const [url, isRequired] of [[stack.url, true] as const, [withDefault.url, false] as const]) {
    const { tools } = (await send(url, request('tools/list'))).body.result;
    expect(JSON.stringify(tools).length).toBeLessThan(24_000);
    expect(tools.length).toBe(Object.keys(reads).length + others.length + writes.length);
    for (const { name, description, inputSchema } of tools) {
      expect([name, description.length <= 300]).toEqual([name, true]);
      if (!isOfStack(name)) continue;
      const { properties, required = [] } = inputSchema;
      expect([name, required.includes('serviceId')]).toEqual([name, isRequired]);
      expect(required).not.toContain('organizationId');
      expect(properties).toMatchObject({ organizationId: {}, serviceId: { type: 'string' } });
    }
  }
  const { text } = await use('search_schema', { words: 'alerts' });
  expect(text).toContain('alerts(filter: AlertFilter, service: ServiceIdInput): [Alert!]');
  const author = await stackInTest({
    config: { ...config, mcp: 'author', clickstackService: { organizationId, serviceId: main } },
  });
  const all = (await send(author.url, request('tools/list'))).body.result.tools;
  expect(JSON.stringify(all).length).toBeLessThan(24_000);
  const { description } = all.find(({ name }: { name: string }) => name === 'get_attention');
  expect(description).toMatch(
    /Costs 3 calls for each service, 4 if an alert has no name\. Neither/,
  );
  for (const { name, inputSchema } of all) {
    if (!isOfStack(name)) continue;
    const isRequired = inputSchema.required?.includes('serviceId') ?? false;
    expect([name, isRequired]).toEqual([name, /^(?:create|copy)_/.test(name)]);
  }
  await call(withDefault.url, 'list_alerts', { serviceId: null }, oneKey);
  expect(withDefault.calls.map(shortCall)).toEqual(['services/service-1/clickstack/alerts']);
});

it('the organization of the default service is not that of another service', async () => {
  const [organization, other] = [withIds('organization-2'), withIds('service-2')];
  const withDefault = await stackInTest({
    management: ({ path }) => result(path === '/v1/organizations' ? [{ id: organization }] : []),
    config: { ...config, clickstackService: { organizationId, serviceId: main } },
  });
  await call(withDefault.url, 'list_alerts', { serviceId: other }, oneKey);
  expect(withDefault.callList()).toEqual([
    'GET /v1/organizations',
    `GET /v1/organizations/${organization}/services/${other}/clickstack/alerts`,
  ]);
  const given = { organizationId: organization };
  const { text } = await call(withDefault.url, 'list_alerts', given, oneKey);
  expect(text).toBe(
    'BAD_USER_INPUT: Variable "$serviceId" of required type "ID!" was not provided.',
  );
  expect(withDefault.callList()).toHaveLength(2);
});

it.each(Object.entries(reads).filter(([name]) => isOfStack(name)))(
  '%s reads the ClickStack of the service that it names',
  async (name, [given, part]) => {
    const answer = await use(name, { ...given, serviceId: main });
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(part) });
    const [first, ...calls] = stack.callList();
    expect(first).toBe('GET /v1/organizations');
    expect(calls).not.toEqual([]);
    for (const each of calls) expect(each).toContain(`GET ${below}/${main}/clickstack/`);
  },
);

it('a threshold is changed in the ClickStack that is named, after its names are confirmed there', async () => {
  const [, given, names] = writes.find(([name]) => name === 'update_alert_threshold') ?? [];
  const all = { ...given, ...names, organizationId };
  expect(await use('update_alert_threshold', { ...all, serviceId: staging })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^(?:BAD_USER_INPUT|NOT_FOUND): /),
  });
  const { text } = await use('update_alert_threshold', { ...all, serviceId: main });
  expect(text).toMatch(/^\{"before":\{"threshold":100\},"updateAlert":\{.*"threshold":7/);
  const written = stack.callList().filter((each) => !each.startsWith('GET'));
  expect(written).toEqual([`PUT ${below}/${main}/clickstack/alerts/${given?.alertId}`]);
});

it.each([
  ['rename', { alertId: 'a1e400000000000000000001', name: 'New' }, 'PUT', 'alerts/a1e4'],
  [
    'copy_dashboard',
    { dashboardId: 'da5b00000000000000000001', name: 'New' },
    'POST',
    'dashboards',
  ],
])('%s with MCP=author takes the ClickStack that is named', async (name, given, method, path) => {
  const authors = await startSandboxStack({
    sandbox: { profile: 'clickstack-cloud' },
    config: { ...config, mcp: 'author' },
  });
  onTestFinished(authors.close);
  const { header } = authors.sandbox.credentials.management.admin;
  const headers = { ...oneKey, 'management-authorization': header };
  const asked = { ...given, serviceId: main };
  const { text } = await call(authors.url, name, asked, headers);
  const { planId } = JSON.parse(text).plan;
  expect(await call(authors.url, name, { ...asked, planId }, headers)).toMatchObject({
    ...{ isError: false, text: expect.stringContaining('"name":"New"') },
  });
  const written = authors.callList().filter((each) => !each.startsWith('GET'));
  expect(written).toEqual([
    expect.stringContaining(`${method} ${below}/${main}/clickstack/${path}`),
  ]);
});

it('get_attention asks the ClickStack of each service: one without is no error, one that fails is named', async () => {
  const page = { status: 404, headers: { 'content-type': 'text/html' }, body: 'Cannot GET' };
  const firing = { id: 'a', name: 'Errors', state: 'ALERT' };
  const alerts: readonly Answer[] = [
    result([firing]),
    result([{ ...firing, state: 'OK' }]),
    page,
    json({ status: 403, error: 'no' }, 403),
  ];
  const ids = alerts.map((_, at) => withIds(`service-${at + 1}`));
  const services = ids.map((id, at) => ({ id, name: `s${at + 1}`, state: 'running' }));
  const { url, calls } = await stackInTest({
    config,
    management: ({ path }) => {
      const at = ids.findIndex((id) => path.includes(id));
      if (path.includes('clickstack')) return alerts[at] ?? page;
      return result(path.endsWith('/services') ? services : []);
    },
  });
  const { text, isError } = await call(url, 'get_attention', { organizationId }, oneKey);
  const { incomplete, organization } = JSON.parse(text);
  expect(isError).toBe(false);
  expect(organization.clickStacks).toEqual({
    items: [
      {
        ...{ serviceId: ids[0], serviceName: 's1', alertsThatCannotBeEvaluated: [] },
        alerts: [{ id: 'a', name: 'Errors', silenced: false }],
      },
    ],
  });
  expect(incomplete).toEqual({
    unreadServices: { FORBIDDEN: 1 },
    failed: [{ path: 'organization.clickStacks', code: 'FORBIDDEN', message: expect.any(String) }],
  });
  const critical = 'notifications?limit=250&severity=critical';
  const each = ids.flatMap((_, at) =>
    ['backups', 'clickpipes', 'clickstack/alerts'].map(
      (list) => `services/service-${at + 1}/${list}`,
    ),
  );
  expect(calls.map(shortCall).sort()).toEqual(['keys', critical, 'services', ...each].sort());
});

it('an error of the one key names its header', async () => {
  const { url } = await stackInTest({ config, management: () => json({ error: 'no' }, 401) });
  const { text } = await call(url, 'list_alerts', { organizationId, serviceId: main }, oneKey);
  expect(text).toContain('observability takes the header "Management-Authorization".');
});
