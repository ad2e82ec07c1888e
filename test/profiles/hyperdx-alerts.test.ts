import { describe, expect, it } from 'vitest';
import { data } from '../support/harness.ts';
import {
  alertsOf,
  betweenAlertId,
  dashboardId,
  type Era,
  eras,
  otherWebhook,
  savedSearchId,
  searchAlertId,
  teamId,
  tileAlertId,
  webhook,
} from '../support/profiles/hyperdx-records.ts';
import type { Members } from '../support/profiles/record.ts';
import {
  describeRows,
  hyperdx,
  mutate,
  mutationOf,
  type ProfileRow,
  sentOf,
  startProfile,
} from '../support/profiles/rows.ts';

const alerts = '/api/v2/alerts';
const fields = `id name message threshold thresholdMax interval thresholdType source state phase
  channel { type webhookId } channels { type webhookId } teamId tileId dashboardId savedSearchId groupBy silenced silencedUntil
  note numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors { timestamp type message }
  createdAt updatedAt`;

const recordOf = (era: Era, alertId: string): Members =>
  alertsOf[era].find(({ id }) => id === alertId) ?? {};

const shownInBoth = {
  ...{ name: 'Errors', message: 'Too many errors.', threshold: 80 },
  ...{ interval: '5m', thresholdType: 'ABOVE', state: 'ALERT', phase: 'FIRING', channel: webhook },
  ...{ groupBy: 'ServiceName', silenced: false, silencedUntil: '2026-03-16T15:00:00.000Z', teamId },
  ...{ createdAt: '2026-03-15T10:20:30.000Z', updatedAt: '2026-03-15T14:25:10.000Z' },
};
const { createdBy, executionErrors, ...later } = recordOf('H', tileAlertId);
/** The members that servers have since August 2026, and an update may change. */
const laterMembers = {
  ...{ note: later.note, channels: [webhook, otherWebhook], numConsecutiveWindows: 3 },
  ...{ scheduleOffsetMinutes: 2, scheduleStartAt: later.scheduleStartAt },
};
const shownOf = (era: Era): Members => ({
  ...shownInBoth,
  ...(era === 'H' && { ...laterMembers, executionErrors }),
});
const onTile = { source: 'TILE', dashboardId, tileId: 'tile-1' };

/** The body that leaves an alert of a tile, or of a saved search, as it is. */
const bodyOf = (era: Era, alertId: string): Members => ({
  ...{ name: 'Errors', message: 'Too many errors.', threshold: 80, interval: '5m' },
  ...{ thresholdType: 'above', channel: webhook, groupBy: 'ServiceName' },
  ...(alertId === tileAlertId
    ? { source: 'tile', dashboardId, tileId: 'tile-1' }
    : { source: 'saved_search', savedSearchId }),
  ...(era === 'H' && { ...laterMembers, createdBy, executionErrors }),
});

const wireSources: Readonly<Record<string, string>> = { TILE: 'tile', SEARCH: 'saved_search' };
/** Members of an input as they are sent. */
const wireOf = ({ source, thresholdType, ...rest }: Members): Members => ({
  ...rest,
  ...(source !== undefined && { source: wireSources[String(source)] }),
  ...(thresholdType !== undefined && { thresholdType: String(thresholdType).toLowerCase() }),
});

/** An update of an alert, and what of the body it changes. */
const updating =
  (era: Era, alertId: string) =>
  (input: Members, difference: Members = wireOf(input)): ProfileRow => ({
    title: `${JSON.stringify(input)} of ${alertId === tileAlertId ? 'a tile' : 'a saved search'}`,
    document: mutationOf('updateAlert', 'alert { id }'),
    variables: { input: { alertId, ...input } },
    calls: [
      [`GET ${alerts}/${alertId}`],
      [`PUT ${alerts}/${alertId}`, { ...bodyOf(era, alertId), ...difference }],
    ],
    answer: data(recordOf(era, alertId)),
    data: { updateAlert: { alert: { id: alertId }, userErrors: [] } },
  });

const third = { type: 'webhook', webhookId: '65f5e4a3b9e77c0000000b03' };
const basic = { name: 'New', threshold: 5, interval: '5m', channel: webhook };

for (const era of eras) {
  const search = { ...shownOf(era), id: searchAlertId, source: 'SEARCH', savedSearchId };
  const tile = { ...shownOf(era), ...onTile, id: tileAlertId };
  const creating = (given: Members): ProfileRow => {
    const input = { ...basic, thresholdType: 'ABOVE', ...given };
    return {
      title: `create one of ${given.source}`,
      document: mutationOf('createAlert', 'alert { id source dashboardId tileId }'),
      variables: { input },
      calls: [[`POST ${alerts}`, wireOf(input)]],
      answer: data(recordOf(era, tileAlertId)),
      data: { createAlert: { alert: { id: tileAlertId, ...onTile }, userErrors: [] } },
    };
  };
  const [updateSearch, updateTile] = [updating(era, searchAlertId), updating(era, tileAlertId)];
  const channels = era === 'H' ? { channels: [third, otherWebhook] } : {};

  describeRows(`alerts of HyperDX, dialect ${era}:`, hyperdx, [
    {
      title: 'list all, with every member',
      document: `{ alerts { ${fields} } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era].slice(0, 2)),
      data: { alerts: [tile, search] },
    },
    {
      title: 'find by source and by dashboard',
      document: `{ search: alerts(filter: { source: SEARCH }) { id }
        board: alerts(filter: { dashboardId: "${dashboardId}", thresholdType: ABOVE }) { id } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era]),
      data: { search: [{ id: searchAlertId }], board: [{ id: tileAlertId }] },
    },
    creating(onTile),
    creating({ source: 'SEARCH', savedSearchId, groupBy: 'ServiceName' }),
    updateSearch({}),
    updateSearch({ threshold: 90, message: null, groupBy: 'Host' }),
    updateSearch({ savedSearchId: '65f5e4a3b9e77c0000000502' }),
    updateTile({ interval: '1h', thresholdType: 'BELOW' }),
    updateTile({ dashboardId: '65f5e4a3b9e77c0000000d09' }),
    updateTile({ tileId: 'tile-2' }),
    updateTile({ source: 'SEARCH', savedSearchId }),
    updateTile({ channel: { webhookId: third.webhookId } }, { channel: third, ...channels }),
  ]);
}

const comparisons = 'ABOVE_EXCLUSIVE BELOW_OR_EQUAL EQUAL NOT_EQUAL BETWEEN NOT_BETWEEN'.split(' ');
const offsets = [
  ['2026-08-01T02:00:00+02:00', '2026-08-01T00:00:00Z'],
  ['2026-08-01T02:00:00.123456-0330', '2026-08-01T05:30:00.123456Z'],
  ['2026-12-31T23:30-01', '2027-01-01T00:30Z'],
  ['2026-08-01t02:00:00z', '2026-08-01T02:00:00Z'],
  ['2026-08-01T02:00:00', '2026-08-01T02:00:00'],
] as const;

const update = updating('H', tileAlertId);
const others = { thresholdMax: 130, numConsecutiveWindows: 5, scheduleOffsetMinutes: 1 };

describeRows('alerts of HyperDX of August 2026 change by', hyperdx, [
  update({ ...others, note: null }),
  update({ channels: [third] }, { channels: [third], channel: undefined }),
  // An alert has a channel once: the second became the first.
  update({ channel: otherWebhook }, { channel: otherWebhook, channels: [otherWebhook] }),
  ...comparisons.map((thresholdType) => update({ thresholdType })),
  ...offsets.map(([scheduleStartAt, sent]) =>
    update({ scheduleStartAt }, { scheduleStartAt: sent }),
  ),
]);

it('an alert between two thresholds is shown and kept as one', async () => {
  const stack = await startProfile({ observability: () => data(recordOf('H', betweenAlertId)) });
  const input = { alertId: betweenAlertId, name: 'New' };
  const body = await mutate(
    stack,
    'updateAlert',
    input,
    'alert { thresholdType thresholdMax phase }',
  );
  const alert = { thresholdType: 'BETWEEN', thresholdMax: 120, phase: 'PENDING' };
  expect(body).toEqual({ data: { updateAlert: { alert, userErrors: [] } } });
  expect(sentOf(stack)[1]?.[1]).toMatchObject({ thresholdType: 'between', thresholdMax: 120 });
});

const twice = 'Give channel or channels, and not both: channel is the first of channels.';
const noTime = 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".';

describe.each(['createAlert', 'updateAlert'])('%s', (field) => {
  it.each([
    [{ channel: webhook, channels: [otherWebhook] }, twice, ['channels']],
    [{ scheduleStartAt: '' }, noTime, ['scheduleStartAt']],
  ])('refuses %j before any call', async (given, message, path) => {
    const stack = await startProfile({});
    const input =
      field === 'createAlert' ? { ...basic, ...given } : { alertId: tileAlertId, ...given };
    const { data } = await mutate(stack, field, input);
    expect(data[field].userErrors).toEqual([{ code: 'BAD_USER_INPUT', message, field: path }]);
    expect(stack.calls).toEqual([]);
  });
});

it.each([
  ['OK in plain text', 200, 'text/plain; charset=utf-8', 'OK', null],
  ['nothing', 204, '', '', null],
  ['other JSON', 202, 'application/json', '[]', null],
  ['JSON that is cut off', 200, 'application/json', '{"da', null],
  ['a redirect', 302, 'text/plain', 'OK', 'UPSTREAM_BAD_RESPONSE'],
  ['no such alert', 404, 'application/json', '{"message":"Alert not found"}', 'NOT_FOUND'],
])('a deletion of an alert that is answered with %s', async (_, status, type, body, code) => {
  const headers = { 'content-type': type };
  const stack = await startProfile({ observability: () => ({ status, headers, body }) });
  const answer = await mutate(stack, 'deleteAlert', { alertId: tileAlertId }, 'deletedAlertId');
  const deletedAlertId = code ? null : tileAlertId;
  expect(answer.data).toEqual({ deleteAlert: { deletedAlertId, userErrors: [] } });
  expect(answer.errors?.[0].extensions.code ?? null).toBe(code);
  expect(sentOf(stack)).toEqual([[`DELETE ${alerts}/${tileAlertId}`]]);
});
