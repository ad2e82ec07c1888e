import { world } from '../../world/ids.ts';
import type { SavedSearch, Source, Webhook } from '../observability/state.ts';
import { liveWorld } from './ids.ts';

const { main, second } = world.observability;
const { connections, sources, secondSources } = liveWorld;

const otel = (tableName: string) => ({ databaseName: 'otel', tableName });

const source = { connection: connections.main, timestampValueExpression: 'Timestamp' } as const;

/** The sources of the main team's tiles. */
export const mainSources: readonly Source[] = [
  { ...source, id: sources.logs, name: 'Logs', kind: 'log', from: otel('otel_logs') },
  { ...source, id: sources.metrics, name: 'Metrics', kind: 'metric', from: otel('otel_metrics') },
  { ...source, id: sources.traces, name: 'Traces', kind: 'trace', from: otel('otel_traces') },
];

/** The sources of the second team's tiles. */
export const secondTeamSources: readonly Source[] = [
  {
    ...source,
    connection: connections.second,
    id: secondSources.metrics,
    name: 'Meters',
    kind: 'metric',
    from: otel('otel_metrics'),
  },
];

const webhook = {
  createdAt: '2026-03-10T09:41:00Z',
  updatedAt: '2026-03-10T09:41:00Z',
} as const;

/** The main team's webhooks. */
export const mainWebhooks: readonly Webhook[] = [
  {
    ...webhook,
    id: main.webhooks.oncall,
    name: 'On call',
    service: 'incidentio',
    url: 'https://hooks.northwind.example/on-call',
    description: 'Wakes somebody up',
  },
  {
    ...webhook,
    id: main.webhooks.channel,
    name: 'Channel of the data team',
    service: 'slack',
    url: 'https://hooks.northwind.example/data-team',
    description: '',
  },
];

/** The main team's webhook that answers omit. */
export const hiddenWebhook: Webhook = {
  ...webhook,
  id: liveWorld.webhooks.hidden,
  name: 'Room of the data team',
  service: 'slack_api',
  url: 'https://hooks.northwind.example/room',
  description: '',
};

/** The second team's webhook. */
export const secondWebhooks: readonly Webhook[] = [
  {
    ...webhook,
    id: second.webhooks.oncall,
    name: 'On call',
    service: 'generic',
    url: 'https://hooks.harborlight.example/on-call',
    description: '',
  },
];

/** The main team's saved search. */
export const mainSavedSearches: readonly SavedSearch[] = [
  {
    id: main.savedSearchId,
    name: 'Killed for its memory',
    sourceId: sources.logs,
    select: 'Timestamp, ServiceName, Body',
    where: 'Body:"Out of memory"',
    whereLanguage: 'lucene',
    orderBy: 'Timestamp DESC',
    tags: ['on-call'],
    filters: [],
    createdAt: '2026-03-09T16:20:00.000Z',
    updatedAt: '2026-03-09T16:20:00.000Z',
  },
];
