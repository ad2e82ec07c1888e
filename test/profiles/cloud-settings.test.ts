import { describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answer, json, result, type Stack } from '../support/harness.ts';
import { ids, paths, pipe } from '../support/profiles/cloud-records.ts';
import { mutate, type Sent, sentOf, startProfile } from '../support/profiles/rows.ts';

const own = `${paths.pipe}/settings`;

/** A pipe as the service has it: PATCH ignores settings, and a setting nobody here knows is kept. */
const before = { ...pipe('objectStorage'), name: 'files', settings: { clickhouse_max_threads: 4 } };
const ownBefore = {
  clickhouse_max_threads: 4,
  object_storage_polling_interval_ms: 30_000,
  streaming_max_insert_wait_ms: null,
  clickhouse_new_setting: 1,
};

const start = (replies: Readonly<Record<string, Answer>> = {}, config = {}) =>
  startProfile(
    {
      management: answering({
        [`GET ${paths.pipe}`]: result(before),
        [`PATCH ${paths.pipe}`]: result(before),
        [`GET ${own}`]: result(ownBefore),
        [`PUT ${own}`]: result({ ...ownBefore, object_storage_polling_interval_ms: 60_000 }),
        ...replies,
      }),
    },
    config,
  );

const update = (stack: Stack, input: object, payload = 'pipe { name }') =>
  mutate(stack, 'updatePipe', { ...ids, ...input }, payload);

const allSettings = 'settings { objectStoragePollingIntervalMs engineMaxThreads }';
const settings = { objectStoragePollingIntervalMs: 60_000 };
const shown = { settings: { ...settings, engineMaxThreads: 4 } };
const both = { name: 'new', settings };

const putOf = (changes: object): Sent => {
  const { streaming_max_insert_wait_ms: _, ...rest } = ownBefore;
  return [`PUT ${own}`, { ...rest, ...changes }];
};
const sent: Readonly<Record<string, Sent>> = {
  get: [`GET ${own}`],
  put: putOf({ object_storage_polling_interval_ms: 60_000 }),
  reset: putOf({ clickhouse_max_threads: null }),
  patch: [`PATCH ${paths.pipe}`, { name: 'new' }],
  read: [`GET ${paths.pipe}`],
};
const named = { name: 'files' };

describe('updatePipe', () => {
  it.each([
    ['lays settings over those that it reads', { settings }, allSettings, shown, 'get put'],
    ['reads the pipe where more of it is selected', { settings }, 'name', named, 'get put read'],
    [
      'changes everything else first',
      both,
      `name ${allSettings}`,
      { ...named, ...shown },
      'patch get put',
    ],
    [
      'sends null as null',
      { settings: { engineMaxThreads: null } },
      'id',
      { id: ids.pipeId },
      'get reset',
    ],
    ['sends no settings that are empty', { name: 'new', settings: {} }, 'name', named, 'patch'],
    ['sends no settings that are left out', { name: 'new' }, 'name', named, 'patch'],
  ])('%s', async (_title, input, selection, pipe, calls) => {
    const stack = await start();
    const body = await update(stack, input, `pipe { ${selection} }`);
    expect(body).toEqual({ data: { updatePipe: { pipe, userErrors: [] } } });
    expect(sentOf(stack)).toEqual(calls.split(' ').map((name) => sent[name]));
  });

  it('never takes the settings to send back from memory', async () => {
    const stack = await start({}, { readCacheBytes: 1024 * 1024 });
    for (const _ of [1, 2]) await update(stack, { settings }, `pipe { ${allSettings} }`);
    expect(sentOf(stack)).toEqual([sent.get, sent.put, sent.get, sent.put]);
  });

  it.each([
    ['an empty body', { status: 204, body: '' }],
    ['no result', json({ status: 200, requestId: 'r' })],
  ])('shows the settings that were sent where the answer has %s', async (_, answer) => {
    const stack = await start({ [`PUT ${own}`]: answer });
    const { data } = await update(stack, { settings }, `pipe { ${allSettings} }`);
    expect(data.updatePipe).toEqual({ pipe: shown, userErrors: [] });
  });

  it('refuses settings of null before any call', async () => {
    const stack = await start();
    const { data } = await update(stack, { name: 'new', settings: null });
    const message = expect.stringContaining('got null');
    expect(data.updatePipe.userErrors).toEqual([
      { code: 'BAD_USER_INPUT', message, field: ['settings'] },
    ]);
    expect(stack.calls).toEqual([]);
  });

  it('sends settings with the rest where no profile is set', async () => {
    const path = paths.pipe.replace('clickpipes', 'pipes');
    const stack = await start(
      { [`PATCH ${path}`]: result(before) },
      { managementProfile: 'reference' },
    );
    await update(stack, { settings });
    expect(sentOf(stack)).toEqual([
      [`PATCH ${path}`, { settings: { object_storage_polling_interval_ms: 60_000 } }],
    ]);
  });
});

const changed = 'Everything but the settings was changed.';
const told = 'management answered replacePipeSettings with status';
const words = 'no such setting here.';
const refusal = (status: number) =>
  json({ status, error: 'BAD_REQUEST: no such setting here', requestId: 'r' }, status);

describe('updatePipe whose settings fail says what was carried out:', () => {
  const asleep =
    'The service is not running. Use wakeService if it is idle, and startService if it is stopped.';

  it.each([
    ['GET', 404, 'REJECTED', words],
    ['PUT', 400, 'REJECTED', words],
    ['PUT', 409, 'CONFLICT', words],
    ['PUT', 424, 'SERVICE_NOT_RUNNING', asleep],
  ])('%s answered with %i is the user error %s', async (method, status, code, reason) => {
    const stack = await start({ [`${method} ${own}`]: refusal(status) });
    const body = await update(stack, both);
    const userErrors = [{ code, message: `${changed} ${reason}`, field: null }];
    expect(body).toEqual({ data: { updatePipe: { pipe: { name: 'files' }, userErrors } } });
  });

  it.each([
    ['GET', 401, 'UNAUTHENTICATED', words],
    ['PUT', 429, 'RATE_LIMITED', words],
    ['PUT', 524, 'UPSTREAM_TIMEOUT', `${told} 524. The write may have been carried out.`],
    ['PUT', 503, 'UPSTREAM_UNAVAILABLE', `${told} 503.`],
  ])('%s answered with %i is the error %s', async (method, status, code, reason) => {
    const stack = await start({ [`${method} ${own}`]: refusal(status) });
    const { data, errors } = await update(stack, both);
    expect(data.updatePipe).toEqual({ pipe: null, userErrors: [] });
    // What was carried out is not to be sent again.
    expect(errors).toMatchObject([
      { message: `${changed} ${reason}`, extensions: { code, retryable: false } },
    ]);
  });

  it.each([
    [404, { errors: [{ message: words, extensions: { code: 'NOT_FOUND' } }] }],
    [400, { data: { updatePipe: { userErrors: [{ message: words }] } } }],
  ])('nothing, where settings alone were to be changed: %i', async (status, body) => {
    const stack = await start({ [`PUT ${own}`]: refusal(status) });
    expect(await update(stack, { settings })).toMatchObject(body);
  });

  it('and sends no settings after a change that failed', async () => {
    const stack = await start({ [`PATCH ${paths.pipe}`]: refusal(524) });
    const { errors } = await update(stack, both);
    const message =
      'The settings were not changed. management answered updatePipe with status 524. The write may have been carried out.';
    expect(errors).toMatchObject([{ message }]);
    expect(sentOf(stack)).toEqual([sent.patch]);
  });
});
