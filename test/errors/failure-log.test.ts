import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, data, json, result, type Stack, startStack } from '../support/harness.ts';
import { refusingUrl, startRawBackend } from '../support/http/raw.ts';

const ids =
  'organizationId: "0a9a0000-0000-4000-8000-000000000001", serviceId: "5e4c0000-0000-4000-8000-000000000001"';
const read = `{ service(${ids}) { name } alert(id: "a1-canary") { name } }`;
const write = `mutation {
  updateServiceScaling(input: { ${ids}, numReplicas: 2 }) { service { name } userErrors { message } }
  createDashboard(input: { name: "canary-body" }) { dashboard { name } userErrors { message } }
}`;
/** The operation of management and that of observability, which both fail. */
const reads = ['getService', 'getAlert'] as const;
const kinds = [
  ['reads', read, reads],
  ['writes', write, ['updateServiceScaling', 'createDashboard']],
] as const;

let stack: Stack;
afterEach(() => stack.close());

const start = async (answering: Answering, url?: URL): Promise<void> => {
  const config: Partial<Config> = {
    maxRetries: 0,
    ...(url && { managementUrl: url, observabilityUrl: url }),
  };
  stack = await startStack({ management: answering, observability: answering, config });
};
const nothing: Answering = () => result({});

const send = (document: string) =>
  stack.query(document, {
    headers: {
      'x-request-id': 'request-7',
      'management-authorization': 'Basic Y2FuYXJ5OmNhbmFyeQ==',
      'observability-authorization': 'Bearer canary-token',
    },
  });

/** Expects one warning for each of these calls, with these facts and not a member more. */
const expectWarnings = (
  [management, observability]: readonly [string | undefined, string?],
  facts: object,
): void => {
  const lines = stack.complaints().split('\n').filter(Boolean);
  const shown = { level: 40, time: expect.any(Number), msg: 'upstream call failed' };
  const made = [
    { upstream: 'management', operation: management },
    { upstream: 'observability', operation: observability },
  ].filter(({ operation }) => operation !== undefined);
  // Calls of one request may fail in any order.
  expect(
    lines.map((line) => JSON.parse(line)).sort((a, b) => (a.upstream < b.upstream ? -1 : 1)),
  ).toEqual(made.map((call) => ({ ...shown, requestId: 'request-7', ...call, ...facts })));
  expect(lines.join()).not.toMatch(
    /canary|Y2FuYXJ5|127\.0\.0\.1|localhost|http|\/v1|\/api|numRepl/i,
  );
};

describe.each(kinds)(
  'of failed %s the log holds a line each, with facts alone:',
  (_kind, document, operations) => {
    const fail = async (): Promise<void> => {
      expect((await send(document)).body.errors).toHaveLength(2);
    };

    it('an upstream that cannot be reached', async () => {
      await start(nothing, await refusingUrl());
      await fail();
      expectWarnings(operations, { reason: 'unreachable', cause: 'ECONNREFUSED' });
    });

    it('a host that has no address', async () => {
      await start(nothing, new URL('http://canary.invalid'));
      await fail();
      const cause = expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/);
      expectWarnings(operations, { reason: 'unreachable', cause });
    });

    it.each<[title: string, piece: string, reason: string]>([
      ['a reset before the answer', '', 'cut-off'],
      [
        'a reset within the body',
        'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"canary',
        'cut-off',
      ],
      ['bytes that are not HTTP', 'SSH-2.0-canary_9.9\r\n', 'bad-response'],
    ])('%s', async (_, piece, reason) => {
      const backend = await startRawBackend((socket) => {
        if (piece !== '') socket.write(piece);
        setImmediate(() => socket.destroy());
      });
      await start(nothing, backend.url);
      await fail();
      await backend.close();
      const cause = expect.stringMatching(/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/);
      expectWarnings(operations, { reason, ...(reason === 'cut-off' && { cause }) });
    });

    it.each([
      { headers: { 'content-type': 'text/html' }, body: '<p>canary</p>' },
      { headers: { 'content-type': 'application/json' }, body: '{"canary' },
      json({ canary: 'canary' }),
      { status: 302, headers: { location: 'http://canary.example' }, body: '' },
    ])('an answer that cannot be used: %j', async (answer) => {
      await start(() => answer);
      await fail();
      const { status = 200 }: { status?: number } = answer;
      expectWarnings(operations, { reason: 'bad-response', status });
    });

    it.each([500, 503, 599])('an answer of %i', async (status) => {
      await start(() => json({ status, error: 'canary', message: 'canary' }, status));
      await fail();
      expectWarnings(operations, { reason: 'status', status });
    });

    it.each([400, 404, 429, 499])('but none is there for an answer of %i', async (status) => {
      await start(() => json({ status, error: 'no canary', message: 'no canary' }, status));
      expect((await send(document)).text).toContain('no [redacted]');
      expect([stack.calls.length, stack.complaints()]).toEqual([2, '']);
    });
  },
);

it('a call that several fields share has one line, and one that succeeds none', async () => {
  await start(({ upstream }) =>
    upstream === 'management' ? json({ error: 'canary' }, 503) : data({ id: 'a1', name: 'n' }),
  );
  await send(
    `{ a: service(${ids}) { name } b: service(${ids}) { name } alert(id: "a1") { name } }`,
  );
  expectWarnings([reads[0]], { reason: 'status', status: 503 });
});

it('nothing is logged of what was refused before any call', async () => {
  await start(() => data([]));
  const document = `{ service(organizationId: "x", serviceId: "y") { name } alerts { id } }`;
  const headers = { 'observability-authorization': 'Digest canary' };
  expect((await stack.query(document, { headers })).body.errors).toHaveLength(2);
  expect([stack.calls.length, stack.complaints()]).toEqual([0, '']);
});
