import { expect, it } from 'vitest';
import { raw } from '../support/faults/reactions.ts';
import { nowhere } from '../support/gateway.ts';
import { json, type Reaction, result, type Stack, stackInTest } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const read = withIds('{ service(@service-1) { name } alert(alertId: "a1-canary") { name } }');
const write = withIds(`mutation {
  updateServiceScaling(input: { @service-1, numReplicas: 2 }) { service { name } userErrors { message } }
  createDashboard(input: { name: "canary-body" }) { dashboard { name } userErrors { message } } }`);
const upstreams: Readonly<Record<string, string>> = {
  ...{ createDashboard: 'observability', getAlert: 'observability' },
  ...{ getService: 'management', updateServiceScaling: 'management' },
};

let stack: Stack;

/** Both upstreams react so; at a URL, there is none of them. */
const start = async (reaction: Reaction | URL): Promise<void> => {
  const isUrl = reaction instanceof URL;
  const urls = isUrl && { managementUrl: reaction, observabilityUrl: reaction };
  const react = () => (isUrl ? result({}) : reaction);
  const config = { maxRetries: 0, ...urls };
  stack = await stackInTest({ management: react, observability: react, config });
};
const send = (document: string) =>
  stack.query(document, {
    headers: {
      'x-request-id': 'request-7',
      'management-authorization': 'Basic Y2FuYXJ5OmNhbmFyeQ==',
      'observability-authorization': 'Bearer canary-token',
    },
  });

/** Expects one warning for each of these operations, with these facts and not a member more. */
const expectWarnings = (operations: readonly string[], facts: object): void => {
  const lines = stack.complaints().split('\n').filter(Boolean);
  const shown = { level: 'warn', time: expect.any(String), msg: 'upstream call failed' };
  const named = { ...shown, requestId: 'request-7', ...facts };
  const told = lines.map((line) => JSON.parse(line));
  // Calls of one request may fail in any order.
  expect(told.sort((a, b) => (a.operation < b.operation ? -1 : 1))).toEqual(
    operations.map((operation) => ({ ...named, operation, upstream: upstreams[operation] })),
  );
  expect(lines.join()).not.toMatch(
    /canary|Y2FuYXJ5|127\.0\.0\.1|localhost|http|\/v1|\/api|numRepl/i,
  );
};

const inBody = 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"canary';

/** Expects a read and a write of both upstreams to fail, with a line for each call. */
const expectFailures = async (reason: string, facts: object): Promise<void> => {
  for (const document of [read, write]) {
    expect((await send(document)).body.errors).toHaveLength(2);
  }
  expectWarnings(Object.keys(upstreams), { reason, ...facts });
};

it.each<[title: string, reaction: Reaction | URL, reason: string, cause?: RegExp]>([
  ['a refused connection', new URL(nowhere), 'unreachable', /^ECONNREFUSED$/],
  [
    'a host without an address',
    new URL('http://canary.invalid'),
    'unreachable',
    /^(?:ENOTFOUND|EAI_AGAIN)$/,
  ],
  ['a reset before the answer', raw(''), 'cut-off', /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/],
  ['a reset within the body', raw(inBody), 'cut-off', /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/],
  ['bytes that are not HTTP', raw('SSH-2.0-canary_9.9\r\n'), 'bad-response', /^HPE_INVALID$/],
  ['100 Continue', raw('HTTP/1.1 100 Continue\r\n\r\n'), 'bad-response', /^interim 100$/],
])('the log has a line with facts alone for %s', async (_, reaction, reason, cause) => {
  await start(reaction);
  await expectFailures(reason, cause ? { cause: expect.stringMatching(cause) } : {});
});

it('an answer that is not HTTP is told as such', async () => {
  await start(raw('SSH-2.0-canary_9.9\r\n'));
  const [{ message }] = (await send(read)).body.errors;
  expect(message).toMatch(/ in a way that cannot be used: its answer is not HTTP, or too large\.$/);
});

const type = 'content-type';
it.each([
  { status: 200, headers: { [type]: 'text/html' }, body: '<p>canary</p>' },
  { status: 200, headers: { [type]: 'application/json' }, body: '{"canary' },
  { status: 302, headers: { location: 'http://canary.example' }, body: '' },
  json({ status: 500, error: 'canary', message: 'canary' }, 500),
])('the log has a line with facts alone for the answer %j', async (answer) => {
  await start(answer);
  const { status = 200 } = answer;
  await expectFailures(status < 500 ? 'bad-response' : 'status', { status });
});

it.each([400, 499])('nothing is logged of an answer of %i', async (status) => {
  await start(json({ status, error: 'no canary', message: 'no canary' }, status));
  for (const document of [read, write]) {
    expect((await send(document)).text).toContain('no [redacted]');
  }
  expect([stack.calls.length, stack.complaints()]).toEqual([4, '']);
});
