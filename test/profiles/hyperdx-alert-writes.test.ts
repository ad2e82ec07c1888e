import { describe, expect, it } from 'vitest';
import { paced } from '../support/harness.ts';
import { createAlerts } from '../support/profiles/hyperdx-alerts.ts';
import {
  alertsOf,
  dashboardId,
  eras,
  type Members,
  otherWebhook,
  savedSearchId,
  tileAlertId,
  webhook,
} from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';

const createAlert = `mutation ($input: CreateAlertInput!) {
  createAlert(input: $input) {
    alert { id name threshold thresholdType source dashboardId tileId savedSearchId channel { webhookId } }
    userErrors { code message field }
  }
}`;

const basic = {
  ...{ name: 'New', threshold: 5, thresholdType: 'ABOVE', interval: '5m', channel: webhook },
};

describe.each(eras)('alerts of HyperDX, dialect %s', (era) => {
  const start = async (config = {}) => {
    const server = createAlerts(era, alertsOf[era]);
    return { ...server, stack: await startHyperdx(server.answering, config) };
  };

  it.each<[string, Members, Members]>([
    [
      'a tile',
      { source: 'TILE', dashboardId, tileId: 'tile-1' },
      { source: 'tile', dashboardId, tileId: 'tile-1' },
    ],
    [
      'a saved search',
      { source: 'SEARCH', savedSearchId, groupBy: 'ServiceName' },
      { source: 'saved_search', savedSearchId, groupBy: 'ServiceName' },
    ],
  ])('are created for %s', async (_, given, sent) => {
    const { stack } = await start();
    const { body } = await stack.query(createAlert, {
      variables: { input: { ...basic, ...given } },
    });
    expect(stack.callList()).toEqual(['POST /api/v2/alerts']);
    expect(JSON.parse(stack.calls[0]?.body ?? '')).toEqual({
      ...{ ...basic, thresholdType: 'above', ...sent },
    });
    const links = { dashboardId: null, tileId: null, savedSearchId: null };
    const { groupBy: __, ...shown } = given;
    expect(body).toEqual({
      data: {
        createAlert: {
          alert: {
            ...{ id: expect.stringMatching(/^[0-9a-f]{24}$/), name: 'New', threshold: 5 },
            ...{ thresholdType: 'ABOVE', channel: { webhookId: webhook.webhookId } },
            ...{ ...links, ...shown },
          },
          userErrors: [],
        },
      },
    });
  });

  it('are not created where a member is missing, which the answer says', async () => {
    const { stack } = await start();
    const { body } = await stack.query(createAlert, {
      variables: { input: { ...basic, source: 'TILE', tileId: 'tile-1' } },
    });
    expect(body.data.createAlert).toEqual({
      alert: null,
      userErrors: [
        { code: 'REJECTED', message: 'Body validation failed: dashboardId.', field: null },
      ],
    });
  });

  it('are deleted, and an unknown one is not found', async () => {
    const { stack, alerts } = await start();
    const deletion = `mutation { deleteAlert(input: { alertId: "${tileAlertId}" }) {
      deletedAlertId userErrors { code } } }`;
    const first = await stack.query(deletion);
    expect(first.body).toEqual({
      data: { deleteAlert: { deletedAlertId: tileAlertId, userErrors: [] } },
    });
    expect(alerts.has(tileAlertId)).toBe(false);
    const second = await stack.query(deletion);
    expect(second.body.data.deleteAlert.deletedAlertId).toBeNull();
    expect(second.body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const path = `DELETE /api/v2/alerts/${tileAlertId}`;
    expect(stack.callList()).toEqual([path, path]);
  });

  it('that were created or deleted are shown at once, whatever is in memory', async () => {
    const { stack } = await start(paced);
    const count = async (): Promise<number> =>
      (await stack.query('{ alerts { id } }')).body.data.alerts.length;
    const before = await count();
    const input = { ...basic, source: 'SEARCH', savedSearchId };
    await stack.query(createAlert, { variables: { input } });
    expect(await count()).toBe(before + 1);
    await stack.query(
      `mutation { deleteAlert(input: { alertId: "${tileAlertId}" }) { deletedAlertId } }`,
    );
    expect(await count()).toBe(before);
  });
});

it('an alert is not created where channel and channels are both given', async () => {
  const stack = await startHyperdx(createAlerts('H', []).answering);
  const { body } = await stack.query(createAlert, {
    variables: { input: { ...basic, channels: [otherWebhook] } },
  });
  expect(body.data.createAlert.userErrors).toEqual([
    {
      code: 'BAD_USER_INPUT',
      message: 'Give channel or channels, and not both: channel is the first of channels.',
      field: ['channels'],
    },
  ]);
  expect(stack.calls).toEqual([]);
});

it.each([
  ['createAlert', createAlert, { ...basic, scheduleStartAt: '' }],
  [
    'updateAlert',
    'mutation ($input: UpdateAlertInput!) { updateAlert(input: $input) { userErrors { code message field } } }',
    { alertId: tileAlertId, scheduleStartAt: '' },
  ],
])('%s takes no empty text for a time', async (field, mutation, input) => {
  const stack = await startHyperdx(createAlerts('H', []).answering);
  const { body } = await stack.query(mutation, { variables: { input } });
  expect(body.data[field].userErrors).toEqual([
    {
      code: 'BAD_USER_INPUT',
      message: 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".',
      field: ['scheduleStartAt'],
    },
  ]);
  expect(stack.calls).toEqual([]);
});

it.each([
  ['2026-08-01T02:00:00+02:00', '2026-08-01T00:00:00Z'],
  ['2026-08-01T02:00:00.123456-0330', '2026-08-01T05:30:00.123456Z'],
  ['2026-12-31T23:30-01', '2027-01-01T00:30Z'],
  ['2026-08-01t02:00:00z', '2026-08-01T02:00:00Z'],
  ['2026-08-01T02:00:00', '2026-08-01T02:00:00'],
])('a time of %s goes out as %s', async (scheduleStartAt, sent) => {
  const stack = await startHyperdx(createAlerts('H', []).answering);
  await stack.query(createAlert, { variables: { input: { ...basic, scheduleStartAt } } });
  expect(JSON.parse(stack.calls[0]?.body ?? '').scheduleStartAt).toBe(sent);
});

it('an alert has a channel once, where its second becomes its first', async () => {
  const { answering, alerts } = createAlerts('H', alertsOf.H);
  const stack = await startHyperdx(answering);
  const input = { alertId: tileAlertId, channel: otherWebhook };
  await stack.query(
    'mutation ($input: UpdateAlertInput!) { updateAlert(input: $input) { userErrors { code } } }',
    { variables: { input } },
  );
  expect(alerts.get(tileAlertId)).toEqual({
    ...alertsOf.H.find(({ id }) => id === tileAlertId),
    channel: otherWebhook,
    channels: [otherWebhook],
  });
});

it.each([
  ['OK in plain text', 200, 'text/plain; charset=utf-8', 'OK'],
  ['nothing', 204, '', ''],
  ['an object', 200, 'application/json', '{}'],
  ['other JSON', 202, 'application/json', '[]'],
  ['JSON that is cut off', 200, 'application/json', '{"da'],
])('an alert is deleted where the answer is %s', async (_, status, type, body) => {
  const stack = await startHyperdx(() => ({ status, headers: { 'content-type': type }, body }));
  const deletion = `mutation { deleteAlert(input: { alertId: "${tileAlertId}" }) { deletedAlertId } }`;
  expect((await stack.query(deletion)).body).toEqual({
    data: { deleteAlert: { deletedAlertId: tileAlertId } },
  });
});

it('an alert is not deleted where the answer is a redirect', async () => {
  const stack = await startHyperdx(() => ({ status: 302, headers: { location: '/' }, body: 'OK' }));
  const deletion = `mutation { deleteAlert(input: { alertId: "${tileAlertId}" }) { deletedAlertId } }`;
  const { body } = await stack.query(deletion);
  expect(body.data.deleteAlert.deletedAlertId).toBeNull();
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

it('an alert of August 2026 is created with all its members', async () => {
  const stack = await startHyperdx(createAlerts('H', []).answering);
  const { channel: _, ...others } = basic;
  const more = {
    ...{ thresholdMax: 9, note: 'New', numConsecutiveWindows: 2, scheduleOffsetMinutes: 1 },
    ...{ scheduleStartAt: '2026-08-01T00:00:00.000Z', channels: [webhook, otherWebhook] },
    ...{ source: 'TILE', dashboardId, tileId: 'tile-1', message: 'Look.' },
  };
  const { body } = await stack.query(createAlert, {
    variables: { input: { ...others, ...more, thresholdType: 'BETWEEN' } },
  });
  expect(body.data.createAlert.userErrors).toEqual([]);
  expect(JSON.parse(stack.calls[0]?.body ?? '')).toEqual({
    ...{ ...others, ...more, thresholdType: 'between', source: 'tile' },
  });
});
