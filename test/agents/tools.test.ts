import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { paced } from '../support/harness.ts';
import { call, type Members, operations, request, send } from './agent.ts';
import { alertId, credentialsIn, organizationId, reads, start, writes } from './table.ts';

let stack: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  stack = await start({});
});
beforeEach(() => void stack.calls.splice(0));
afterAll(() => stack.close());

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
  const personalOrSecret =
    /actorDetails|IpAddress|userAgent|email|connectionString|[sS]ecret|assword/;
  expect(JSON.stringify(operations)).not.toMatch(personalOrSecret);
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

it('a change that is refused is an error', async () => {
  const given = { alertId, threshold: 1, thresholdType: 'BETWEEN', confirmName: 'API error rate' };
  expect(await use('update_alert_threshold', given)).toMatchObject({
    text: expect.stringMatching(/^BAD_USER_INPUT: thresholdMax/),
    isError: true,
  });
});

it('finds the organization where the credential sees one, and names those that it sees otherwise', async () => {
  expect((await use('list_services', {})).text).toContain('"name":"staging"');
  expect(stack.callList()).toEqual([
    'GET /v1/organizations',
    `GET /v1/organizations/${organizationId}/services`,
  ]);
});
