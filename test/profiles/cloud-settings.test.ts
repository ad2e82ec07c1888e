import { expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answer, json, result, type Stack } from '../support/harness.ts';
import { ids, paths, pipe } from './cloud-records.ts';
import { mutate, type Sent, sentOf, startProfile } from './rows.ts';

const own = `${paths.pipe}/settings`;

/** A pipe as the service has it: PATCH ignores settings, and a setting nobody here knows is kept. */
const before = { ...pipe('objectStorage'), name: 'files', settings: { clickhouse_max_threads: 4 } };
const ownBefore = {
  ...{ clickhouse_max_threads: 4, object_storage_polling_interval_ms: 30_000 },
  ...{ streaming_max_insert_wait_ms: null, clickhouse_new_setting: 1 },
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

const all = 'settings { objectStoragePollingIntervalMs engineMaxThreads }';
const settings = { objectStoragePollingIntervalMs: 60_000 };
const shown = { settings: { ...settings, engineMaxThreads: 4 } };
const named = { name: 'files' };
const both = { name: 'new', settings };
const reset = { settings: { engineMaxThreads: null } };

const { streaming_max_insert_wait_ms: _, ...kept } = ownBefore;
const sent: Readonly<Record<string, Sent>> = {
  get: [`GET ${own}`],
  put: [`PUT ${own}`, { ...kept, object_storage_polling_interval_ms: 60_000 }],
  reset: [`PUT ${own}`, { ...kept, clickhouse_max_threads: null }],
  patch: [`PATCH ${paths.pipe}`, { name: 'new' }],
  read: [`GET ${paths.pipe}`],
};
const expectSent = (stack: Stack, ...names: readonly string[]) =>
  expect(sentOf(stack)).toEqual(names.map((name) => sent[name]));

it.each([
  ['lays settings over those that it reads', { settings }, all, shown, ['get', 'put']],
  [
    'reads the pipe where more of it is selected',
    { settings },
    'name',
    named,
    ['get', 'put', 'read'],
  ],
  ['changes all else first', both, `name ${all}`, { ...named, ...shown }, ['patch', 'get', 'put']],
  ['sends null as null', reset, 'id', { id: ids.pipeId }, ['get', 'reset']],
  ['sends no settings that are empty', { name: 'new', settings: {} }, 'name', named, ['patch']],
])('updatePipe %s', async (_title, input, selection, pipe, calls) => {
  const stack = await start();
  const body = await update(stack, input, `pipe { ${selection} }`);
  expect(body).toEqual({ data: { updatePipe: { pipe, userErrors: [] } } });
  expectSent(stack, ...calls);
});

it('updatePipe never takes the settings to send back from memory', async () => {
  const stack = await start({}, { readCacheBytes: 1024 * 1024 });
  for (const _ of [1, 2]) await update(stack, { settings }, `pipe { ${all} }`);
  expectSent(stack, 'get', 'put', 'get', 'put');
});

it.each([
  ['an empty body', { status: 204, body: '' }],
  ['no result', json({ status: 200, requestId: 'r' })],
])('updatePipe shows the settings that were sent where the answer has %s', async (_, answer) => {
  const stack = await start({ [`PUT ${own}`]: answer });
  const { data } = await update(stack, { settings }, `pipe { ${all} }`);
  expect(data.updatePipe).toEqual({ pipe: shown, userErrors: [] });
});

it('updatePipe refuses settings of null before any call', async () => {
  const stack = await start();
  const { data } = await update(stack, { name: 'new', settings: null });
  const message = expect.stringContaining('got null');
  const userErrors = [{ code: 'BAD_USER_INPUT', message, field: ['settings'] }];
  expect([data.updatePipe.userErrors, stack.calls]).toEqual([userErrors, []]);
});

const changed = 'Everything but the settings was changed.';
const told = 'management answered replacePipeSettings with status';
const perhaps = 'The write may have been carried out.';
const words = 'no such setting here.';
const none = `management has no settings for this object: ${words}`;
const asleep =
  'The service is not running. Use wakeService if it is idle, and startService if it is stopped.';
const refusal = (status: number) =>
  json({ status, error: 'BAD_REQUEST: no such setting here', requestId: 'r' }, status);

const refused = (code: string, reason: string, field: string[] | null = null) => ({
  data: {
    updatePipe: { pipe: named, userErrors: [{ code, message: `${changed} ${reason}`, field }] },
  },
});
// What was carried out is not to be sent again.
const failed = (code: string, reason: string) => ({
  data: { updatePipe: { pipe: null, userErrors: [] } },
  errors: [{ message: `${changed} ${reason}`, extensions: { code, retryable: false } }],
});

it.each([
  ['GET', 404, refused('REJECTED', none, ['settings'])],
  ['PUT', 400, refused('REJECTED', words)],
  ['PUT', 424, refused('SERVICE_NOT_RUNNING', asleep)],
  ['GET', 401, failed('UNAUTHENTICATED', `The credential for management was refused: ${words}`)],
  ['PUT', 524, failed('UPSTREAM_TIMEOUT', `${told} 524. ${perhaps}`)],
])(
  'updatePipe whose settings fail says what was carried out: %s answered with %i',
  async (method, status, body) => {
    const stack = await start({ [`${method} ${own}`]: refusal(status) });
    expect(await update(stack, both)).toMatchObject(body);
  },
);

const rejected = { code: 'REJECTED', message: none, field: ['settings'] };
it.each([
  [200, { data: { updatePipe: { userErrors: [rejected] } } }],
  [404, { errors: [{ message: words, extensions: { code: 'NOT_FOUND' } }] }],
])(
  'updatePipe whose settings fail says what was carried out: nothing, where settings alone were to be changed of a pipe answered %i',
  async (read, body) => {
    const pipe = read === 404 ? { [`GET ${paths.pipe}`]: refusal(404) } : {};
    const stack = await start({ [`PUT ${own}`]: refusal(404), ...pipe });
    expect(await update(stack, { settings })).toMatchObject(body);
    expectSent(stack, 'get', 'put', 'read');
  },
);

it('updatePipe sends no settings after a change that failed', async () => {
  const stack = await start({ [`PATCH ${paths.pipe}`]: refusal(524) });
  const { errors } = await update(stack, both);
  const message = `The settings were not changed. management answered updatePipe with status 524. ${perhaps}`;
  expect(errors).toMatchObject([{ message }]);
  expectSent(stack, 'patch');
});
