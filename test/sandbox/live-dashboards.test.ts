import { describe, expect, it } from 'vitest';
import type { LiveAlert } from '../../sandbox/live/observability/alert-shapes.ts';
import type { LiveDashboard } from '../../sandbox/live/observability/dashboard-shapes.ts';
import { credentials, world } from '../support/sandbox/harness.ts';
import { liveWorld, openLive } from '../support/sandbox/live.ts';

const { main, second } = world.observability;
const { sources } = liveWorld;
const path = '/api/v2/dashboards';
const api = `${path}/${main.dashboards.api}`;

const place = { x: 0, y: 0, w: 6, h: 3 };
const chart = { displayType: 'line', sourceId: sources.logs, select: [{ aggFn: 'count' }] };
const tile = { name: 'Requests', ...place, config: chart };

type Api = Awaited<ReturnType<typeof openLive>>['observability'];

const read = async (observability: Api, at: string) =>
  (await observability<LiveDashboard>('GET', at)).body.data;

const alertIds = async (observability: Api) =>
  (await observability<readonly LiveAlert[]>('GET', '/api/v2/alerts')).body.data.map(
    ({ id }) => id,
  );

describe('dashboards of the live sandbox', () => {
  it('are listed by name, descending, with tiles that have a config and no series', async () => {
    const { observability } = await openLive();
    const list = (await observability<readonly LiveDashboard[]>('GET', path)).body.data;
    expect(list.map(({ name }) => name)).toEqual([
      'Ingestion',
      'Checkout',
      'Capacity',
      'API health',
    ]);
    for (const dashboard of list) {
      expect(await read(observability, `${path}/${dashboard.id}`)).toEqual(dashboard);
      for (const { config, ...rest } of dashboard.tiles) {
        expect(config).toHaveProperty('displayType');
        for (const name of ['series', 'asRatio']) expect(rest).not.toHaveProperty(name);
      }
    }
  });

  it('have what the reference says of a tile in its config', async () => {
    const { observability } = await openLive();
    const configs = new Map(
      (await observability<readonly LiveDashboard[]>('GET', path)).body.data.flatMap(({ tiles }) =>
        tiles.map(({ id, config }) => [id, config] as const),
      ),
    );
    const count = { aggFn: 'count', whereLanguage: 'lucene' };
    expect(configs.get(main.tiles.apiErrors)).toEqual({
      displayType: 'line',
      sourceId: sources.logs,
      asRatio: true,
      select: [
        { ...count, where: 'http.status_code:>=500' },
        { ...count, where: 'span.kind:server' },
      ],
    });
    expect(configs.get(main.tiles.apiLatency)).toMatchObject({
      groupBy: 'service',
      select: [{ aggFn: 'quantile', level: 0.95, valueExpression: 'Duration' }],
    });
    expect(configs.get(main.tiles.ingestionLag)).toMatchObject({
      sourceId: sources.metrics,
      select: [{ aggFn: 'max', metricName: 'kafka.lag', metricType: 'gauge', where: '' }],
    });
    expect(configs.get(main.tiles.checkoutRevenue)).toMatchObject({ displayType: 'table' });
    expect(configs.get(main.tiles.ingestionFailures)).toMatchObject({ displayType: 'number' });
    expect(configs.get(main.tiles.checkoutNotes)).toMatchObject({ displayType: 'markdown' });
  });

  it('that are unknown are a 404 in plain text, and nothing when they are deleted', async () => {
    const { observability } = await openLive();
    for (const id of [main.dashboards.gone, second.dashboards.meters]) {
      const reply = await observability('GET', `${path}/${id}`);
      expect([reply.status, reply.text]).toEqual([404, 'Not Found']);
      expect(reply.headers.get('content-type')).toContain('text/plain');
      const gone = await observability('DELETE', `${path}/${id}`);
      expect([gone.status, gone.body]).toEqual([200, {}]);
    }
    expect((await observability('GET', `${path}/nonsense`)).status).toBe(400);
    const { header } = credentials.observability.second;
    const meters = `${path}/${second.dashboards.meters}`;
    expect((await observability('GET', meters, undefined, header)).status).toBe(200);
  });

  it('take their alerts along when they are deleted', async () => {
    const { observability } = await openLive();
    await observability('DELETE', api);
    const { alerts } = main;
    const gone = [alerts.errorRate, alerts.latency, alerts.traffic];
    const left = await alertIds(observability);
    expect(left).toHaveLength(9);
    expect(left.filter((id) => gone.some((other) => other === id))).toEqual([]);
  });
});

describe('POST of a dashboard in the live sandbox', () => {
  const create = async (tiles: readonly unknown[], more = {}) => {
    const { observability } = await openLive();
    return observability<LiveDashboard>('POST', path, { name: 'New', tiles, ...more });
  };

  it('gives tiles new identifiers, and keeps what only HyperDX has', async () => {
    const more = {
      savedQuery: 'level:error',
      savedQueryLanguage: 'lucene',
      filters: [{ id: 'f' }],
    };
    const { data } = (await create([{ ...tile, id: main.tiles.apiErrors }], more)).body;
    expect(data).toMatchObject({ name: 'New', tags: [], ...more, tiles: [tile] });
    expect(data.tiles[0]?.id).not.toBe(main.tiles.apiErrors);
  });

  it.each([
    ['line', chart],
    ['stacked_bar', { ...chart, displayType: 'stacked_bar', asRatio: true, formulas: [{}] }],
    ['table', { ...chart, displayType: 'table', groupBy: 'a, b' }],
    ['number', { ...chart, displayType: 'number' }],
    ['pie', { ...chart, displayType: 'pie' }],
    ['bar', { ...chart, displayType: 'bar' }],
    ['heatmap', { ...chart, displayType: 'heatmap' }],
    ['search', { displayType: 'search', sourceId: sources.logs, select: 'Timestamp, Body' }],
    ['event_patterns', { displayType: 'event_patterns', sourceId: sources.logs }],
    ['markdown', { displayType: 'markdown', markdown: '# Notes' }],
    [
      'SQL',
      {
        configType: 'sql',
        displayType: 'bar',
        connectionId: liveWorld.connections.main,
        sqlTemplate: 'SELECT 1',
      },
    ],
  ])('takes a config of kind %s', async (_, config) => {
    const reply = await create([{ ...tile, config }]);
    expect(reply.body.data.tiles[0]?.config).toEqual(config);
  });

  const one = {
    type: 'time',
    sourceId: sources.logs,
    aggFn: 'count',
    where: 'a:b',
    groupBy: ['c', 'd'],
  };
  const entry = { aggFn: 'count', where: 'a:b' };

  it.each([
    [[one], true, { displayType: 'line', select: [entry], groupBy: 'c, d', asRatio: true }],
    [[one, { ...one, where: '' }], undefined, { select: [entry, { ...entry, where: '' }] }],
    [[{ ...one, type: 'table', groupBy: [] }], undefined, { displayType: 'table' }],
    [[{ ...one, type: 'number', groupBy: undefined }], undefined, { displayType: 'number' }],
    [
      [{ ...one, aggFn: 'max', field: 'Value', metricName: 'm', metricDataType: 'sum' }],
      undefined,
      {
        select: [
          { ...entry, aggFn: 'max', valueExpression: 'Value', metricName: 'm', metricType: 'sum' },
        ],
      },
    ],
    [
      [{ type: 'search', sourceId: sources.logs, fields: ['a', 'b'], where: '' }],
      undefined,
      { displayType: 'search', select: 'a, b' },
    ],
    [
      [{ type: 'markdown', content: '# A' }],
      undefined,
      { displayType: 'markdown', markdown: '# A' },
    ],
  ])('takes series, and answers them as a config: %j', async (series, asRatio, config) => {
    const reply = await create([{ name: 'Old', ...place, series, asRatio }]);
    expect(reply.body.message).toBeUndefined();
    expect(reply.body.data.tiles[0]?.config).toMatchObject(config);
    expect(reply.body.data.tiles[0]).not.toHaveProperty('series');
  });

  const seriesOf = (series: readonly unknown[]) => ({ name: 'Old', ...place, series });
  const { sourceId: _, ...withoutSource } = one;

  it.each([
    [{ ...tile, config: undefined }, 'tiles[0] must have config or series'],
    [seriesOf([]), 'tiles[0].series must have at least 1 element'],
    [
      seriesOf([{ ...withoutSource, dataSource: 'events' }]),
      'tiles[0].series[0].sourceId is required',
    ],
    [
      seriesOf([{ ...one, type: 'histogram' }]),
      'tiles[0].series[0].type must be one of time, table, number, search, markdown',
    ],
    [seriesOf([{ ...one, groupBy: undefined }]), 'tiles[0].series[0].groupBy is required'],
    [
      seriesOf([{ ...one, groupBy: Array(11).fill('a') }]),
      'tiles[0].series[0].groupBy must have at most 10 elements',
    ],
    [
      { ...tile, config: { ...chart, sourceId: undefined } },
      'tiles[0].config.sourceId is required',
    ],
    [
      { ...tile, config: { ...chart, sourceId: liveWorld.secondSources.metrics } },
      'Source not found',
    ],
    [{ ...tile, config: {} }, 'tiles[0].config.displayType is required'],
    [
      { ...tile, config: { ...chart, select: [{ aggFn: 'median' }] } },
      'tiles[0].config.select[0].aggFn must be one of avg, count, count_distinct, last_value, max, min, quantile, sum, any, none',
    ],
    [{ ...tile, name: undefined }, 'tiles[0].name is required'],
    [{ ...tile, x: 24 }, 'tiles[0].x must be an integer from 0 to 23'],
    [{ ...tile, h: 0 }, 'tiles[0].h must be an integer of at least 1'],
  ])('refuses %j', async (given, message) => {
    const reply = await create([given]);
    expect([reply.status, reply.body]).toEqual([400, { message }]);
  });

  it('needs tiles, which may be empty', async () => {
    const { observability } = await openLive();
    const reply = await observability('POST', path, { name: 'New' });
    expect([reply.status, reply.body]).toEqual([400, { message: 'tiles is required' }]);
    expect((await create([])).status).toBe(200);
  });
});
