import { beforeEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
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

describe('answered with', () => {
  it.each(bodiless)('%s, a command was carried out, a password is null', async (_, answer) => {
    write = answer;
    const state = `PATCH ${service}/pipes/pipe-1/state`;
    // No read, where identifiers or nothing is asked for.
    for (const [field, input, payload, shown, ...calls] of [
      ['stopPipe', ofPipe, 'pipe { id serviceId name state }', stopped, state, getPipe],
      ['startPipe', ofPipe, 'pipe { id serviceId }', { pipe: ids }, state],
      ['resyncPipe', ofPipe, '', {}, state],
      ['updateServicePassword', '@service-1', 'password', { password: null }, patchPassword],
    ] as const) {
      stack.calls.length = 0;
      const payloadOf = { [field]: { ...shown, userErrors: [] } };
      expect(await mutate(field, input, payload)).toEqual({ data: payloadOf });
      expect(sent()).toEqual(calls);
    }
    expect(stack.complaints()).toBe('');
  });

  it.each([...bodiless.slice(0, 4), ['an empty envelope', data({})] as const])(
    '%s, a dashboard was deleted',
    async (_, answer) => {
      write = answer;
      const deleted = await mutate('deleteDashboard', 'dashboardId: "d1"', 'deletedDashboardId');
      const payload = { deletedDashboardId: 'd1', userErrors: [] };
      expect(deleted).toEqual({ data: { deleteDashboard: payload } });
      expect(sent()).toEqual(['DELETE /api/v2/dashboards/d1']);
    },
  );

  it('HTML, a dashboard may have been deleted: a proxy may have answered', async () => {
    write = { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
    const { errors } = await mutate('deleteDashboard', 'dashboardId: "d1"', 'deletedDashboardId');
    const message = expect.stringMatching(/The write may have been carried out\.$/);
    expect(errors).toMatchObject([{ message, extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  });

  it.each<readonly [title: string, answer: Answer]>([
    ['a text', result('x')],
    ['a list', result([])],
    ['a number', result(0)],
    ['no envelope', json({ requestId: 'r' })],
    ['an envelope of failure', json({ status: 500, requestId: 'r' })],
    ['null', json(null)],
    ['no JSON', { body: 'ok', headers: type }],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
  ])('%s, a write may have been carried out, and has no second call', async (_, answer) => {
    write = answer;
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false };
    const message = expect.stringMatching(/The write may have been carried out\.$/);
    const changed = await mutate('updateServicePassword', '@service-1', 'password');
    expect(changed.data.updateServicePassword).toEqual({ password: null, userErrors: [] });
    const path = ['updateServicePassword', 'password'];
    expect(changed.errors).toMatchObject([{ path, message, extensions }]);
    const stopped = await mutate('stopPipe', ofPipe, 'pipe { name }');
    expect(stopped.errors).toMatchObject([{ message, extensions }]);
    expect(stack.calls).toHaveLength(2);
  });

  it('a key made from hashes, there is no id and no secret to tell', async () => {
    write = result({ key: { id: 'k1', name: 'hashed' } });
    const input = '@organization-1, hashData: {}, roles: [ADMIN]';
    const { data: shown } = await mutate('createApiKey', input, 'apiKey { name } keyId keySecret');
    const apiKey = { name: 'hashed' };
    expect(shown.createApiKey).toEqual({ apiKey, keyId: null, keySecret: null, userErrors: [] });
  });
});

it.each([
  [404, 'NOT_FOUND'],
  [409, 'UPSTREAM_ERROR'],
  [424, 'SERVICE_NOT_RUNNING'],
  [500, 'UPSTREAM_ERROR'],
])('a pipe whose read after a command is a %i is %s and no user error', async (status, code) => {
  write = { status: 204, body: '' };
  read = json({ status, error: 'no' }, status);
  const body = await mutate('stopPipe', ofPipe, 'pipe { name }');
  expect(body.data).toEqual({ stopPipe: { pipe: null, userErrors: [] } });
  const extensions = { code, upstream: { operation: 'getPipe' } };
  expect(body.errors).toMatchObject([{ path: ['stopPipe', 'pipe'], extensions }]);
});

describe('with other settings,', () => {
  it('a pipe that cannot be read singly comes from the list', async () => {
    const listed = result([{ id: withIds('pipe-1'), name: 'listed' }]);
    const management = ({ method }: { readonly method: string }): Answer =>
      method === 'PATCH' ? { status: 204, body: '' } : listed;
    const other = await stackInTest({ management, config: { extendedReads: false } });
    const { data: shown } = await mutate('stopPipe', ofPipe, 'pipe { name }', other);
    expect(shown).toEqual({ stopPipe: { pipe: { name: 'listed' }, userErrors: [] } });
    expect(sent(other)).toEqual([`PATCH ${service}/pipes/pipe-1/state`, `GET ${service}/pipes`]);
  });

  it('the member of a state command has the configured name', async () => {
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

  it('a failure leaves the answers of the mutations before it in place', async () => {
    const replies = {
      [withIds('POST /v1/organizations/organization-1/keys')]: result({ keySecret: 'only here' }),
      [withIds('PATCH /v1/organizations/organization-1')]: json({ error: 'broken' }, 500),
      [withIds(`PATCH ${service}/password`)]: result({ password: 'generated' }),
    };
    const other = await stackInTest({ management: answering(replies) });
    const { body } = await other.query(
      withIds(`mutation {
      createApiKey(input: { @organization-1, roles: [ADMIN] }) { keySecret }
      updateOrganization(input: { @organization-1 }) { organization { name } }
      updateServicePassword(input: { @service-1 }) { password } }`),
    );
    expect(body.data).toEqual({
      createApiKey: { keySecret: 'only here' },
      updateOrganization: { organization: null },
      updateServicePassword: { password: 'generated' },
    });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    expect(other.calls).toHaveLength(3);
  });
});
