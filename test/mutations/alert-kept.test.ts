import { afterEach, describe, expect, it } from 'vitest';
import { type Answering, data, json, result, type Stack, startStack } from '../support/harness.ts';
import { createReplacingAlert } from '../support/replacing-alert.ts';

const alertId = 'a1e400000000000000000001';
const path = `/api/v2/alerts/${alertId}`;

/** Every member in the reference, filled. */
const documented = {
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

const unknown = {
  numConsecutiveWindows: 3,
  note: { text: 'Call the team', links: [{ title: 'Runbook', tags: ['a', null] }], by: null },
  channels: [
    { type: 'webhook', webhookId: 'w1' },
    { type: 'email', emails: ['on-call@northwind.example'], severity: { least: 'error' } },
  ],
};

const full = { ...documented, ...unknown };

/** Ten partial updates, and what of the record each changes. */
const updates: readonly (readonly [title: string, changes: object, difference: object])[] = [
  ['the threshold', { threshold: 0.5 }, { threshold: 0.5 }],
  ['the interval', { interval: '1h' }, { interval: '1h' }],
  ['the side of the threshold', { thresholdType: 'BELOW' }, { thresholdType: 'below' }],
  ['the source', { source: 'SEARCH' }, { source: 'search' }],
  ['the dashboard', { dashboardId: 'd2' }, { dashboard: 'd2' }],
  ['the tile', { tileId: 'tile-2' }, { tileId: 'tile-2' }],
  [
    'the webhook of the channel',
    { channel: { webhookId: 'w2' } },
    { channel: { type: 'webhook', webhookId: 'w2' } },
  ],
  ['the name, emptied', { name: '' }, { name: '' }],
  ['the message, set to null', { message: null }, { message: null }],
  ['two at once', { threshold: 7, name: 'New' }, { threshold: 7, name: 'New' }],
];

let stack: Stack;
afterEach(() => stack.close());

const start = async (observability: Answering): Promise<void> => {
  stack = await startStack({ management: () => result({}), observability });
};

const update = async (changes: object) => {
  const { body } = await stack.query(
    `mutation ($input: UpdateAlertInput!) {
      updateAlert(input: $input) { alert { id } userErrors { code message } }
    }`,
    { variables: { input: { alertId, ...changes } } },
  );
  return body;
};

const success = { data: { updateAlert: { alert: { id: alertId }, userErrors: [] } } };

const sequence = (): string[] => stack.calls.map(({ method, path }) => `${method} ${path}`);
const written = (): string => stack.calls.find(({ method }) => method === 'PUT')?.body ?? '';

describe('an update leaves the rest of the record as it was, when it changes', () => {
  it.each(updates)('%s', async (_title, changes, difference) => {
    const alert = createReplacingAlert(full);
    await start(alert.answering);
    expect(await update(changes)).toEqual(success);
    expect(alert.record()).toEqual({ ...full, ...difference });
    expect(sequence()).toEqual([`GET ${path}`, `PUT ${path}`]);
  });

  it('nothing at all', async () => {
    const alert = createReplacingAlert(full);
    await start(alert.answering);
    expect(await update({})).toEqual(success);
    expect(alert.record()).toEqual(full);
  });

  it('one thing after another', async () => {
    const alert = createReplacingAlert(full);
    await start(alert.answering);
    let expected: object = full;
    for (const [, changes, difference] of updates) {
      expect(await update(changes)).toEqual(success);
      expected = { ...expected, ...difference };
      expect(alert.record()).toEqual(expected);
    }
  });

  it('every member that an update can give', async () => {
    const alert = createReplacingAlert({
      ...full,
      channel: { ...documented.channel, severity: 'error' },
    });
    await start(alert.answering);
    const given = { threshold: 0, interval: '1h', tileId: 'tile-2', name: 'New', message: 'Newer' };
    const enums = { thresholdType: 'BELOW', source: 'SEARCH' };
    const channel = { type: 'email', webhookId: 'w2' };
    expect(await update({ ...given, ...enums, dashboardId: 'd2', channel })).toEqual(success);
    expect(alert.record()).toEqual({
      ...full,
      ...given,
      thresholdType: 'below',
      source: 'search',
      dashboard: 'd2',
      channel: { ...channel, severity: 'error' },
    });
    expect(sequence()).toEqual([`GET ${path}`, `PUT ${path}`]);
  });
});

describe('a member that the reference does not know comes back as it was read:', () => {
  const forms = [
    null,
    true,
    false,
    0,
    -1.5,
    1e300,
    '',
    'Straße "7"\n\u2028 \u0000 🔥',
    [],
    {},
    [[], {}, null],
    ['first', { second: ['deep', { deeper: null }] }],
  ];

  it.each(forms.map((value) => [JSON.stringify(value), value] as const))('%s', async (_, value) => {
    const alert = createReplacingAlert({ ...documented, extra: value, '': value, toString: value });
    await start(alert.answering);
    expect(await update({ threshold: 9 })).toEqual(success);
    const sent: unknown = JSON.parse(written());
    expect(sent).toMatchObject({ extra: value, '': value, toString: value });
  });

  it('__proto__ and constructor too, which change nothing else', async () => {
    const traps =
      '"__proto__":{"polluted":1,"toString":2},"constructor":{"prototype":{"polluted":1}}';
    const text = `{"data":{"id":"${alertId}","threshold":1,${traps},"inner":{${traps}}}}`;
    await start(() => ({ ...json({}), body: text }));
    expect(await update({ threshold: 9 })).toEqual(success);
    expect(written()).toBe(`{"threshold":9,${traps},"inner":{${traps}}}`);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('of what the upstream itself sets, nothing is sent back:', () => {
  it.each(['id', '_id', 'team', 'teamId', 'state', 'silenced', 'createdAt', 'updatedAt'])(
    '%s',
    async (member) => {
      await start(() => data({ ...full, [member]: 'of the upstream' }));
      expect(await update({ threshold: 9 })).toEqual(success);
      const sent = JSON.parse(written()) as object;
      expect(sent).not.toHaveProperty(member);
      expect(sent).toHaveProperty('groupBy', 'service');
    },
  );
});

describe('the dashboard', () => {
  it('is sent under the name that an update gives it alone', async () => {
    await start(() => data({ ...full, dashboardId: 'not this one' }));
    await update({ threshold: 9 });
    expect(JSON.parse(written())).toHaveProperty('dashboardId', 'd1');
    expect(JSON.parse(written())).not.toHaveProperty('dashboard');
  });

  it.each([
    ['absent', {}],
    ['null', { dashboard: null }],
  ])('stays where an upstream reads it as dashboardId, with dashboard %s', async (_, members) => {
    const { dashboard: _dashboard, ...rest } = full;
    await start(() => data({ ...rest, ...members, dashboardId: 'd7' }));
    await update({ threshold: 9 });
    expect(JSON.parse(written())).toHaveProperty('dashboardId', 'd7');
    await update({ dashboardId: 'd8' });
    expect(JSON.parse(stack.calls.at(-1)?.body ?? '')).toHaveProperty('dashboardId', 'd8');
  });
});

it('an alert of a saved search keeps its source, byte for byte, and its search', async () => {
  const { tileId: _tile, dashboard: _dashboard, ...rest } = full;
  const before = { ...rest, source: 'saved_search', savedSearch: 's7' };
  const alert = createReplacingAlert(before);
  await start(alert.answering);
  expect(await update({ threshold: 9 })).toEqual(success);
  expect(alert.record()).toEqual({ ...before, threshold: 9 });
  expect(written()).toContain('"source":"saved_search"');
});

it('a silenced alert stays silenced by whom it was', async () => {
  const before = { ...full, silenced: { by: 'u1', until: '2027-01-01T00:00:00Z' } };
  const alert = createReplacingAlert(before);
  await start(alert.answering);
  expect(await update({ threshold: 9 })).toEqual(success);
  expect(alert.record()).toEqual({ ...before, threshold: 9 });
});

it('a secret in a member that the reference does not know is told to nobody but the upstream', async () => {
  const hook = { url: 'https://hooks.example', headers: { authorization: 'Bearer hook-secret' } };
  await start(({ method, body }) =>
    method === 'GET'
      ? data({ ...full, hooks: [hook], apiToken: 'token-of-the-team' })
      : json({ message: `Refused: ${body.slice(body.indexOf('"hooks"'))}` }, 400),
  );
  const answer = await update({ threshold: 9 });
  expect(answer.data.updateAlert.userErrors[0].message).toContain('[redacted]');
  for (const secret of ['hook-secret', 'token-of-the-team']) {
    expect(written()).toContain(secret);
    expect(JSON.stringify(answer)).not.toContain(secret);
    expect(stack.log()).not.toContain(secret);
  }
});

it('so is a secret of an alert that cannot be sent back', async () => {
  await start(() => data({ ...full, threshold: { secret: 'hook-secret' }, apiToken: 'of-a-team' }));
  const answer = JSON.stringify(await update({ name: 'New' }));
  expect(answer).toContain("the alert's threshold has a form that cannot be sent back");
  expect(sequence()).toEqual([`GET ${path}`]);
  expect(answer + stack.log()).not.toMatch(/hook-secret|of-a-team/);
});
