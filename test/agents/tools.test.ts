import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { cloud, hyperdx } from '../profiles/rows.ts';
import { paced, startSandboxStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { call, type Members, operations, request, send } from './agent.ts';

const organizationId = withIds('organization-1');
const inService = { organizationId, serviceId: withIds('service-3') };
const failed = { ...inService, pipeId: withIds('pipe-5') };
const running = { ...inService, pipeId: withIds('pipe-23') };
const alertId = 'a1e400000000000000000001';
const unnamed = 'a1e400000000000000000008';
const dashboardId = 'da5b00000000000000000001';

/** Each tool that reads: arguments that work in the demo, and a part of what it answers. */
const reads: Readonly<Record<string, readonly [given: Members, part: string]>> = {
  list_services: [{ organizationId, nameContains: 'stag' }, '"name":"staging"'],
  get_service: [inService, '"endpoints":[{'],
  list_pipes: [{ organizationId, phaseIn: ['FAILED'] }, '"totalCount":1'],
  get_pipe: [failed, '"kind":"KafkaSource"'],
  list_alerts: [{ phaseIn: ['FIRING'], silenced: true }, '"name":"Consumer lag"'],
  get_alert: [{ alertId }, '"dashboard":{"id":"da5b'],
  list_dashboards: [{ tag: 'shop' }, '"name":"Checkout"'],
  get_dashboard: [{ dashboardId }, '"tiles":[{'],
  list_data_sources: [{}, '"name":"Logs"'],
  list_webhooks: [{}, '"name":"On call"'],
  list_saved_searches: [{}, '"source":{"id"'],
};

const state = `PATCH /v1/organizations/${organizationId}/services/${inService.serviceId}`;
/** Each tool that writes: arguments, the present name of the thing, and its write. */
const writes: readonly (readonly [string, Members, string, string])[] = [
  ['start_pipe', failed, 'clickstream (staging)', `${state}/clickpipes/${failed.pipeId}/state`],
  ['stop_pipe', running, 'profiles (MongoDB)', `${state}/clickpipes/${running.pipeId}/state`],
  ['resync_pipe', running, 'profiles (MongoDB)', `${state}/clickpipes/${running.pipeId}/state`],
  ['stop_service', inService, 'staging', `${state}/state`],
  ['start_service', inService, 'staging', `${state}/state`],
  ['wake_service', inService, 'staging', `${state}/state`],
  [
    'update_alert_threshold',
    { alertId: unnamed, threshold: 7 },
    unnamed,
    `PUT /api/v2/alerts/${unnamed}`,
  ],
];

const start = (config: object) =>
  startSandboxStack({
    config: { ...cloud, ...hyperdx, mcp: 'write', ...config },
    sandbox: { profile: 'live' },
  });
let stack: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  stack = await start({});
});
beforeEach(() => void stack.calls.splice(0));
afterAll(() => stack.close());

const credentialsIn = ({
  sandbox: {
    credentials: { management, observability },
  },
}: typeof stack) => ({
  'management-authorization': management.admin.header,
  'observability-authorization': observability.main.header,
});
const use = (name: string, given: Members) => call(stack.url, name, given, credentialsIn(stack));
const camel = (name: string) =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
const withoutNulls = (value: unknown) =>
  JSON.stringify(value, (_, member) => (member === null ? undefined : member));

it('the list has each of them, in at most 12 KB, and says what it does', async () => {
  const { body } = await send(stack.url, request('tools/list'));
  const { tools } = body.result;
  const names = [...Object.keys(reads), ...writes.map(([name]) => name)];
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort());
  expect(JSON.stringify(tools).length).toBeLessThan(12_000);
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect(title.length * description.length, name).toBeGreaterThan(0);
    const isWrite = !(name in reads);
    expect(annotations.readOnlyHint).toBe(!isWrite);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(inputSchema.required?.includes('confirmName') ?? false).toBe(isWrite);
    expect(inputSchema.required ?? []).not.toContain('organizationId');
    for (const property of Object.values<Members>(inputSchema.properties)) {
      expect(property).toMatchObject({
        type: expect.any(String),
        description: expect.stringMatching(/\.$/),
      });
    }
  }
  const byName = Object.fromEntries(tools.map((tool: { name: string }) => [tool.name, tool]));
  expect(byName.list_pipes.inputSchema.properties.phaseIn).toMatchObject({
    type: 'array',
    items: { type: 'string', enum: expect.arrayContaining(['FAILED']) },
  });
  expect(byName.resync_pipe.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
  expect(byName.start_pipe.annotations).toMatchObject({
    destructiveHint: false,
    idempotentHint: true,
  });
});

it.each(Object.entries(reads))(
  '%s answers as its operation does, with the same calls',
  async (name, [given, part]) => {
    const answer = await use(name, given);
    const calls = stack.callList();
    stack.calls.splice(0);
    const { body } = await stack.query(operations[camel(name)] ?? '', { variables: given });
    expect(answer).toMatchObject({ text: withoutNulls(body.data), isError: false });
    expect(answer.text).toContain(part);
    expect(stack.callList()).toEqual(calls);
  },
);

it('reads are shared with /graphql, and the answer tells their age', async () => {
  const shared = await start(paced);
  try {
    const headers = credentialsIn(shared);
    await shared.query(operations.GetAlert ?? '', { variables: { alertId } });
    const calls = shared.callList();
    const { meta } = await call(shared.url, 'get_alert', { alertId }, headers);
    expect(meta).toEqual({ 'sluice/ageSeconds': expect.any(Number) });
    expect(shared.callList()).toEqual(calls);
  } finally {
    await shared.close();
  }
});

it.each(writes)(
  '%s sends nothing before the name is right',
  async (name, given, confirmName, write) => {
    const written = () => stack.callList().filter((each) => !each.startsWith('GET'));
    const refused = await use(name, { ...given, confirmName: `${confirmName} ` });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^BAD_USER_INPUT: confirmName is not/),
    });
    expect(refused.text).not.toContain(confirmName);
    expect(await use(name, given)).toMatchObject({
      isError: true,
      text: expect.stringContaining('It needs confirmName.'),
    });
    expect(written()).toEqual([]);
    const { isError, text } = await use(name, { ...given, confirmName });
    expect([isError, /"name":.*"phase":|"threshold":7/.test(text)], text).toEqual([false, true]);
    expect(written()).toEqual([write]);
  },
);

it('finds the organization where the credential sees one, and names those that it sees otherwise', async () => {
  expect((await use('list_services', {})).text).toContain('"name":"staging"');
  expect(stack.callList()).toEqual([
    'GET /v1/organizations',
    `GET /v1/organizations/${organizationId}/services`,
  ]);
});
