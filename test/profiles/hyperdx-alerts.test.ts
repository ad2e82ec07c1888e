import { describe, expect, it } from 'vitest';
import { type Answer, data, json } from '../support/harness.ts';
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
import { type Members, recordOf } from './record.ts';
import {
  describeRows,
  hyperdx,
  mutate,
  mutationOf,
  type ProfileRow,
  sentOf,
  startProfile,
} from './rows.ts';

const alerts = '/api/v2/alerts';
const fields = `id name message threshold thresholdMax interval thresholdType source state phase
  channel { type webhookId } channels { type webhookId } teamId tileId dashboardId savedSearchId groupBy silenced silencedUntil
  note numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors { timestamp type message }
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

const kept = `name message threshold interval channel channels groupBy tileId dashboardId note
  savedSearchId numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt executionErrors`;
const shownOf = (era: Era, id: string): Members => ({
  ...membersOf(era, id, `id state teamId createdAt updatedAt ${kept}`),
  ...{ thresholdType: 'ABOVE', phase: 'FIRING', source: id === tileAlertId ? 'TILE' : 'SEARCH' },
  ...{ silenced: false, silencedUntil: '2026-03-16T15:00:00.000Z' },
});

/** An update in text: the alert, its input and, after an arrow, what it changes in the body, if that is not the same. */
const updating =
  (era: Era) =>
  (row: string, more: Members = {}) => {
    const [, alert, text = ''] = /^(\w+) *(.*)$/.exec(row) ?? [];
    const alertId = alert === 'tile' ? tileAlertId : searchAlertId;
    const [input, sent = input] = text.split(' -> ').map(recordOf);
    const asItIs = membersOf(era, alertId, `${kept} thresholdType source createdBy`);
    return {
      title: `update of a ${row}`,
      document: mutationOf('updateAlert', 'alert { id }'),
      variables: { input: { alertId, ...input } },
      calls: [
        [`GET ${alerts}/${alertId}`],
        [`PUT ${alerts}/${alertId}`, { ...asItIs, ...sent, ...more }],
      ],
      answer: data(alertsOf[era].find(({ id }) => id === alertId)),
      data: { updateAlert: { alert: { id: alertId }, userErrors: [] } },
    } satisfies ProfileRow;
  };

const thirdId = 'webhookId=65f5e4a3b9e77c0000000b03';
const third = `type=webhook ${thirdId}`;
const second = `type=webhook webhookId=${otherWebhook.webhookId}`;
const basic = { name: 'New', threshold: 5, interval: '5m', channel: webhook };

const search = `savedSearchId=${savedSearchId}`;

for (const era of eras) {
  const update = updating(era);
  const channels = era === 'H' ? `channels[${third} | ${second}]` : '';

  describeRows(`alerts of HyperDX, dialect ${era}:`, hyperdx, [
    {
      title: 'list all, with every member',
      document: `{ alerts { ${fields} } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era].slice(0, 2)),
      data: { alerts: [shownOf(era, tileAlertId), shownOf(era, searchAlertId)] },
    },
    {
      title: 'find by source and by dashboard',
      document: `{ search: alerts(filter: { source: SEARCH }) { id }
        board: alerts(filter: { dashboardId: "${dashboardId}", thresholdType: ABOVE }) { id } }`,
      calls: [[`GET ${alerts}`]],
      answer: data(alertsOf[era]),
      data: { search: [{ id: searchAlertId }], board: [{ id: tileAlertId }] },
    },
    update('search threshold=80'),
    update('search threshold=90 message=null groupBy=Host'),
    update('search savedSearchId=65f5e4a3b9e77c0000000502'),
    update('tile interval=1h thresholdType=BELOW -> interval=1h thresholdType=below'),
    update('tile dashboardId=65f5e4a3b9e77c0000000d09'),
    update('tile tileId=tile-2'),
    update(`tile source=SEARCH ${search} -> source=saved_search ${search}`),
    update(`tile channel{${thirdId}} -> channel{${third}} ${channels}`),
  ]);
}

const update = updating('H');

describeRows('alerts of HyperDX of August 2026 change by', hyperdx, [
  update('tile thresholdMax=130 numConsecutiveWindows=5 scheduleOffsetMinutes=1 note=null'),
  update('tile scheduleStartAt=null'),
  update(`tile channels[${third}]`, { channel: undefined }),
  // Intervals are the service's.
  update('tile interval=30s'),
  // An alert has a channel once: the second became the first.
  update(`tile channel{${second}} -> channel{${second}} channels[${second}]`),
  ...'ABOVE_EXCLUSIVE BELOW_OR_EQUAL EQUAL NOT_EQUAL BETWEEN NOT_BETWEEN'
    .split(' ')
    .map((name) =>
      [name, name.toLowerCase()].map((each) => `thresholdMax=99 thresholdType=${each}`),
    )
    .map(([given, sent]) => update(`tile ${given} -> ${sent}`)),
  // Offsets are sent as UTC, and a time without a zone as it is.
  ...[
    '2026-08-01T02:00:00+02:00 2026-08-01T00:00:00Z',
    '2026-08-01T02:00:00.123456-0330 2026-08-01T05:30:00.123456Z',
    '2026-12-31T23:30-01 2027-01-01T00:30Z',
    '2026-08-01t02:00:00z 2026-08-01T02:00:00Z',
    '2026-08-01T02:00:00 2026-08-01T02:00:00',
  ].map((row) => update(`tile scheduleStartAt=${row.replace(' ', ' -> scheduleStartAt=')}`)),
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

it('an alert between two thresholds is shown and kept as one', async () => {
  const stack = await startProfile({ observability: () => data(alertsOf.H[2]) });
  const [input, shown] = [{ alertId: betweenAlertId, name: 'New' }, 'thresholdMax phase'];
  const body = await mutate(stack, 'updateAlert', input, `alert { thresholdType ${shown} }`);
  const alert = { thresholdType: 'BETWEEN', thresholdMax: 120, phase: 'PENDING' };
  expect(body).toEqual({ data: { updateAlert: { alert, userErrors: [] } } });
  expect(sentOf(stack)[1]?.[1]).toMatchObject({ thresholdType: 'between', thresholdMax: 120 });
});

const noChannel = 'channel must be given unless channels is given.';
const twice = 'Give channel or channels, and not both: channel is the first of channels.';
const noTime = 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".';
const noInterval = 'interval must be a number with a unit, such as 5m, got "often".';
const notNull = 'must not be null. Leave it out to keep its value.';
const noGrouping =
  'groupBy must not be given for the source TILE: HyperDX groups such an alert as its tile.';
const ofTile = ' must be given for the source TILE.';
const noSearch = 'savedSearchId must be given for the source SEARCH.';
const noMaximum = 'thresholdMax must be given for BETWEEN and NOT_BETWEEN.';

describe.each(['createAlert', 'updateAlert'])('%s', (field) => {
  const start = async (given: Members, others: Members) => {
    const stack = await startProfile({});
    const { data } = await mutate(stack, field, { ...others, ...given });
    expect(stack.calls).toEqual([]);
    return data[field].userErrors;
  };

  it.each([
    [{ channel: webhook, channels: [otherWebhook] }, twice, ['channels']],
    [{ scheduleStartAt: '' }, noTime, ['scheduleStartAt']],
    [{ interval: 'often' }, noInterval, ['interval']],
    [{ interval: '' }, noInterval.replace('often', ''), ['interval']],
    [{ interval: '5' }, noInterval.replace('often', '5'), ['interval']],
    [
      { source: 'TILE', dashboardId, tileId: 't', channel: webhook, groupBy: 'Host' },
      ...([noGrouping, ['groupBy']] as const),
    ],
  ])('refuses %j before any call', async (given, message, path) => {
    const whole = { ...basic, thresholdType: 'ABOVE', source: 'SEARCH', savedSearchId };
    const others = field === 'createAlert' ? whole : { alertId: tileAlertId };
    expect(await start(given, others)).toEqual([{ code: 'BAD_USER_INPUT', message, field: path }]);
  });

  if (field === 'updateAlert') return;
  it.each([
    [{ source: 'TILE' }, [`dashboardId${ofTile}`, `tileId${ofTile}`, noChannel]],
    [{ channel: webhook }, [noSearch]],
    [
      { thresholdType: 'BETWEEN', channels: [webhook], savedSearchId, thresholdMax: null },
      [noMaximum],
    ],
    [{ interval: 'often', channel: webhook }, [noSearch, noInterval]],
  ])('tells all that %j lacks, before any call', async (given, messages) => {
    const least = { threshold: 5, interval: '5m', thresholdType: 'ABOVE', source: 'SEARCH' };
    const userErrors = await start(given, least);
    expect(userErrors.map(({ message }: { message: string }) => message)).toEqual(messages);
  });
});

it.each([
  ['search', { source: 'TILE', tileId: null }, [`dashboardId${ofTile}`, `tileId${ofTile}`]],
  ['tile', { source: 'SEARCH' }, [noSearch]],
  ['later tile', { source: 'SEARCH', thresholdType: 'BETWEEN' }, [noSearch, noMaximum]],
])('an update of a %s by %j tells all that the alert would lack', async (watched, given, lacks) => {
  const alertId = watched === 'search' ? searchAlertId : tileAlertId;
  for (const era of watched === 'later tile' ? (['H'] as const) : eras) {
    const found = alertsOf[era].find(({ id }) => id === alertId);
    const { channels: _, dashboard, dashboardId, ...alert } = found as Members;
    const links = watched === 'search' ? {} : { dashboard, dashboardId };
    const stack = await startProfile({ observability: () => data({ ...alert, ...links }) });
    const { userErrors } = (await mutate(stack, 'updateAlert', { alertId, ...given })).data
      .updateAlert;
    expect(userErrors.map(({ message }: { message: string }) => message)).toEqual(lacks);
    expect(stack.callList()).toEqual([`GET ${alerts}/${alertId}`]);
  }
});

it.each<[given: Members, lacks: string[]]>([
  [{ channel: null }, ['channel']],
  [{ channel: { type: null, webhookId: null } }, ['channel.type', 'channel.webhookId']],
  [
    { channels: null, thresholdMax: null, threshold: null },
    ['threshold', 'thresholdMax', 'channels'],
  ],
])('an update by %j, which would delete what an alert must have, is refused', async (given, at) => {
  const stack = await startProfile({});
  const { userErrors } = (await mutate(stack, 'updateAlert', { alertId: tileAlertId, ...given }))
    .data.updateAlert;
  const refusal = (path: string) => {
    return { code: 'BAD_USER_INPUT', message: `${path} ${notNull}`, field: path.split('.') };
  };
  expect(userErrors).toEqual(at.map(refusal));
  expect(stack.calls).toEqual([]);
});

const onlyTwo = 'thresholdType must be ABOVE or BELOW on HyperDX 2.13, got';
const unknown = 'must not be given: HyperDX 2.13 does not have it.';

it.each<[era: Era, watched: string, given: Members, messages: string[]]>([
  ['E', 'tile', { groupBy: 'Host', threshold: 5 }, [noGrouping]],
  ['H', 'tile', { groupBy: 'Host', threshold: 5 }, [noGrouping]],
  ['E', 'tile', { thresholdType: 'EQUAL' }, [`${onlyTwo} EQUAL.`]],
  [
    'E',
    'search',
    { thresholdType: 'NOT_BETWEEN', thresholdMax: 9 },
    [`${onlyTwo} NOT_BETWEEN.`, `thresholdMax ${unknown}`],
  ],
  ['E', 'search', { channels: [webhook] }, [`channels ${unknown}`]],
  [
    'E',
    'tile',
    { note: 'n', numConsecutiveWindows: 2 },
    [`note ${unknown}`, `numConsecutiveWindows ${unknown}`],
  ],
  [
    'E',
    'tile',
    { scheduleOffsetMinutes: 1, scheduleStartAt: '2026-08-01T00:00:00Z' },
    [`scheduleOffsetMinutes ${unknown}`, `scheduleStartAt ${unknown}`],
  ],
])('what a server of the dialect %s does not do to a %s alert is not sent: %j', async (...row) => {
  const [era, watched, given, messages] = row;
  const alertId = watched === 'tile' ? tileAlertId : searchAlertId;
  const alert = alertsOf[era].find(({ id }) => id === alertId);
  const stack = await startProfile({ observability: () => data(alert) });
  const { userErrors } = (await mutate(stack, 'updateAlert', { alertId, ...given })).data
    .updateAlert;
  expect(userErrors).toEqual(
    messages.map((message) => {
      return { code: 'BAD_USER_INPUT', message, field: message.split(' ', 1) };
    }),
  );
  expect(stack.callList()).toEqual([`GET ${alerts}/${alertId}`]);
});

/** As servers of August 2026 write issues, and as those of January do. */
const issues = 'name: Too long.|channel.webhookId: Unknown webhook.';
const parts = issues.split('|').map((issue) => issue.split(': '));
const [head, list] = ['Body validation failed: ', issues.replace('.|', '; ')];
const found = parts.map(([path, message]) => ({ path: path?.split('.'), message }));

it.each([
  [{ message: head + list.slice(0, -1) }, head],
  [[{ type: 'Body', errors: { issues: found } }], ''],
])('the refusal %j leads to each member of the input that it names', async (body, before) => {
  const stack = await startProfile({
    observability: ({ method }) => (method === 'GET' ? data(alertsOf.H[0]) : json(body, 400)),
  });
  const given = { alertId: tileAlertId, name: 'x', channel: otherWebhook };
  const { userErrors } = (await mutate(stack, 'updateAlert', given)).data.updateAlert;
  expect(userErrors).toEqual([
    { code: 'REJECTED', message: `${before}name: Too long.`, field: ['name'] },
    {
      ...{ code: 'REJECTED', message: 'channel.webhookId: Unknown webhook.' },
      field: ['channel', 'webhookId'],
    },
  ]);
});

it('a refusal of many members names all of them', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `tiles.${at}.series.0.whereLanguage`);
  const message = head + names.map((name) => `${name}: Required`).join('; ');
  const stack = await startProfile({ observability: () => json({ message }, 400) });
  const { userErrors } = (await mutate(stack, 'createDashboard', {})).data.createDashboard;
  const fields = userErrors.map(({ field }: { field: string[] }) => field.join('.'));
  expect(fields).toEqual(names);
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
