import { expect, it } from 'vitest';
import { data, json } from '../support/harness.ts';
import { describeOperations, type OperationRow } from '../support/operation-row.ts';
import { dashboardOf } from '../support/profiles/hyperdx-dashboards.ts';
import {
  alertsOf,
  dashboardId,
  type Era,
  eras,
  type Members,
  savedSearchId,
  searchAlertId,
  sourceId,
  tileAlertId,
  webhook,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

const [alerts, dashboards] = ['/api/v2/alerts', '/api/v2/dashboards'];
const tileAlert = { id: tileAlertId, source: 'TILE', dashboardId, tileId: 'tile-1' };
const searchAlert = { id: searchAlertId, source: 'SEARCH', savedSearchId };

const alertOf = (era: Era, id: string): Members =>
  alertsOf[era].find((alert) => alert.id === id) ?? {};

/** What the gateway sends back of an alert besides the members of the reference, in its order. */
const restOf = (era: Era): Members => {
  const { channels, note, numConsecutiveWindows, scheduleOffsetMinutes } = alertOf(
    era,
    tileAlertId,
  );
  const { scheduleStartAt, createdBy, executionErrors } = alertOf(era, tileAlertId);
  return {
    ...{ groupBy: 'ServiceName', note, channels, numConsecutiveWindows, scheduleOffsetMinutes },
    ...{ scheduleStartAt, createdBy, executionErrors },
  };
};

const changedAlert = {
  ...{ threshold: 90, interval: '5m', thresholdType: 'above' },
};
const named = { channel: webhook, name: 'Errors', message: 'Too many errors.' };

const series = (era: Era): Members => ({
  ...{ type: 'time', ...(era === 'E' && { dataSource: 'events' }), aggFn: 'count', where: '' },
  ...{ groupBy: [], ...(era === 'H' && { sourceId }), whereLanguage: 'lucene' },
});
const newDashboard = (era: Era): Members => ({
  name: 'New',
  tiles: [{ name: 'Errors', x: 0, y: 0, w: 6, h: 3, series: [series(era)] }],
  tags: ['api'],
});

const rowsOf = (era: Era): readonly OperationRow[] => [
  {
    title: 'create a dashboard',
    document: `mutation ($input: CreateDashboardInput!) {
      createDashboard(input: $input) { dashboard { id tiles { name } } userErrors { code } } }`,
    variables: { input: newDashboard(era) },
    call: `POST ${dashboards}`,
    body: JSON.stringify(newDashboard(era)),
    answer: data({ ...dashboardOf[era], tiles: [] }),
    data: { createDashboard: { dashboard: { id: dashboardId, tiles: [] }, userErrors: [] } },
  },
  {
    title: 'delete a dashboard',
    document: `mutation { deleteDashboard(input: { dashboardId: "${dashboardId}" }) {
      deletedDashboardId userErrors { code } } }`,
    call: `DELETE ${dashboards}/${dashboardId}`,
    answer: json({}),
    data: { deleteDashboard: { deletedDashboardId: dashboardId, userErrors: [] } },
  },
  {
    title: 'list dashboards',
    document: '{ dashboards { id name tags } }',
    call: `GET ${dashboards}`,
    answer: data([dashboardOf[era]]),
    data: { dashboards: [{ id: dashboardId, name: 'Overview', tags: ['api'] }] },
  },
  {
    title: 'get a dashboard',
    document: `{ dashboard(id: "${dashboardId}") { name tiles { id } } }`,
    call: `GET ${dashboards}/${dashboardId}`,
    answer: data(dashboardOf[era]),
    data: {
      dashboard: {
        name: 'Overview',
        tiles: (dashboardOf[era].tiles as readonly Members[]).map(({ id }) => ({ id })),
      },
    },
  },
  {
    title: 'list alerts',
    document: '{ alerts { id source dashboardId tileId savedSearchId } }',
    call: `GET ${alerts}`,
    answer: data(alertsOf[era].slice(0, 2)),
    data: {
      alerts: [
        { ...tileAlert, savedSearchId: null },
        { ...searchAlert, dashboardId: null, tileId: null },
      ],
    },
  },
  {
    title: 'get an alert',
    document: `{ alert(id: "${tileAlertId}") { id source dashboardId tileId } }`,
    call: `GET ${alerts}/${tileAlertId}`,
    answer: data(alertOf(era, tileAlertId)),
    data: { alert: tileAlert },
  },
  {
    title: 'update the alert of a tile',
    document: `mutation { updateAlert(input: { alertId: "${tileAlertId}", threshold: 90 }) {
      alert { id source dashboardId tileId } userErrors { code } } }`,
    before: `GET ${alerts}/${tileAlertId}`,
    call: `PUT ${alerts}/${tileAlertId}`,
    body: JSON.stringify({
      ...{ ...changedAlert, source: 'tile', dashboardId, tileId: 'tile-1', ...named },
      ...restOf(era),
    }),
    answer: data(alertOf(era, tileAlertId)),
    data: { updateAlert: { alert: tileAlert, userErrors: [] } },
  },
  {
    title: 'update the alert of a saved search',
    document: `mutation { updateAlert(input: { alertId: "${searchAlertId}", threshold: 90 }) {
      alert { id source savedSearchId } userErrors { code } } }`,
    before: `GET ${alerts}/${searchAlertId}`,
    call: `PUT ${alerts}/${searchAlertId}`,
    body: JSON.stringify({
      ...{ ...changedAlert, source: 'saved_search', ...named },
      ...{ ...restOf(era), savedSearchId },
    }),
    answer: data(alertOf(era, searchAlertId)),
    data: { updateAlert: { alert: searchAlert, userErrors: [] } },
  },
];

for (const era of eras) {
  describeOperations(`requests to HyperDX, dialect ${era}`, 'observability', rowsOf(era), {
    observabilityProfile: 'hyperdx',
  });
}

it('EXTENDED_READS does not switch off what HyperDX documents', async () => {
  const stack = await startHyperdx(() => data([dashboardOf.H]), { extendedReads: false });
  const { body } = await stack.query('{ dashboards { name } }');
  expect(body).toEqual({ data: { dashboards: [{ name: 'Overview' }] } });
});
