import { expect, it, onTestFinished } from 'vitest';
import { mutate, oneTree } from '../profiles/rows.ts';
import {
  type AnswerError,
  type Answering,
  json,
  paced,
  result,
  type Stack,
  stackInTest,
} from '../support/harness.ts';
import { holdTime } from '../support/pacing/time.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { cloudAnswer, inStack } from './cloud.ts';

const key = 'Basic a2V5LWlkOmtleS1zZWNyZXQ=';
const oneKey = { 'management-authorization': key, 'observability-authorization': '' };

const start = (config = {}, management: Answering = cloudAnswer): Promise<Stack> =>
  stackInTest({ management, config: { ...oneTree, ...config }, credentials: oneKey });
const shortCalls = ({ calls }: Stack): readonly string[] => calls.map(shortCall).sort();
const stackCalls = (service: string, ...resources: readonly string[]): readonly string[] =>
  resources.map((resource) => `services/${service}/clickstack/${resource}`);

const page = `dashboards { nodeId name service { id }
    tiles { nodeId series { source { nodeId name } } alerts { name } } alerts { name } }
  alerts { nodeId name dashboard { name } tile { name } savedSearch { nodeId name source { name } }
    channel { webhook { nodeId name } } }`;

it('two ClickStacks of one organization come in one page, and never mix', async () => {
  const stack = await start();
  const { body } = await stack.query(
    withIds(`{ one: service(@service-1) { ${page} } two: service(@service-2) { ${page} } }`),
  );
  expect(body.errors).toBeUndefined();
  const nodeId = (type: string, service: string, id: string) =>
    JSON.parse(withIds(`"${type}:organization-1:${service}:${id}"`));
  const shownIn = (service: string) => {
    const of = (what: string) => ({ name: `${what} of ${service}` });
    const node = (type: string, id: string) => ({ nodeId: nodeId(type, service, id) });
    return {
      dashboards: [
        {
          ...{
            nodeId: nodeId('Dashboard', service, 'd'),
            ...of('Board'),
            service: { id: withIds(service) },
          },
          tiles: [
            {
              nodeId: nodeId('Tile', service, 'd:t'),
              series: [{ source: { ...node('DataSource', 's'), ...of('Source') } }],
              alerts: [of('Alert')],
            },
          ],
          alerts: [of('Alert')],
        },
      ],
      alerts: [
        {
          ...{ nodeId: nodeId('Alert', service, 'a'), ...of('Alert'), dashboard: of('Board') },
          tile: { name: 'Tile' },
          savedSearch: { ...node('SavedSearch', 'q'), ...of('Search'), source: of('Source') },
          channel: { webhook: { ...node('Webhook', 'w'), ...of('Webhook') } },
        },
      ],
    };
  };
  expect(body.data).toEqual({ one: shownIn('service-1'), two: shownIn('service-2') });
  const resources = ['dashboards', 'alerts', 'sources', 'webhooks', 'saved-searches'];
  expect(shortCalls(stack)).toEqual(
    ['service-1', 'service-2'].flatMap((service) => stackCalls(service, ...resources)).sort(),
  );
  for (const { headers } of stack.calls) expect(headers.authorization).toBe(key);

  stack.calls.length = 0;
  const nodes = [
    ...[
      ['Dashboard', 'd'],
      ['Tile', 'd:t'],
      ['DataSource', 's'],
      ['SavedSearch', 'q'],
    ],
    ['Webhook', 'w'],
  ].flatMap(([type = '', id = '']) => ['service-1', 'service-2'].map((of) => nodeId(type, of, id)));
  const again = await stack.query(
    `query ($nodes: [ID!]!) { nodes(nodeIds: $nodes) { nodeId ... on Dashboard { name }
      ... on Tile { dashboard { name } series { source { name } } } ... on DataSource { name }
      ... on SavedSearch { name source { name } } ... on Webhook { name } } }`,
    { variables: { nodes } },
  );
  expect(again.body.errors).toBeUndefined();
  const read = (service: string) => {
    const of = (what: string) => ({ name: `${what} of ${service}` });
    const tile = { dashboard: of('Board'), series: [{ source: of('Source') }] };
    const search = { ...of('Search'), source: of('Source') };
    return [of('Board'), tile, of('Source'), search, of('Webhook')];
  };
  const [one, two] = [read('service-1'), read('service-2')];
  expect(again.body.data.nodes).toEqual(
    one
      .flatMap((each, index) => [each, two[index]])
      .map((each, index) => ({ nodeId: nodes[index], ...each })),
  );
  const reads = ['dashboards/d', 'sources', 'webhooks', 'saved-searches'];
  expect(shortCalls(stack)).toEqual(
    ['service-1', 'service-2'].flatMap((service) => stackCalls(service, ...reads)).sort(),
  );
});

const service = (name: string) =>
  JSON.parse(withIds(`{"organizationId": "organization-1", "serviceId": "${name}"}`));
const codesOf = (body: { errors?: readonly AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]);

it('a root field means the service that it names, else the default, else none', async () => {
  const query = `query ($service: ServiceIdInput) { alert(alertId: "a", service: $service) { name }
    dashboards(service: $service) { name } }`;
  const named = await start({ clickstackService: service('service-1') });
  const two = await named.query(query, { variables: { service: service('service-2') } });
  expect(two.body.data).toEqual({
    ...{ alert: { name: 'Alert of service-2' }, dashboards: [{ name: 'Board of service-2' }] },
  });
  const byDefault = await named.query(query);
  expect(byDefault.body.data.alert).toEqual({ name: 'Alert of service-1' });
  const without = await start();
  const { body } = await without.query(query);
  expect(codesOf(body).sort()).toEqual([
    ['alert', 'OPERATION_UNAVAILABLE'],
    ['dashboards', 'OPERATION_UNAVAILABLE'],
  ]);
  expect(body.errors[0].message).toContain('Service.dashboards');
  expect(without.calls).toEqual([]);
});

it('other profiles have no ClickStack below services, and refuse the argument before any call', async () => {
  const stack = await stackInTest({ config: { clickstackService: service('service-1') } });
  const { body } = await stack.query(
    withIds(`{ service(@service-1) { id dashboards { name } }
      dashboards(service: { @service-1 }) { name } dashboard(dashboardId: "d") { nodeId } }`),
  );
  expect(body.data.dashboard.nodeId).toBe(JSON.parse(withIds('"Dashboard:d"')));
  expect(codesOf(body).sort()).toEqual([
    ['dashboards', 'BAD_USER_INPUT'],
    ['service.dashboards', 'OPERATION_UNAVAILABLE'],
  ]);
  const { data } = await mutate(stack, 'createDashboard', {
    name: 'x',
    service: service('service-1'),
  });
  expect(data.createDashboard.userErrors).toEqual([
    expect.objectContaining({ code: 'BAD_USER_INPUT', field: ['service'] }),
  ]);
  expect(stack.calls).toEqual([]);
});

it('a create must name its service, and goes there', async () => {
  const stack = await start({ clickstackService: service('service-1') });
  const given = { name: 'New', tiles: [] };
  const refused = await mutate(stack, 'createDashboard', given);
  expect(refused.data.createDashboard.userErrors[0].field).toEqual(['service']);
  expect(stack.calls).toEqual([]);
  const created = await mutate(
    stack,
    'createDashboard',
    { ...given, service: service('service-2') },
    'dashboard { id name service { id } alerts { name } }',
  );
  expect(created.data.createDashboard).toEqual({
    dashboard: { id: 'new', name: 'New', service: { id: withIds('service-2') }, alerts: [] },
    userErrors: [],
  });
  expect(shortCalls(stack)).toEqual([
    'POST services/service-2/clickstack/dashboards',
    ...stackCalls('service-2', 'alerts'),
  ]);
  const [post] = stack.calls.filter(({ method }) => method === 'POST');
  expect(JSON.parse(post?.body ?? '')).toEqual(given);
});

it('updateAlert sends back an e-mail channel, hidden members and chartConfig', async () => {
  const hidden = {
    channel: { type: 'email', emailRecipients: ['ops@example.com'], severity: 'critical' },
    chartConfig: { select: [{ aggFn: 'count' }] },
    ...{ tags: ['night'], unknownMember: { deep: [1] } },
  };
  const rule = {
    threshold: 1,
    interval: '5m',
    thresholdType: 'above',
    source: 'inline',
    name: 'A',
  };
  const kept = { id: 'a', teamId: 'x', state: 'OK', note: null, ...rule, ...hidden };
  const stack = await start({}, (call) =>
    call.method === 'GET' ? result(kept) : result({ ...kept, ...JSON.parse(call.body) }),
  );
  const input = { alertId: 'a', service: service('service-2'), threshold: 9 };
  const { data } = await mutate(stack, 'updateAlert', input, 'alert { threshold }');
  expect(data.updateAlert).toEqual({ alert: { threshold: 9 }, userErrors: [] });
  expect(shortCalls(stack)).toEqual([
    'PUT services/service-2/clickstack/alerts/a',
    'services/service-2/clickstack/alerts/a',
  ]);
  const body = JSON.parse(stack.calls.find(({ method }) => method === 'PUT')?.body ?? '');
  expect(body).toEqual({ ...rule, ...hidden, threshold: 9 });
});

it('updateAlert sends back all channels, and none of their nulls', async () => {
  const webhook = { type: 'webhook', webhookId: 'w', webhookService: 'slack' };
  const email = { type: 'email', emailRecipients: ['ops@example.com'] };
  const read = { ...webhook, slackChannelId: null, severity: null };
  const kept = {
    ...{ id: 'a', name: 'A', source: 'tile', dashboardId: 'd', tileId: 't' },
    ...{ threshold: 1, interval: '5m', thresholdType: 'above' },
    ...{ channel: read, channels: [read, email] },
  };
  const stack = await start({}, () => result(kept));
  const input = { alertId: 'a', service: service('service-2') };
  await mutate(stack, 'updateAlert', { ...input, threshold: 9 });
  await mutate(stack, 'updateAlert', { ...input, channels: [email] });
  const bodies = stack.calls.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)]));
  expect(bodies.map(({ threshold, ...body }) => [threshold, body.channel, body.channels])).toEqual([
    [9, webhook, [webhook, email]],
    [1, undefined, [email]],
  ]);
});

it('updateDashboard sends back the tiles as they came', async () => {
  const config = { displayType: 'line', sourceId: 's', select: [{ aggFn: 'count', hidden: 1 }] };
  const tile = { id: 't', name: 'Tile', x: 0, y: 0, w: 6, h: 4, config };
  const kept = { id: 'd', name: 'Board', tags: [], tiles: [tile] };
  const stack = await start({}, (call) =>
    result(
      call.path.endsWith('/alerts') ? [] : call.method === 'GET' ? kept : JSON.parse(call.body),
    ),
  );
  const input = { dashboardId: 'd', service: service('service-1'), name: 'Renamed' };
  const { data } = await mutate(
    stack,
    'updateDashboard',
    { ...input, mayResetTiles: true },
    'dashboard { name tiles { name } }',
  );
  expect(data.updateDashboard).toEqual({
    dashboard: { name: 'Renamed', tiles: [{ name: 'Tile' }] },
    userErrors: [],
  });
  const body = JSON.parse(stack.calls.find(({ method }) => method === 'PUT')?.body ?? '');
  expect(body).toEqual({ name: 'Renamed', tags: [], tiles: [tile] });
});

const mixed = withIds('{ service(@service-1) { name dashboards { name } } }');

it('a Bearer for observability fails its fields alone, and a key of its own goes to no other call', async () => {
  const stack = await start();
  const bearer = await stack.query(mixed, {
    headers: { 'observability-authorization': 'Bearer token' },
  });
  expect(codesOf(bearer.body)).toEqual([['service.dashboards', 'UNAUTHENTICATED']]);
  expect(bearer.body.data.service.name).toBe('service-1');
  stack.calls.splice(0);
  const other = 'Basic b3RoZXI6a2V5';
  await stack.query(mixed, { headers: { 'observability-authorization': other } });
  const keys = stack.calls.map(({ path, headers }) => [inStack.test(path), headers.authorization]);
  expect(keys.sort()).toEqual([
    [false, key],
    [true, other],
  ]);
  const none = await stack.query(mixed, { headers: { 'management-authorization': '' } });
  expect(none.body.errors.map(({ message }: AnswerError) => message)).toContainEqual(
    expect.stringContaining('"Management-Authorization: Basic …"'),
  );
});

it('a key that may not use ClickStack gets the rest of the page', async () => {
  const stack = await start({}, (call) =>
    inStack.test(call.path)
      ? json({ status: 403, error: 'no permission' }, 403)
      : cloudAnswer(call),
  );
  const { body } = await stack.query(mixed);
  expect(codesOf(body)).toEqual([['service.dashboards', 'FORBIDDEN']]);
  expect(body.data).toEqual({ service: { name: 'service-1', dashboards: null } });
});

it('a ClickStack of a service that sleeps says what wakes it', async () => {
  const stack = await start({}, (call) =>
    inStack.test(call.path) ? json({ status: 424, error: 'idle' }, 424) : cloudAnswer(call),
  );
  const { body } = await stack.query(mixed);
  expect(codesOf(body)).toEqual([['service.dashboards', 'SERVICE_NOT_RUNNING']]);
  expect(body.errors[0].message).toContain('Use wakeService');
});

/** Cloud in which the ClickStacks sleep until a command comes. */
const sleeping = (): Answering => {
  let sleeps = true;
  return (call) => {
    if (call.path.endsWith('/state')) sleeps = false;
    const isRefused = sleeps && inStack.test(call.path);
    return isRefused ? json({ status: 424, error: 'idle' }, 424) : cloudAnswer(call);
  };
};
const unlimited = { ...paced, managementRate: undefined };

it('a request that wakes a service shows its ClickStack, though it has asked for it before', async () => {
  const stack = await start(unlimited, sleeping());
  const shown = 'service { dashboards { name } }';
  const { body } = await stack.query(
    withIds(`mutation { asleep: updateService(input: { @service-1, name: "x" }) { ${shown} }
      awake: wakeService(input: { @service-1 }) { ${shown} } }`),
  );
  expect(codesOf(body)).toEqual([['asleep.service.dashboards', 'SERVICE_NOT_RUNNING']]);
  expect(body.data.awake.service.dashboards).toEqual([{ name: 'Board of service-1' }]);
});

type Both = Pick<Awaited<ReturnType<typeof startTwoOverRedis>>, 'one' | 'other'>;
const onlyProcess = async (): Promise<Both> => {
  const stack = await start(unlimited, sleeping());
  return { one: stack, other: stack };
};
const replicas = (): Promise<Both> =>
  startTwoOverRedis({
    config: { ...unlimited, ...oneTree, redisTimeoutMs: 20_000 },
    ...{ credentials: oneKey, management: sleeping() },
  });

it.each<readonly [string, () => Promise<Both>]>([
  ['this process', onlyProcess],
  ...(redisPath === undefined ? [] : [['another replica', replicas] as const]),
])('a service that %s has woken shows its ClickStack at once', async (_, startBoth) => {
  const { one, other } = await startBoth();
  // An unproven credential keeps no failure, so a read that succeeds comes first.
  await one.query(withIds('{ service(@service-1) { name } }'));
  const whole = withIds(`{ service(@service-1) { name alerts { name } }
    dashboard(dashboardId: "d", service: { @service-1 }) { tiles { name } } }`);
  expect((await one.query(whole)).body.errors).toHaveLength(2);
  await mutate(other, 'wakeService', service('service-1'));
  expect((await one.query(whole)).body).toEqual({
    data: {
      service: { name: 'service-1', alerts: [{ name: 'Alert of service-1' }] },
      dashboard: { tiles: [{ name: 'Tile' }] },
    },
  });
});

it('a service without ClickStack is asked again after ten minutes', async () => {
  const time = holdTime();
  onTestFinished(time.release);
  const stack = await start(unlimited);
  // An unproven credential keeps no failure, so a read that succeeds comes first.
  await stack.query(withIds('{ service(@service-1) { name } }'));
  const isAskedAfter = async (seconds: number) => {
    time.pass(seconds);
    stack.calls.length = 0;
    const { body } = await stack.query(
      withIds('{ service(@service-3) { id dashboards { name } } }'),
    );
    expect(body.errors[0].message).toBe('This service has no ClickStack.');
    expect(codesOf(body)).toEqual([['service.dashboards', 'OPERATION_UNAVAILABLE']]);
    return stack.calls.length > 0;
  };
  expect(await isAskedAfter(0)).toBe(true);
  expect(await isAskedAfter(599)).toBe(false);
  expect(await isAskedAfter(2)).toBe(true);
});

it.each([
  [
    'a 401 of ClickStack',
    401,
    ['services/service-1', ...stackCalls('service-1', 'alerts', 'dashboards')],
  ],
  ['a 403 of ClickStack', 403, stackCalls('service-1', 'alerts', 'dashboards')],
])('%s drops what its credential may no longer have', async (_, status, readAnew) => {
  let isRefusing = false;
  const stack = await start(paced, (call) =>
    isRefusing && call.path.endsWith('/alerts')
      ? json({ status, error: 'no' }, status)
      : cloudAnswer(call),
  );
  const whole = withIds('{ service(@service-1) { name dashboards { name } alerts { name } } }');
  await stack.query(whole);
  isRefusing = true;
  // Newer than what is kept, so that the refusal is met.
  await stack.query(withIds('{ service(@service-1) { alerts { name } } }'), {
    headers: { 'cache-control': 'no-cache' },
  });
  isRefusing = false;
  stack.calls.splice(0);
  await stack.query(whole);
  expect(shortCalls(stack)).toEqual([...readAnew].sort());
});

it('what is over the limit names the limit of the one key', async () => {
  const stack = await start({ ...paced, managementRate: { calls: 1, windowMs: 60_000 } });
  const { body } = await stack.query(
    withIds('{ service(@service-1) { dashboards { name } alerts { name } } }'),
  );
  expect(codesOf(body).map(([, code]) => code)).toEqual(['RATE_LIMITED']);
  expect(body.errors[0].message).toMatch(/^The rate limit of management is used up/);
});

const tooShort = { organizationId: 'x', serviceId: 'y' };

it.each([
  ['of no form', { service: tooShort }, ['service.organizationId', 'service.serviceId']],
  ['that is not given, without a default', {}, ['service']],
])('a write names the member of its input for a service %s', async (_, given, fields) => {
  const stack = await start();
  for (const [field, input] of [
    ['updateAlert', { alertId: 'a', threshold: 9 }],
    ['deleteAlert', { alertId: 'a' }],
    ['updateDashboard', { dashboardId: 'd', name: 'x' }],
    ['deleteDashboard', { dashboardId: 'd' }],
  ] as const) {
    const { data } = await mutate(stack, field, { ...input, ...given });
    const { userErrors } = data[field];
    const named = userErrors.map((error: { field: string[] }) => error.field.join('.'));
    expect([field, named]).toEqual([field, fields]);
  }
  expect(stack.calls).toEqual([]);
});
