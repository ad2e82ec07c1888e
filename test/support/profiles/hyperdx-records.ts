/** Records as HyperDX answers them, with every member filled: E is a server of January 2026, H one of August 2026. */

export type Members = Readonly<Record<string, unknown>>;
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

/** The alerts of a server: one of a tile, one of a saved search, and with H one between two thresholds. */
export const alertsOf: Readonly<Record<Era, readonly Members[]>> = { E: earlier, H: later };
