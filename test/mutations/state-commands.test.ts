import { afterEach, describe, expect, it } from 'vitest';
import { ofService, organizationId, serviceId } from '../support/faults/stack.ts';
import { type Answer, data, json, result, type Stack, startStack } from '../support/harness.ts';

const pipeId = '91be0000-0000-4000-8000-000000000001';
const path = `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}`;
const change = `PATCH ${path}/state`;
const read = `GET ${path}`;

let stack: Stack;
afterEach(() => stack.close());

const start = async (
  answer: Answer,
  pipe: Answer = result({ id: pipeId, name: 'orders', state: 'Stopping' }),
  config = {},
): Promise<void> => {
  stack = await startStack({
    management: ({ method }) => (method === 'PATCH' ? answer : pipe),
    observability: () => data({}),
    config,
  });
};

const stop = async (selection: string, field = 'stopPipe') => {
  const { body } = await stack.query(`mutation {
    ${field}(input: {${ofService}, pipeId: "${pipeId}"}) { ${selection} userErrors { code } } }`);
  return { body, calls: stack.calls.map((call) => `${call.method} ${call.path}`) };
};

const type = { 'content-type': 'application/json' };

const bodiless: readonly (readonly [title: string, answer: Answer])[] = [
  ['204', { status: 204, body: '' }],
  ['200 without a body', { body: '' }],
  ['202 with an empty body', { status: 202, headers: type, body: '' }],
  ['an empty object', json({})],
  ['an envelope without a result', json({ status: 200, requestId: 'r-1' })],
  ['a result of null', result(null)],
  ['an empty result', result({})],
];

describe('a state command that is answered with', () => {
  it.each(bodiless)('%s was carried out, and its pipe is read', async (_, answer) => {
    await start(answer);
    const { body, calls } = await stop('pipe { id organizationId serviceId name state }');
    expect(body).toEqual({
      data: {
        stopPipe: {
          pipe: { id: pipeId, organizationId, serviceId, name: 'orders', state: 'Stopping' },
          userErrors: [],
        },
      },
    });
    expect(calls).toEqual([change, read]);
    expect(stack.complaints()).toBe('');
  });

  it.each(bodiless)(
    '%s costs no read where identifiers are all that is asked',
    async (_, answer) => {
      await start(answer);
      const { body, calls } = await stop('pipe { id serviceId }', 'startPipe');
      expect(body.errors).toBeUndefined();
      expect(body.data.startPipe).toEqual({ pipe: { id: pipeId, serviceId }, userErrors: [] });
      expect(calls).toEqual([change]);
    },
  );

  it.each(bodiless)('%s costs no read where the pipe is not asked for', async (_, answer) => {
    await start(answer);
    const { body, calls } = await stop('', 'resyncPipe');
    expect(body).toEqual({ data: { resyncPipe: { userErrors: [] } } });
    expect(calls).toEqual([change]);
  });

  it('a pipe costs no read', async () => {
    await start(result({ id: pipeId, name: 'answered' }));
    const { body, calls } = await stop('pipe { serviceId name }');
    expect(body.data.stopPipe.pipe).toEqual({ serviceId, name: 'answered' });
    expect(calls).toEqual([change]);
  });
});

describe('a pipe that cannot be read after its command was carried out', () => {
  const bodilessAnswer: Answer = { status: 204, body: '' };

  it.each([
    [404, 'NOT_FOUND'],
    [409, 'UPSTREAM_ERROR'],
    [424, 'SERVICE_NOT_RUNNING'],
    [500, 'UPSTREAM_ERROR'],
  ])(
    'with %i is an error of the pipe %s, and no user error of the command',
    async (status, code) => {
      await start(bodilessAnswer, json({ status, error: 'no' }, status));
      const { body } = await stop('pipe { name }');
      expect(body.data).toEqual({ stopPipe: { pipe: null, userErrors: [] } });
      expect(body.errors).toMatchObject([
        { path: ['stopPipe', 'pipe'], extensions: { code, upstream: { operation: 'getPipe' } } },
      ]);
    },
  );

  it('singly comes from the list', async () => {
    await start(bodilessAnswer, result([{ id: pipeId, name: 'listed' }]), { extendedReads: false });
    const { body, calls } = await stop('pipe { name }');
    expect(body.data).toEqual({ stopPipe: { pipe: { name: 'listed' }, userErrors: [] } });
    expect(calls).toEqual([change, `GET ${path.slice(0, path.lastIndexOf('/'))}`]);
  });
});

it.each<readonly [string, Answer]>([
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
  ['an envelope of failure', json({ status: 500, requestId: 'r-1' })],
  ['a list', result([])],
])('a state command that is answered with %s may have been carried out', async (_, answer) => {
  await start(answer);
  const { body, calls } = await stop('pipe { name }');
  expect(body.errors).toMatchObject([
    {
      message: expect.stringMatching(/It may have been carried out\.$/),
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false },
    },
  ]);
  expect(calls).toEqual([change]);
});
