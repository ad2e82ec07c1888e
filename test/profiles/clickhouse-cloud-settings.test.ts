import { afterEach, describe, expect, it } from 'vitest';
import { answering, noSuchThing } from '../support/answering.ts';
import { type Answer, json, result, type Stack, startStack } from '../support/harness.ts';
import { pipe } from '../support/profiles/cloud-pipes.ts';
import { organizationId, pipeId, pipePath, serviceId } from '../support/profiles/cloud-records.ts';

const ids = { organizationId, serviceId, pipeId };
const own = `${pipePath}/settings`;

/** A pipe as the service has it: PATCH ignores settings, and a setting nobody here knows is kept. */
const before = { ...pipe('objectStorage'), name: 'files', settings: { clickhouse_max_threads: 4 } };
const ownBefore = {
  clickhouse_max_threads: 4,
  object_storage_polling_interval_ms: 30_000,
  streaming_max_insert_wait_ms: null,
  clickhouse_new_setting: 1,
};

let stack: Stack;
afterEach(() => stack.close());

const start = async (replies: Readonly<Record<string, Answer>> = {}, config = {}) => {
  stack = await startStack({
    management: answering({
      [`GET ${pipePath}`]: result(before),
      [`PATCH ${pipePath}`]: result(before),
      [`GET ${own}`]: result(ownBefore),
      [`PUT ${own}`]: result({ ...ownBefore, object_storage_polling_interval_ms: 60_000 }),
      ...replies,
    }),
    observability: () => noSuchThing,
    config: { managementProfile: 'clickhouse-cloud', ...config },
  });
};

const update = async (
  input: object,
  selection = 'settings { objectStoragePollingIntervalMs engineMaxThreads }',
) => {
  const { body } = await stack.query(
    `mutation ($input: UpdatePipeInput!) { updatePipe(input: $input) {
      pipe { ${selection} } userErrors { code message field } } }`,
    { variables: { input: { ...ids, ...input } } },
  );
  const calls = stack.calls.map(({ method, path, body: sent }) =>
    `${method} ${path} ${sent}`.trimEnd(),
  );
  return { ...body, calls };
};

const settings = { objectStoragePollingIntervalMs: 60_000 };
const put = `PUT ${own} {"clickhouse_max_threads":4,"object_storage_polling_interval_ms":60000,"clickhouse_new_setting":1}`;
const patch = `PATCH ${pipePath} {"name":"new"}`;
const shown = { objectStoragePollingIntervalMs: 60_000, engineMaxThreads: 4 };

describe('updatePipe', () => {
  it('with settings alone reads them, lays the input over, and sends them back', async () => {
    await start();
    const { data, errors, calls } = await update({ settings });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ updatePipe: { pipe: { settings: shown }, userErrors: [] } });
    expect(calls).toEqual([`GET ${own}`, put]);
  });

  it('with settings alone reads the pipe where more of it is selected', async () => {
    await start();
    const { data, calls } = await update({ settings }, 'id name settings { engineMaxThreads }');
    expect(data.updatePipe).toEqual({
      pipe: { id: pipeId, name: 'files', settings: { engineMaxThreads: 4 } },
      userErrors: [],
    });
    expect(calls).toEqual([`GET ${own}`, put, `GET ${pipePath}`]);
  });

  it('changes everything else first', async () => {
    await start();
    const { data, calls } = await update(
      { name: 'new', settings },
      'name settings { objectStoragePollingIntervalMs engineMaxThreads }',
    );
    expect(data).toEqual({
      updatePipe: { pipe: { name: 'files', settings: shown }, userErrors: [] },
    });
    expect(calls).toEqual([patch, `GET ${own}`, put]);
  });

  it('never takes the settings to send back from memory', async () => {
    await start({}, { readCacheBytes: 1024 * 1024 });
    await update({ settings });
    const { calls } = await update({ settings });
    expect(calls).toEqual([`GET ${own}`, put, `GET ${own}`, put]);
  });

  it('sends null as null, and nothing for what is left out', async () => {
    await start();
    const { calls } = await update({ settings: { engineMaxThreads: null } });
    expect(calls[1]).toBe(
      `PUT ${own} {"clickhouse_max_threads":null,"object_storage_polling_interval_ms":30000,"clickhouse_new_setting":1}`,
    );
  });

  it.each([
    ['an empty body', { status: 204, body: '' }],
    ['no result', json({ status: 200, requestId: 'r' })],
  ])('shows the settings that were sent where the answer has %s', async (_, answer) => {
    await start({ [`PUT ${own}`]: answer });
    const { data } = await update({ settings });
    expect(data).toEqual({ updatePipe: { pipe: { settings: shown }, userErrors: [] } });
  });

  it.each([{}, undefined])('sends no settings where they are %j', async (none) => {
    await start();
    const { calls } = await update({ name: 'new', ...(none && { settings: none }) });
    expect(calls).toEqual([patch]);
  });

  it('refuses settings of null before any call', async () => {
    await start();
    const { data, calls } = await update({ name: 'new', settings: null });
    expect(data.updatePipe).toEqual({
      pipe: null,
      userErrors: [
        {
          code: 'BAD_USER_INPUT',
          message: expect.stringContaining('got null'),
          field: ['settings'],
        },
      ],
    });
    expect(calls).toEqual([]);
  });

  it('sends settings with the rest where no profile is set', async () => {
    const path = pipePath.replace('clickpipes', 'pipes');
    const replies = { [`PATCH ${path}`]: result(before) };
    await start(replies, { managementProfile: 'reference' });
    const { calls } = await update({ settings }, 'name');
    expect(calls).toEqual([
      `PATCH ${path} {"settings":{"object_storage_polling_interval_ms":60000}}`,
    ]);
  });
});

const changed = 'Everything but the settings was changed.';
const refusal = (status: number) =>
  json({ status, error: 'BAD_REQUEST: no such setting here', requestId: 'r' }, status);

describe('updatePipe whose settings fail says what was carried out:', () => {
  it.each([
    ['GET', 404, 'REJECTED', 'no such setting here.'],
    ['PUT', 400, 'REJECTED', 'no such setting here.'],
    ['PUT', 409, 'CONFLICT', 'no such setting here.'],
    [
      'PUT',
      424,
      'SERVICE_NOT_RUNNING',
      'The service is not running. Use wakeService if it is idle, and startService if it is stopped.',
    ],
  ])('%s answered with %i is the user error %s', async (method, status, code, words) => {
    await start({ [`${method} ${own}`]: refusal(status) });
    const { data, errors } = await update({ name: 'new', settings }, 'name');
    expect(errors).toBeUndefined();
    expect(data.updatePipe).toEqual({
      pipe: { name: 'files' },
      userErrors: [{ code, message: `${changed} ${words}`, field: null }],
    });
  });

  it.each([
    ['GET', 401, 'UNAUTHENTICATED', 'no such setting here.'],
    ['PUT', 429, 'RATE_LIMITED', 'no such setting here.'],
    [
      'PUT',
      524,
      'UPSTREAM_TIMEOUT',
      'management answered replacePipeSettings with status 524. It may have been carried out.',
    ],
    [
      'PUT',
      503,
      'UPSTREAM_UNAVAILABLE',
      'management answered replacePipeSettings with status 503.',
    ],
  ])('%s answered with %i is the error %s', async (method, status, code, words) => {
    await start({ [`${method} ${own}`]: refusal(status) });
    const { data, errors } = await update({ name: 'new', settings }, 'name');
    expect(data.updatePipe).toEqual({ pipe: null, userErrors: [] });
    // What was carried out is not to be sent again.
    expect(errors).toMatchObject([
      { message: `${changed} ${words}`, extensions: { code, retryable: false } },
    ]);
  });

  it.each([
    [404, { errors: [{ message: 'no such setting here.', extensions: { code: 'NOT_FOUND' } }] }],
    [
      400,
      { data: { updatePipe: { userErrors: [{ message: 'no such setting here.' }], pipe: null } } },
    ],
  ])('nothing, where settings alone were to be changed: %i', async (status, body) => {
    await start({ [`PUT ${own}`]: refusal(status) });
    expect(await update({ settings })).toMatchObject(body);
  });

  it('and sends no settings after a change that failed', async () => {
    await start({ [`PATCH ${pipePath}`]: refusal(524) });
    const { errors, calls } = await update({ name: 'new', settings });
    expect(errors).toMatchObject([
      {
        message:
          'The settings were not changed. management answered updatePipe with status 524. It may have been carried out.',
      },
    ]);
    expect(calls).toEqual([patch]);
  });
});
