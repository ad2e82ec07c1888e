import { beforeEach, expect, it } from 'vitest';
import { live } from '../operations/table.ts';
import { type Answer, data, json, result, stackInTest, useStack } from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';

const service = '/v1/organizations/organization-1/services/service-1';
const ofPipe = '@service-1, pipeId: "pipe-1"';

let write: Answer;
let read: Answer;
const answer = ({ method }: { readonly method: string }) => (method === 'GET' ? read : write);
const stack = useStack({ management: answer, observability: answer });
beforeEach(() => {
  read = result({ id: withIds('pipe-1'), name: 'orders', state: 'Stopping' });
});

/** The answer to `field(input) { payload }`, with names in place of identifiers. */
const mutate = async (field: string, input: string, payload = '', to = stack) => {
  const selection = `{ ${payload} userErrors { code message field } }`;
  const { text } = await to.query(
    withIds(`mutation { ${field}(input: { ${input} }) ${selection} }`),
  );
  return JSON.parse(withNames(text));
};
const sent = (to = stack) => to.calls.map(({ method, path }) => withNames(`${method} ${path}`));

const getPipe = `GET ${service}/pipes/pipe-1`;
const patchPassword = `PATCH ${service}/password`;
const ids = { id: 'pipe-1', serviceId: 'service-1' };
const stopped = { pipe: { ...ids, name: 'orders', state: 'Stopping' } };

const hashed = '@service-1, newPasswordHash: "XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg="';

const type = { 'content-type': 'application/json' };
/** Successes without a body, or without a result in it. */
const bodiless: readonly (readonly [title: string, answer: Answer])[] = [
  ['204', { status: 204, body: '' }],
  ['200 without a body', { body: '' }],
  ['202 with an empty body', { status: 202, headers: type, body: '' }],
  ['an empty object', json({})],
  ['an envelope without a result', json({ status: 200, requestId: 'r-1' })],
  ['a result of null', result(null)],
  ['an empty result', result({})],
];

const html = { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
const badResponse = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false };
const perhaps = expect.stringMatching(/The write may have been carried out\.$/);

it.each(bodiless)(
  'answered with %s, a command was carried out, a given password is null',
  async (_, answer) => {
    write = answer;
    const state = `PATCH ${service}/pipes/pipe-1/state`;
    // No read, where identifiers or nothing is asked for.
    for (const [field, input, payload, shown, ...calls] of [
      ['stopPipe', ofPipe, 'pipe { id serviceId name state }', stopped, state, getPipe],
      ['startPipe', ofPipe, 'pipe { id serviceId }', { pipe: ids }, state],
      ['resyncPipe', ofPipe, '', {}, state],
      ['updateServicePassword', hashed, 'password', { password: null }, patchPassword],
    ] as const) {
      stack.calls.length = 0;
      const payloadOf = { [field]: { ...shown, userErrors: [] } };
      expect(await mutate(field, input, payload)).toEqual({ data: payloadOf });
      expect(sent()).toEqual(calls);
    }
    expect(stack.complaints()).toBe('');
  },
);

it.each([...bodiless.slice(0, 4), ['an empty envelope', data({})] as const])(
  'answered with %s, a dashboard was deleted',
  async (_, answer) => {
    write = answer;
    const deleted = await mutate('deleteDashboard', 'dashboardId: "d1"', 'deletedDashboardId');
    const payload = { deletedDashboardId: 'd1', userErrors: [] };
    expect(deleted).toEqual({ data: { deleteDashboard: payload } });
    expect(sent()).toEqual(['DELETE /api/v2/dashboards/d1']);
  },
);

it.each<readonly [title: string, answer: Answer]>([
  ['a text', result('x')],
  ['a list', result([])],
  ['a number', result(0)],
  ['no envelope', json({ requestId: 'r' })],
  ['an envelope of failure', json({ status: 500, requestId: 'r' })],
  ['null', json(null)],
  ['no JSON', { body: 'ok', headers: type }],
  ['HTML', html],
])(
  'answered with %s, a write may have been carried out, and has no second call',
  async (_, answer) => {
    write = answer;
    const changed = await mutate('updateServicePassword', '@service-1', 'password');
    expect(changed.data.updateServicePassword).toEqual({ password: null, userErrors: [] });
    const path = ['updateServicePassword', 'password'];
    expect(changed.errors).toMatchObject([{ path, message: perhaps, extensions: badResponse }]);
    const stopped = await mutate('stopPipe', ofPipe, 'pipe { name }');
    expect(stopped.errors).toMatchObject([{ message: perhaps, extensions: badResponse }]);
    expect(stack.calls).toHaveLength(2);
  },
);

it('answered with HTML, a dashboard may have been deleted: a proxy may have answered', async () => {
  write = html;
  const { errors } = await mutate('deleteDashboard', 'dashboardId: "d1"', 'deletedDashboardId');
  expect(errors).toMatchObject([{ message: perhaps, extensions: badResponse }]);
});

it.each([
  [{ key: { id: 'k1', name: 'n' } }, ['keyId', 'keySecret']],
  [{ key: { id: 'k1', name: 'n' }, keyId: 'K', keySecret: '' }, ['keySecret']],
  [{ keyId: 'K', keySecret: 'S' }, ['apiKey']],
])('answered with %j, a key was made, and what is missing is told', async (made, missing) => {
  write = result(made);
  const input = '@organization-1, name: "n", roles: [ADMIN]';
  const body = await mutate('createApiKey', input, 'apiKey { name } keyId keySecret');
  const all = { apiKey: { name: 'n' }, keyId: 'K', keySecret: 'S', userErrors: [] };
  const none = Object.fromEntries(missing.map((name) => [name, null]));
  expect(body.data.createApiKey).toEqual({ ...all, ...none });
  const message = expect.stringMatching(/: the key was created, but .* not in the answer\. .*\.$/);
  expect(body.errors).toMatchObject(
    missing.map((name) => {
      return { path: ['createApiKey', name], message, extensions: badResponse };
    }),
  );
});

it.each([{}, { password: '' }, { password: null }])(
  'answered with %j, a password was changed, and nobody knows it',
  async (answered) => {
    write = result(answered);
    const body = await mutate('updateServicePassword', '@service-1', 'password');
    expect(body.data.updateServicePassword).toEqual({ password: null, userErrors: [] });
    const message =
      'management answered updateServicePassword in a way that cannot be used: the password was changed, but is not in the answer. Set the password again.';
    const path = ['updateServicePassword', 'password'];
    expect(body.errors).toMatchObject([{ path, message, extensions: badResponse }]);
  },
);

it('answered with a key made from hashes, there is no id and no secret to tell', async () => {
  write = result({ key: { id: 'k1', name: 'hashed' } });
  const input = `@organization-1, name: "hashed", roles: [ADMIN],
    hashData: { keyIdHash: "a", keyIdSuffix: "b", keySecretHash: "c" }`;
  const { data: shown } = await mutate('createApiKey', input, 'apiKey { name } keyId keySecret');
  const apiKey = { name: 'hashed' };
  expect(shown.createApiKey).toEqual({ apiKey, keyId: null, keySecret: null, userErrors: [] });
});

const organization = '/v1/organizations/organization-1';
const named = ', name: "n"';
const scaled = '@service-1, numReplicas: 2';
const key = '4e1f0000-0000-4000-8000-000000000001';
const pipes = `${service}/clickpipes`;

const keys = `${organization}/keys`;
const [getAlert, getDashboard] = ['GET /api/v2/alerts/a1', 'GET /api/v2/dashboards/d1'];
const hook = 'channel: {type: "webhook", webhookId: "w1"}';
const watching = 'source: SEARCH, savedSearchId: "s1"';
const above = `threshold: 1, thresholdType: ABOVE, interval: "1m", ${watching}, ${hook}`;

/** Of an object in a payload: its identifier, another member than its name, and how it is read. */
const kinds = {
  organization: [withIds('organization-1'), 'createdAt', `GET ${organization}`],
  apiKey: [key, 'keySuffix', `GET ${keys}`],
  service: [withIds('service-1'), 'region', `GET ${service}`],
  pipe: [withIds('pipe-1'), 'state', `GET ${pipes}/pipe-1`],
  alert: ['a1', 'groupBy', getAlert],
  dashboard: ['d1', 'tags', getDashboard],
} as const;

const usable = 'roles: [ADMIN], ipAccessList: [{source: "192.0.2.1"}]';

type Write = [field: string, input: string, kind: keyof typeof kinds, ...calls: string[]];
/** Every write that answers an object, and its calls. */
const writes: Write[] = [
  ['updateOrganization', '@organization-1, name: "n"', 'organization', `PATCH ${organization}`],
  ['createApiKey', `@organization-1${named}, ${usable}`, 'apiKey', `POST ${keys}`],
  ['updateApiKey', `@organization-1, apiKeyId: "${key}"${named}`, 'apiKey', `PATCH ${keys}/${key}`],
  ['updateService', `@service-1${named}`, 'service', `PATCH ${service}`],
  ['updateServiceScaling', scaled, 'service', `PATCH ${service}/replicaScaling`],
  ['stopService', '@service-1', 'service', `PATCH ${service}/state`],
  ['startService', '@service-1', 'service', `PATCH ${service}/state`],
  ['wakeService', '@service-1', 'service', `PATCH ${service}/state`],
  [
    'createPipe',
    `@service-1${named}, source: {kinesis: {}}, destination: {}`,
    'pipe',
    `POST ${pipes}`,
  ],
  ['updatePipe', ofPipe + named, 'pipe', `PATCH ${pipes}/pipe-1`],
  ['scalePipe', `${ofPipe}, replicas: 2`, 'pipe', `PATCH ${pipes}/pipe-1/scaling`],
  ['resyncPipe', ofPipe, 'pipe', `PATCH ${pipes}/pipe-1/state`],
  ['createAlert', above, 'alert', 'POST /api/v2/alerts'],
  ['createDashboard', 'name: "n"', 'dashboard', 'POST /api/v2/dashboards'],
  ['updateAlert', `alertId: "a1"${named}`, 'alert', getAlert, 'PUT /api/v2/alerts/a1'],
  [
    ...(['updateDashboard', 'dashboardId: "d1", tags: ["t"], mayResetTiles: true'] as const),
    ...(['dashboard', getDashboard, 'GET /api/v2/alerts', 'PUT /api/v2/dashboards/d1'] as const),
  ],
];

let object: Readonly<Record<string, unknown>>;
let written: unknown;
const answerOf = ({ method, path }: { readonly method: string; readonly path: string }) => {
  const wrap = path.startsWith('/api') ? data : result;
  if (method !== 'GET') return wrap(path.endsWith('/keys') ? { key: written } : written);
  return wrap(/(?:keys|alerts)$/.test(path) ? [object] : object);
};
const both = useStack({ management: answerOf, observability: answerOf, config: live });
const typed = (name: string, text: string): unknown => {
  if (name === 'tags') return [text];
  return name === 'createdAt' ? `${text === 'read' ? '2026' : '2027'}-01-01T00:00:00Z` : text;
};
it.each(writes.map(([field, input, kind, ...calls]) => ({ field, input, member: kind, calls })))(
  'where an answer to a write lacks what is selected, $field reads the object once',
  async ({ field, input, member, calls }) => {
    const [id, other, read] = kinds[member];
    const channel = { type: 'webhook', webhookId: 'w1' };
    const more = { tiles: [], channel, source: 'saved_search', savedSearchId: 's1' };
    object = { ...more, id, name: 'read', [other]: typed(other, 'read') };
    const ask = (selection: string) => mutate(field, input, `${member} { ${selection} }`, both);
    type Case = readonly [answered: unknown, name: string | null, value: unknown, more: string[]];
    const older = typed(other, 'read');
    const cases: Case[] = [
      [{ id, name: 'w' }, 'w', older, [read]],
      [{ id, name: 'w', [other]: typed(other, 'w') }, 'w', typed(other, 'w'), []],
    ];
    // A null is a value; HyperDX's are not kept apart from what is missing.
    if (!read.includes('/api/')) cases.push([{ id, name: null, [other]: null }, null, null, []]);
    // Without its identifier, a new object cannot be read.
    if (!field.startsWith('create')) {
      cases.push([{}, 'read', older, [read]], [null, 'read', older, [read]]);
    }
    for (const [answered, name, value, more] of cases) {
      both.calls.length = 0;
      written = answered;
      const body = await ask(`name ${other}`);
      const shown = { [member]: { name, [other]: value }, userErrors: [] };
      expect(body).toEqual({ data: { [field]: shown } });
      expect(sent(both)).toEqual([...calls, ...more]);
    }
    both.calls.length = 0;
    written = { id };
    await ask('id');
    expect(sent(both)).toEqual(calls);
  },
);

it.each([
  ['scalePipe', `${ofPipe}, replicas: 2`, 'scaling'],
  ['updateServiceScaling', scaled, 'scaling'],
  ['updateServiceScaling', '@service-1, maxTotalMemoryGb: 48', 'scaling'],
  ['updateBackupConfiguration', '@service-1, backupPeriodInHours: 8', 'backup configuration'],
])('a 404 of %s with %s is about the %s alone if the object is there', async (...row) => {
  const [field, input, part] = row;
  const gone = json({ status: 404, error: 'NOT_FOUND: nothing here' }, 404);
  for (const isThere of [true, false]) {
    const management = ({ method }: { readonly method: string }): Answer =>
      method === 'GET' && isThere ? result({ id: withIds('service-1') }) : gone;
    const other = await stackInTest({ management, config: live });
    const { data: shown, errors } = await mutate(field, input, '__typename', other);
    const message = `management has no ${part} for this object: nothing here.`;
    const refusal = { code: 'REJECTED', message, field: null };
    expect(shown?.[field].userErrors).toEqual(isThere ? [refusal] : undefined);
    expect(errors?.[0].extensions.code).toBe(isThere ? undefined : 'NOT_FOUND');
    expect(other.calls).toHaveLength(2);
  }
});

it.each([
  [404, 'NOT_FOUND'],
  [409, 'UPSTREAM_ERROR'],
  [424, 'SERVICE_NOT_RUNNING'],
])('a pipe whose read after a command is a %i is %s and no user error', async (status, code) => {
  write = { status: 204, body: '' };
  read = json({ status, error: 'no' }, status);
  const body = await mutate('stopPipe', ofPipe, 'pipe { id name }');
  expect(body.data).toEqual({ stopPipe: { pipe: { id: 'pipe-1', name: null }, userErrors: [] } });
  const extensions = { code, upstream: { operation: 'getPipe' }, retryable: false };
  const message = expect.stringMatching(/^The change was carried out\. /);
  expect(body.errors).toMatchObject([{ path: ['stopPipe', 'pipe', 'name'], message, extensions }]);
});

it('with other settings, what an answer lacks never comes from what was read before', async () => {
  let backupStartTime = '01:00';
  const management = ({ method }: { readonly method: string }): Answer =>
    result(method === 'GET' ? { backupStartTime } : { backupPeriodInHours: 8 });
  const config = { ...live, readCacheBytes: 1024 * 1024 };
  const other = await stackInTest({ management, config });
  await other.query(withIds('{ service(@service-1) { backupConfiguration { backupStartTime } } }'));
  backupStartTime = '02:00';
  const members = 'backupConfiguration { backupPeriodInHours backupStartTime }';
  const input = '@service-1, backupPeriodInHours: 8';
  const body = await mutate('updateBackupConfiguration', input, members, other);
  const backupConfiguration = { backupPeriodInHours: 8, backupStartTime: '02:00' };
  expect(body.data.updateBackupConfiguration).toMatchObject({ backupConfiguration });
  const path = `${service}/backupConfiguration`;
  expect(sent(other)).toEqual([`GET ${path}`, `PATCH ${path}`, `GET ${path}`]);
});

it.each([
  [{ name: 'n' }, { name: 'n', createdAt: null }, undefined],
  [{}, { name: null, createdAt: null }, 'OPERATION_UNAVAILABLE'],
])(
  'with other settings, what %j lacks is null where nothing can be read',
  async (answered, organization, code) => {
    const management = () => result(answered);
    const other = await stackInTest({ management, config: { extendedReads: false } });
    const [input, members] = ['@organization-1, name: "n"', 'organization { name createdAt }'];
    const { data: shown, errors } = await mutate('updateOrganization', input, members, other);
    expect(shown.updateOrganization).toEqual({ organization, userErrors: [] });
    expect(errors?.[0].extensions.code).toBe(code);
    expect(other.calls).toHaveLength(1);
  },
);

it('with other settings, a member that an alert had not before its update is not read, unless it was given', async () => {
  const observability = () => data({ id: 'a1', name: 'n' });
  const other = await stackInTest({ observability });
  const asked = 'alert { name tileId savedSearchId }';
  await mutate('updateAlert', 'alertId: "a1", name: "n"', asked, other);
  await mutate('updateAlert', 'alertId: "a1", tileId: "t"', asked, other);
  const [get, put] = ['GET /api/v2/alerts/a1', 'PUT /api/v2/alerts/a1'];
  expect(sent(other)).toEqual([get, put, get, put, get]);
});

it('with other settings, the member of a state command has the configured name', async () => {
  const management = () => result({ id: withIds('pipe-1') });
  const other = await stackInTest({
    management,
    config: { pipeStateCommandField: 'desiredState' },
  });
  for (const command of ['start', 'stop', 'resync']) {
    await mutate(`${command}Pipe`, ofPipe, '', other);
    expect(other.calls.at(-1)?.body).toBe(`{"desiredState":"${command}"}`);
  }
});
