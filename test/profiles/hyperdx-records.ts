import { texts } from './cloud-records.ts';
import type { Members } from './rows.ts';

/**
 * Records as HyperDX answers them, with every member set. E is a server of January 2026 (HyperDX 2.13), H one of August 2026
 * (HyperDX 2.30 and newer).
 */

export type Era = 'E' | 'H';
export const eras: readonly Era[] = ['E', 'H'];

const idOf = (end: string): string => `65f5e4a3b9e77c0000000${end}`;
export const dashboardId = idOf('d01');
export const savedSearchId = idOf('501');
export const sourceId = idOf('a01');
export const webhook = { type: 'webhook', webhookId: idOf('b01') };
export const otherWebhook = { type: 'webhook', webhookId: idOf('b02') };
export const tileAlertId = idOf('e01');
export const searchAlertId = idOf('e02');
export const betweenAlertId = idOf('e03');

const times = { createdAt: '2026-03-15T10:20:30.000Z', updatedAt: '2026-03-15T14:25:10.000Z' };
const [at, until] = ['2026-03-15T15:00:00.000Z', '2026-03-16T15:00:00.000Z'];
const alert = {
  ...{ name: 'Errors', message: 'Too many errors.', threshold: 80, interval: '5m' },
  ...{ thresholdType: 'above', state: 'ALERT', channel: webhook, groupBy: 'ServiceName', ...times },
};
const earlier = {
  ...{ ...alert, team: idOf('701') },
  silenced: { _id: idOf('f01'), by: idOf('c01'), at, until },
};
const later = {
  ...{ ...alert, silenced: { by: idOf('c01'), at, until }, teamId: idOf('701') },
  ...{ note: 'Ask the payments team.', channels: [webhook, otherWebhook] },
  ...{ numConsecutiveWindows: 3, scheduleOffsetMinutes: 2 },
  ...{ scheduleStartAt: at, createdBy: { name: 'Jane', email: 'jane@example.com' } },
  executionErrors: [{ timestamp: at, type: 'QUERY_TIMEOUT', message: 'It took too long.' }],
};
const onTile = { dashboardId, tileId: 'tile-1', source: 'tile' };
const between = { thresholdType: 'between', thresholdMax: 120, state: 'PENDING' };
const noTile = { dashboardId: null, tileId: null, thresholdMax: null };

/** The alerts of a server: on a tile, on a saved search, and with H between two thresholds. */
export const alertsOf: Readonly<Record<Era, readonly Members[]>> = {
  E: [
    { id: tileAlertId, ...earlier, dashboard: dashboardId, tileId: 'tile-1', source: 'tile' },
    { id: searchAlertId, ...earlier, savedSearch: savedSearchId, source: 'saved_search' },
  ],
  H: [
    { id: tileAlertId, ...later, ...onTile },
    { id: searchAlertId, ...later, savedSearchId, source: 'saved_search', ...noTile },
    { id: betweenAlertId, ...later, ...onTile, ...between },
  ],
};

/** A tile in this place. */
const tile = (number: number, name: string, more: object) => {
  return { id: `tile-${number}`, name, x: 0, y: 2, w: 12, h: 4, ...more };
};
/** Expressions, in none of which a comma separates it from the next. */
export const grouping = ['host', "concat(a, ', ')", "labels['a,b']", '[x, y]', "'a, ) b'", 'c)'];
const lucene = { whereLanguage: 'lucene' };
const errors = { where: 'level:error', ...lucene };
const duration = {
  ...{ level: 0.95, alias: 'p95', where: '', ...lucene, metricName: 'http.server.duration' },
};
const column = { seriesReturnType: 'column' };
const ofTime = { type: 'time', table: 'logs' };

/** A dashboard of each kind of server, with all members that docs/live-services.md names. */
export const dashboardOf: Readonly<Record<Era, Members>> = {
  E: {
    ...{ id: dashboardId, name: 'Overview', tags: ['api'] },
    tiles: [
      tile(1, 'Errors', {
        seriesReturnType: 'ratio',
        series: [
          {
            ...{ ...ofTime, aggFn: 'count', ...errors, groupBy: ['service', 'host'], sourceId },
            ...{ numberFormat: { output: 'percent', mantissa: 2 }, sortOrder: 'desc' },
          },
          {
            ...{ ...ofTime, table: 'metrics', aggFn: 'quantile', groupBy: [], field: 'Value' },
            ...{ ...duration, metricDataType: 'histogram' },
          },
        ],
      }),
      tile(2, 'Log', {
        ...column,
        series: [{ type: 'search', table: 'logs', where: '', fields: ['Timestamp', 'Body'] }],
      }),
      tile(3, 'Read me', { ...column, series: [{ type: 'markdown', content: '# Errors' }] }),
      // Made in the editor, and the others through the interface.
      tile(4, '', {
        name: undefined,
        config: {
          ...{ name: 'Of the editor', source: sourceId, displayType: 'stacked_bar' },
          ...{ where: 'service:api', ...lucene, groupBy: `${grouping.join(', ')}, , ` },
          select: [
            {
              ...{ aggFn: 'max', valueExpression: 'Duration' },
              ...{ aggCondition: 'level:error', aggConditionLanguage: 'sql' },
            },
          ],
        },
      }),
    ],
  },
  H: {
    ...{ id: dashboardId, name: 'Overview', tags: ['api'] },
    tiles: [
      tile(1, 'Errors', {
        ...{ containerId: 'c1', tabId: 't1' },
        config: {
          ...{ displayType: 'line', sourceId, asRatio: true, groupBy: 'service, host' },
          select: [
            { aggFn: 'count', ...errors },
            {
              ...{ aggFn: 'quantile', valueExpression: 'Value', ...duration },
              ...{ metricType: 'histogram', periodAggFn: 'delta' },
            },
          ],
          ...{ formulas: [{ expression: 'A/B' }], fillNulls: true },
          ...{ alignDateRangeToGranularity: true, compareToPreviousPeriod: false },
          numberFormat: { output: 'percent', mantissa: 2 },
        },
      }),
      tile(2, 'Log', {
        config: {
          ...{ displayType: 'search', sourceId, select: 'Timestamp, Body' },
          ...{ where: 'level:error', whereLanguage: 'sql' },
        },
      }),
      tile(3, 'Read me', { config: { displayType: 'markdown', markdown: '# Errors' } }),
      tile(4, 'In SQL', {
        config: {
          ...{ configType: 'sql', displayType: 'table' },
          ...{ connectionId: idOf('c0c'), sqlTemplate: 'SELECT 1' },
        },
      }),
      tile(5, 'Slowest', {
        config: {
          ...{ displayType: 'table', sourceId, groupBy: 'service', having: 'n > 1' },
          ...{ orderBy: 'n DESC' },
          select: [{ aggFn: 'max', valueExpression: 'Duration', ...lucene }],
        },
      }),
    ],
    filters: [{ ...texts('id name expression'), type: 'QUERY_EXPRESSION', sourceId }],
    ...{ savedQuery: 'level:error', savedQueryLanguage: 'lucene' },
    savedFilterValues: [{ type: 'sql', condition: "service = 'api'" }],
    containers: [texts('id title')],
  },
};

/** A data source as a server of August 2026 answers it, with every member that a source of logs has. */
export const dataSource: Members = {
  ...texts(`connection defaultTableSelectExpression timestampValueExpression serviceNameExpression
    severityTextExpression bodyExpression eventAttributesExpression resourceAttributesExpression
    traceIdExpression spanIdExpression implicitColumnExpression displayedTimestampValueExpression
    metricSourceId traceSourceId`),
  ...{ id: sourceId, name: 'Logs', kind: 'log', from: texts('databaseName tableName') },
  querySettings: [{ setting: 'max_threads', value: '4' }],
};

/** A webhook. Its address is a secret. */
export const webhookRecord: Members = {
  ...{ id: webhook.webhookId, name: 'On call', service: 'slack', ...times },
  ...{ url: 'https://hooks.slack.example/a-secret', description: 'Wakes people.' },
};

export const savedSearch: Members = {
  ...{ id: savedSearchId, name: 'Errors', sourceId, select: 'Timestamp, Body', ...errors },
  ...{ ...texts('teamId orderBy'), tags: ['api'], ...times },
  filters: [{ type: 'sql', condition: "service = 'api'" }],
};
