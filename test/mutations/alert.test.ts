import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, data, json, result, type Stack, startStack } from '../support/harness.ts';

const alertId = 'a1e400000000000000000001';
const path = `/api/v2/alerts/${alertId}`;

/** As an upstream reads it: wire names, and much that an update does not take. */
const stored = {
  id: alertId,
  name: 'Error rate',
  message: 'Too many.',
  threshold: 0.02,
  interval: '5m',
  thresholdType: 'above',
  source: 'tile',
  state: 'ALERT',
  channel: { type: 'webhook', webhookId: 'w1' },
  team: 't1',
  tileId: 'tile-1',
  dashboard: 'd1',
  savedSearch: 's1',
  groupBy: 'service',
  silenced: false,
  createdAt: '2026-03-10T10:00:00Z',
  updatedAt: '2026-10-28T14:21:09Z',
};

let stack: Stack;
let read: Answer;
let replaced: Answer;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({}),
    observability: ({ method }) => (method === 'GET' ? read : replaced),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
  read = data(stored);
  replaced = data({ ...stored, name: 'as replaced' });
});
afterAll(() => stack.close());

const update = (changes: object) =>
  stack.query(
    `mutation ($input: UpdateAlertInput!) {
      updateAlert(input: $input) { alert { id name } userErrors { code message field } }
    }`,
    { variables: { input: { alertId, ...changes } } },
  );

const sequence = (): string[] =>
  stack.calls.map(({ method, path, body }) => `${method} ${path} ${body}`);

const success = {
  data: { updateAlert: { alert: { id: alertId, name: 'as replaced' }, userErrors: [] } },
};

/** What the read alert has, and an update cannot give. */
const beyond = '"savedSearch":"s1","groupBy":"service"';

/** Every member that an update can give. */
const whole = {
  threshold: 0,
  interval: '',
  thresholdType: 'ABOVE',
  source: 'TILE',
  dashboardId: 'd2',
  tileId: 'tile-2',
  channel: { type: 'webhook', webhookId: 'w2' },
  name: '',
  message: null,
};

describe('an update of some members of an alert reads it and sends it whole:', () => {
  const channel = '"channel":{"type":"webhook","webhookId":"w1"}';
  const upToSource = '{"threshold":0.02,"interval":"5m","thresholdType":"above","source":"tile"';
  const tile = '"dashboardId":"d1","tileId":"tile-1"';
  const texts = `"name":"Error rate","message":"Too many.",${beyond}}`;

  it.each([
    {
      title: 'one member changed',
      changes: { threshold: 0.5 },
      body: `{"threshold":0.5,"interval":"5m","thresholdType":"above","source":"tile",${tile},${channel},${texts}`,
    },
    {
      title: 'nothing changed',
      changes: {},
      body: `${upToSource},${tile},${channel},${texts}`,
    },
    {
      title: 'enums changed, under their wire strings',
      changes: { thresholdType: 'BELOW', source: 'SEARCH' },
      body: `{"threshold":0.02,"interval":"5m","thresholdType":"below","source":"search",${tile},${channel},${texts}`,
    },
    {
      title: 'dashboard and tile changed',
      changes: { dashboardId: 'd2', tileId: 'tile-2' },
      body: `${upToSource},"dashboardId":"d2","tileId":"tile-2",${channel},${texts}`,
    },
    {
      title: 'a member set to null',
      changes: { message: null, dashboardId: null },
      body: `${upToSource},"dashboardId":null,"tileId":"tile-1",${channel},"name":"Error rate","message":null,${beyond}}`,
    },
    {
      title: 'the webhook of the channel changed, its type kept',
      changes: { channel: { webhookId: 'w2' } },
      body: `${upToSource},${tile},"channel":{"type":"webhook","webhookId":"w2"},${texts}`,
    },
    {
      title: 'the type of the channel set to null, its webhook kept',
      changes: { channel: { type: null } },
      body: `${upToSource},${tile},"channel":{"type":null,"webhookId":"w1"},${texts}`,
    },
    {
      title: 'an empty channel, kept as it was',
      changes: { channel: {} },
      body: `${upToSource},${tile},${channel},${texts}`,
    },
    {
      title: 'the channel set to null',
      changes: { channel: null },
      body: `${upToSource},${tile},"channel":null,${texts}`,
    },
    {
      title: 'every member but one, which is kept',
      changes: {
        threshold: 1,
        interval: '1h',
        thresholdType: 'BELOW',
        source: 'TILE',
        dashboardId: 'd2',
        tileId: 'tile-2',
        channel: { type: 'webhook', webhookId: 'w2' },
        name: 'New',
      },
      body:
        '{"threshold":1,"interval":"1h","thresholdType":"below","source":"tile",' +
        '"dashboardId":"d2","tileId":"tile-2","channel":{"type":"webhook","webhookId":"w2"},' +
        `"name":"New","message":"Too many.",${beyond}}`,
    },
    {
      title: 'every member, but one of the channel',
      changes: {
        threshold: 1,
        interval: '1h',
        thresholdType: 'BELOW',
        source: 'TILE',
        dashboardId: 'd2',
        tileId: 'tile-2',
        channel: { type: 'webhook' },
        name: 'New',
        message: 'Newer',
      },
      body:
        '{"threshold":1,"interval":"1h","thresholdType":"below","source":"tile",' +
        `"dashboardId":"d2","tileId":"tile-2",${channel},"name":"New","message":"Newer",${beyond}}`,
    },
    {
      title: 'every member, but the other one of the channel',
      changes: {
        threshold: 1,
        interval: '1h',
        thresholdType: 'BELOW',
        source: 'TILE',
        dashboardId: 'd2',
        tileId: 'tile-2',
        channel: { webhookId: 'w2' },
        name: 'New',
        message: 'Newer',
      },
      body:
        '{"threshold":1,"interval":"1h","thresholdType":"below","source":"tile",' +
        '"dashboardId":"d2","tileId":"tile-2","channel":{"type":"webhook","webhookId":"w2"},' +
        `"name":"New","message":"Newer",${beyond}}`,
    },
  ])('$title', async ({ changes, body }) => {
    expect((await update(changes)).body).toEqual(success);
    expect(sequence()).toEqual([`GET ${path} `, `PUT ${path} ${body}`]);
  });

  it.each([
    {
      title: 'values beyond the reference are carried over as they came',
      alert: { ...stored, source: 'saved_search', thresholdType: 'outside', interval: '7w' },
      body: `{"threshold":9,"interval":"7w","thresholdType":"outside","source":"saved_search",${tile},${channel},${texts}`,
    },
    {
      title: 'null members are carried over as null',
      alert: { ...stored, name: null, message: null, tileId: null, dashboard: null, channel: null },
      body:
        '{"threshold":9,"interval":"5m","thresholdType":"above","source":"tile",' +
        `"dashboardId":null,"tileId":null,"channel":null,"name":null,"message":null,${beyond}}`,
    },
    {
      title: 'members that the alert does not have are not sent',
      alert: { id: alertId, name: 'Bare', source: 'search', channel: { type: 'email' } },
      body: '{"threshold":9,"source":"search","channel":{"type":"email"},"name":"Bare"}',
    },
  ])('$title', async ({ alert, body }) => {
    read = data(alert);
    expect((await update({ threshold: 9 })).body).toEqual(success);
    expect(sequence()).toEqual([`GET ${path} `, `PUT ${path} ${body}`]);
  });

  it('a channel that was null holds what is given', async () => {
    read = data({ id: alertId, channel: null });
    await update({ channel: { webhookId: 'w2' } });
    expect(sequence()).toEqual([`GET ${path} `, `PUT ${path} {"channel":{"webhookId":"w2"}}`]);
  });
});

describe('an update of every member of an alert reads it all the same, for what else it has:', () => {
  const start = '{"threshold":0,"interval":"","thresholdType":"above","source":"tile"';

  it.each([
    {
      title: 'empty and zero values count as given',
      changes: whole,
      body: `${start},"dashboardId":"d2","tileId":"tile-2","channel":{"type":"webhook","webhookId":"w2"},"name":"","message":null,${beyond}}`,
    },
    {
      title: 'a channel of null is a whole one',
      changes: { ...whole, channel: null },
      body: `${start},"dashboardId":"d2","tileId":"tile-2","channel":null,"name":"","message":null,${beyond}}`,
    },
  ])('$title', async ({ changes, body }) => {
    expect((await update(changes)).body).toEqual(success);
    expect(sequence()).toEqual([`GET ${path} `, `PUT ${path} ${body}`]);
  });
});

describe('an update of an alert that cannot be read changes nothing:', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [429, 'RATE_LIMITED'],
    [500, 'UPSTREAM_ERROR'],
  ])('%i is %s', async (status, code) => {
    read = json({ message: 'Alert not found' }, status);
    for (const changes of [{ threshold: 1 }, whole]) {
      stack.calls.length = 0;
      const { body } = await update(changes);
      expect(body.data).toEqual({ updateAlert: { alert: null, userErrors: [] } });
      expect(body.errors).toMatchObject([
        { extensions: { code, upstream: { operation: 'getAlert', status } } },
      ]);
      expect(sequence()).toEqual([`GET ${path} `]);
    }
  });

  it('an answer that is no alert is UPSTREAM_BAD_RESPONSE', async () => {
    read = data(null);
    const { body } = await update({ threshold: 1 });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    expect(sequence()).toEqual([`GET ${path} `]);
  });
});

describe('an update of an alert that is refused', () => {
  it('tells the words of the upstream as a user error', async () => {
    replaced = json({ message: 'Invalid interval' }, 400);
    const { body } = await update({ interval: '7x' });
    expect(body).toEqual({
      data: {
        updateAlert: {
          alert: null,
          userErrors: [{ code: 'REJECTED', message: 'Invalid interval.', field: null }],
        },
      },
    });
  });
});
