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
import { type Members, recordOf, recordsOf } from '../support/profiles/record.ts';
import { describeRows, hyperdx, mutationOf, startProfile } from '../support/profiles/rows.ts';

const fields = `id name x y w h asRatio where whereLanguage
  series { type displayType alias dataSource sourceId aggFn field level where whereLanguage groupBy metricName
    metricDataType fields content connectionId sqlTemplate }`;
const dashboards = '/api/v2/dashboards';

const place = 'x=0 y=2 w=12 h=4';
const error = `type=time sourceId=${sourceId} aggFn=count where=level:error whereLanguage=lucene`;
const duration = `type=time alias=p95 aggFn=quantile field=Value level=0.95 where=""
  whereLanguage=lucene metricName=http.server.duration metricDataType=histogram`;
const largest = `sourceId=${sourceId} aggFn=max field=Duration`;

/** The tiles of `dashboardOf`, as they are shown. */
const tilesOf: Readonly<Record<Era, readonly Members[]>> = {
  E: recordsOf(`id=tile-1 name=Errors ${place} asRatio=true series[
      ${error} groupBy=["service","host"] dataSource=events
      | ${duration} dataSource=metrics groupBy=[]]
    | id=tile-2 name=Log ${place} asRatio=false
      series[type=search dataSource=events where="" fields=["Timestamp","Body"]]
    | id=tile-3 name="Read me" ${place} asRatio=false series[type=markdown content="# Errors"]
    | id=tile-4 name="Of the editor" ${place} where=service:api whereLanguage=lucene
      series[type=time displayType=stacked_bar ${largest} where=level:error whereLanguage=sql
        groupBy=["host","concat(a, ', ')"]]`),
  H: recordsOf(`id=tile-1 name=Errors ${place} asRatio=true series[
      ${error} groupBy=["service","host"] displayType=line
      | ${duration} displayType=line sourceId=${sourceId} groupBy=["service","host"]]
    | id=tile-2 name=Log ${place} series[type=search displayType=search sourceId=${sourceId}
      where=level:error whereLanguage=sql fields=["Timestamp","Body"]]
    | id=tile-3 name="Read me" ${place}
      series[type=markdown displayType=markdown content="# Errors"]
    | id=tile-4 name="In SQL" ${place} series[type=table displayType=table
      connectionId=65f5e4a3b9e77c0000000c0c sqlTemplate="SELECT 1"]
    | id=tile-5 name=Slowest ${place}
      series[type=table displayType=table ${largest} whereLanguage=lucene groupBy=["service"]]`),
};

for (const era of eras) {
  const shown = { id: dashboardId, name: 'Overview', tags: ['api'], tiles: tilesOf[era] };
  const input = recordOf(`name=New tags=["api"] tiles[name=Errors ${place} asRatio=false series[
    type=time aggFn=avg field=Duration where="" whereLanguage=lucene groupBy=["service"]
    displayType=line ${era === 'H' ? `sourceId=${sourceId}` : 'dataSource=events'}]]`);

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
    const answers = { dashboards: [dashboardOf[era]], alerts: alertsOf[era] };
    const records = [dashboardOf[era], ...alertsOf[era]];
    const found = new Map<unknown, unknown>([
      ...Object.entries(answers),
      ...records.map((record) => [record.id, record] as const),
    ]);
    const stack = await startProfile({
      observability: ({ path }) => data(found.get(path.split('/').at(-1))),
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
