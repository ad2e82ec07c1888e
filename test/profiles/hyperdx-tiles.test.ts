import { describe, expect, it } from 'vitest';
import { splitExpressions } from '../../src/upstream/observability/profiles/hyperdx/split.ts';
import { data } from '../support/harness.ts';
import { dashboardOf } from '../support/profiles/hyperdx-dashboards.ts';
import {
  alertsOf,
  dashboardId,
  type Era,
  eras,
  type Members,
  sourceId,
  tileAlertId,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

const fields = `id name x y w h asRatio where whereLanguage
  series { type displayType alias dataSource sourceId aggFn field level where whereLanguage groupBy metricName
    metricDataType fields content connectionId sqlTemplate }`;

const start = (era: Era) =>
  startHyperdx(({ method, path }) => {
    if (method === 'GET' && path === '/api/v2/dashboards') return data([dashboardOf[era]]);
    if (path === '/api/v2/alerts') return data(alertsOf[era]);
    const alert = alertsOf[era].find(({ id }) => path === `/api/v2/alerts/${id}`);
    return data(alert ?? dashboardOf[era]);
  });

const place = { x: 0, y: 2, w: 12, h: 4 };
const noSeries = {
  ...{ type: null, displayType: null, alias: null, dataSource: null, sourceId: null, aggFn: null },
  ...{ field: null, level: null, where: null, whereLanguage: null, groupBy: null },
  ...{ metricName: null, metricDataType: null, fields: null, content: null, connectionId: null },
  sqlTemplate: null,
};
const tile = { ...place, where: null, whereLanguage: null };

const errors = {
  ...{ ...noSeries, type: 'time', sourceId, aggFn: 'count', where: 'level:error' },
  ...{ whereLanguage: 'lucene', groupBy: ['service', 'host'] },
};
const duration = {
  ...{ ...noSeries, type: 'time', alias: 'p95', aggFn: 'quantile', field: 'Value', level: 0.95 },
  ...{ where: '', whereLanguage: 'lucene', metricName: 'http.server.duration' },
  metricDataType: 'histogram',
};

const tilesOf: Readonly<Record<Era, readonly Members[]>> = {
  E: [
    {
      ...{ ...tile, id: 'tile-1', name: 'Errors', asRatio: true },
      series: [
        { ...errors, dataSource: 'events' },
        { ...duration, dataSource: 'metrics', groupBy: [] },
      ],
    },
    {
      ...{ ...tile, id: 'tile-2', name: 'Log', asRatio: false },
      series: [
        {
          ...{ ...noSeries, type: 'search', dataSource: 'events', where: '' },
          fields: ['Timestamp', 'Body'],
        },
      ],
    },
    {
      ...{ ...tile, id: 'tile-3', name: 'Read me', asRatio: false },
      series: [{ ...noSeries, type: 'markdown', content: '# Errors' }],
    },
    {
      ...{ ...tile, id: 'tile-4', name: 'Of the editor', asRatio: null },
      ...{ where: 'service:api', whereLanguage: 'lucene' },
      series: [
        {
          ...{ ...noSeries, type: 'time', displayType: 'stacked_bar', sourceId, aggFn: 'max' },
          ...{ field: 'Duration', where: 'level:error', whereLanguage: 'sql' },
          groupBy: ['host', "concat(a, ', ')"],
        },
      ],
    },
  ],
  H: [
    {
      ...{ ...tile, id: 'tile-1', name: 'Errors', asRatio: true },
      series: [
        { ...errors, displayType: 'line' },
        { ...duration, displayType: 'line', sourceId, groupBy: ['service', 'host'] },
      ],
    },
    {
      ...{ ...tile, id: 'tile-2', name: 'Log', asRatio: null },
      series: [
        {
          ...{ ...noSeries, type: 'search', displayType: 'search', sourceId },
          ...{ where: 'level:error', whereLanguage: 'sql', fields: ['Timestamp', 'Body'] },
        },
      ],
    },
    {
      ...{ ...tile, id: 'tile-3', name: 'Read me', asRatio: null },
      series: [{ ...noSeries, type: 'markdown', displayType: 'markdown', content: '# Errors' }],
    },
    {
      ...{ ...tile, id: 'tile-4', name: 'In SQL', asRatio: null },
      series: [
        {
          ...{ ...noSeries, type: 'table', displayType: 'table', sqlTemplate: 'SELECT 1' },
          connectionId: '65f5e4a3b9e77c0000000c0c',
        },
      ],
    },
    {
      ...{ ...tile, id: 'tile-5', name: 'Slowest', asRatio: null },
      series: [
        {
          ...{ ...noSeries, type: 'table', displayType: 'table', sourceId, aggFn: 'max' },
          ...{ field: 'Duration', whereLanguage: 'lucene', groupBy: ['service'] },
        },
      ],
    },
  ],
};

describe.each(eras)('dashboards of HyperDX, dialect %s', (era) => {
  it('have tiles whose series are read, however the server has them', async () => {
    const stack = await start(era);
    const expected = { id: dashboardId, name: 'Overview', tags: ['api'], tiles: tilesOf[era] };
    const one = await stack.query(
      `{ dashboard(id: "${dashboardId}") { id name tags tiles { ${fields} } } }`,
    );
    expect(one.body).toEqual({ data: { dashboard: expected } });
    const list = await stack.query(`{ dashboards { id name tags tiles { ${fields} } } }`);
    expect(list.body).toEqual({ data: { dashboards: [expected] } });
    expect(stack.callList()).toEqual([
      'GET /api/v2/dashboards',
      `GET /api/v2/dashboards/${dashboardId}`,
    ]);
  });

  it('show their alerts, and alerts show their dashboard and tile', async () => {
    const stack = await start(era);
    const { body } = await stack.query(`{
      dashboards { alerts { id } tiles { id alerts { id } } }
      alert(id: "${tileAlertId}") { dashboard { name } tile { name } }
    }`);
    const onDashboard = alertsOf[era]
      .filter(({ source }) => source === 'tile')
      .map(({ id }) => ({ id }));
    expect(onDashboard.length).toBeGreaterThan(0);
    expect(body).toEqual({
      data: {
        dashboards: [
          {
            alerts: onDashboard,
            tiles: tilesOf[era].map(({ id }) => ({
              id,
              alerts: id === 'tile-1' ? onDashboard : [],
            })),
          },
        ],
        alert: { dashboard: { name: 'Overview' }, tile: { name: 'Errors' } },
      },
    });
  });

  it('are created with the members that the caller gives', async () => {
    const stack = await start(era);
    const series = {
      ...{ type: 'time', aggFn: 'avg', field: 'Duration', where: '', whereLanguage: 'lucene' },
      ...{ groupBy: ['service'], displayType: 'line' },
      ...(era === 'H' ? { sourceId } : { dataSource: 'events' }),
    };
    const input = {
      ...{ name: 'New', tags: ['api'] },
      tiles: [{ name: 'Errors', ...place, asRatio: false, series: [series] }],
    };
    const { body } = await stack.query(
      `mutation ($input: CreateDashboardInput!) {
        createDashboard(input: $input) { dashboard { tiles { ${fields} } } userErrors { message } }
      }`,
      { variables: { input } },
    );
    expect(
      stack.calls.map(({ method, path, body: sent }) => [method, path, JSON.parse(sent)]),
    ).toEqual([['POST', '/api/v2/dashboards', input]]);
    expect(body.data.createDashboard).toEqual({
      dashboard: { tiles: tilesOf[era] },
      userErrors: [],
    });
  });

  it('are deleted with their alerts', async () => {
    const stack = await startHyperdx(() => ({
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }));
    const { body } = await stack.query(
      `mutation { deleteDashboard(input: { dashboardId: "${dashboardId}" }) {
        deletedDashboardId userErrors { code } } }`,
    );
    expect(body.data.deleteDashboard).toEqual({ deletedDashboardId: dashboardId, userErrors: [] });
    expect(stack.callList()).toEqual([`DELETE /api/v2/dashboards/${dashboardId}`]);
  });
});

it.each([
  ['service, host', ['service', 'host']],
  ["toStartOfHour(t, 'UTC'), host", ["toStartOfHour(t, 'UTC')", 'host']],
  ["labels['a,b'], [x, y]", ["labels['a,b']", '[x, y]']],
  ["'a, ) b', c", ["'a, ) b'", 'c']],
  [' , a,', ['a']],
  ['', []],
])('splits %j at the commas between expressions', (text, expected) => {
  expect(splitExpressions(text)).toEqual(expected);
});
