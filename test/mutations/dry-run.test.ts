import { expect, it } from 'vitest';
import { ids, paths, pipe } from '../profiles/cloud-records.ts';
import { dashboardId } from '../profiles/hyperdx-records.ts';
import { mutate, sentOf, startProfile } from '../profiles/rows.ts';
import { answering } from '../support/answering.ts';
import { data, json, paced, result } from '../support/harness.ts';
import { serveMetrics } from '../support/metrics.ts';

type Members = Readonly<Record<string, unknown>>;

const alertId = '65f5e4a3b9e77c0000000a01';
const board = `/api/v2/dashboards/${dashboardId}`;
const tile = (id: string, name: string, more: object = {}) => ({
  ...{ id, name, x: 0, y: 0, w: 6, h: 3, series: [{ type: 'markdown', content: '#' }], ...more },
});
const alert = {
  ...{ id: alertId, state: 'ALERT', threshold: 5, interval: '5m', thresholdType: 'above' },
  ...{ source: 'tile', dashboard: dashboardId, tileId: 't1', name: 'Errors', note: null },
  channel: { type: 'webhook', webhookId: 'w1', apiToken: 'of-a-team' },
};
const stored = { ...pipe('objectStorage'), name: 'files' };
const own = { clickhouse_max_threads: 4, object_storage_polling_interval_ms: 30_000 };
const dashboard = {
  ...{ id: dashboardId, name: 'API', tags: ['api'] },
  tiles: [tile('t1', 'One'), tile('t2', 'Two'), tile('t3', 'Three')],
};

const start = (read: Members = {}, config: object = {}) =>
  startProfile(
    {
      management: answering({
        [`GET ${paths.pipe}`]: result(stored),
        [`PATCH ${paths.pipe}`]: result(stored),
        [`GET ${paths.pipe}/settings`]: result(own),
        [`PUT ${paths.pipe}/settings`]: result(own),
      }),
      observability: ({ method, path }) => {
        if (path.endsWith('/alerts')) return data([]);
        if (method !== 'GET') return data({});
        return data({ ...(path === board ? dashboard : alert), ...read });
      },
    },
    config,
  );

const payload = 'plan { calls { method path body } changes { path before after } }';
const change = (path: string, before: unknown, after: unknown) => ({
  path: path.split('.'),
  before: before === null ? null : JSON.stringify(before),
  after: after === null ? null : JSON.stringify(after),
});
/** A dry run of an update, what would be other, and what is read in place of the usual object. */
const tells = (field: string, input: Members, changes: readonly object[], read: Members = {}) =>
  [field, input, changes, read] as const;
const ofAlert = (input: Members, changes: readonly object[], read: Members = {}) =>
  tells('updateAlert', { alertId, ...input }, changes, read);
const ofBoard = (input: Members, changes: readonly object[]) =>
  tells('updateDashboard', { dashboardId, ...input }, changes);
const ofPipe = (input: Members, changes: readonly object[]) =>
  tells('updatePipe', { ...ids, ...input }, changes);

const settings = { objectStoragePollingIntervalMs: 60_000 };
const polling = change('object_storage_polling_interval_ms', 30_000, 60_000);
const renamed = change('name', 'files', 'new');
const keptTiles = ['t3', 't1'];

it.each([
  ofAlert({ threshold: 9, interval: '5m' }, [change('threshold', 5, 9)]),
  ofAlert({ threshold: 5, note: null }, []),
  ofAlert({ name: 'Now', message: 'Call' }, [
    change('name', 'Errors', 'Now'),
    change('message', null, 'Call'),
  ]),
  ofAlert(
    { source: 'SEARCH', savedSearchId: 's1' },
    [
      change('source', 'inline', 'search'),
      change('chartConfig', { select: ['a'] }, null),
      change('savedSearchId', null, 's1'),
    ],
    { source: 'inline', chartConfig: { select: ['a'] } },
  ),
  ofAlert({ channel: { webhookId: 'w2' } }, [
    change('channel.webhookId', 'w1', 'w2'),
    change('channel.apiToken', '[redacted]', null),
  ]),
  ofBoard({ tags: ['a', 'b'] }, [change('tags', ['api'], ['a', 'b'])]),
  ofBoard({ name: 'API', tags: ['api'] }, []),
  ofBoard({ tiles: [{ id: 't3' }, { id: 't1', name: 'First' }] }, [
    change('tiles', ['t1', 't3'], keptTiles),
    change('tiles.t1.name', 'One', 'First'),
    change('tiles.t2', tile('t2', 'Two'), null),
  ]),
  ofPipe({ name: 'new' }, [renamed]),
  ofPipe({ settings }, [polling]),
  ofPipe({ name: 'new', settings }, [renamed, polling]),
])('a dry run of %s with %j tells what the update sends', async (field, input, changes, read) => {
  const stack = await start(read);
  const answer = await mutate(stack, field, { ...input, dryRun: true }, payload);
  const dry = sentOf(stack).map(([call]) => call);
  expect(dry.filter((call) => !call.startsWith('GET'))).toEqual([]);
  stack.calls.splice(0);
  await mutate(stack, field, { ...input, dryRun: false });
  const sent = sentOf(stack).filter(([call]) => !call.startsWith('GET'));
  const { plan, userErrors } = answer.data[field];
  expect([answer.errors, userErrors, plan.changes]).toEqual([undefined, [], changes]);
  const calls = plan.calls.map((call: { method: string; path: string; body: string }) => [
    `${call.method} ${call.path}`,
    JSON.parse(call.body),
  ]);
  const shown = JSON.parse(JSON.stringify(sent).replaceAll('of-a-team', '[redacted]'));
  expect(calls).toEqual(shown);
  expect(JSON.stringify(answer)).not.toContain('of-a-team');
});

const wrong = (code: string, message: string) => ({
  code,
  message: expect.stringContaining(message),
});

it.each([
  ['updateAlert', { alertId }, wrong('BAD_USER_INPUT', 'or scheduleStartAt must be given')],
  ['updateAlert', { alertId: 'a/b', threshold: 1 }, wrong('BAD_USER_INPUT', 'alertId')],
  ['updateDashboard', { dashboardId, tiles: [{ id: 'gone' }] }, wrong('BAD_USER_INPUT', 'no tile')],
  ['updatePipe', { ...ids, pipeId: 'p1', name: 'new' }, wrong('BAD_USER_INPUT', 'pipeId')],
])('a dry run of %s with %j is refused as the update is', async (field, input, refusal) => {
  for (const dryRun of [false, true]) {
    for (const mutations of dryRun ? [true, false] : [true]) {
      const stack = await start({}, { mutations });
      const { data: shown } = await mutate(stack, field, { ...input, dryRun }, payload);
      expect(shown[field]).toMatchObject({ plan: null, userErrors: [refusal] });
    }
  }
});

it('a dry run of an alert that cannot be read has the error at its plan', async () => {
  const stack = await startProfile({ observability: () => json({ message: 'Busy' }, 403) });
  const { data: shown, errors } = await mutate(
    stack,
    'updateAlert',
    { alertId, threshold: 1, dryRun: true },
    payload,
  );
  expect(shown).toEqual({ updateAlert: { plan: null, userErrors: [] } });
  expect(errors).toMatchObject([{ path: ['updateAlert', 'plan'] }]);
});

const long = `${'x'.repeat(5000)}`;

it('a plan has no secret, and of a long text the beginning', async () => {
  const secrets = {
    ...{ hook: { url: 'https://of-a-user:of-a-login@hooks.example/?token=of-an-option' } },
    ...{ authorization: { value: 'of-a-header' }, repeats: 'the caller has token-of-the-caller' },
    ...{
      headers: { 'X-Api-Key': 'of-a-key' },
      chat: 'https://chat.example/api/webhooks/1/of-a-bot',
    },
    ...{ runbook: 'https://hooks.example' },
    ...{ slack: { url: 'https://hooks.slack.com/services/T0/B0/of-a-channel' } },
    ...{ apiToken: 'of-a-team', quotes: 'It is of-a-team.', text: long },
  };
  const stack = await start(secrets);
  const input = { alertId, threshold: 9, dryRun: true };
  const { data: shown } = await mutate(stack, 'updateAlert', input, payload);
  const [{ body }] = shown.updateAlert.plan.calls;
  expect(body).not.toMatch(/of-a|token-of/);
  expect(JSON.parse(body)).toMatchObject({
    ...{ apiToken: '[redacted]', quotes: 'It is [redacted].', authorization: '[redacted]' },
    ...{ headers: { 'X-Api-Key': '[redacted]' }, slack: { url: '[redacted]' } },
    chat: '[redacted]',
    runbook: 'https://hooks.example',
    ...{ repeats: 'the caller has [redacted]', text: `${'x'.repeat(4096)}… (5000 characters)` },
  });
});

const dry =
  'updateAlert(input: { alertId: "a1", threshold: 1, dryRun: true }) { plan { calls { path } } }';
const real = 'real: updateAlert(input: { alertId: "a1", threshold: 1 }) { userErrors { code } }';
const given = (dryRun: unknown) => ({ input: { alertId: 'a1', threshold: 1, dryRun } });
const byInput =
  'mutation ($input: UpdateAlertInput!) { updateAlert(input: $input) { userErrors { code } } }';
const byFlag = (fallback = '') => `mutation ($dry: Boolean${fallback}) {
  updateAlert(input: { alertId: "a1", threshold: 1, dryRun: $dry }) { userErrors { code } } }`;

it.each<[isAnswered: boolean, document: string, variables?: Members]>([
  [true, `mutation { ${dry} }`],
  [true, `mutation { ...Dry } fragment Dry on Mutation { ${dry} }`],
  [
    true,
    `mutation ($no: Boolean = false) { ${dry} ${real.replace('}) {', ', dryRun: $no }) @include(if: $no) {')} }`,
  ],
  [true, byInput, given(true)],
  [true, byFlag(), { dry: true }],
  [true, byFlag(' = true')],
  [false, `mutation { ${real} }`],
  [false, `mutation { ${dry} ${real} }`],
  [false, `mutation { ${dry} ... { ${real} } }`],
  [false, byInput, given(false)],
  [false, byInput, given(null)],
  [false, byFlag()],
  [false, byFlag(' = true'), { dry: false }],
  [false, 'mutation { __typename }'],
  [
    false,
    'mutation ($input: DeleteAlertInput!) { deleteAlert(input: $input) { userErrors { code } } }',
    given(true),
  ],
])(
  'with MUTATIONS=off, it is %s that an answer comes to %s %j',
  async (isAnswered, document, variables) => {
    const stack = await start({}, { mutations: false });
    const { body } = await stack.query(document, { variables });
    if (isAnswered) expect(body).toMatchObject({ data: { updateAlert: {} } });
    else expect(body.errors[0].extensions).toMatchObject({ code: 'MUTATIONS_OFF' });
    expect(stack.callList()).toEqual(isAnswered ? ['GET /api/v2/alerts/a1'] : []);
  },
);

it('a dry run notes no change, so memory keeps what it has', async () => {
  const stack = await start({}, paced);
  const read = async (expected: number) => {
    await stack.query('{ alerts { threshold } alert(alertId: "a1") { threshold } }');
    expect(stack.calls.splice(0).filter(({ method }) => method === 'GET')).toHaveLength(expected);
  };
  await read(2);
  await stack.query(byInput, { variables: given(true) });
  stack.calls.splice(0);
  await read(0);
  await stack.query(byInput, { variables: given(false) });
  stack.calls.splice(0);
  await read(2);
});

it('the log and the metrics count a dry run as a read', async () => {
  const stack = await start({}, { logSuccessPercent: 0, metricsPort: 0 });
  const scrape = await serveMetrics(stack.gateway);
  await stack.query(byInput, { variables: given(true) });
  expect(stack.lines('operation')).toEqual([]);
  await stack.query(byInput, { variables: given(false) });
  expect(stack.lines('operation')).toMatchObject([{ operationType: 'mutation' }]);
  const counted = (await scrape()).samples.filter(
    ({ name, value }) => name === 'sluice_operations_total' && value > 0,
  );
  expect(counted.map(({ labels, value }) => [labels.type, value])).toEqual([
    ['query', 1],
    ['mutation', 1],
  ]);
});
