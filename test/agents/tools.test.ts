import { expect, it, onTestFinished } from 'vitest';
import { fleetKey } from '../../sandbox/world/fleet.ts';
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
const withoutNulls = (value: unknown) =>
  JSON.stringify(value, (_, member) => (member === null ? undefined : member));

it('the list has each of them, in at most 24 KB, and says what it does', async () => {
  const { body } = await send(stack.url, request('tools/list'));
  const { tools } = body.result;
  const names = [...Object.keys(reads), ...others, ...writes.map(([name]) => name)];
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort());
  expect(JSON.stringify(tools).length).toBeLessThan(24_000);
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect(title.length * description.length, name).toBeGreaterThan(0);
    expect(description.length, name).toBeLessThanOrEqual(300);
    const isWrite = !(name in reads || others.includes(name));
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
    ...{ readOnlyHint: false, destructiveHint, idempotentHint, openWorldHint: false },
  });
  const reading = [...Object.keys(reads), ...others].map((name) => [
    name,
    { readOnlyHint: true, openWorldHint: false },
  ]);
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
    if (name === 'get_cost') expect(usageCost.byEntity).toHaveLength(10);
  }
});

it('finds the organization where the credential sees one, and names those that it sees otherwise', async () => {
  expect((await use('list_services', {})).text).toContain('"name":"staging"');
  expect(stack.callList()).toEqual([
    'GET /v1/organizations',
    `GET /v1/organizations/${organizationId}/services`,
  ]);
});
