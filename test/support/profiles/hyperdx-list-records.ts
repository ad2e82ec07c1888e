import { sourceId, teamId } from './hyperdx-records.ts';

/** A data source as a server of August 2026 answers it, with every member filled that a source of logs has. */
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

/** A search that was saved. */
export const savedSearch = {
  ...{ id: '65f5e4a3b9e77c0000000501', name: 'Errors', sourceId, teamId },
  ...{ select: 'Timestamp, Body', where: 'level:error', whereLanguage: 'lucene' },
  ...{ orderBy: 'Timestamp DESC', tags: ['api'] },
  filters: [{ type: 'sql', condition: "service = 'api'" }],
  ...{ createdAt: '2026-03-15T10:20:30.000Z', updatedAt: '2026-03-15T14:25:10.000Z' },
};
