import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cloud, hyperdx } from '../profiles/rows.ts';
import { type Call, data, json, result, stackInTest, useSandboxStack } from '../support/harness.ts';
import { cacheSecret } from '../support/redis/stacks.ts';
import { redisPath, startAgedRedis } from '../support/redis.ts';
import { withIds } from '../support/world/ids.ts';
import { call, type Headers, type Members, request, send } from './agent.ts';
import { credentialsIn, optionsOf, writes } from './table.ts';

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');
const pipeId = withIds('pipe-1');
const services = `/v1/organizations/${organizationId}/services`;
const service = `${services}/${serviceId}`;
const pipe = `${service}/clickpipes/${pipeId}`;
const alert = '/api/v2/alerts/a1';
const board = '/api/v2/dashboards/d1';
const chart = { type: 'time', dataSource: 'events', aggFn: 'count' };
const tile = { id: 't1', name: 'Errors', x: 0, y: 0, w: 6, h: 3, asRatio: false, series: [chart] };

/** Both interfaces with one thing of each kind, which writes change. */
const start = async (
  changes: Readonly<Record<string, Members>> = {},
  config = {},
  fails?: string,
  status = 403,
) => {
  const things = new Map<string, Members>(
    Object.entries({
      '/v1/organizations/o': { id: organizationId, name: 'Northwind' },
      [service]: {
        ...{ id: serviceId, name: 'production', state: 'running', numReplicas: 3 },
        ...{ minReplicaMemoryGb: 16, maxReplicaMemoryGb: 32 },
      },
      [pipe]: { id: pipeId, name: 'orders', state: 'Running' },
      [alert]: {
        ...{ id: 'a1', name: 'Errors', state: 'OK', threshold: 5, thresholdType: 'above' },
        ...{ interval: '5m', source: 'tile', dashboard: 'd1', tileId: 't1' },
        channel: { type: 'webhook', webhookId: 'w1' },
      },
      [board]: { id: 'd1', name: 'API', tags: ['api'], tiles: [tile] },
      '/api/v2/webhooks/w1': { id: 'w1', name: 'On call', service: 'slack' },
      '/api/v2/webhooks/w2': { id: 'w2', name: 'Team', service: 'slack' },
    }).map(([path, thing]) => [path, { ...thing, ...changes[path] }]),
  );
  const answer = ({ method, path, body }: Call): unknown => {
    const at = path.replace(/\/replicaScaling$/, '');
    if (method === 'POST') {
      const id = `new${things.size}`;
      things.set(`${at}/${id}`, { id, ...JSON.parse(body) });
      return things.get(`${at}/${id}`);
    }
    if (method !== 'GET') things.set(at, { ...things.get(at), ...JSON.parse(body) });
    const below = [...things].filter(([each]) => each.replace(/\/[^/]+$/, '') === at);
    return things.get(at) ?? below.map(([, thing]) => thing);
  };
  const stack = await stackInTest({
    management: (sent) => result(answer(sent)),
    observability: (sent) =>
      `${sent.method} ${sent.path}` === fails
        ? json({ message: 'No' }, status)
        : data(answer(sent)),
    config: { ...cloud, ...hyperdx, mcp: 'author', ...config },
  });
  /** Calls a tool: its answer, and what was sent besides reads. */
  const use = async (tool: string, given: Members, headers?: Headers) => {
    stack.calls.splice(0);
    const { text, isError } = await call(stack.url, tool, given, headers);
    const calls = stack.calls.map(({ method, path }) => `${method} ${path}`);
    const bodies = stack.calls.filter(({ method }) => method !== 'GET').map(({ body }) => body);
    return { text, isError, calls, bodies: bodies.map((each) => JSON.parse(each)) };
  };
  const plan = async (tool: string, given: Members) => {
    const { text, calls } = await use(tool, given);
    return { calls, ...JSON.parse(text).plan };
  };
  return { use, plan, things, stack };
};

const newAlert = {
  ...{ name: 'Slow', source: 'TILE', dashboardId: 'd1', tileId: 't1', threshold: 3 },
  ...{ thresholdType: 'ABOVE', interval: '5m', channel: { type: 'webhook', webhookId: 'w2' } },
};
const wired = { ...newAlert, source: 'tile', thresholdType: 'above' };
const newBoard = { name: 'Mine', tags: ['a'], tiles: [{ ...tile, id: undefined }] };
const scaled = {
  ...{ organizationId, serviceId, numReplicas: 4 },
  ...{ atMostReplicaMemoryGb: 64, atMostReplicas: 4 },
};
const list = (path: string) => `GET ${path.replace(/\/[^/]+$/, '')}`;
const anAlert = { threshold: 9, channel: { webhookId: 'w2' } };
const carried = { ...wired, name: 'Errors', threshold: 5 };
const copied = { ...chart, where: '', groupBy: [] };
const all = (count: number, ...items: readonly Members[]) => ({ count, items });

interface Row {
  readonly tool: string;
  readonly given: Members;
  /** The calls of the plan and of the change, which ends with its write. */
  readonly planned: readonly string[];
  readonly applied: readonly string[];
  readonly body: Members;
  /** What the plan tells besides its calls. */
  readonly told: Members;
  /** What a repeated call is told to have changed. */
  readonly changed: string;
}
const rows: readonly Row[] = [
  {
    ...{ tool: 'create_alert', given: newAlert, body: wired, changed: 'alerts' },
    planned: [list(alert), list(board), 'GET /api/v2/saved-searches', 'GET /api/v2/webhooks'],
    applied: [list(alert), 'POST /api/v2/alerts'],
    told: {
      affects: {
        dashboards: all(1, {
          ...{ id: 'd1', name: 'API' },
          tiles: all(1, { id: 't1', name: 'Errors' }),
        }),
        notifies: all(1, { id: 'w2', name: 'Team', service: 'slack' }),
      },
    },
  },
  {
    ...{ tool: 'update_alert', given: { alertId: 'a1', ...anAlert } },
    body: { ...carried, threshold: 9 },
    planned: [...Array(3).fill(`GET ${alert}`), `GET ${board}`, 'GET /api/v2/webhooks'],
    applied: [`GET ${alert}`, `GET ${board}`, `GET ${alert}`, `PUT ${alert}`],
    told: {
      reads: [`GET ${alert}`],
      changes: [
        { path: 'threshold', before: 5, after: 9 },
        { path: 'channel.webhookId', before: 'w1', after: 'w2' },
      ],
      affects: {
        notifiesNow: { channel: { type: 'webhook', webhook: { id: 'w1', name: 'On call' } } },
        notifiesThen: all(1, { id: 'w2', name: 'Team', service: 'slack' }),
      },
    },
    changed: 'channel, threshold',
  },
  {
    ...{ tool: 'scale_service', given: scaled, body: { numReplicas: 4 }, changed: 'numReplicas' },
    planned: [`GET ${service}`, `GET ${service}`],
    applied: [`GET ${service}`, `PATCH ${service}/replicaScaling`],
    told: { changes: [{ path: 'numReplicas', before: 3, after: 4 }] },
  },
  {
    ...{ tool: 'rename', given: { serviceId, name: 'prod' }, body: { name: 'prod' } },
    planned: ['GET /v1/organizations', `GET ${service}`, `GET ${service}`],
    applied: ['GET /v1/organizations', `GET ${service}`, `PATCH ${service}`],
    ...{ told: { changes: [{ path: 'name', before: 'production', after: 'prod' }] } },
    changed: 'name',
  },
  {
    tool: 'rename',
    given: { organizationId, serviceId, pipeId, name: 'shop' },
    body: { name: 'shop' },
    planned: [`GET ${pipe}`, `GET ${service}`, `GET ${pipe}`],
    applied: [`GET ${pipe}`, `GET ${service}`, `PATCH ${pipe}`],
    told: { thing: { id: pipeId, name: 'orders', service: { id: serviceId, name: 'production' } } },
    changed: 'name',
  },
  {
    tool: 'rename',
    given: { dashboardId: 'd1', name: 'Shop' },
    body: { name: 'Shop', tags: ['api'], tiles: [tile] },
    planned: [`GET ${board}`, `GET ${board}`, list(alert)],
    applied: [`GET ${board}`, `GET ${board}`, list(alert), `PUT ${board}`],
    told: { reads: [`GET ${board}`, list(alert)] },
    changed: 'name',
  },
  {
    tool: 'rename',
    given: { alertId: 'a1', name: 'Faults' },
    body: { ...carried, name: 'Faults', channel: { type: 'webhook', webhookId: 'w1' } },
    planned: [`GET ${alert}`, `GET ${board}`, `GET ${alert}`],
    applied: [`GET ${alert}`, `GET ${board}`, `GET ${alert}`, `PUT ${alert}`],
    told: { thing: { id: 'a1', name: 'Errors', dashboard: { id: 'd1', name: 'API' } } },
    changed: 'name',
  },
  {
    ...{ tool: 'copy_dashboard', given: { dashboardId: 'd1', name: 'Copy' } },
    body: { name: 'Copy', tags: ['api'], tiles: [{ ...tile, id: undefined, series: [copied] }] },
    planned: [list(board), list(alert)],
    applied: [list(board), 'POST /api/v2/dashboards'],
    told: { affects: { notCopied: { alerts: all(1, { id: 'a1', name: 'Errors' }) } } },
    changed: 'dashboards',
  },
  {
    ...{ tool: 'create_dashboard', given: newBoard, body: newBoard, changed: 'dashboards' },
    planned: [list(board), 'GET /api/v2/sources'],
    applied: [list(board), 'POST /api/v2/dashboards'],
    told: {},
  },
];

const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it.each(rows)(
  '$tool with $given is planned, carried out once, and then refused',
  async ({ tool, given, planned, applied, body, told, changed }) => {
    const { use, plan } = await start();
    const { calls, planId, sends, ...more } = await plan(tool, given);
    expect(calls.toSorted()).toEqual([...planned].sort());
    expect(more).toMatchObject({ ...told, note: expect.stringContaining('Nothing was sent.') });
    expect(sends).toHaveLength(1);
    expect(sends[0].call).toBe(applied.at(-1));
    // Of what is read, the changes are told in the place of the body.
    const [{ body: shown }] = sends;
    if (shown === undefined) expect(more.changes.length).toBeGreaterThan(0);
    else expect(shown).toEqual(withoutUndefined(body));
    const done = await use(tool, { ...given, planId });
    expect([done.isError, done.text]).toEqual([false, expect.stringContaining('"id":')]);
    expect([done.calls.at(-1), done.bodies]).toEqual([applied.at(-1), [withoutUndefined(body)]]);
    expect(done.calls.toSorted()).toEqual([...applied].sort());
    const again = await use(tool, { ...given, planId });
    const reason = `BAD_USER_INPUT: Since the plan was made, this has changed: ${changed}. Nothing was sent.`;
    expect([again.text.slice(0, reason.length), again.bodies]).toEqual([reason, []]);
    // Who plans the same once more hears of the first.
    const { sameName } = await plan(tool, given);
    expect(sameName?.length).toBe(/^(?:create|copy)_/.test(tool) ? 1 : undefined);
  },
);

const given = { alertId: 'a1', threshold: 9 };
const none = 'planId is none that was made for this credential, or is not whole.';
const mixed = 'planId belongs to other arguments';

it.each<[title: string, refusal: string, more: Members, tool?: string]>([
  ['with another value', mixed, { threshold: 10 }],
  ['with one more argument', mixed, { name: 'New' }],
  ['with null for an argument', mixed, { message: null }],
  ['of another tool', mixed, { threshold: undefined, name: 'New' }, 'rename'],
  ['that is no plan', none, { planId: 'é.1.2' }],
  ['that is empty', none, { planId: '' }],
  [
    'that is no text',
    'Wrong arguments for update_alert. planId must be a text, got a number',
    { planId: 7 },
  ],
])('a plan id %s carries out nothing', async (_, refusal, more, tool = 'update_alert') => {
  const { use, plan } = await start();
  const { planId } = await plan('update_alert', given);
  const { text, bodies } = await use(tool, { ...given, planId, ...more });
  expect(text).toMatch(`BAD_USER_INPUT: ${refusal}`);
  expect(bodies).toEqual([]);
});

it('each part of a plan id counts', async () => {
  const { use, plan } = await start();
  const { planId } = await plan('update_alert', given);
  for (const at of [0, 8, 30, 50, planId.length - 1]) {
    const other = planId[at] === 'x' ? 'y' : 'x';
    const damaged = planId.slice(0, at) + other + planId.slice(at + 1);
    const { text, bodies } = await use('update_alert', { ...given, planId: damaged });
    expect([text.includes(none), bodies]).toEqual([true, []]);
  }
});

it('a plan is valid for five minutes, at each gateway, and for its credentials alone', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const [one, other] = [await start(), await start()];
  const { planId } = await one.plan('update_alert', given);
  const apply = (at: typeof one, headers?: Headers) =>
    at.use('update_alert', { ...given, planId }, headers);
  for (const [name, value] of [
    ['observability-authorization', 'Bearer of-another'],
    ['management-authorization', ''],
  ] as const) {
    const { text, bodies } = await apply(one, { [name]: value });
    expect([text.includes(none), bodies]).toEqual([true, []]);
  }
  vi.setSystemTime(Date.now() + 299_000);
  expect(
    (await apply(other, { 'observability-authorization': 'bearer  token-of-the-caller' })).isError,
  ).toBe(false);
  vi.setSystemTime(Date.now() + 1000);
  const late = await apply(one);
  expect(late.text).toContain(
    'planId has expired: a plan is valid for 5 minutes. Nothing was sent.',
  );
  expect(late.bodies).toEqual([]);
});

it('a plan of a deployment with a secret of its own is worth nothing at another', async () => {
  const secret = (letter: string) => ({ cacheSecret: letter.repeat(32) });
  const own = await start({}, secret('a'));
  const { planId } = await own.plan('update_alert', given);
  for (const other of [await start(), await start({}, secret('b'))]) {
    const { text, bodies } = await other.use('update_alert', { ...given, planId });
    expect([text.includes(none), bodies]).toEqual([true, []]);
  }
  const replica = await start({}, { cacheSecret: `${'a'.repeat(32)},${'b'.repeat(32)}` });
  expect((await replica.use('update_alert', { ...given, planId })).isError).toBe(false);
});

it('calls with one plan at the same time carry it out once', async () => {
  const { stack, plan } = await start();
  const { planId } = await plan('create_dashboard', newBoard);
  stack.calls.splice(0);
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => call(stack.url, 'create_dashboard', { ...newBoard, planId })),
  );
  expect(stack.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
});

it('a plan is carried out once, even if the thing is as it was before', async () => {
  const { use, plan, things } = await start();
  const { planId } = await plan('update_alert', given);
  const before = things.get(alert);
  expect((await use('update_alert', { ...given, planId })).bodies).toHaveLength(1);
  things.set(alert, { ...before });
  const { text, bodies } = await use('update_alert', { ...given, planId });
  expect([text.includes('This plan is used'), bodies]).toEqual([true, []]);
});

it.each([
  [403, 2],
  [500, 1],
])('after the status %i a plan is sent %i times at most', async (status, times) => {
  const { use, plan } = await start({}, {}, `PUT ${alert}`, status);
  const { planId } = await plan('update_alert', given);
  const first = await use('update_alert', { ...given, planId });
  const second = await use('update_alert', { ...given, planId });
  expect([first.isError, second.isError]).toEqual([true, true]);
  expect([...first.bodies, ...second.bodies]).toHaveLength(times);
});

describe.skipIf(redisPath === undefined)('over Redis', () => {
  const startTwo = async (fails?: string) => {
    const { url: redisUrl } = await startAgedRedis();
    const config = { redisUrl, cacheSecret, replicas: 2, redisTimeoutMs: 1000 };
    return Promise.all([start({}, config, fails), start({}, config)]);
  };

  it('replicas carry a plan out once', async () => {
    const [one, other] = await startTwo();
    const { planId } = await one.plan('update_alert', given);
    const apply = (at: typeof one) => at.use('update_alert', { ...given, planId });
    const answers = await Promise.all([apply(one), apply(other)]);
    expect(answers.flatMap(({ bodies }) => bodies)).toHaveLength(1);
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  });

  it('a replica carries out a plan that another one could not', async () => {
    const [one, other] = await startTwo(`PUT ${alert}`);
    const { planId } = await one.plan('update_alert', given);
    expect((await one.use('update_alert', { ...given, planId })).isError).toBe(true);
    expect((await other.use('update_alert', { ...given, planId })).isError).toBe(false);
  });
});

it.each<[change: Members, changed: string | undefined]>([
  [{ state: 'ALERT', updatedAt: '2026-11-29T10:00:00Z', silenced: { at: 'now' } }, undefined],
  [{ threshold: 6 }, 'threshold'],
  [{ name: 'Other', channel: { type: 'webhook', webhookId: 'w2' } }, 'channel, name'],
])('a plan holds after the change %j, but for %j', async (change, changed) => {
  const { use, plan, things } = await start();
  const { planId } = await plan('update_alert', given);
  things.set(alert, { ...things.get(alert), ...change });
  const { text, bodies } = await use('update_alert', { ...given, planId });
  expect(bodies).toHaveLength(changed === undefined ? 1 : 0);
  if (changed !== undefined) expect(text).toContain(`this has changed: ${changed}. Nothing`);
});

const sql = { ...chart, sqlTemplate: 'SELECT 1' };

it.each<
  [tool: string, given: Members, refusal: string, changes?: Readonly<Record<string, Members>>]
>([
  [
    'scale_service',
    { ...scaled, numReplicas: 5 },
    'numReplicas would be 5, and atMostReplicas allows 4.',
  ],
  [
    'scale_service',
    { ...scaled, atMostReplicaMemoryGb: 24 },
    'maxReplicaMemoryGb would be 32, and atMostReplicaMemoryGb allows 24.',
  ],
  [
    'scale_service',
    { ...scaled, minReplicaMemoryGb: 48 },
    'minReplicaMemoryGb would be 48, above maxReplicaMemoryGb, 32.',
  ],
  [
    'scale_service',
    { ...scaled, numReplicas: undefined },
    'maxReplicas would be 9, and atMostReplicas allows 4.',
    { [service]: { numReplicas: null, maxReplicas: 9, autoscalingMode: 'horizontal' } },
  ],
  [
    'scale_service',
    { ...scaled, numReplicas: 2 },
    'memoryOfAReplica would be 72, and atMostReplicaMemoryGb allows 64.',
    { [service]: { minReplicaMemoryGb: null, maxReplicaMemoryGb: null, maxTotalMemoryGb: 144 } },
  ],
  [
    'scale_service',
    scaled,
    'does not tell what atMostReplicaMemoryGb limits',
    { [service]: { minReplicaMemoryGb: null, maxReplicaMemoryGb: null } },
  ],
  [
    'scale_service',
    { ...scaled, atMostReplicas: '4' },
    'atMostReplicas must be a number, got a text.',
  ],
  ['scale_service', { ...scaled, atMostReplicas: null }, 'It needs atMostReplicas.'],
  ['update_alert', { alertId: 'a1' }, 'must be given, got none.'],
  [
    'copy_dashboard',
    { dashboardId: 'd1', name: 'Copy' },
    'this dashboard has such: "Errors".',
    { [board]: { tiles: [{ ...tile, series: [sql] }] } },
  ],
  [
    'rename',
    { dashboardId: 'd1', alertId: 'a1', name: 'New' },
    'It takes dashboardId, name, planId, and nothing else.',
  ],
  ['rename', { name: 'New' }, 'It needs serviceId.'],
  ['create_dashboard', { name: 'New', tiles: [{ color: 'red' }] }, 'color'],
])('%s with %j is refused before there is a plan', async (tool, wrong, refusal, changes) => {
  const { use } = await start(changes);
  const { text, isError, bodies } = await use(tool, wrong);
  expect([isError, text.includes('planId":'), bodies]).toEqual([true, false, []]);
  expect(text).toContain(refusal);
});

it('a plan names identifiers that are found nowhere, and what could not be read', async () => {
  const { plan } = await start();
  const wrong = { ...newAlert, tileId: 't9', channel: { type: 'webhook', webhookId: 'w9' } };
  const { affects } = await plan('create_alert', wrong);
  expect(affects.unknownIds).toEqual(['tileId', 'webhookId']);
  const failing = await start({}, {}, 'GET /api/v2/webhooks');
  const { affects: partly, planId } = await failing.plan('create_alert', wrong);
  expect([partly.unread, partly.unknownIds]).toEqual([['notifies: FORBIDDEN'], undefined]);
  expect(planId).toEqual(expect.any(String));
});

it('a plan has no addresses of people, and no body of what is as it was', async () => {
  const channel = { type: 'email', emailRecipients: ['a@example.com', 'b@example.com'] };
  const { use } = await start({ [alert]: { channel, channels: [channel] } });
  for (const more of [{ channel: { emailRecipients: ['c@example.com'] } }, { threshold: 5 }]) {
    const { text } = await use('update_alert', { alertId: 'a1', ...more });
    expect([text.includes('planId'), text.includes('@')]).toEqual([true, false]);
  }
});

it('a plan is logged and counted as a read', async () => {
  const { use, plan, stack } = await start({}, { logSuccessPercent: 0 });
  const { planId } = await plan('update_alert', given);
  expect(stack.lines('operation')).toEqual([]);
  await use('update_alert', { ...given, planId });
  expect(stack.lines('operation')).toMatchObject([{ operationType: 'mutation', way: 'mcp' }]);
  expect(stack.log()).not.toContain(planId);
});

it('start_service tells with planOnly what it would do', async () => {
  const { use } = await start({ [service]: { state: 'stopped' } });
  const given = { organizationId, serviceId, confirmName: 'production', planOnly: true };
  const { text, bodies } = await use('start_service', given);
  const call = `PATCH ${service}/state`;
  expect([JSON.parse(text).plan.sends, bodies]).toEqual([
    [{ call, body: { command: 'start' } }],
    [],
  ]);
});

const stack = useSandboxStack(optionsOf({ mcp: 'author' }));
const use = (name: string, more: Members) => call(stack.url, name, more, credentialsIn(stack));

const effects: Readonly<Record<string, RegExp>> = {
  stop_service: /"copyNothing":\{"pipes":\{"count":3,"items":\[\{"id"/,
  stop_pipe: /"getsNoData":\{"destination":\{"database":"crm"/,
  resync_pipe: /"tables":\{"count":1,"items":\[\{"targetTable":"profiles_people"/,
  update_alert_threshold:
    /"changes":\[\{"path":"threshold","before":100,"after":7\}\].*"name":"Channel of the data team"/,
};

// The service of `start_service` runs, so nothing is offered.
it.each(writes.filter(([name]) => name !== 'start_service'))(
  '%s tells with planOnly what it would do',
  async (name, ids, names, write) => {
    const asked = { ...ids, ...names };
    const { text, isError } = await use(name, { ...asked, planOnly: true });
    const { plan } = JSON.parse(text);
    expect([isError, plan.sends.map((each: Members) => each.call)]).toEqual([false, [write]]);
    expect(text).toMatch(effects[name] ?? 'Nothing was sent');
    const wrong = await use(name, { ...asked, planOnly: 'true' });
    expect(wrong.text).toContain('planOnly must be a boolean, got a text.');
    const unconfirmed = await use(name, { ...asked, confirmName: 'x', planOnly: true });
    expect(unconfirmed.text).toContain('confirmName is not the present name');
    expect(stack.callList().filter((each) => !each.startsWith('GET'))).toEqual([]);
  },
);

it('a dashboard that is shown in part is not renamed, and no permission is suggested', async () => {
  const { text } = await use('rename', { dashboardId: 'da5b00000000000000000001', name: 'New' });
  expect(text).toMatch(
    /^WOULD_LOSE_DATA: .*set mayResetTiles to true\. No tool takes that: tell the user, who can change it where dashboards are edited\.$/,
  );
  expect(stack.callList().filter((each) => !each.startsWith('GET'))).toEqual([]);
});

it('MCP=author has them besides all others, and they never take a secret or delete', async () => {
  const { tools } = (await send(stack.url, request('tools/list'))).body.result;
  const names: readonly string[] = tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining([...rows.map(({ tool }) => tool), 'stop_pipe']));
  expect(JSON.stringify(tools).length).toBeLessThan(24_000);
  const writing = tools.filter(({ annotations }: Members) => !Object(annotations).readOnlyHint);
  expect(JSON.stringify(writing)).not.toMatch(/delete|password|secret|api_?key/i);
  const creating = writing.filter(({ name }: Members) => /^(?:create|copy)_/.test(String(name)));
  expect(creating.map(({ annotations }: Members) => annotations)).toEqual(
    Array(3).fill({ readOnlyHint: false, destructiveHint: false, idempotentHint: false }),
  );
  for (const { description } of tools) expect(description.length).toBeLessThanOrEqual(300);
});
