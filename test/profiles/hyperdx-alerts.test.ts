import { expect, it } from 'vitest';
import { type Answer, data, json, useStack } from '../support/harness.ts';
import {
  alertsOf,
  betweenAlertId,
  dashboardId,
  type Era,
  eras,
  otherWebhook,
  savedSearch,
  savedSearchId,
  searchAlertId,
  tileAlertId,
  webhook,
} from './hyperdx-records.ts';
import {
  describeRows,
  hyperdx,
  type Members,
  mutate,
  mutationOf,
  type ProfileRow,
  sentOf,
  startProfile,
} from './rows.ts';

const alerts = '/api/v2/alerts';
const fields = `id name message threshold thresholdMax interval thresholdType source state phase
  channel { type webhookId } channels { type webhookId } teamId tileId dashboardId savedSearchId groupBy silenced silencedUntil
  note numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors { occurredAt type message }
  createdAt updatedAt`;

/** Some members of the alert of a server, with the names that they have in August 2026. */
const membersOf = (era: Era, alertId: string, names: string): Members => {
  const record = alertsOf[era].find(({ id }) => id === alertId) ?? {};
  const { team, dashboard, savedSearch } = record;
  const links = { teamId: team, dashboardId: dashboard, savedSearchId: savedSearch };
  const named: Members = { ...links, ...record };
  return Object.fromEntries(
    names.split(/\s+/).flatMap((name) => (named[name] == null ? [] : [[name, named[name]]])),
  );
};

/** The members with `executionErrors` as the schema names them. */
const shownErrors = ({ executionErrors, ...members }: Members): Members => {
  if (!Array.isArray(executionErrors)) return members;
  const shown = executionErrors.map(({ timestamp, ...error }) => ({
    occurredAt: timestamp,
    ...error,
  }));
  return { ...members, executionErrors: shown };
};

const kept = `name message threshold interval channel channels groupBy tileId dashboardId note
  savedSearchId numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors`;
const shownOf = (era: Era, id: string): Members => ({
  ...shownErrors(membersOf(era, id, `id state teamId createdAt updatedAt ${kept}`)),
  ...(id === betweenAlertId
    ? { thresholdType: 'BETWEEN', thresholdMax: 120, phase: 'PENDING' }
    : { thresholdType: 'ABOVE', phase: 'FIRING' }),
  source: id === searchAlertId ? 'SEARCH' : 'TILE',
  ...{ silenced: false, silencedUntil: '2026-03-16T15:00:00.000Z' },
});

const [tile, search] = [tileAlertId, searchAlertId];

/** An update of an alert, what it changes in the body, and members that are no longer sent. */
const updating =
  (era: Era) =>
  (alertId: string, input: Members, sent = input, ...gone: readonly string[]): ProfileRow => {
    const asItIs = membersOf(era, alertId, `${kept} thresholdType source createdBy`);
    const left = Object.entries({ ...asItIs, ...sent }).filter(([name]) => !gone.includes(name));
    return {
      title: `update of ${alertId === tile ? 'a tile' : 'a search'} by ${JSON.stringify(input)}`,
      document: mutationOf('updateAlert', 'alert { id }'),
      variables: { input: { alertId, ...input } },
      calls: [[`GET ${alerts}/${alertId}`], [`PUT ${alerts}/${alertId}`, Object.fromEntries(left)]],
      answer: data(alertsOf[era].find(({ id }) => id === alertId)),
      data: { updateAlert: { alert: { id: alertId }, userErrors: [] } },
    };
  };

const third = { type: 'webhook', webhookId: '65f5e4a3b9e77c0000000b03' };

for (const era of eras) {
  const update = updating(era);

  describeRows(`alerts of HyperDX, dialect ${era}:`, hyperdx, [
    {
      title: 'list all, with every member',
      document: `{ alerts { ${fields} } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era]),
      data: { alerts: alertsOf[era].map(({ id }) => shownOf(era, String(id))) },
    },
    {
      title: 'find by source and by dashboard',
      document: `{ search: alerts(filter: { sourceIn: [SEARCH] }) { id }
        board: alerts(filter: { dashboardIdIn: ["${dashboardId}"], thresholdTypeIn: [ABOVE] }) { id } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era]),
      data: { search: [{ id: search }], board: [{ id: tile }] },
    },
    update(search, { threshold: 90, message: null, groupBy: 'Host' }),
    update(search, { savedSearchId: '65f5e4a3b9e77c0000000502' }),
    update(tile, { thresholdType: 'BELOW' }, { thresholdType: 'below' }),
    update(tile, { dashboardId: '65f5e4a3b9e77c0000000d09', tileId: 'tile-2' }),
    update(tile, { source: 'SEARCH', savedSearchId }, { source: 'saved_search', savedSearchId }),
    update(...([tile, { channel: { webhookId: third.webhookId } }] as const), {
      channel: third,
      ...(era === 'H' && { channels: [third, otherWebhook] }),
    }),
  ]);
}

const update = updating('H');

describeRows('alerts of HyperDX of August 2026 change by', hyperdx, [
  update(tile, {
    thresholdMax: 130,
    numConsecutiveWindows: 5,
    scheduleOffsetMinutes: 1,
    note: null,
  }),
  update(tile, { channels: [third] }, { channels: [third] }, 'channel'),
  // Intervals are the service's.
  update(tile, { interval: '30s' }),
  // An alert has a channel once: the second became the first.
  update(tile, { channel: otherWebhook }, { channel: otherWebhook, channels: [otherWebhook] }),
  ...['ABOVE_EXCLUSIVE', 'BELOW_OR_EQUAL', 'EQUAL', 'NOT_EQUAL', 'BETWEEN', 'NOT_BETWEEN'].map(
    (thresholdType) => {
      const sent = { thresholdMax: 99, thresholdType: thresholdType.toLowerCase() };
      return update(tile, { thresholdMax: 99, thresholdType }, sent);
    },
  ),
  // Offsets are sent as UTC, and a time without a zone as it is.
  ...[
    ['2026-08-01T02:00:00+02:00', '2026-08-01T00:00:00Z'],
    ['2026-08-01T02:00:00.123456-0330', '2026-08-01T05:30:00.123456Z'],
    ['2026-08-01T02:00:00', '2026-08-01T02:00:00'],
  ].map(([given, sent]) => update(tile, { scheduleStartAt: given }, { scheduleStartAt: sent })),
]);

const savedSearches = '/api/v2/saved-searches';

it.each<[Era, Answer, name: string]>([
  ['H', data([savedSearch]), 'Errors'],
  ['H', data([]), `Alert ${searchAlertId}`],
  [
    'E',
    { status: 404, headers: { 'content-type': 'text/html' }, body: '' },
    `Alert ${searchAlertId}`,
  ],
])('an alert without a name is called as its saved search, dialect %s: %j', async (...row) => {
  const [era, answer, displayName] = row;
  const nameless = { ...alertsOf[era][1], name: null };
  const stack = await startProfile({
    observability: ({ path }) => (path === savedSearches ? answer : data([nameless, nameless])),
  });
  const { body } = await stack.query('{ alerts { displayName } }');
  expect(body).toEqual({ data: { alerts: [{ displayName }, { displayName }] } });
  expect(stack.callList()).toEqual([`GET ${alerts}`, `GET ${savedSearches}`]);
});

it('a channel that becomes the first one keeps what it has beside its webhook', async () => {
  const [one, two] = [
    { ...webhook, severity: 'critical', slackChannelId: 'C1' },
    { ...otherWebhook, severity: 'info' },
  ];
  const alert = { ...alertsOf.H[0], channel: one, channels: [one, two] };
  const stack = await startProfile({ observability: () => data(alert) });
  await mutate(stack, 'updateAlert', { alertId: tileAlertId, channel: otherWebhook });
  expect(sentOf(stack)[1]?.[1]).toMatchObject({ channel: two, channels: [two] });
});

const noChannel = 'channel must be given unless channels is given.';
const twice = 'Give channel or channels, and not both: channel is the first of channels.';
const noTime = 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".';
const noInterval = (text: string) =>
  `interval must be a number with a unit, such as 5m, got "${text}".`;
const notNull = 'must not be null. Leave it out to keep its value.';
const noGrouping =
  'groupBy must not be given for the source TILE: HyperDX groups such an alert as its tile.';
const noPlace = ['dashboardId', 'tileId'].map(
  (name) => `${name} must be given for the source TILE.`,
);
const noSearch = 'savedSearchId must be given for the source SEARCH.';
const noMaximum = 'thresholdMax must be given for BETWEEN and NOT_BETWEEN.';
const noTarget = (member: string, type: string) =>
  `${member} must be given for a channel of the type ${type}.`;
const onlyTwo = 'thresholdType must be ABOVE or BELOW on HyperDX 2.13, got';
const unknown = (name: string) => `${name} must not be given: HyperDX 2.13 does not have it.`;

/** An input that is refused with these messages, after a read of the alert, if it is given. */
const refusal =
  (field: 'createAlert' | 'updateAlert', others: Members, read?: Members) =>
  (given: Members, ...messages: readonly string[]) => {
    const input = { ...others, ...given };
    return [field, given, { input, messages, read }] as const;
  };
const least = { threshold: 5, interval: '5m', thresholdType: 'ABOVE', source: 'SEARCH' };
const creating = refusal('createAlert', least);
const whole = refusal('createAlert', { ...least, name: 'New', channel: webhook, savedSearchId });
const anyUpdate = refusal('updateAlert', { alertId: tile });
const updatingOf = (read: Members = {}) => refusal('updateAlert', { alertId: read.id }, read);
const placeless = { dashboard: null, dashboardId: null };
const onTile = { source: 'TILE', dashboardId, tileId: 't', channel: webhook };
const ofEarlier = updatingOf(alertsOf.E[0]);

let record: Members | undefined;
const refusing = useStack({ observability: () => data(record), config: hyperdx });

it.each([
  ...[whole, anyUpdate].flatMap((of) => [
    of({ channel: webhook, channels: [otherWebhook] }, twice),
    of({ scheduleStartAt: '' }, noTime),
    ...['often', '', '5'].map((interval) => of({ interval }, noInterval(interval))),
    of({ ...onTile, groupBy: 'Host' }, noGrouping),
  ]),
  whole({ channel: {} }, 'channel.type must be given for a new channel.'),
  whole({ channel: { type: 'email' } }, noTarget('channel.emailRecipients', 'email')),
  whole(
    { channel: undefined, channels: [webhook, { type: 'webhook' }] },
    noTarget('channels.1.webhookId', 'webhook'),
  ),
  anyUpdate(
    { channels: [{ type: 'email', emailRecipients: [] }] },
    noTarget('channels.0.emailRecipients', 'email'),
  ),
  creating({ source: 'TILE' }, ...noPlace, noChannel),
  creating({ thresholdType: 'BETWEEN', savedSearchId }, noChannel, noMaximum),
  anyUpdate({ channel: null }, `channel ${notNull}`),
  anyUpdate(
    { channel: { type: null, webhookId: null } },
    ...['type', 'webhookId'].map((name) => `channel.${name} ${notNull}`),
  ),
  anyUpdate(
    { channels: null, thresholdMax: null, threshold: null },
    ...['threshold', 'thresholdMax', 'channels'].map((name) => `${name} ${notNull}`),
  ),
  ...eras.flatMap((era) => [
    updatingOf({ ...alertsOf[era][1], ...placeless })({ source: 'TILE', tileId: null }, ...noPlace),
    updatingOf(alertsOf[era][0])({ source: 'SEARCH' }, noSearch),
    updatingOf(alertsOf[era][0])({ groupBy: 'Host', threshold: 5 }, noGrouping),
  ]),
  ofEarlier({ thresholdType: 'EQUAL' }, `${onlyTwo} EQUAL.`),
  ofEarlier(
    { thresholdType: 'NOT_BETWEEN', thresholdMax: 9 },
    ...[`${onlyTwo} NOT_BETWEEN.`, unknown('thresholdMax')],
  ),
  ofEarlier({ channels: [webhook], tags: [] }, ...['channels', 'tags'].map(unknown)),
  ofEarlier(
    { note: 'n', scheduleStartAt: '2026-08-01T00:00:00Z' },
    ...['note', 'scheduleStartAt'].map(unknown),
  ),
])('%s of %j is not sent, and all that is wrong is told', async (field, _, row) => {
  const { input, messages, read } = row;
  record = read;
  const { userErrors } = (await mutate(refusing, field, input)).data[field];
  expect(userErrors).toEqual(
    messages.map((message) => {
      const [path = ''] = message === twice ? ['channels'] : message.split(' ', 1);
      return { code: 'BAD_USER_INPUT', message, field: path.split('.') };
    }),
  );
  expect(refusing.callList()).toEqual(read ? [`GET ${alerts}/${read.id}`] : []);
});

/** As servers of August 2026 write issues, and as those of January do. */
const issues = [
  { path: ['name'], message: 'Too long.' },
  { path: ['channel', 'webhookId'], message: 'Unknown webhook.' },
];
const head = 'Body validation failed: ';

it.each([
  [{ message: `${head}name: Too long; channel.webhookId: Unknown webhook` }, head],
  [[{ type: 'Body', errors: { issues } }], ''],
])('the refusal %j leads to each member of the input that it names', async (body, before) => {
  const stack = await startProfile({
    observability: ({ method }) => (method === 'GET' ? data(alertsOf.H[0]) : json(body, 400)),
  });
  const given = { alertId: tileAlertId, name: 'x', channel: otherWebhook };
  const { userErrors } = (await mutate(stack, 'updateAlert', given)).data.updateAlert;
  expect(userErrors).toEqual(
    issues.map(({ path, message }, at) => {
      const told = `${at === 0 ? before : ''}${path.join('.')}: ${message}`;
      return { code: 'REJECTED', message: told, field: path };
    }),
  );
});

it.each([
  ['OK in plain text', 200, 'text/plain; charset=utf-8', 'OK', null],
  ['nothing', 204, '', '', null],
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
