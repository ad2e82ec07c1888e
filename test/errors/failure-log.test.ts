import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import {
  type Answer,
  type Answering,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { refusingUrl, startRawBackend } from '../support/http/raw.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

const read = `{ service(${ids}) { name } alert(id: "a1-canary") { name } }`;
const readCalls = [
  { upstream: 'management', operation: 'getService' },
  { upstream: 'observability', operation: 'getAlert' },
];
const write = `mutation {
  updateServiceScaling(input: { ${ids}, numReplicas: 2 }) { service { name } userErrors { message } }
  createDashboard(input: { name: "canary-body" }) { dashboard { name } userErrors { message } }
}`;
const writeCalls = [
  { upstream: 'management', operation: 'updateServiceScaling' },
  { upstream: 'observability', operation: 'createDashboard' },
];

let stack: Stack;
afterEach(() => stack.close());

const start = async (answering: Answering, config?: Partial<Config>): Promise<void> => {
  stack = await startStack({
    management: answering,
    observability: answering,
    config: { maxRetries: 0, ...config },
  });
};

const bothAt = (url: URL): Partial<Config> => ({ managementUrl: url, observabilityUrl: url });

const send = (document: string) =>
  stack.query(document, {
    headers: {
      'x-request-id': 'request-7',
      'management-authorization': 'Basic Y2FuYXJ5OmNhbmFyeQ==',
      'observability-authorization': 'Bearer canary-token',
    },
  });

/** The lines of the log, by upstream: calls of one request may fail in any order. */
const lines = (): readonly { readonly upstream?: string }[] =>
  stack
    .complaints()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .sort((a, b) => String(a.upstream).localeCompare(String(b.upstream)));

/** Expects one warning for each of these calls, with these facts and not a member more. */
const expectWarnings = (
  calls: readonly { readonly upstream: string; readonly operation: string }[],
  facts: object,
): void => {
  expect(lines()).toEqual(
    calls.map((call) => ({
      level: 40,
      time: expect.any(Number),
      msg: 'upstream call failed',
      requestId: 'request-7',
      ...call,
      ...facts,
    })),
  );
  expect(stack.complaints()).not.toMatch(
    /canary|Y2FuYXJ5|127\.0\.0\.1|localhost|http|\/v1|\/api|numRepl/i,
  );
};

/** Runs the operation, which has to fail everywhere. */
const fail = async (document: string): Promise<void> => {
  const { body } = await send(document);
  expect(body.errors).toHaveLength(2);
};

describe.each([
  { title: 'reads', document: read, calls: readCalls },
  { title: 'writes', document: write, calls: writeCalls },
])('of failed $title the log holds a line each, with facts alone:', ({ document, calls }) => {
  it('an upstream that cannot be reached', async () => {
    await start(() => result({}), bothAt(await refusingUrl()));
    await fail(document);
    expectWarnings(calls, { reason: 'unreachable', cause: 'ECONNREFUSED' });
  });

  it('a host that has no address', async () => {
    await start(() => result({}), bothAt(new URL('http://canary.invalid')));
    await fail(document);
    expectWarnings(calls, {
      reason: 'unreachable',
      cause: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it.each<readonly [title: string, pieces: readonly string[]]>([
    ['a reset before the answer', []],
    [
      'a reset within the body',
      ['HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"canary'],
    ],
  ])('%s', async (_, pieces) => {
    const backend = await startRawBackend((socket) => {
      for (const piece of pieces) socket.write(piece);
      setImmediate(() => socket.destroy());
    });
    await start(() => result({}), bothAt(backend.url));
    await fail(document);
    await backend.close();
    expectWarnings(calls, {
      reason: 'cut-off',
      cause: expect.stringMatching(/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/),
    });
  });

  it('what is not HTTP', async () => {
    const backend = await startRawBackend((socket) => {
      socket.end('SSH-2.0-canary_9.9\r\n');
    });
    await start(() => result({}), bothAt(backend.url));
    await fail(document);
    await backend.close();
    expectWarnings(calls, { reason: 'bad-response' });
  });

  it.each<readonly [title: string, answer: Answer]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>canary</p>' }],
    ['broken JSON', { headers: { 'content-type': 'application/json' }, body: '{"canary' }],
    ['a bare object', json({ canary: 'canary' })],
    ['a redirect', { status: 302, headers: { location: 'http://canary.example' }, body: '' }],
  ])('an answer that cannot be used: %s', async (_, answer) => {
    await start(() => answer);
    await fail(document);
    expectWarnings(calls, { reason: 'bad-response', status: answer.status ?? 200 });
  });

  it.each([500, 502, 503, 504, 599])('an answer of %i', async (status) => {
    await start(() => json({ status, error: 'canary', message: 'canary' }, status));
    await fail(document);
    expectWarnings(calls, { reason: 'status', status });
  });

  it.each([400, 401, 403, 404, 409, 413, 422, 424, 429])(
    'but none is there for an answer of %i',
    async (status) => {
      await start(() => json({ status, error: 'no canary', message: 'no canary' }, status));
      const { text } = await send(document);
      expect(text).toContain('no [redacted]');
      expect(stack.calls).toHaveLength(2);
      expect(stack.complaints()).toBe('');
    },
  );
});

it('a call that several fields share has one line', async () => {
  await start(() => json({ error: 'canary' }, 503));
  const { body } = await send(`{ a: service(${ids}) { name } b: service(${ids}) { name } }`);
  expect(body.errors).toHaveLength(2);
  expectWarnings(readCalls.slice(0, 1), { reason: 'status', status: 503 });
});

it('one line for the one of two calls that failed', async () => {
  await start(({ upstream }) =>
    upstream === 'management' ? result({ id: serviceId, name: 'a' }) : json({}, 500),
  );
  const { body } = await send(read);
  expect(body.errors).toHaveLength(1);
  expectWarnings(readCalls.slice(1), { reason: 'status', status: 500 });
});

it('nothing for what was refused before any call', async () => {
  await start(() => data([]));
  const { body } = await stack.query(
    `{ service(organizationId: "x", serviceId: "y") { name } alerts { id } }`,
    { headers: { 'observability-authorization': 'Digest canary' } },
  );
  expect(body.errors).toHaveLength(2);
  expect(stack.calls).toEqual([]);
  expect(stack.complaints()).toBe('');
});
