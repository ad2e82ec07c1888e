import { expect, it, vi } from 'vitest';
import { describeIdle, findIdle } from '../../src/config/idle.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { basic, leaksIn } from '../credentials/planted-secrets.ts';
import { mutate, oneTree } from '../profiles/rows.ts';
import { type Answering, json, paced, result, stackInTest } from '../support/harness.ts';
import { askInParts, assembled } from '../support/in-parts.ts';
import { serveMetrics } from '../support/metrics.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { cloudAnswer, inStack } from './cloud.ts';

const headers = {
  'management-authorization': 'Basic a2V5LWlkOmtleS1zZWNyZXQ=',
  'observability-authorization': '',
};
/** The same key twice is one key. */
const keyTwice = {
  'management-authorization': headers['management-authorization'],
  'observability-authorization': headers['management-authorization'],
};
const start = (config = {}, management: Answering = cloudAnswer, gateway = {}) =>
  stackInTest({ management, config: { ...oneTree, ...config }, credentials: headers, gateway });
const idsOf = (service: string) =>
  JSON.parse(withIds(`{"organizationId": "organization-1", "serviceId": "${service}"}`));

const most = 1000;

it.each([
  ['alerts', 'alerts', 'meta.total', (total: number) => ({ meta: { total } })],
  ['alerts', 'alerts', 'totalCount', (total: number) => ({ totalCount: total })],
  ['dashboards', 'dashboards', 'totalCount', (total: number) => ({ totalCount: total })],
  ['dataSources', 'sources', 'totalCount', (total: number) => ({ totalCount: total })],
] as const)(
  '%s, from %s with %s, are whole, each page a call',
  async (field, resource, _, told) => {
    const alerts = Array.from({ length: 1200 }, (_, index) => {
      return { id: `a${index}`, name: 'x', source: index % 4 === 0 ? 'inline' : 'tile' };
    });
    const stack = await start({}, ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1]);
      const from = Number(query.get('offset') ?? 0);
      const rows = alerts.slice(from, from + most);
      return json({ status: 200, requestId: 'r', result: rows, ...told(alerts.length) });
    });
    const { body } = await stack.query(withIds(`{ service(@service-1) { ${field} { id } } }`));
    expect(body.data.service[field]).toEqual(alerts.map(({ id }) => ({ id })));
    expect(stack.calls.map(shortCall)).toEqual([
      `services/service-1/clickstack/${resource}`,
      `services/service-1/clickstack/${resource}?limit=1000&offset=999`,
    ]);
  },
);

it.each([
  [5, [{ id: 'a' }, { id: 'b' }, { id: 'd' }]],
  [1, []],
])(
  'rows that a ClickStack counts and hides are missing without an error: %i counted',
  async (...row) => {
    const [totalCount, rows] = row;
    const stack = await start({}, ({ path }) => {
      const from = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
      return json({ status: 200, requestId: 'r', result: rows.slice(from), totalCount });
    });
    const { body } = await stack.query(withIds('{ service(@service-1) { webhooks { id } } }'));
    expect(body).toEqual({ data: { service: { webhooks: rows } } });
  },
);

it('a list that changes while it is read is whole, though a page has 20 rows unless more are asked for', async () => {
  let total = 50;
  const stack = await start({}, ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const from = Number(query.get('offset') ?? 0);
    const ids = Array.from({ length: total }, (_, index) => ({ id: `w${index}` }));
    const rows = ids.slice(from, from + Number(query.get('limit') ?? 20));
    const answer = json({ status: 200, requestId: 'r', result: rows, totalCount: total });
    total = 51;
    return answer;
  });
  const { body } = await stack.query(withIds('{ service(@service-1) { webhooks { id } } }'));
  expect(body.data.service.webhooks).toHaveLength(51);
});

it('streams of two ClickStacks never mix, and a change wakes those of its own', async () => {
  const thresholds = new Map<string, number>();
  const stack = await start(paced, ({ method, path, body }) => {
    const [, service = '', , id] = inStack.exec(path) ?? [];
    if (method === 'PUT') thresholds.set(service, JSON.parse(body).threshold);
    const alert = { id: 'a', name: service, threshold: thresholds.get(service) ?? 1 };
    const whole = { ...alert, source: 'tile', interval: '5m', thresholdType: 'above' };
    const tile = { dashboardId: 'd', tileId: 't', channel: { type: 'webhook', webhookId: 'w' } };
    return result(id === undefined ? [alert] : { ...whole, ...tile });
  });
  const text = `subscription ($service: ServiceIdInput) { alerts(service: $service) { name threshold } }`;
  const open = (name: string) =>
    subscribe(stack.url, text, { variables: { service: idsOf(name) }, headers: keyTwice });
  const [one, other] = [await open('service-1'), await open('service-2')];
  const shown = (name: string, threshold: number) => ({
    data: { alerts: [{ name: withIds(name), threshold }] },
  });
  expect(await one.event(1)).toMatchObject(shown('service-1', 1));
  expect(await other.event(1)).toMatchObject(shown('service-2', 1));
  await mutate(stack, 'updateAlert', { alertId: 'a', service: idsOf('service-2'), threshold: 9 });
  expect(await other.event(2)).toMatchObject(shown('service-2', 9));
  await mutate(stack, 'updateAlert', { alertId: 'a', service: idsOf('service-1'), threshold: 5 });
  // Had the first change woken it, its second event would show that.
  expect(await one.event(2)).toMatchObject(shown('service-1', 5));
  for (const stream of [one, other]) {
    stream.leave();
    await stream.ended;
  }
});

it('the dashboards of each service may come in parts of their own', async () => {
  const stack = await start();
  const document = withIds(
    '{ organization(organizationId: "organization-1") { services { name ... @defer { dashboards { name } } } } }',
  );
  const parts = await askInParts(stack, document, { headers: keyTwice }).ended;
  expect(parts.length).toBeGreaterThan(1);
  expect(assembled(parts)).toMatchObject({
    organization: {
      services: [
        { name: 'service-1', dashboards: [{ name: 'Board of service-1' }] },
        { name: 'service-2', dashboards: [{ name: 'Board of service-2' }] },
        { name: 'service-3', dashboards: null },
      ],
    },
  });
});

it('there is one upstream, with one limit and one breaker', async () => {
  const stack = await start(paced);
  const query = `{ gateway { unavailableFields rates { management { calls } observability { calls } } } }`;
  const { body } = await stack.query(query);
  expect(body.data.gateway).toEqual({
    unavailableFields: [],
    rates: { management: { calls: 10 }, observability: { calls: 10 } },
  });
  const ready = await (await fetch(new URL('/readyz', stack.url))).json();
  expect(ready.upstreams).toEqual({ management: { breaker: 'closed' } });
  const explained = await start({ ...paced, explain: true });
  const answer = await explained.query(withIds('{ service(@service-1) { alerts { name } } }'), {
    headers: { 'sluice-explain': '1' },
  });
  expect(answer.body.extensions.budget).toEqual({ management: 9 });
});

it('a key of its own for observability has a budget of its own', async () => {
  const stack = await start({ ...paced, explain: true });
  const budgetOf = async (given: Readonly<Record<string, string>>) => {
    const all = { headers: { ...given, 'sluice-explain': '1' } };
    const { body } = await stack.query(
      withIds('{ service(@service-1) { id alerts { name } } }'),
      all,
    );
    return body.extensions.budget;
  };
  const own = { 'observability-authorization': 'Basic b3RoZXI6a2V5' };
  expect(await budgetOf(own)).toEqual({ management: 10, observability: 9 });
  expect(await budgetOf({ ...own, 'management-authorization': '' })).toMatchObject({
    observability: 9,
  });
  expect(await budgetOf(keyTwice)).toEqual({ management: 9 });
});

it('a change that one key has made shows with every key at once', async () => {
  let threshold = 1;
  const stack = await start({ ...paced, managementRate: undefined }, ({ path, method, body }) => {
    if (method === 'PUT') threshold = JSON.parse(body).threshold;
    const tile = { source: 'tile', dashboardId: 'd', tileId: 't', channel: { type: 'webhook' } };
    const alert = { id: 'a', threshold, interval: '5m', thresholdType: 'above', ...tile };
    return result(path.endsWith('/alerts') ? [alert] : alert);
  });
  const shown = async () => {
    const document = withIds('{ service(@service-1) { alerts { threshold } } }');
    return (await stack.query(document)).body.data.service.alerts[0].threshold;
  };
  expect(await shown()).toBe(1);
  await stack.query(
    withIds(`mutation { updateAlert(input: { alertId: "a", service: { @service-1 }, threshold: 9 }) {
      userErrors { message } } }`),
    { headers: { 'observability-authorization': 'Basic b3RoZXI6a2V5' } },
  );
  expect(await shown()).toBe(9);
});

it('a 403 of ClickStack costs the streams of management no call', async () => {
  let isRefusing = false;
  const stack = await start(
    paced,
    (call) =>
      isRefusing && call.path.endsWith('/alerts')
        ? json({ status: 403, error: 'no' }, 403)
        : cloudAnswer(call),
    // No poll comes but for a reason.
    { pollMs: { management: 600_000, observability: 600_000 } },
  );
  const watch = (selection: string) =>
    subscribe(stack.url, withIds(`subscription { service(@service-1) { ${selection} } }`), {
      headers: keyTwice,
    });
  const streams = [await watch('name'), await watch('dashboards { name }')];
  for (const stream of streams) await stream.event(1);
  const alerts = withIds('{ service(@service-1) { alerts { name } } }');
  await stack.query(alerts);
  isRefusing = true;
  stack.calls.splice(0);
  await stack.query(alerts, { headers: { ...keyTwice, 'cache-control': 'no-cache' } });
  await vi.waitFor(() => expect(stack.calls.length).toBeGreaterThan(1), { timeout: 20_000 });
  expect(stack.calls.map(shortCall)).toEqual([
    'services/service-1/clickstack/alerts',
    'services/service-1/clickstack/dashboards',
  ]);
  for (const stream of streams) {
    stream.leave();
    await stream.ended;
  }
});

const settings = {
  MANAGEMENT_URL: 'http://management.example',
  MANAGEMENT_PROFILE: 'clickhouse-cloud',
  OBSERVABILITY_PROFILE: 'clickstack-cloud',
};

it.each([
  [
    { OBSERVABILITY_URL: 'http://observability.example' },
    'OBSERVABILITY_URL must not be set where OBSERVABILITY_PROFILE is clickstack-cloud: MANAGEMENT_URL serves both',
  ],
  [
    { MANAGEMENT_PROFILE: 'reference' },
    'MANAGEMENT_PROFILE must be clickhouse-cloud where OBSERVABILITY_PROFILE is clickstack-cloud, got "reference"',
  ],
  [
    { CLICKSTACK_SERVICE: 'organization/service' },
    'CLICKSTACK_SERVICE must be <organizationId>/<serviceId>, each a UUID, got "organization/service"',
  ],
])('a wrong setting stops the start with one sentence: %j', (given, fault) => {
  expect(() => readConfig({ ...settings, ...given })).toThrow(new ConfigError([fault]));
});

it('the default service may be written in capitals', () => {
  const service = idsOf('service-1');
  const given = `${service.organizationId}/${service.serviceId}`.toUpperCase();
  expect(readConfig({ ...settings, CLICKSTACK_SERVICE: given }).clickstackService).toEqual(service);
});

it.each([
  [{ MANAGEMENT_RATE: '200/10s', REPLICAS: '150' }, []],
  [
    { MANAGEMENT_RATE: 'off', REPLICAS: '150' },
    ['REPLICAS has no effect without REDIS_URL while both rates are off.'],
  ],
])('a rate that does not count limits no replicas: %j', (given, idle) => {
  const environment = { ...settings, ...given };
  expect(findIdle(environment, readConfig(environment)).map(describeIdle)).toEqual(idle);
});

it('a rate for observability has no effect, and the start says so', () => {
  const given = { ...settings, OBSERVABILITY_RATE: '100/60s' };
  expect(findIdle(given, readConfig(given)).map(describeIdle)).toEqual([
    'OBSERVABILITY_RATE has no effect with the profile clickstack-cloud, whose calls count in MANAGEMENT_RATE.',
  ]);
});

it('one breaker and one limit are measured, with the calls of both trees', async () => {
  const stack = await start({ ...paced, metricsPort: 0 });
  const scrape = await serveMetrics(stack.gateway);
  await stack.query(withIds('{ service(@service-1) { name dashboards { name } } }'));
  const { samples, like } = await scrape();
  const expected = {
    upstream_calls_total: { 'getService GET 2xx': 1, 'listDashboards GET 2xx': 1 },
    breaker_state: { 'management closed': 1, 'management open': 0, 'management half-open': 0 },
    slots_left_count: { management: 2 },
  };
  expect(like(expected)).toEqual(expected);
  const ofOne = samples.filter(({ name }) => /^sluice_(?:breaker|slot)/.test(name));
  expect(new Set(ofOne.map(({ labels }) => labels.upstream))).toEqual(new Set(['management']));
});

it("a webhook's address is shown nowhere, though all of its record is read", async () => {
  const stack = await start({ ...paced, metricsPort: 0, explain: true, logLevel: 'debug' }, () =>
    result([
      {
        ...{ id: 'w', name: 'Chat', service: 'slack_api', url: 'https://chat.example/cnry-token' },
        ...{ headers: { authorization: 'cnry-header' }, queryParams: { token: 'cnry-query' } },
        ...{ body: '{"key": "cnry-body"}', slackChannelId: 'cnry-channel', createdAt: 'cnry?' },
      },
    ]),
  );
  const document = withIds('{ service(@service-1) { webhooks { id name service description } } }');
  const { text, body } = await stack.query(document, { headers: { 'sluice-explain': '1' } });
  expect(body.data.service.webhooks).toMatchObject([{ id: 'w', name: 'Chat' }]);
  const scrape = await serveMetrics(stack.gateway);
  expect(leaksIn(text + stack.log() + (await scrape()).text)).toEqual([]);
});

it('the one key reaches no error, log or explanation, though the upstream quotes it', async () => {
  const stack = await start({ ...paced, explain: true, logLevel: 'debug' }, (call) => {
    const message = `${call.headers.authorization} may not`;
    if (call.path.endsWith('/alerts')) return json({ status: 403, error: message }, 403);
    return call.path.endsWith('/webhooks') ? json({ error: message }, 500) : cloudAnswer(call);
  });
  const document = withIds(
    '{ service(@service-1) { name dashboards { name } alerts { name } webhooks { name } } }',
  );
  for (const own of ['', basic]) {
    const given = { 'management-authorization': basic, 'observability-authorization': own };
    const { text } = await stack.query(document, { headers: { ...given, 'sluice-explain': '1' } });
    expect(text).toContain('FORBIDDEN');
    expect(leaksIn(text)).toEqual([]);
  }
  expect(stack.log()).toContain('listWebhooks');
  expect(leaksIn(stack.log())).toEqual([]);
});

it.skipIf(redisPath === undefined)(
  'two replicas share what each ClickStack has, and a change in one of them',
  async () => {
    const thresholds = new Map<string, number>();
    const { one, other, calls } = await startTwoOverRedis({
      config: { ...paced, ...oneTree, redisTimeoutMs: 20_000 },
      credentials: headers,
      management: ({ method, path, body }) => {
        const [, service = '', , id] = inStack.exec(path) ?? [];
        if (method === 'PUT') thresholds.set(service, JSON.parse(body).threshold);
        const alert = { id: 'a', name: service, threshold: thresholds.get(service) ?? 1 };
        const rule = { source: 'tile', interval: '5m', thresholdType: 'above' };
        const tile = {
          dashboardId: 'd',
          tileId: 't',
          channel: { type: 'webhook', webhookId: 'w' },
        };
        return result(id === undefined ? [alert] : { ...alert, ...rule, ...tile });
      },
    });
    const text = withIds(`{ one: service(@service-1) { alerts { threshold } }
      two: service(@service-2) { alerts { threshold } } }`);
    const shown = async (stack: typeof one) => (await stack.query(text)).body.data;
    const both = (first: number, second: number) => ({
      one: { alerts: [{ threshold: first }] },
      two: { alerts: [{ threshold: second }] },
    });
    expect(await shown(one)).toEqual(both(1, 1));
    expect(await shown(other)).toEqual(both(1, 1));
    expect(calls()).toHaveLength(2);
    await mutate(one, 'updateAlert', { alertId: 'a', service: idsOf('service-2'), threshold: 9 });
    calls();
    expect(await shown(other)).toEqual(both(1, 9));
    const stack = `/services/${idsOf('service-2').serviceId}/clickstack/alerts`;
    expect(calls()).toEqual([expect.stringContaining(stack)]);
  },
);

it('a list has the source, tags and channel of each alert, and the chart of each inline one for a call', async () => {
  const chart = { displayType: 'line', select: [{ aggFn: 'count' }] };
  const channel = { type: 'email', emailRecipients: ['a@example.com'] };
  const tile = { id: 'a', name: 'a', source: 'tile', tags: ['day'], channel: { type: 'webhook' } };
  const inline = { id: 'b', name: 'b', source: 'inline', tags: ['night'], channel };
  const stack = await start({}, ({ path }) => {
    const id = inStack.exec(path)?.[3];
    if (id === undefined) return result([tile, inline, { ...inline, id: 'c', tags: null }]);
    return result({ ...inline, id, chartConfig: { ...chart, of: id } });
  });
  const shown = 'id source tags chartConfig channel { type emailRecipients }';
  const { body } = await stack.query(
    withIds(`{ service(@service-1) {
      alerts { ${shown} }
      night: alerts(filter: { sourceIn: [INLINE], tagIn: ["night"] }) { id } } }`),
  );
  const chartOf = (id: string) => JSON.stringify({ ...chart, of: id });
  const others = { source: 'INLINE', channel };
  expect(body).toEqual({
    data: {
      service: {
        alerts: [
          {
            ...tile,
            name: undefined,
            source: 'TILE',
            chartConfig: null,
            channel: { type: 'webhook', emailRecipients: null },
          },
          { ...others, id: 'b', tags: ['night'], chartConfig: chartOf('b') },
          { ...others, id: 'c', tags: null, chartConfig: chartOf('c') },
        ],
        night: [{ id: 'b' }],
      },
    },
  });
  expect(stack.calls.map(shortCall).sort()).toEqual([
    'services/service-1/clickstack/alerts',
    'services/service-1/clickstack/alerts/b',
    'services/service-1/clickstack/alerts/c',
  ]);
});
