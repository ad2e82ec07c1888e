import { expect, it } from 'vitest';
import { clickstackWorld } from '../../sandbox/live/world/ids.ts';
import { ids, paths, startStory, type Value } from './stories.ts';

const { organization, production, staging, trial } = paths;
const first = `${production}/clickstack`;
const other = `${staging}/clickstack`;
const { alerts, webhooks } = clickstackWorld;
const missing = '0'.repeat(24);

const start = (limits = false) => startStory({ profile: 'clickstack-cloud', limits });

const tile = { name: 't', x: 0, y: 0, w: 6, h: 3 };
const config = { displayType: 'line', sourceId: ids.logs, select: [{ aggFn: 'count' }] };
const email = { type: 'email', emailRecipients: ['a@northwind.example'] };
const rule = { name: 'n', threshold: 1, interval: '5m', thresholdType: 'above' };

it.each([
  ['dashboards', { name: 'n', tiles: [{ ...tile, config }] }, { savedQuery: null }],
  [
    ...(['alerts', { ...rule, source: 'inline', chartConfig: config, channel: email }] as const),
    { chartConfig: config, channel: email, dashboardId: null, silenced: null, note: null },
  ],
  [
    'sources',
    {
      ...{ name: 'n', kind: 'log', connection: missing, timestampValueExpression: 'Time' },
      from: { databaseName: 'd', tableName: 't' },
    },
    { filterSettings: null },
  ],
  ['webhooks', { name: 'n', service: 'pagerduty_api', headers: { a: 'canary' } }, { url: null }],
  ['saved-searches', { name: 'n', sourceId: ids.logs }, { orderBy: null }],
  ['roles', { name: 'n', permissions: ['alerts:read'] }, { description: null }],
])(
  '%s are created, replaced and deleted, and only in their ClickStack',
  async (list, body, nulls) => {
    const { ask, get, post, put } = await start();
    const created = await post<Value & { id: string }>(`${first}/${list}`, body);
    expect(created).toMatchObject({ name: 'n', ...nulls });
    expect(JSON.stringify(created)).not.toContain('canary');
    const path = `${first}/${list}/${created.id}`;
    const changed = await put(path, { ...created, name: 'changed' });
    expect(changed).toMatchObject({
      ...created,
      name: 'changed',
      ...('updatedAt' in created && { updatedAt: expect.any(String) }),
    });
    const cannot = expect.stringContaining(`<pre>Cannot GET ${path}</pre>`);
    if (list === 'webhooks')
      expect(await ask('GET', path)).toMatchObject({ status: 404, value: cannot });
    else expect(await get(path)).toEqual(changed);
    const elsewhere = await ask('GET', `${other}/${list}`);
    expect(elsewhere.text).not.toContain(created.id);
    await put(`${other}/${list}/${created.id}`, body, { status: 404 });
    const { whole } = await ask('DELETE', path);
    expect(whole).toEqual({ status: 200, requestId: expect.any(String) });
    const gone = await ask('PUT', path, body);
    expect(gone.whole).toMatchObject({ status: 404, error: expect.stringMatching(/^NOT_FOUND: /) });
  },
);

it('lists have pages, and each ClickStack tells the total in its own way', async () => {
  const { ask } = await start();
  const page = async (path: string) => (await ask('GET', `${path}?limit=1&offset=1`)).whole;
  const envelope = { status: 200, requestId: expect.any(String), result: [expect.anything()] };
  for (const list of ['dashboards', 'alerts', 'sources', 'webhooks', 'roles']) {
    const { length } = (await ask('GET', `${first}/${list}`)).value as readonly unknown[];
    const meta = { total: length, limit: 1, offset: 1 };
    expect([list, await page(`${first}/${list}`)]).toEqual([list, { ...envelope, meta }]);
  }
  expect(await page(`${other}/dashboards`)).toEqual({ ...envelope, totalCount: 2 });
});

it('two ClickStacks have a dashboard and an alert with the same identifiers and different contents', async () => {
  const { get } = await start();
  const named = async (path: string) => [
    (await get(`${first}/${path}`)).name,
    (await get(`${other}/${path}`)).name,
  ];
  expect(await named(`dashboards/${ids.api}`)).toEqual(['API health', 'API (staging)']);
  expect(await named(`alerts/${ids.errorRate}`)).toEqual(['API error rate', 'Canary error rate']);
});

it('an alert replaced without some of its members loses them', async () => {
  const { ask, get, put } = await start();
  const inline = await get(`${first}/alerts/${alerts.inline}`);
  const severe = { webhookService: 'pagerduty_api', severity: 'critical' };
  expect(inline).toMatchObject({ channel: severe, chartConfig: { displayType: 'line' } });
  const { value } = await ask('GET', `${first}/alerts`);
  const rows = value as readonly (Value & { id: string })[];
  expect(rows.find(({ id }) => id === alerts.inline)).not.toHaveProperty('chartConfig');
  const { chartConfig: _, ...known } = inline;
  await put(`${first}/alerts/${alerts.inline}`, known, { status: 400 });
  const emailed = await get(`${first}/alerts/${alerts.emailed}`);
  expect(emailed).toMatchObject({ evaluationDelaySeconds: 90, channel: { type: 'email' } });
  const { evaluationDelaySeconds: __, ...described } = emailed;
  const changed = await put(`${first}/alerts/${alerts.emailed}`, described);
  expect(changed).toEqual({
    ...emailed,
    evaluationDelaySeconds: null,
    updatedAt: expect.any(String),
  });
});

it('a webhook in use is not deleted, and a dashboard is checked without being created', async () => {
  const { post, remove } = await start();
  await remove(`${first}/webhooks/${webhooks.pager}`, { status: 409 });
  const check = (sourceId: string) =>
    post(`${first}/dashboards/validate`, {
      name: 'n',
      tiles: [{ ...tile, config: { ...config, sourceId } }],
    });
  expect(await check(ids.logs)).toMatchObject({
    valid: true,
    errors: [],
    normalized: { name: 'n' },
  });
  const errors = [{ path: '', message: 'Source not found' }];
  expect(await check(ids.foreignSource)).toEqual({ valid: false, errors, normalized: null });
});

it.each([
  ['GET', `${trial}/clickstack/alerts`, 'admin', 404, 'Cannot GET'],
  ['PUT', `${first}/nothing`, 'admin', 404, `Cannot PUT ${first}/nothing`],
  [
    'GET',
    `${paths.foreignService}/clickstack/alerts`,
    'admin',
    404,
    'NOT_FOUND: service not found',
  ],
  ['GET', `${first}/alerts/${missing}`, 'developer', 404, 'NOT_FOUND: Alert not found'],
  ['GET', `${first}/alerts`, 'Bearer demo-main-token', 401, 'a valid API key is required'],
  [
    ...(['GET', `${first}/alerts`, 'queryEndpoints', 403] as const),
    'FORBIDDEN: the key may not use ClickStack',
  ],
])('%s %s is not for %s: %i', async (method, path, as, status, words) => {
  const answer = await (await start()).ask(method, path, method === 'PUT' ? {} : undefined, as);
  expect([answer.status, answer.value]).toEqual([status, expect.stringContaining(words)]);
  const type = words.startsWith('Cannot') ? 'text/html' : 'application/json';
  expect(answer.headers['content-type']).toBe(`${type}; charset=utf-8`);
});

it('both trees and both ClickStacks share the limit of a key', async () => {
  const { ask, get } = await start(true);
  const reads = [organization, `${first}/alerts`, `${other}/alerts`, `${production}/clickpipes`];
  for (const path of [...reads, ...reads, organization, `${first}/roles`]) await get(path);
  const { status, headers } = await ask('GET', `${other}/dashboards`);
  expect([status, headers['x-ratelimit-reset']]).toEqual([429, '10.000']);
  await get(organization, { status: 429 });
  await get(`${first}/alerts`, { as: 'developer' });
});
