import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { world } from '../../sandbox/world/ids.ts';
import { startSandboxStack } from '../support/harness.ts';

const { organizationId, services, pipes } = world.management.main;

const updatedAt = '2026-11-21T10:00:00.000Z';

let stack: Awaited<ReturnType<typeof startSandboxStack>>;
beforeAll(async () => {
  stack = await startSandboxStack({
    sandbox: { clock: () => new Date(updatedAt), profile: 'live' },
    config: { managementProfile: 'clickhouse-cloud' },
  });
});
afterAll(() => stack.close());

const of = (serviceId: string, pipeId: string) => ({ organizationId, serviceId, pipeId });
type Ids = ReturnType<typeof of>;

/** The whole record, as the service has it. */
const record = async ({ serviceId, pipeId }: Ids) => {
  const path = `/v1/organizations/${organizationId}/services/${serviceId}/clickpipes/${pipeId}`;
  const response = await fetch(new URL(path, stack.sandbox.managementUrl), {
    headers: { authorization: stack.sandbox.credentials.management.admin.header },
  });
  return ((await response.json()) as { readonly result: Record<string, unknown> }).result;
};

const update = async (ids: Ids, input: object) => {
  const { body } = await stack.query(
    `mutation ($input: UpdatePipeInput!) { updatePipe(input: $input) {
      pipe { name settings { engineMaxThreads streamingMaxInsertWaitMs } }
      userErrors { code message } } }`,
    { variables: { input: { ...ids, ...input } } },
  );
  expect(body.errors).toBeUndefined();
  return body.data.updatePipe;
};

const settings = { engineMaxThreads: 3 };

describe('updatePipe changes of the whole record', () => {
  it.each([
    // A service that keeps the settings that are left out, and one that loses them.
    ['settings of files', of(services.production, pipes.archive), { settings }],
    ['settings of a stream', of(services.trial, liveWorld.pipes.events), { settings }],
    ['a name and settings', of(services.production, pipes.telemetry), { name: 'new', settings }],
    [
      'settings, one of which is taken back',
      of(services.trial, liveWorld.pipes.events),
      { settings: { engineMaxThreads: null } },
    ],
  ])('nothing but %s', async (_, ids, input) => {
    const before = await record(ids);
    const { pipe, userErrors } = await update(ids, input);
    const after = await record(ids);
    const { clickhouse_max_threads: known, ...others } = Object(before.settings);
    const wanted = input.settings.engineMaxThreads;
    expect(known).not.toBe(wanted);
    expect(after).toEqual({
      ...before,
      updatedAt,
      ...('name' in input && { name: input.name }),
      settings: { ...others, ...(wanted !== null && { clickhouse_max_threads: wanted }) },
    });
    expect(userErrors).toEqual([]);
    expect(pipe).toEqual({
      name: after.name,
      settings: {
        engineMaxThreads: wanted,
        streamingMaxInsertWaitMs: others.streaming_max_insert_wait_ms ?? null,
      },
    });
  });

  it('everything but the settings where the pipe has none, and says so', async () => {
    const ids = of(services.production, pipes.orders);
    const before = await record(ids);
    const { pipe, userErrors } = await update(ids, { name: 'new', settings });
    expect(await record(ids)).toEqual({ ...before, name: 'new', updatedAt });
    expect(userErrors).toEqual([
      {
        code: 'REJECTED',
        message: 'Everything but the settings was changed. this pipe has no settings.',
      },
    ]);
    expect(pipe.name).toBe('new');
  });

  it('nothing where a setting does not fit the source', async () => {
    const ids = of(services.production, pipes.archive);
    const before = await record(ids);
    const { pipe, userErrors } = await update(ids, { settings: { streamingMaxInsertWaitMs: 1 } });
    expect(await record(ids)).toEqual(before);
    expect([pipe, userErrors.length]).toEqual([null, 1]);
  });
});

it('a pipe that follows a database is stopped, and started again as it is offered', async () => {
  const ids = of(services.production, pipes.orders);
  const command = async (name: string) => {
    const { body } = await stack.query(
      `mutation ($input: S${name.slice(1)}Input!) { ${name}(input: $input) {
        pipe { state availableCommands } userErrors { code } } }`,
      { variables: { input: ids } },
    );
    return body.data[name];
  };
  expect(await command('stopPipe')).toEqual({
    pipe: { state: 'Pausing', availableCommands: ['START', 'RESYNC'] },
    userErrors: [],
  });
  expect(await command('startPipe')).toEqual({
    pipe: { state: 'Provisioning', availableCommands: ['STOP', 'RESYNC'] },
    userErrors: [],
  });
});

it('a key never expires where its expiry is empty, in the input and in the answer', async () => {
  const create = async (expireAt: string | null) => {
    const input = { organizationId, name: 'n', roles: ['ADMIN'], expireAt };
    const { body } = await stack.query(
      `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
        apiKey { name expireAt } userErrors { code } } }`,
      { variables: { input } },
    );
    return body;
  };
  const never = {
    data: { createApiKey: { apiKey: { name: 'n', expireAt: null }, userErrors: [] } },
  };
  expect(await create(null)).toEqual(never);
  expect(await create('')).toEqual(never);
});
