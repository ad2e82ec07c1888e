import { data, json } from '../support/harness.ts';
import { describeOperations } from '../support/operation-row.ts';

const dashboardId = 'da5b00000000000000000001';
const alertId = 'a1e400000000000000000001';

const series = {
  type: 'time',
  dataSource: 'events',
  aggFn: 'count',
  where: 'level:error',
  groupBy: ['service', 'host'],
};
const tile = { name: 'Errors', x: 0, y: 2, w: 6, h: 3, asRatio: true, series: [series] };
const dashboard = {
  id: dashboardId,
  name: 'Übersicht',
  tiles: [{ id: 'tile-1', ...tile }],
  tags: ['api', 'errors'],
};
const dashboardFields = `id name tags
  tiles { id name x y w h asRatio series { type dataSource aggFn where groupBy } }`;

const alert = {
  id: alertId,
  name: 'API error rate',
  message: 'Too many errors.',
  threshold: 0.02,
  interval: '5m',
  thresholdType: 'above',
  source: 'tile',
  state: 'active',
  channel: { type: 'webhook', webhookId: '3eb000000000000000000001' },
  team: '7ea300000000000000000001',
  tileId: 'tile-1',
  dashboard: dashboardId,
  savedSearch: '5ea400000000000000000001',
  groupBy: 'service',
  silenced: true,
  createdAt: '2026-03-10T10:00:00Z',
  updatedAt: '2026-10-28T14:21:09.123Z',
};
const alertFields = `id name message threshold interval thresholdType source state
  channel { type webhookId } teamId tileId dashboardId savedSearchId groupBy silenced createdAt updatedAt`;
const alertRead = {
  id: 'a1e400000000000000000001',
  name: 'API error rate',
  message: 'Too many errors.',
  threshold: 0.02,
  interval: '5m',
  thresholdType: 'ABOVE',
  source: 'TILE',
  state: 'active',
  channel: { type: 'webhook', webhookId: '3eb000000000000000000001' },
  teamId: '7ea300000000000000000001',
  tileId: 'tile-1',
  dashboardId: 'da5b00000000000000000001',
  savedSearchId: '5ea400000000000000000001',
  groupBy: 'service',
  silenced: true,
  createdAt: '2026-03-10T10:00:00Z',
  updatedAt: '2026-10-28T14:21:09.123Z',
};

describeOperations('each observability operation is one exact call:', 'observability', [
  {
    title: 'create a dashboard',
    document: `mutation ($input: CreateDashboardInput!) {
      createDashboard(input: $input) { dashboard { ${dashboardFields} } userErrors { code } }
    }`,
    variables: { input: { name: 'Übersicht', tiles: [tile], tags: ['api', 'errors'] } },
    call: 'POST /api/v2/dashboards',
    body:
      '{"name":"Übersicht","tiles":[{"name":"Errors","x":0,"y":2,"w":6,"h":3,"asRatio":true,' +
      '"series":[{"type":"time","dataSource":"events","aggFn":"count","where":"level:error",' +
      '"groupBy":["service","host"]}]}],"tags":["api","errors"]}',
    answer: data(dashboard),
    data: { createDashboard: { dashboard, userErrors: [] } },
  },
  {
    title: 'delete a dashboard',
    document: `mutation { deleteDashboard(input: { dashboardId: "${dashboardId}" }) {
      deletedDashboardId userErrors { code }
    } }`,
    call: 'DELETE /api/v2/dashboards/da5b00000000000000000001',
    answer: data({}),
    data: { deleteDashboard: { deletedDashboardId: dashboardId, userErrors: [] } },
  },
  {
    title: 'list the alerts',
    document: `{ alerts { ${alertFields} } }`,
    call: 'GET /api/v2/alerts',
    answer: data([alert]),
    data: { alerts: [alertRead] },
  },
  {
    title: 'read an alert',
    document: `{ alert(id: "${alertId}") { ${alertFields} } }`,
    call: 'GET /api/v2/alerts/a1e400000000000000000001',
    answer: data(alert),
    data: { alert: alertRead },
  },
  {
    title: 'update an alert with every member given',
    document: `mutation { updateAlert(input: {
      alertId: "${alertId}", threshold: 0.5, interval: "1h", thresholdType: BELOW, source: SEARCH,
      dashboardId: "da5b00000000000000000002", tileId: "tile-2",
      channel: { type: "webhook", webhookId: "3eb000000000000000000002" },
      name: "Renamed", message: "Ruhig — \\"zu\\" ruhig"
    }) { alert { ${alertFields} } userErrors { code } } }`,
    before: 'GET /api/v2/alerts/a1e400000000000000000001',
    call: 'PUT /api/v2/alerts/a1e400000000000000000001',
    body:
      '{"threshold":0.5,"interval":"1h","thresholdType":"below","source":"search",' +
      '"dashboardId":"da5b00000000000000000002","tileId":"tile-2",' +
      '"channel":{"type":"webhook","webhookId":"3eb000000000000000000002"},' +
      '"name":"Renamed","message":"Ruhig — \\"zu\\" ruhig",' +
      '"savedSearch":"5ea400000000000000000001","groupBy":"service"}',
    answer: data(alert),
    data: { updateAlert: { alert: alertRead, userErrors: [] } },
  },
  {
    title: 'list the dashboards (beyond the reference)',
    document: `{ dashboards { ${dashboardFields} } }`,
    call: 'GET /api/v2/dashboards',
    answer: data([dashboard]),
    data: { dashboards: [dashboard] },
  },
  {
    title: 'read a dashboard (beyond the reference)',
    document: `{ dashboard(id: "${dashboardId}") { ${dashboardFields} } }`,
    call: 'GET /api/v2/dashboards/da5b00000000000000000001',
    answer: data(dashboard),
    data: { dashboard },
  },
]);

// The gateway keeps no judgement of its own about what it does not know.
describeOperations('values beyond the reference are read as', 'observability', [
  {
    title: 'UNKNOWN where the reference has a closed set, and as they are elsewhere',
    document: `{ alert(id: "${alertId}") { source thresholdType state channel { type } } }`,
    call: 'GET /api/v2/alerts/a1e400000000000000000001',
    answer: json({
      data: {
        ...alert,
        source: 'trace',
        thresholdType: 'outside',
        state: 'INSUFFICIENT_DATA',
        channel: { type: 'email' },
      },
      extra: 1,
    }),
    data: {
      alert: {
        source: 'UNKNOWN',
        thresholdType: 'UNKNOWN',
        state: 'INSUFFICIENT_DATA',
        channel: { type: 'email' },
      },
    },
  },
]);
