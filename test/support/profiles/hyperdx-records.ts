import type { Members } from './rows.ts';

/**
 * Records as HyperDX answers them, with every member set. E is a server of January 2026 (HyperDX 2.13), H one of August 2026
 * (HyperDX 2.30 and newer).
 */

export type Era = 'E' | 'H';
export const eras: readonly Era[] = ['E', 'H'];

export const dashboardId = '65f5e4a3b9e77c0000000d01';
export const savedSearchId = '65f5e4a3b9e77c0000000501';
export const teamId = '65f5e4a3b9e77c0000000701';
export const sourceId = '65f5e4a3b9e77c0000000a01';
export const webhook = { type: 'webhook', webhookId: '65f5e4a3b9e77c0000000b01' };
export const otherWebhook = { type: 'webhook', webhookId: '65f5e4a3b9e77c0000000b02' };
export const tileAlertId = '65f5e4a3b9e77c0000000e01';
export const searchAlertId = '65f5e4a3b9e77c0000000e02';
export const betweenAlertId = '65f5e4a3b9e77c0000000e03';

const common = {
  name: 'Errors',
  message: 'Too many errors.',
  threshold: 80,
  interval: '5m',
  thresholdType: 'above',
  state: 'ALERT',
  channel: webhook,
  groupBy: 'ServiceName',
  createdAt: '2026-03-15T10:20:30.000Z',
  updatedAt: '2026-03-15T14:25:10.000Z',
};

const silenced = {
  by: '65f5e4a3b9e77c0000000c01',
  at: '2026-03-15T15:00:00.000Z',
  until: '2026-03-16T15:00:00.000Z',
};

const laterMembers = {
  note: 'Ask the payments team.',
  channels: [webhook, otherWebhook],
  numConsecutiveWindows: 3,
  scheduleOffsetMinutes: 2,
  scheduleStartAt: '2026-03-15T00:00:00.000Z',
  createdBy: { name: 'Jane', email: 'jane@example.com' },
  executionErrors: [
    { timestamp: '2026-03-15T14:25:10.000Z', type: 'QUERY_TIMEOUT', message: 'It took too long.' },
  ],
};

const later: readonly Members[] = [
  {
    id: tileAlertId,
    ...{ ...common, ...laterMembers, silenced, teamId, dashboardId, tileId: 'tile-1' },
    source: 'tile',
  },
  {
    id: searchAlertId,
    ...{ ...common, ...laterMembers, silenced, teamId, savedSearchId, source: 'saved_search' },
    ...{ dashboardId: null, tileId: null, thresholdMax: null },
  },
  {
    id: betweenAlertId,
    ...{ ...common, ...laterMembers, silenced, teamId, dashboardId, tileId: 'tile-1' },
    ...{ source: 'tile', thresholdType: 'between', thresholdMax: 120, state: 'PENDING' },
  },
];

const earlier: readonly Members[] = [
  {
    id: tileAlertId,
    ...{ ...common, silenced: { _id: '65f5e4a3b9e77c0000000f01', ...silenced }, team: teamId },
    ...{ dashboard: dashboardId, tileId: 'tile-1', source: 'tile' },
  },
  {
    id: searchAlertId,
    ...{ ...common, silenced: { _id: '65f5e4a3b9e77c0000000f01', ...silenced }, team: teamId },
    ...{ savedSearch: savedSearchId, source: 'saved_search' },
  },
];

/** The alerts of a server: on a tile, on a saved search, and with H between two thresholds. */
export const alertsOf: Readonly<Record<Era, readonly Members[]>> = { E: earlier, H: later };

const place = { x: 0, y: 2, w: 12, h: 4 };

/** Tiles as servers of January 2026 answer them: made through the interface, and made in the editor. */
const earlierTiles: readonly Members[] = [
  {
    ...{ id: 'tile-1', name: 'Errors', ...place, seriesReturnType: 'ratio' },
    series: [
      {
        ...{ type: 'time', table: 'logs', aggFn: 'count', where: 'level:error' },
        ...{ whereLanguage: 'lucene', groupBy: ['service', 'host'], sourceId },
      },
      {
        ...{ type: 'time', table: 'metrics', aggFn: 'quantile', level: 0.95, where: '' },
        ...{ whereLanguage: 'lucene', groupBy: [], field: 'Value', alias: 'p95' },
        ...{ metricName: 'http.server.duration', metricDataType: 'histogram' },
      },
    ],
  },
  {
    ...{ id: 'tile-2', name: 'Log', ...place, seriesReturnType: 'column' },
    series: [{ type: 'search', table: 'logs', where: '', fields: ['Timestamp', 'Body'] }],
  },
  {
    ...{ id: 'tile-3', name: 'Read me', ...place, seriesReturnType: 'column' },
    series: [{ type: 'markdown', content: '# Errors' }],
  },
  {
    ...{ id: 'tile-4', ...place },
    config: {
      ...{ name: 'Of the editor', source: sourceId, displayType: 'stacked_bar' },
      ...{ where: 'service:api', whereLanguage: 'lucene', groupBy: "host, concat(a, ', ')" },
      select: [
        {
          ...{ aggFn: 'max', valueExpression: 'Duration', aggCondition: 'level:error' },
          aggConditionLanguage: 'sql',
        },
      ],
    },
  },
];

/** Tiles as servers of August 2026 answer them. */
const laterTiles: readonly Members[] = [
  {
    ...{ id: 'tile-1', name: 'Errors', ...place, containerId: 'c1', tabId: 't1' },
    config: {
      ...{ displayType: 'line', sourceId, asRatio: true, groupBy: 'service, host' },
      select: [
        { aggFn: 'count', where: 'level:error', whereLanguage: 'lucene' },
        {
          ...{ aggFn: 'quantile', level: 0.95, valueExpression: 'Value', alias: 'p95' },
          ...{ where: '', whereLanguage: 'lucene' },
          ...{ metricName: 'http.server.duration', metricType: 'histogram' },
          periodAggFn: 'delta',
        },
      ],
      formulas: [{ expression: 'A/B' }],
      ...{ fillNulls: true, alignDateRangeToGranularity: true, compareToPreviousPeriod: false },
      numberFormat: { output: 'percent', mantissa: 2 },
    },
  },
  {
    ...{ id: 'tile-2', name: 'Log', ...place },
    config: {
      ...{ displayType: 'search', sourceId, select: 'Timestamp, Body' },
      ...{ where: 'level:error', whereLanguage: 'sql' },
    },
  },
  {
    ...{ id: 'tile-3', name: 'Read me', ...place },
    config: { displayType: 'markdown', markdown: '# Errors' },
  },
  {
    ...{ id: 'tile-4', name: 'In SQL', ...place },
    config: {
      ...{ configType: 'sql', displayType: 'table', connectionId: '65f5e4a3b9e77c0000000c0c' },
      sqlTemplate: 'SELECT 1',
    },
  },
  {
    ...{ id: 'tile-5', name: 'Slowest', ...place },
    config: {
      ...{ displayType: 'table', sourceId, groupBy: 'service', having: 'n > 1', orderBy: 'n DESC' },
      select: [{ aggFn: 'max', valueExpression: 'Duration', whereLanguage: 'lucene' }],
    },
  },
];

/** A dashboard of each kind of server, with all members that docs/live-services.md names. */
export const dashboardOf: Readonly<Record<Era, Members>> = {
  E: { id: dashboardId, name: 'Overview', tags: ['api'], tiles: earlierTiles },
  H: {
    ...{ id: dashboardId, name: 'Overview', tags: ['api'], tiles: laterTiles },
    filters: [
      { id: 'f1', type: 'QUERY_EXPRESSION', name: 'Service', expression: 'service', sourceId },
    ],
    ...{ savedQuery: 'level:error', savedQueryLanguage: 'lucene' },
    savedFilterValues: [{ type: 'sql', condition: "service = 'api'" }],
    containers: [{ id: 'c1', title: 'First' }],
  },
};

/** A data source as a server of August 2026 answers it, with every member that a source of logs has. */
export const dataSource = {
  ...{ id: sourceId, name: 'Logs', kind: 'log', connection: '65f5e4a3b9e77c0000000c0c' },
  from: { databaseName: 'default', tableName: 'otel_logs' },
  querySettings: [{ setting: 'max_threads', value: '4' }],
  ...{ defaultTableSelectExpression: 'Timestamp, Body', timestampValueExpression: 'Timestamp' },
  ...{ serviceNameExpression: 'ServiceName', severityTextExpression: 'SeverityText' },
  ...{ bodyExpression: 'Body', eventAttributesExpression: 'LogAttributes' },
  ...{ resourceAttributesExpression: 'ResourceAttributes', traceIdExpression: 'TraceId' },
  ...{ spanIdExpression: 'SpanId', implicitColumnExpression: 'Body' },
  displayedTimestampValueExpression: 'Timestamp',
  ...{ metricSourceId: '65f5e4a3b9e77c0000000a02', traceSourceId: '65f5e4a3b9e77c0000000a03' },
};

/** A webhook. Its address is a secret. */
export const webhookRecord = {
  ...{ id: '65f5e4a3b9e77c0000000b01', name: 'On call', service: 'slack' },
  ...{ url: 'https://hooks.slack.example/a-secret', description: 'Wakes people.' },
  ...{ createdAt: '2026-03-15T10:20:30.000Z', updatedAt: '2026-03-15T14:25:10.000Z' },
};

/** A saved search. */
export const savedSearch = {
  ...{ id: '65f5e4a3b9e77c0000000501', name: 'Errors', sourceId, teamId },
  ...{ select: 'Timestamp, Body', where: 'level:error', whereLanguage: 'lucene' },
  ...{ orderBy: 'Timestamp DESC', tags: ['api'] },
  filters: [{ type: 'sql', condition: "service = 'api'" }],
  ...{ createdAt: '2026-03-15T10:20:30.000Z', updatedAt: '2026-03-15T14:25:10.000Z' },
};
