import { expect, it } from 'vitest';
import { splitExpressions } from '../../src/upstream/observability/profiles/hyperdx/split.ts';
import { data } from '../support/harness.ts';
import {
  alertsOf,
  dashboardId,
  dashboardOf,
  type Era,
  eras,
  sourceId,
  tileAlertId,
} from '../support/profiles/hyperdx-records.ts';
import type { Members } from '../support/profiles/record.ts';
import { describeRows, hyperdx, mutationOf, startProfile } from '../support/profiles/rows.ts';

const fields = `id name x y w h asRatio where whereLanguage
  series { type displayType alias dataSource sourceId aggFn field level where whereLanguage groupBy metricName
    metricDataType fields content connectionId sqlTemplate }`;
const dashboards = '/api/v2/dashboards';
const one = `${dashboards}/${dashboardId}`;

const place = { x: 0, y: 2, w: 12, h: 4 };
const tileOf = (number: number, name: string, series: readonly Members[], more: Members = {}) => {
  return { id: `tile-${number}`, name, ...place, series, ...more };
};

const errors = {
  ...{ type: 'time', sourceId, aggFn: 'count', where: 'level:error' },
  ...{ whereLanguage: 'lucene', groupBy: ['service', 'host'] },
};
const duration = {
  ...{ type: 'time', alias: 'p95', aggFn: 'quantile', field: 'Value', level: 0.95 },
  ...{ where: '', whereLanguage: 'lucene', metricName: 'http.server.duration' },
  metricDataType: 'histogram',
};

const log = { where: '', fields: ['Timestamp', 'Body'] };
const text = { type: 'markdown', content: '# Errors' };
const inSql = { displayType: 'table', sqlTemplate: 'SELECT 1' };
const ofEditor = {
  ...{ type: 'time', displayType: 'stacked_bar', sourceId, aggFn: 'max', field: 'Duration' },
  ...{ where: 'level:error', whereLanguage: 'sql', groupBy: ['host', "concat(a, ', ')"] },
};
const slowest = {
  ...{ type: 'table', displayType: 'table', sourceId, aggFn: 'max', field: 'Duration' },
  ...{ whereLanguage: 'lucene', groupBy: ['service'] },
};
const [ratio, noRatio] = [{ asRatio: true }, { asRatio: false }];
const searched = { type: 'search', displayType: 'search', sourceId, whereLanguage: 'sql' };

const tilesOf: Readonly<Record<Era, readonly Members[]>> = {
  E: [
    tileOf(
      ...([1, 'Errors'] as const),
      [
        { ...errors, dataSource: 'events' },
        { ...duration, dataSource: 'metrics', groupBy: [] },
      ],
      ratio,
    ),
    tileOf(2, 'Log', [{ ...log, type: 'search', dataSource: 'events' }], noRatio),
    tileOf(3, 'Read me', [text], noRatio),
    tileOf(4, 'Of the editor', [ofEditor], { where: 'service:api', whereLanguage: 'lucene' }),
  ],
  H: [
    tileOf(
      ...([1, 'Errors'] as const),
      [
        { ...errors, displayType: 'line' },
        { ...duration, displayType: 'line', sourceId, groupBy: ['service', 'host'] },
      ],
      ratio,
    ),
    tileOf(2, 'Log', [{ ...log, ...searched, where: 'level:error' }]),
    tileOf(3, 'Read me', [{ ...text, displayType: 'markdown' }]),
    tileOf(4, 'In SQL', [{ ...inSql, type: 'table', connectionId: '65f5e4a3b9e77c0000000c0c' }]),
    tileOf(5, 'Slowest', [slowest]),
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
      title: 'create one with the members that the caller gives',
      document: mutationOf('createDashboard', `dashboard { tiles { ${fields} } }`),
      variables: { input },
      calls: [[`POST ${dashboards}`, input]],
      answer: data(dashboardOf[era]),
      data: { createDashboard: { dashboard: { tiles: tilesOf[era] }, userErrors: [] } },
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
