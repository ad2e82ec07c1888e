import { expect, it, onTestFinished } from 'vitest';
import { fleetKey } from '../../sandbox/world/fleet.ts';
import { world } from '../../sandbox/world/ids.ts';
import { paced, startSandboxStack, useSandboxStack } from '../support/harness.ts';
import { call, type Members, operations, request, send } from './agent.ts';
import {
  alertId,
  credentialsIn,
  optionsOf,
  organizationId,
  others,
  reads,
  writes,
} from './table.ts';

const stack = useSandboxStack(optionsOf());

const use = (name: string, given: Members) => call(stack.url, name, given, credentialsIn(stack));
const camel = (name: string) =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
const isOfFailed = ({ lastBackup }: { readonly lastBackup: Members }): boolean =>
  lastBackup.status === 'error';
/** In the demo one service is asleep, so its pipes are not read. */
const notShown = ['unreadServices', 'totalCount'];
/** What the tool of an operation shows of its answer. */
const shownOf = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (name, member) => {
      if (name === 'failedBackups') return member.filter(isOfFailed);
      return member === null || notShown.includes(name) ? undefined : member;
    }),
  );

it('the list has each of them, in at most 24 000 characters, and says what it does', async () => {
  const { body } = await send(stack.url, request('tools/list'));
  const { tools } = body.result;
  const readers = [...Object.keys(reads), ...others];
  const names = [...readers, ...writes.map(([name]) => name)];
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort());
  expect(JSON.stringify(tools).length).toBeLessThan(24_000);
  for (const { name, description, inputSchema, annotations } of tools) {
    expect([name, description.length > 20, description.length <= 300]).toEqual([name, true, true]);
    const isWrite = !readers.includes(name);
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
  const personalOrSecret =
    /actorDetails|ipAccess|IpAddress|userAgent|email|connectionString|[sS]ecret|assword/;
  expect(JSON.stringify(operations)).not.toMatch(personalOrSecret);
  const byName = Object.fromEntries(tools.map((tool: { name: string }) => [tool.name, tool]));
  expect(byName.list_pipes.inputSchema.properties.phaseIn).toMatchObject({
    type: 'array',
    items: { type: 'string', enum: expect.arrayContaining(['FAILED']) },
  });
  const described = (tool: string) => byName[tool].inputSchema.properties.confirmName.description;
  expect(['stop_pipe', 'wake_service', 'update_alert_threshold'].map(described)).toEqual(
    ['pipe', 'service', 'alert'].map((each) => expect.stringContaining(`name of the ${each},`)),
  );
  const annotationsOf = (destructiveHint: boolean, idempotentHint = true) => ({
    ...{ readOnlyHint: false, destructiveHint, idempotentHint },
  });
  const reading = readers.map((name) => [name, { readOnlyHint: true }]);
  expect(Object.fromEntries(tools.map((tool: Members) => [tool.name, tool.annotations]))).toEqual({
    ...Object.fromEntries(reading),
    start_pipe: annotationsOf(false),
    stop_pipe: annotationsOf(true),
    resync_pipe: annotationsOf(true, false),
    start_service: annotationsOf(false),
    stop_service: annotationsOf(true),
    wake_service: annotationsOf(false),
    update_alert_threshold: annotationsOf(true),
  });
});

const readsAllPipes = ['list_pipes', 'get_attention'];

it.each(Object.entries(reads))(
  '%s answers as its operation does, with the same calls',
  async (name, [given, part]) => {
    const answer = await use(name, given);
    const calls = stack.callList();
    stack.calls.splice(0);
    const { body } = await stack.query(operations[camel(name)] ?? '', { variables: given });
    expect([answer.isError, answer.text]).toEqual([false, expect.stringContaining(part)]);
    const { now, incomplete, ...shown } = JSON.parse(answer.text);
    expect([shown, new Date(now).toISOString()]).toEqual([shownOf(body.data), now]);
    const unread = { unreadServices: { SERVICE_NOT_RUNNING: 1 } };
    expect(incomplete).toEqual(readsAllPipes.includes(name) ? unread : undefined);
    expect(stack.callList()).toEqual(calls);
  },
);

it('reads are shared with /graphql, and the answer tells their age', async () => {
  const shared = await startSandboxStack(optionsOf(paced));
  onTestFinished(shared.close);
  const headers = credentialsIn(shared);
  await shared.query(operations.GetAlert ?? '', { variables: { alertId } });
  const calls = shared.callList();
  const { meta } = await call(shared.url, 'get_alert', { alertId }, headers);
  expect(meta).toEqual({ 'sluice/ageSeconds': expect.any(Number) });
  expect(shared.callList()).toEqual(calls);
});

it.each(writes)(
  '%s sends nothing before each name is right',
  async (name, given, names, write, part) => {
    const written = () => stack.callList().filter((each) => !each.startsWith('GET'));
    for (const [argument, present] of Object.entries(names)) {
      const refused = await use(name, { ...given, ...names, [argument]: `${present} ` });
      expect(refused).toMatchObject({
        isError: true,
        text: expect.stringMatching(`^BAD_USER_INPUT: ${argument} is not the present name of the `),
      });
      expect(refused.text).not.toContain(present);
      expect(await use(name, { ...given, ...names, [argument]: null })).toMatchObject({
        isError: true,
        text: expect.stringContaining(`It needs ${argument}.`),
      });
    }
    expect(written()).toEqual([]);
    const { isError, text } = await use(name, { ...given, ...names });
    expect([isError, text]).toEqual([false, expect.stringMatching(part)]);
    expect(written()).toEqual([write]);
  },
);

const { staging } = world.management.main.services;

it.each<[tool: string, given: Members, told: string]>([
  ['list_backups', { first: 0 }, 'first must be an integer of at least 1, got 0.'],
  [
    'list_backups',
    { statusIn: ['failed'] },
    'must be one of done, error, in_progress, got "failed"',
  ],
  ['list_activities', { typeIn: ['service_strat'] }, 'Did you mean "service_start"?'],
  ['list_api_keys', { stateIn: ['enabeld'] }, 'Did you mean "enabled"?'],
])('%s refuses %j before any call', async (tool, given, told) => {
  expect(await use(tool, given)).toMatchObject({
    isError: true,
    text: expect.stringContaining(told),
  });
  expect(stack.calls).toEqual([]);
});

it.each<[tool: string, given: Members, calls: readonly string[], part: object]>([
  [
    ...(['list_backups', { organizationId, serviceId: staging, statusIn: ['error'] }] as const),
    [`services/${staging}/backups`, `services/${staging}`],
    { service: { name: 'staging', backups: [{ status: 'error' }] } },
  ],
  [
    ...(['list_activities', { organizationId, typeIn: ['service_start'] }] as const),
    ['activities', 'keys'],
    {
      organization: {
        activities: expect.arrayContaining([
          expect.objectContaining({ actorKey: { name: 'Terraform' } }),
        ]),
      },
    },
  ],
  // A type that the tool's schema does not list.
  [
    ...(['list_activities', { organizationId, typeIn: ['udf_create'] }] as const),
    ['activities'],
    { organization: { activities: [] } },
  ],
  [
    ...(['list_services', { organizationId, tagIn: ['team=none'] }] as const),
    ['services'],
    { organization: { services: [] } },
  ],
  [
    ...(['list_alerts', { phaseIn: ['FIRING'] }] as const),
    ['alerts', 'dashboards', 'webhooks'],
    {
      alerts: expect.arrayContaining([
        expect.objectContaining({
          channel: { type: 'webhook', webhookId: expect.any(String), webhook: { name: 'On call' } },
        }),
      ]),
    },
  ],
])('%s %j costs these calls', async (tool, given, calls, part) => {
  const { text } = await use(tool, given);
  expect(JSON.parse(text)).toMatchObject(part);
  const paths = stack.calls.map(({ path }) =>
    path.replace(/^.*?\/(?:organizations\/[^/]+|v2)\//, ''),
  );
  expect(paths.sort()).toEqual([...calls].sort());
});

it('get_attention tells expired keys from others, and what it cannot know', async () => {
  const { text } = await use('get_attention', { organizationId });
  const { organization } = JSON.parse(text);
  expect(organization).toMatchObject({ servicesOfUnknownState: 0 });
  expect(organization.failedBackups).toMatchObject([{ id: staging, name: 'staging' }]);
  const expiries = (keys: readonly Members[]) =>
    keys.map(({ expiresAt }) => Date.parse(String(expiresAt)) < Date.now());
  expect(expiries(organization.expiredKeys)).not.toContain(false);
  expect(expiries(organization.expiringKeys)).not.toContain(true);
  const documented = await startSandboxStack({ config: { mcp: 'read' } });
  onTestFinished(documented.close);
  const told = await call(documented.url, 'get_attention', {}, credentialsIn(documented));
  const { servicesStoppedOrFailed, servicesOfUnknownState, ...rest } = JSON.parse(
    told.text,
  ).organization;
  expect([servicesStoppedOrFailed, servicesOfUnknownState]).toEqual([[], 4]);
  expect(Object.keys(rest)).toEqual(['idleServices', 'failedPipes', 'degradedPipes']);
});

it('get_attention lists the alerts that cannot be evaluated, and no others', async () => {
  const { text } = await use('get_attention', {});
  const failing: readonly Members[] = JSON.parse(text).alertsThatCannotBeEvaluated;
  const { body } = await stack.query('{ alerts { id executionErrors { message } } }');
  const expected = body.data.alerts.filter(
    (alert: { executionErrors: unknown[] | null }) => alert.executionErrors?.length,
  );
  expect(expected.length).toBeGreaterThan(0);
  expect(failing.map(({ id }) => id)).toEqual(expected.map(({ id }: Members) => id));
});

it('answers about 120 services are short enough', async () => {
  const fleet = await startSandboxStack(optionsOf({ maxUpstreamCalls: 1000 }, 120));
  onTestFinished(fleet.close);
  const headers = { ...credentialsIn(fleet), 'management-authorization': fleetKey.header };
  const week = { fromDate: '2026-11-16', toDate: '2026-11-22' };
  for (const name of ['get_cost', 'list_pipes', 'get_attention']) {
    const given = name === 'get_cost' ? week : {};
    const { text, isError } = await call(fleet.url, name, given, headers);
    expect([name, isError, text.slice(0, 200)]).toEqual([name, false, expect.any(String)]);
    const { usageCost } = JSON.parse(text).organization;
    if (name === 'get_cost') expect(usageCost.byService).toHaveLength(10);
  }
});

it('finds the organization where the credential sees one, and names those that it sees otherwise', async () => {
  expect((await use('list_services', {})).text).toContain('"name":"staging"');
  expect(stack.callList()).toEqual([
    'GET /v1/organizations',
    `GET /v1/organizations/${organizationId}/services`,
  ]);
});
