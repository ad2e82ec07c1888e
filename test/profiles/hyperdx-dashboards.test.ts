import { expect, it } from 'vitest';
import { splitExpressions } from '../../src/upstream/observability/profiles/hyperdx/split.ts';
import { data, json } from '../support/harness.ts';
import {
  alertsOf,
  dashboardId,
  dashboardOf,
  type Era,
  eras,
  sourceId,
  tileAlertId,
} from '../support/profiles/hyperdx-records.ts';
import {
  describeRows,
  hyperdx,
  type Members,
  mutationOf,
  startProfile,
} from '../support/profiles/rows.ts';

const fields = `id name x y w h asRatio where whereLanguage
  series { type displayType alias dataSource sourceId aggFn field level where whereLanguage groupBy metricName
    metricDataType fields content connectionId sqlTemplate }`;
const dashboards = '/api/v2/dashboards';
const one = `${dashboards}/${dashboardId}`;

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

for (const era of eras) {
  const shown = { id: dashboardId, name: 'Overview', tags: ['api'], tiles: tilesOf[era] };
  const series = {
    ...{ type: 'time', aggFn: 'avg', field: 'Duration', where: '', whereLanguage: 'lucene' },
    ...{ groupBy: ['service'], displayType: 'line' },
    ...(era === 'H' ? { sourceId } : { dataSource: 'events' }),
  };
  const tiles = [{ name: 'Errors', ...place, asRatio: false, series: [series] }];
  const input = { name: 'New', tags: ['api'], tiles };

  describeRows(`dashboards of HyperDX, dialect ${era}:`, hyperdx, [
    {
      title: 'list all, however the server has their series',
      document: `{ dashboards { id name tags tiles { ${fields} } } }`,
      calls: [[`GET ${dashboards}`]],
      answer: data([dashboardOf[era]]),
      data: { dashboards: [shown] },
    },
    {
      title: 'read one',
      document: `{ dashboard(id: "${dashboardId}") { id name tags tiles { ${fields} } } }`,
      calls: [[`GET ${one}`]],
      answer: data(dashboardOf[era]),
      data: { dashboard: shown },
    },
    {
      title: 'create one with the members that the caller gives',
      document: mutationOf('createDashboard', `dashboard { tiles { ${fields} } }`),
      variables: { input },
      calls: [[`POST ${dashboards}`, input]],
      answer: data(dashboardOf[era]),
      data: { createDashboard: { dashboard: { tiles: tilesOf[era] }, userErrors: [] } },
    },
    {
      title: 'delete one',
      document: mutationOf('deleteDashboard', 'deletedDashboardId'),
      variables: { input: { dashboardId } },
      calls: [[`DELETE ${one}`]],
      answer: json({}),
      data: { deleteDashboard: { deletedDashboardId: dashboardId, userErrors: [] } },
    },
  ]);

  it(`dashboards show their alerts, and alerts their dashboard and tile, dialect ${era}`, async () => {
    const stack = await startProfile({
      observability: ({ path }) =>
        data(
          {
            [dashboards]: [dashboardOf[era]],
            [one]: dashboardOf[era],
            '/api/v2/alerts': alertsOf[era],
          }[path] ?? alertsOf[era].find(({ id }) => path === `/api/v2/alerts/${id}`),
        ),
    });
    const { body } = await stack.query(`{ dashboards { alerts { id } tiles { id alerts { id } } }
      alert(id: "${tileAlertId}") { dashboard { name } tile { name } } }`);
    const alerts = alertsOf[era].flatMap(({ id, source }) => (source === 'tile' ? [{ id }] : []));
    const tiles = tilesOf[era].map(({ id }) => ({ id, alerts: id === 'tile-1' ? alerts : [] }));
    const alert = { dashboard: { name: 'Overview' }, tile: { name: 'Errors' } };
    expect(body).toEqual({ data: { dashboards: [{ alerts, tiles }], alert } });
  });
}

it('EXTENDED_READS does not switch off what HyperDX documents', async () => {
  const observability = () => data([dashboardOf.H]);
  const stack = await startProfile({ observability }, { extendedReads: false });
  const { body } = await stack.query('{ dashboards { name } }');
  expect(body).toEqual({ data: { dashboards: [{ name: 'Overview' }] } });
});

it.each([
  ['service, host', ['service', 'host']],
  ["toStartOfHour(t, 'UTC'), host", ["toStartOfHour(t, 'UTC')", 'host']],
  ["labels['a,b'], [x, y]", ["labels['a,b']", '[x, y]']],
  ["'a, ) b', c", ["'a, ) b'", 'c']],
  ['a), b', ['a)', 'b']],
  [' , a,', ['a']],
  ['', []],
])('splits %j at the commas between expressions', (text, expected) => {
  expect(splitExpressions(text)).toEqual(expected);
});
