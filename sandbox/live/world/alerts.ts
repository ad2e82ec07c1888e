import type { Alert } from '../../observability/shapes.ts';
import { world } from '../../world/ids.ts';
import { alertShape, type LiveAlert } from '../observability/alert-shapes.ts';
import { liveWorld } from './ids.ts';

const { main } = world.observability;

const states: Readonly<Record<string, string>> = { active: 'ALERT', inactive: 'DISABLED' };

/** A silence that has not ended. */
export const silence = {
  by: 'mira.okafor@northwind.example',
  at: '2026-11-20T18:00:00Z',
  until: '2026-12-20T18:00:00Z',
} as const;

/** An alert of the documented world in the form of HyperDX. */
export const liveAlert = (alert: Alert): LiveAlert => {
  const { team, dashboard, savedSearch, silenced, source, state, groupBy = null, ...rest } = alert;
  const { threshold, interval, thresholdType, channel } = alertShape(rest, alert.id);
  if (!channel) throw new Error(`the alert ${alert.id} has no channel`);
  const { id, name, message, tileId, createdAt, updatedAt } = rest;
  return {
    ...{ id, name, message, note: null, threshold, interval, thresholdType, groupBy },
    source: source === 'search' ? 'saved_search' : 'tile',
    state: states[state] ?? state,
    teamId: team,
    ...(dashboard !== undefined && { dashboardId: dashboard }),
    ...(tileId !== undefined && { tileId }),
    ...(savedSearch !== undefined && { savedSearchId: savedSearch }),
    channel,
    channels: [channel],
    numConsecutiveWindows: null,
    ...(silenced && { silenced: silence }),
    executionErrors: [],
    ...{ createdAt, updatedAt },
  };
};

const webhook = (webhookId: string) => ({ type: 'webhook', webhookId }) as const;

const oncall = webhook(main.webhooks.oncall);

/** An alert on a tile that answers do not show. Its silence has ended. */
export const saturation: LiveAlert = {
  id: liveWorld.alerts.saturation,
  name: 'Saturation of the cluster',
  message: null,
  note: null,
  threshold: 0.9,
  thresholdType: 'above',
  interval: '5m',
  source: 'tile',
  dashboardId: liveWorld.dashboards.capacity,
  tileId: liveWorld.tiles.saturation,
  groupBy: null,
  state: 'OK',
  teamId: main.teamId,
  channel: oncall,
  channels: [oncall],
  numConsecutiveWindows: null,
  silenced: {
    by: 'mira.okafor@northwind.example',
    at: '2026-03-20T18:00:00.000Z',
    until: '2026-03-21T06:00:00.000Z',
  },
  executionErrors: [],
  createdAt: '2026-03-18T11:00:00.000Z',
  updatedAt: '2026-03-20T18:00:00.000Z',
};

/** An alert on a saved search, for values outside two thresholds, with every member set. */
export const slowQueries: LiveAlert = {
  id: liveWorld.alerts.slowQueries,
  name: 'Unusual number of slow queries',
  message: 'Fewer than 5 or more than 500 slow queries in an hour.',
  note: 'Quiet during the nightly backup.',
  threshold: 5,
  thresholdMax: 500,
  thresholdType: 'not_between',
  interval: '1h',
  source: 'saved_search',
  savedSearchId: main.savedSearchId,
  groupBy: 'ServiceName',
  state: 'ALERT',
  teamId: main.teamId,
  channel: oncall,
  channels: [oncall, webhook(main.webhooks.channel)],
  numConsecutiveWindows: 3,
  scheduleOffsetMinutes: 10,
  scheduleStartAt: '2026-06-01T00:00:00.000Z',
  silenced: silence,
  executionErrors: [
    {
      timestamp: '2026-11-20T03:00:12.000Z',
      type: 'QUERY_TIMEOUT',
      message: 'The query took longer than 60 s.',
    },
  ],
  createdAt: '2026-06-01T09:12:00.000Z',
  updatedAt: '2026-11-19T08:30:45.000Z',
};
