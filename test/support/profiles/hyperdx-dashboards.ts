import { dashboardId, type Era, type Members, sourceId } from './hyperdx-records.ts';

const place = { x: 0, y: 2, w: 12, h: 4 };

/** Tiles as servers of January 2026 answer them: those made through the interface, and one of the editor. */
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
