import { describe, expect, it } from 'vitest';
import { createAlerts } from '../support/profiles/hyperdx-alerts.ts';
import {
  alertsOf,
  betweenAlertId,
  dashboardId,
  type Era,
  eras,
  type Members,
  otherWebhook,
  savedSearchId,
  searchAlertId,
  teamId,
  tileAlertId,
  webhook,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

const fields = `id name message threshold thresholdMax interval thresholdType source state phase
  channel { type webhookId } channels { type webhookId } teamId tileId dashboardId savedSearchId groupBy silenced silencedUntil
  note numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors { timestamp type message }
  createdAt updatedAt`;

const start = async (era: Era) => {
  const server = createAlerts(era, alertsOf[era]);
  const stack = await startHyperdx(server.answering);
  const update = (input: Members, selection = 'alert { id } userErrors { code message }') =>
    stack.query(
      `mutation ($input: UpdateAlertInput!) { updateAlert(input: $input) { ${selection} } }`,
      { variables: { input } },
    );
  return { ...server, stack, update };
};

const shownInBoth = {
  name: 'Errors',
  message: 'Too many errors.',
  threshold: 80,
  interval: '5m',
  thresholdType: 'ABOVE',
  state: 'ALERT',
  phase: 'FIRING',
  channel: webhook,
  groupBy: 'ServiceName',
  silenced: false,
  silencedUntil: '2026-03-16T15:00:00.000Z',
  teamId,
  createdAt: '2026-03-15T10:20:30.000Z',
  updatedAt: '2026-03-15T14:25:10.000Z',
  thresholdMax: null,
};
const shownByEra: Readonly<Record<Era, Members>> = {
  E: {
    ...{ note: null, channels: null, numConsecutiveWindows: null, scheduleOffsetMinutes: null },
    ...{ scheduleStartAt: null, executionErrors: null },
  },
  H: {
    note: 'Ask the payments team.',
    channels: [webhook, otherWebhook],
    numConsecutiveWindows: 3,
    scheduleOffsetMinutes: 2,
    scheduleStartAt: '2026-03-15T00:00:00.000Z',
    executionErrors: [
      {
        timestamp: '2026-03-15T14:25:10.000Z',
        type: 'QUERY_TIMEOUT',
        message: 'It took too long.',
      },
    ],
  },
};

describe.each(eras)('alerts of HyperDX, dialect %s', (era) => {
  it('are read with all their members, links and sources, singly and as a list', async () => {
    const { stack } = await start(era);
    const tile = {
      ...{ ...shownInBoth, ...shownByEra[era], id: tileAlertId, source: 'TILE' },
      ...{ dashboardId, tileId: 'tile-1', savedSearchId: null },
    };
    const search = {
      ...{ ...shownInBoth, ...shownByEra[era], id: searchAlertId, source: 'SEARCH' },
      ...{ dashboardId: null, tileId: null, savedSearchId },
    };
    const one = await stack.query(`{ alert(id: "${searchAlertId}") { ${fields} } }`);
    expect(one.body).toEqual({ data: { alert: search } });
    const list = await stack.query(`{ alerts { ${fields} } }`);
    expect(list.body.data.alerts.slice(0, 2)).toEqual([tile, search]);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts', `GET /api/v2/alerts/${searchAlertId}`]);
  });

  it('are found by their dashboard and by their kind of source', async () => {
    const { stack } = await start(era);
    const { body } = await stack.query(`{
      search: alerts(filter: { source: SEARCH }) { id }
      onDashboard: alerts(filter: { dashboardId: "${dashboardId}", thresholdType: ABOVE }) { id }
    }`);
    expect(body.data).toEqual({
      search: [{ id: searchAlertId }],
      onDashboard: [{ id: tileAlertId }],
    });
  });

  it('keep every member but the one that is changed', async () => {
    const { update, alerts } = await start(era);
    for (const [id, before] of [...alerts]) {
      const { body } = await update({ alertId: id, threshold: 90 });
      expect(body).toEqual({ data: { updateAlert: { alert: { id }, userErrors: [] } } });
      expect(withoutNulls(alerts.get(id))).toEqual(withoutNulls({ ...before, threshold: 90 }));
    }
  });

  it.each<[Members, Members]>([
    [{ interval: '1h' }, { interval: '1h' }],
    [{ thresholdType: 'BELOW' }, { thresholdType: 'below' }],
    [{ name: 'Other' }, { name: 'Other' }],
    [{ message: null }, { message: null }],
    [{ groupBy: 'Host' }, { groupBy: 'Host' }],
  ])('change by %j in that alone', async (input, change) => {
    const { update, alerts } = await start(era);
    for (const [id, before] of [...alerts]) {
      const { body } = await update({ alertId: id, ...input });
      expect(body.data.updateAlert.userErrors).toEqual([]);
      expect(withoutNulls(alerts.get(id))).toEqual(withoutNulls({ ...before, ...change }));
    }
  });

  it('of a tile go to another dashboard or to another tile, and change in that alone', async () => {
    const { update, alerts } = await start(era);
    const before = alerts.get(tileAlertId);
    const link = era === 'E' ? 'dashboard' : 'dashboardId';
    const other = '65f5e4a3b9e77c0000000d09';
    const moved = await update({ alertId: tileAlertId, dashboardId: other });
    expect(moved.body.data.updateAlert.userErrors).toEqual([]);
    expect(alerts.get(tileAlertId)).toEqual({ ...before, [link]: other });
    const again = await update({ alertId: tileAlertId, tileId: 'tile-2' });
    expect(again.body.data.updateAlert.userErrors).toEqual([]);
    expect(alerts.get(tileAlertId)).toEqual({ ...before, [link]: other, tileId: 'tile-2' });
  });

  it('have their first channel replaced, and keep the others', async () => {
    const { update, alerts } = await start(era);
    const before = alerts.get(tileAlertId);
    const third = { type: 'webhook', webhookId: '65f5e4a3b9e77c0000000b03' };
    const { body } = await update({
      alertId: tileAlertId,
      channel: { webhookId: third.webhookId },
    });
    expect(body.data.updateAlert.userErrors).toEqual([]);
    expect(alerts.get(tileAlertId)).toEqual({
      ...before,
      channel: third,
      ...(era === 'H' && { channels: [third, otherWebhook] }),
    });
  });

  it('go from a tile to a saved search and to another one', async () => {
    const { update, alerts } = await start(era);
    const name = era === 'E' ? 'savedSearch' : 'savedSearchId';
    const before = alerts.get(tileAlertId);
    await update({ alertId: tileAlertId, source: 'SEARCH', savedSearchId });
    expect(alerts.get(tileAlertId)).toEqual({
      ...before,
      source: 'saved_search',
      [name]: savedSearchId,
    });
    const other = '65f5e4a3b9e77c0000000502';
    const changed = await update(
      { alertId: tileAlertId, savedSearchId: other },
      'alert { source savedSearchId }',
    );
    expect(changed.body.data.updateAlert.alert).toEqual({
      source: 'SEARCH',
      savedSearchId: other,
    });
    expect(alerts.get(tileAlertId)).toMatchObject({ [name]: other });
  });

  it('are sent back as their server takes them', async () => {
    const { stack, update } = await start(era);
    await update({ alertId: searchAlertId, threshold: 1 });
    expect(stack.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v2/alerts/${searchAlertId}`,
      `PUT /api/v2/alerts/${searchAlertId}`,
    ]);
    const { createdBy, executionErrors, ...sent } = JSON.parse(stack.calls[1]?.body ?? '');
    expect(sent).toEqual({
      ...{ name: 'Errors', message: 'Too many errors.', threshold: 1, interval: '5m' },
      ...{ thresholdType: 'above', source: 'saved_search', savedSearchId, channel: webhook },
      groupBy: 'ServiceName',
      ...(era === 'H' && {
        ...{ note: 'Ask the payments team.', channels: [webhook, otherWebhook] },
        ...{ numConsecutiveWindows: 3, scheduleOffsetMinutes: 2 },
        scheduleStartAt: '2026-03-15T00:00:00.000Z',
      }),
    });
  });
});

/** In a record, null is the same as none. */
const withoutNulls = (record: Members | undefined): Members =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([, value]) => value !== null));

describe('alerts of HyperDX, dialect H alone', () => {
  it.each<[Members, Members]>([
    [{ thresholdMax: 130 }, { thresholdMax: 130 }],
    [{ thresholdType: 'NOT_BETWEEN' }, { thresholdType: 'not_between' }],
    [{ note: 'New' }, { note: 'New' }],
    [{ note: null }, { note: null }],
    [{ numConsecutiveWindows: 5 }, { numConsecutiveWindows: 5 }],
    [{ scheduleOffsetMinutes: 1 }, { scheduleOffsetMinutes: 1 }],
    [
      { scheduleStartAt: '2026-04-01T00:00:00.000Z' },
      { scheduleStartAt: '2026-04-01T00:00:00.000Z' },
    ],
    [{ channels: [otherWebhook] }, { channels: [otherWebhook], channel: otherWebhook }],
  ])('between two thresholds change by %j in that alone', async (input, change) => {
    const { update, alerts } = await start('H');
    const before = alerts.get(betweenAlertId);
    const { body } = await update({ alertId: betweenAlertId, ...input });
    expect(body.data.updateAlert.userErrors).toEqual([]);
    expect(alerts.get(betweenAlertId)).toEqual({ ...before, ...change });
  });

  it.each([
    ['ABOVE_EXCLUSIVE', 'above_exclusive'],
    ['BELOW_OR_EQUAL', 'below_or_equal'],
    ['EQUAL', 'equal'],
    ['NOT_EQUAL', 'not_equal'],
    ['BETWEEN', 'between'],
    ['NOT_BETWEEN', 'not_between'],
  ])('compare by %s, which is %s there', async (name, wire) => {
    const { update, alerts } = await start('H');
    const { body } = await update(
      { alertId: betweenAlertId, thresholdType: name },
      'alert { thresholdType thresholdMax phase }',
    );
    expect(body.data.updateAlert.alert).toEqual({
      ...{ thresholdType: name, thresholdMax: 120, phase: 'PENDING' },
    });
    expect(alerts.get(betweenAlertId)).toMatchObject({ thresholdType: wire });
  });

  it('are not sent where channel and channels are both given', async () => {
    const { stack, update } = await start('H');
    const { body } = await update({
      ...{ alertId: tileAlertId, channel: webhook, channels: [otherWebhook] },
    });
    expect(body.data.updateAlert).toEqual({
      alert: null,
      userErrors: [
        {
          code: 'BAD_USER_INPUT',
          message: 'Give channel or channels, and not both: channel is the first of channels.',
        },
      ],
    });
    expect(stack.calls).toEqual([]);
  });
});
