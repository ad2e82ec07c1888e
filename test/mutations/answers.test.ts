import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answer, data, json, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;
const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const pipePath = `${servicePath}/pipes/${pipeId}`;

let stack: Stack;
let write: Answer;
let read: Answer;
beforeAll(async () => {
  const answer = ({ method }: { readonly method: string }) => (method === 'GET' ? read : write);
  stack = await startStack({ management: answer, observability: answer });
});
beforeEach(() => {
  stack.calls.length = 0;
  read = result({ id: pipeId, name: 'orders', state: 'Stopping' });
});
afterAll(() => stack.close());

const mutate = async (field: string, input: string, payload = '') => {
  const { body } = await stack.query(
    `mutation { ${field}(input: { ${input} }) { ${payload} userErrors { code message field } } }`,
  );
  return body;
};
const callsOf = ({ calls }: Stack) => calls.map(({ method, path }) => `${method} ${path}`);

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
  it.each(bodiless)(
    '%s, a state command was carried out, a password is null',
    async (_, answer) => {
      write = answer;
      const ids = `${ofService}, pipeId: "${pipeId}"`;
      const pipe = { id: pipeId, organizationId, serviceId, name: 'orders', state: 'Stopping' };
      const stopped = await mutate(
        'stopPipe',
        ids,
        'pipe { id organizationId serviceId name state }',
      );
      expect(stopped).toEqual({ data: { stopPipe: { pipe, userErrors: [] } } });
      // No read, where identifiers or nothing is asked for.
      const started = await mutate('startPipe', ids, 'pipe { id serviceId }');
      const identified = { pipe: { id: pipeId, serviceId }, userErrors: [] };
      expect(started).toEqual({ data: { startPipe: identified } });
      expect(await mutate('resyncPipe', ids)).toEqual({ data: { resyncPipe: { userErrors: [] } } });
      const changed = await mutate('updateServicePassword', ofService, 'password');
      expect(changed).toEqual({
        data: { updateServicePassword: { password: null, userErrors: [] } },
      });
      const state = `PATCH ${pipePath}/state`;
      expect(callsOf(stack)).toEqual([
        ...[state, `GET ${pipePath}`, state, state, `PATCH ${servicePath}/password`],
      ]);
      expect(stack.complaints()).toBe('');
    },
  );

  it.each([...bodiless.slice(0, 4), ['an empty envelope', data({})] as const])(
    '%s, a dashboard was deleted',
    async (_, answer) => {
      write = answer;
      const deleted = await mutate('deleteDashboard', 'dashboardId: "d1"', 'deletedDashboardId');
      const payload = { deletedDashboardId: 'd1', userErrors: [] };
      expect(deleted).toEqual({ data: { deleteDashboard: payload } });
      expect(callsOf(stack)).toEqual(['DELETE /api/v2/dashboards/d1']);
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
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
  ])('%s, a write may have been carried out, and has no second call', async (_, answer) => {
    write = answer;
    const extensions = { code: 'UPSTREAM_BAD_RESPONSE', retryable: false };
    const message = expect.stringMatching(/The write may have been carried out\.$/);
    const changed = await mutate('updateServicePassword', ofService, 'password');
    expect(changed.data.updateServicePassword).toEqual({ password: null, userErrors: [] });
    const path = ['updateServicePassword', 'password'];
    expect(changed.errors).toMatchObject([{ path, message, extensions }]);
    const stopped = await mutate('stopPipe', `${ofService}, pipeId: "${pipeId}"`, 'pipe { name }');
    expect(stopped.errors).toMatchObject([{ message, extensions }]);
    expect(stack.calls).toHaveLength(2);
  });

  it('a pipe, a state command costs no read', async () => {
    write = result({ id: pipeId, name: 'answered' });
    const ids = `${ofService}, pipeId: "${pipeId}"`;
    const { data: shown } = await mutate('stopPipe', ids, 'pipe { serviceId name }');
    expect(shown.stopPipe.pipe).toEqual({ serviceId, name: 'answered' });
    expect(stack.calls).toHaveLength(1);
  });

  it('a key made from hashes, there is no id and no secret to tell', async () => {
    write = result({ key: { id: 'k1', name: 'hashed' } });
    const input = `organizationId: "${organizationId}", hashData: {}, roles: [ADMIN]`;
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
])(
  'a pipe that cannot be read after its command, with %i, is %s and no user error',
  async (status, code) => {
    write = { status: 204, body: '' };
    read = json({ status, error: 'no' }, status);
    const body = await mutate('stopPipe', `${ofService}, pipeId: "${pipeId}"`, 'pipe { name }');
    expect(body.data).toEqual({ stopPipe: { pipe: null, userErrors: [] } });
    const extensions = { code, upstream: { operation: 'getPipe' } };
    expect(body.errors).toMatchObject([{ path: ['stopPipe', 'pipe'], extensions }]);
  },
);

describe.each([
  {
    ...{ upstream: 'management', field: 'updateServicePassword', member: 'password' },
    ...{ input: ofService, payload: 'password', requestId: { requestId: 'r-1' } },
  },
  {
    ...{ upstream: 'observability', field: 'createDashboard', member: 'dashboard' },
    ...{ input: '', payload: 'dashboard { id }', requestId: {} },
  },
])('refused by $upstream', ({ upstream, field, member, input, payload, requestId }) => {
  const refuse = (status: number): Promise<Awaited<ReturnType<typeof mutate>>> => {
    const words = { error: 'BAD_REQUEST: not so', message: 'not so' };
    write = json(upstream === 'management' ? { status, ...words, ...requestId } : words, status);
    return mutate(field, input, payload);
  };

  it.each([
    [400, 'REJECTED', 'not so.'],
    [422, 'REJECTED', 'not so.'],
    [409, 'CONFLICT', 'not so.'],
    [424, 'SERVICE_NOT_RUNNING', 'The service is not running: not so.'],
  ])('with %i is the user error %s in its own words', async (status, code, message) => {
    const payload = { [member]: null, userErrors: [{ code, message, field: null }] };
    expect(await refuse(status)).toEqual({ data: { [field]: payload } });
    expect(stack.calls).toHaveLength(1);
  });

  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [429, 'RATE_LIMITED'],
    [500, 'UPSTREAM_ERROR'],
    [502, 'UPSTREAM_UNAVAILABLE'],
    [503, 'UPSTREAM_UNAVAILABLE'],
    [504, 'UPSTREAM_TIMEOUT'],
  ])('with %i is the top-level error %s, and sent once', async (status, code) => {
    const body = await refuse(status);
    expect(body.data).toEqual({ [field]: { [member]: null, userErrors: [] } });
    expect(body.errors).toMatchObject([{ path: [field, member] }]);
    expect(body.errors[0].extensions).toEqual({
      code,
      upstream: { name: upstream, operation: field, status, ...requestId },
      requestId: expect.any(String),
      // What a repeated write may do is not this test's business.
      retryable: expect.any(Boolean),
    });
    // Words of the upstream are passed on for 4xx only.
    if (status < 500) expect(body.errors[0].message).toBe('not so.');
    else expect(body.errors[0].message).not.toContain('not so');
    expect(stack.calls).toHaveLength(1);
  });
});

it('429 tells how long to wait, in whole seconds', async () => {
  write = { ...json({ error: 'slow down' }, 429), headers: { 'x-ratelimit-reset': '3.5' } };
  const { errors } = await mutate('updateServicePassword', ofService, 'password');
  expect(errors[0].extensions).toMatchObject({ retryAfterSeconds: 4, retryable: true });
});

describe('with other settings,', () => {
  const start = async (options: Partial<Parameters<typeof startStack>[0]>): Promise<void> => {
    await stack.close();
    const nothing = () => data({});
    stack = await startStack({ management: nothing, observability: nothing, ...options });
  };

  it('a pipe that cannot be read singly comes from the list', async () => {
    const management = ({ method }: { readonly method: string }): Answer =>
      method === 'PATCH' ? { status: 204, body: '' } : result([{ id: pipeId, name: 'listed' }]);
    await start({ management, config: { extendedReads: false } });
    const ids = `${ofService}, pipeId: "${pipeId}"`;
    const { data: shown } = await mutate('stopPipe', ids, 'pipe { name }');
    expect(shown).toEqual({ stopPipe: { pipe: { name: 'listed' }, userErrors: [] } });
    expect(callsOf(stack)).toEqual([`PATCH ${pipePath}/state`, `GET ${servicePath}/pipes`]);
  });

  it('the member of a state command has the configured name', async () => {
    const management = () => result({ id: pipeId });
    await start({ management, config: { pipeStateCommandField: 'desiredState' } });
    for (const command of ['start', 'stop', 'resync']) {
      await mutate(`${command}Pipe`, `${ofService}, pipeId: "${pipeId}"`);
      expect(stack.calls.at(-1)?.body).toBe(`{"desiredState":"${command}"}`);
    }
  });

  it('a failure leaves the answers of the mutations before it in place', async () => {
    await start({
      management: answering({
        [`POST ${organizationPath}/keys`]: result({ keySecret: 'the only time' }),
        [`PATCH ${organizationPath}`]: json({ error: 'broken' }, 500),
        [`PATCH ${servicePath}/password`]: result({ password: 'generated' }),
      }),
    });
    const { body } = await stack.query(`mutation {
      createApiKey(input: { organizationId: "${organizationId}", roles: [ADMIN] }) { keySecret }
      updateOrganization(input: { organizationId: "${organizationId}" }) { organization { name } }
      updateServicePassword(input: { ${ofService} }) { password } }`);
    expect(body.data).toEqual({
      createApiKey: { keySecret: 'the only time' },
      updateOrganization: { organization: null },
      updateServicePassword: { password: 'generated' },
    });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    expect(stack.calls).toHaveLength(3);
  });
});
