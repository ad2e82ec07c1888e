import { beforeEach, expect, it } from 'vitest';
import { type Answer, data, json, useStack } from '../support/harness.ts';

type Members = Readonly<Record<string, unknown>>;

const alertId = 'a1e400000000000000000001';
const path = `/api/v2/alerts/${alertId}`;

/** What an upstream sets by itself, and an update never sends back. */
const ofTheUpstream = {
  ...{ id: alertId, _id: 'i1', team: 't1', teamId: 't1', state: 'ALERT', silenced: { by: 'u1' } },
  ...{ createdAt: '2026-03-10T10:00:00Z', updatedAt: '2026-10-28T14:21:09Z' },
};
/** Members that an update can give. */
const known = {
  ...{ threshold: 0.02, interval: '5m', thresholdType: 'above', source: 'tile', tileId: 'tile-1' },
  ...{ channel: { type: 'webhook', webhookId: 'w1' }, name: 'Error rate', message: 'Too many.' },
};
const email = { type: 'email', severity: { least: 'error' } };
/** Members that the reference has beyond an update, and those that nobody here knows. */
const others = {
  ...{ savedSearch: 's1', groupBy: 'service', numConsecutiveWindows: 3 },
  ...{ note: { text: 'Call', links: [{ tags: ['a', null] }], by: null }, '': 0, toString: [] },
  channels: [{ type: 'webhook', webhookId: 'w1' }, email],
};
const stored = { ...ofTheUpstream, ...known, dashboard: 'd1', ...others };
const unchanged = { ...known, dashboardId: 'd1', ...others };

let read: Answer;
let replaced: Answer;
const stack = useStack({
  observability: ({ method }) => (method === 'GET' ? read : replaced),
});
beforeEach(() => {
  read = data(stored);
  replaced = data({ ...stored, name: 'as replaced' });
});

const update = async (changes: Members) => {
  const document = `mutation ($input: UpdateAlertInput!) {
    updateAlert(input: $input) { alert { id name phase } userErrors { code message field } } }`;
  return (await stack.query(document, { variables: { input: { alertId, ...changes } } })).body;
};
const sequence = () => stack.calls.map((call) => `${call.method} ${call.path}`);
const alert = { id: alertId, name: 'as replaced', phase: 'FIRING' };

/** An update, what it changes in the body, and what the record has other than usual. */
const gives = (changes: Members, difference = changes, record: Members = {}) =>
  [changes, difference, record] as const;
/** A record that has this, and keeps it unless an update changes it. */
const keeps = (record: Members) => gives(changed, { ...changed, ...record }, record);
/** An update that gives what it is sent, of such a record. */
const replaces = (changes: Members, record: Members) => gives(changes, changes, record);

const channel = { type: 'webhook', webhookId: 'w1', routing: { levels: [1, null] } };
const whole = {
  ...{ threshold: 0, interval: '', thresholdType: 'BELOW', source: 'SEARCH', dashboardId: 'd2' },
  ...{ tileId: 'tile-2', channel: { type: 'slack', webhookId: 'w2' }, name: '', message: null },
};
const changed = { threshold: 9 };
const inline = { source: 'inline', chartConfig: { select: ['count()'] } };
const other = { type: 'webhook', webhookId: 'w2' };
const toEmail = { channel: { type: 'email', emailRecipients: ['a@example.com'] } };

const rows = [
  gives({ interval: '1h', name: '' }),
  gives({ message: null, dashboardId: null }),
  gives(whole, { ...whole, thresholdType: 'below', source: 'search' }),
  // A channel keeps what is not given, but for what belongs to another target.
  gives({ channel: { type: 'webhook', webhookId: 'w1' } }, { channel }, { channel }),
  replaces({ channel: { type: null } }, { channel }),
  gives({ channel: { webhookId: 'w2' } }, { channel: other }, { channel }),
  replaces({ channel: whole.channel }, { channel }),
  replaces({ channel: other }, toEmail),
  // So does what is watched within the alert.
  keeps(inline),
  gives({ source: 'TILE' }, {}, inline),
  replaces({ channel: { webhookId: 'w2' } }, { channel: null }),
  // Values that are not documented go back unchanged.
  keeps({ source: 'saved_search', thresholdType: 'outside', interval: 300, tileId: 17 }),
  ...[null, 1e300, 'Straße "7"\n\u2028 \u0000 🔥', [[], {}, null]].map((value) =>
    keeps({ groupBy: value }),
  ),
  // The dashboard has two names in records, and one in bodies.
  gives(changed, { ...changed, dashboardId: 'd7' }, { dashboard: undefined, dashboardId: 'd7' }),
  gives(changed, { ...changed, dashboardId: 42 }, { dashboard: 42 }),
  replaces({ dashboardId: 'd8' }, { dashboard: { id: 'd1' } }),
  // What cannot be of an alert is replaced by what is given for it.
  replaces(changed, { threshold: { amount: 1 } }),
  replaces({ channel: whole.channel }, { channel: 'webhook' }),
];

it.each(rows)(
  'an update reads an alert, and sends back all that it had but for %j',
  async (changes, difference, record) => {
    read = data({ ...stored, ...record });
    expect(await update(changes)).toEqual({ data: { updateAlert: { alert, userErrors: [] } } });
    expect(sequence()).toEqual([`GET ${path}`, `PUT ${path}`]);
    expect(JSON.parse(stack.calls[1]?.body ?? '')).toEqual({ ...unchanged, ...difference });
  },
);

it('a number that JSON does not have is never sent', async () => {
  read = {
    ...json({}),
    body: `{"data":{"id":"${alertId}","threshold":1,"limits":{"high":1e400}}}`,
  };
  const { data: shown, errors } = await update(changed);
  const message = 'limits.high must be a number between -1.8e308 and 1.8e308, got a larger one.';
  const refusal = { code: 'BAD_USER_INPUT', message, field: ['limits', 'high'] };
  expect(shown).toEqual({ updateAlert: { alert: null, userErrors: [refusal] } });
  expect([errors, sequence()]).toEqual([undefined, [`GET ${path}`]]);
});

it('an update sends __proto__ and constructor back, which change nothing else', async () => {
  const traps =
    '"__proto__":{"polluted":1,"toString":2},"constructor":{"prototype":{"polluted":1}}';
  const text = `{"data":{"id":"${alertId}","threshold":1,${traps},"inner":{${traps}}}}`;
  read = { ...json({}), body: text };
  await update(changed);
  expect(stack.calls[1]?.body).toBe(`{"threshold":9,${traps},"inner":{${traps}}}`);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

const texts = ['interval', 'thresholdType', 'source', 'dashboard', 'tileId', 'name', 'message'];

it.each<[member: string, values: readonly unknown[], changes: Members]>([
  ['threshold', [{ id: 'd1' }, []], { interval: '1h' }],
  ...texts.map((member): [string, unknown[], Members] => [member, [{ id: 'd1' }, ['d1']], changed]),
  ['channel', ['', 5, 0, false, ['webhook', 'w1']], { channel: { type: 'webhook' } }],
  ['channel', ['w1'], { channel: { webhookId: 'w2' } }],
])('an alert whose %s is %j is left as it was', async (member, values, changes) => {
  for (const value of values) {
    stack.calls.length = 0;
    read = data({ ...stored, [member]: value });
    const { data: shown, errors } = await update(changes);
    expect(shown).toEqual({ updateAlert: { alert: null, userErrors: [] } });
    const upstream = { name: 'observability', operation: 'getAlert' };
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', upstream, retryable: false };
    expect(errors).toMatchObject([{ path: ['updateAlert', 'alert'], extensions }]);
    expect(sequence()).toEqual([`GET ${path}`]);
  }
  expect(stack.log()).not.toContain('unexpected');
});

it('a secret of an alert is told to nobody but the upstream, where the upstream quotes it', async () => {
  const hook = { url: 'https://hooks.example', headers: { authorization: 'Bearer hook-secret' } };
  const secrets = { hooks: [hook], apiToken: 'of-a-team', service_account_file: 'of-a-file' };
  read = data({ ...stored, ...secrets });
  const quoted = JSON.stringify(secrets);
  replaced = json({ message: `Refused: ${quoted}` }, 400);
  const answer = await update(changed);
  expect(answer.data.updateAlert.userErrors).toMatchObject([
    { code: 'REJECTED', message: expect.stringContaining('[redacted]') },
  ]);
  expect(stack.calls[1]?.body).toMatch(/hook-secret.*of-a-team.*of-a-file/);
  expect(JSON.stringify(answer) + stack.log()).not.toMatch(/hook-secret|of-a-team|of-a-file/);
});

it('a secret of an alert is told to nobody but the upstream, where it cannot be sent back', async () => {
  read = data({ ...stored, threshold: { secret: 'hook-secret' }, apiToken: 'of-a-team' });
  const answer = JSON.stringify(await update({ name: 'New' }));
  expect(answer).toContain("the alert's threshold has a form that cannot be sent back");
  expect(answer + stack.log()).not.toMatch(/hook-secret|of-a-team/);
});
