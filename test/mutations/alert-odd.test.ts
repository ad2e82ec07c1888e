import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, data, result, type Stack, startStack } from '../support/harness.ts';

const alertId = 'a1e400000000000000000001';
const path = `/api/v2/alerts/${alertId}`;

const stored = {
  id: alertId,
  threshold: 0.02,
  interval: '5m',
  thresholdType: 'above',
  source: 'tile',
  dashboard: 'd1',
  tileId: 'tile-1',
  channel: { type: 'webhook', webhookId: 'w1' },
  name: 'Error rate',
  message: 'Too many.',
};
const { id: _, dashboard: dashboardId, ...kept } = stored;
/** The body that keeps all of the above. */
const unchanged = { ...kept, dashboardId };

let stack: Stack;
let read: Answer;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({}),
    observability: ({ method }) => (method === 'GET' ? read : data({ ...stored, name: 'new' })),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

const update = (changes: object) =>
  stack.query(
    `mutation ($input: UpdateAlertInput!) {
      updateAlert(input: $input) { alert { id name } userErrors { code message field } }
    }`,
    { variables: { input: { alertId, ...changes } } },
  );

const calls = () =>
  stack.calls.map(({ method, path, body }) => [method, path, body && JSON.parse(body)]);

/** Expects that the read alert could not be used, and that it was left as it was. */
const expectUntouched = async (alert: object, changes: object): Promise<void> => {
  read = data({ ...stored, ...alert });
  const { body } = await update(changes);
  expect(body.data).toEqual({ updateAlert: { alert: null, userErrors: [] } });
  expect(body.errors).toMatchObject([
    {
      path: ['updateAlert', 'alert'],
      extensions: {
        code: 'UPSTREAM_BAD_RESPONSE',
        upstream: { name: 'observability', operation: 'getAlert' },
        retryable: false,
      },
    },
  ]);
  expect(body.errors).toHaveLength(1);
  expect(stack.log()).not.toContain('unexpected');
  expect(calls()).toEqual([['GET', path, '']]);
};

/** Expects that the alert was read, and replaced by this. */
const expectReplaced = async (alert: object, changes: object, sent: object): Promise<void> => {
  read = data({ ...stored, ...alert });
  const { body } = await update(changes);
  expect(body).toEqual({
    data: { updateAlert: { alert: { id: alertId, name: 'new' }, userErrors: [] } },
  });
  expect(calls()).toEqual([
    ['GET', path, ''],
    ['PUT', path, { ...unchanged, ...sent }],
  ]);
};

describe('an alert is not replaced by what cannot be an alert:', () => {
  it.each([['webhook'], [''], [5], [0], [true], [false], [['webhook', 'w1']], [[]]])(
    'one member of the channel is given, and the channel was read as %j',
    async (channel) => {
      await expectUntouched({ channel }, { channel: { type: 'webhook' } });
    },
  );

  it('nor when it is the other member that is given', async () => {
    await expectUntouched({ channel: 'w1' }, { channel: { webhookId: 'w2' } });
  });

  it.each([
    'threshold',
    'interval',
    'thresholdType',
    'source',
    'dashboard',
    'tileId',
    'name',
    'message',
  ])('%s was read as an object or a list', async (member) => {
    for (const value of [{ id: 'd1' }, {}, ['d1'], []]) {
      stack.calls.length = 0;
      const other = member === 'threshold' ? { interval: '1h' } : { threshold: 9 };
      await expectUntouched({ [member]: value }, other);
    }
  });
});

describe('what cannot be of an alert is replaced by what is given for it:', () => {
  it.each([
    ['threshold', { amount: 1 }, { threshold: 9 }],
    ['interval', ['5m'], { interval: '1h' }],
    ['name', {}, { name: null }],
    ['tileId', { id: 't' }, { tileId: 'tile-2' }],
    ['channel', 'webhook', { channel: { type: 'slack', webhookId: 'w2' } }],
    ['channel', ['w1'], { channel: null }],
  ])('%s as %j', async (member, value, changes) => {
    await expectReplaced({ [member]: value }, changes, changes);
  });

  it('the dashboard as an object', async () => {
    await expectReplaced({ dashboard: { id: 'd1' } }, { dashboardId: 'd2' }, { dashboardId: 'd2' });
  });
});

describe('an alert is replaced with all that it had:', () => {
  const channel = { type: 'webhook', webhookId: 'w1', emoji: '🔥', routing: { levels: [1, null] } };

  it.each([
    ['nothing of the channel is given', { threshold: 9 }, { threshold: 9, channel }],
    [
      'its type is given',
      { channel: { type: 'slack' } },
      { channel: { ...channel, type: 'slack' } },
    ],
    [
      'its webhook is given',
      { channel: { webhookId: 'w2' } },
      { channel: { ...channel, webhookId: 'w2' } },
    ],
    ['an empty channel is given', { channel: {} }, { channel }],
    [
      'both are given',
      { channel: { type: 'slack', webhookId: 'w2' } },
      { channel: { ...channel, type: 'slack', webhookId: 'w2' } },
    ],
  ])('members of the channel beyond the reference, where %s', async (_title, changes, sent) => {
    await expectReplaced({ channel }, changes, sent);
  });

  it.each([
    ['threshold', '0.02'],
    ['threshold', 1e21],
    ['threshold', null],
    ['interval', 300],
    ['thresholdType', 'outside'],
    ['source', 'saved_search'],
    ['tileId', 17],
    ['name', ''],
    ['name', false],
    ['message', null],
  ])('%s as it came: %j', async (member, value) => {
    const changes = member === 'interval' ? { threshold: 9 } : { interval: '1h' };
    await expectReplaced({ [member]: value }, changes, { [member]: value, ...changes });
  });

  it('the dashboard under the name that an update gives it, as it came', async () => {
    await expectReplaced({ dashboard: 42 }, { threshold: 9 }, { dashboardId: 42, threshold: 9 });
  });
});
