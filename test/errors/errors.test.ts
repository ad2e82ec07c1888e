import { afterEach, describe, expect, it } from 'vitest';
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
const upstreamRequestId = '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11';
const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** One operation for each upstream and way, with the member of the answer that it fills. */
const operations = [
  {
    title: 'a query of management',
    upstream: 'management',
    kind: 'query',
    operation: 'getService',
    document: `{ service(${ids}) { name } }`,
    path: ['service'],
  },
  {
    title: 'a mutation of management',
    upstream: 'management',
    kind: 'mutation',
    operation: 'updateServiceScaling',
    document: `mutation { updateServiceScaling(input: {${ids}, idleScaling: true}) {
      service { name } userErrors { code message field } } }`,
    path: ['updateServiceScaling', 'service'],
  },
  {
    title: 'a query of observability',
    upstream: 'observability',
    kind: 'query',
    operation: 'getAlert',
    document: '{ alert(id: "a1") { name } }',
    path: ['alert'],
  },
  {
    title: 'a mutation of observability',
    upstream: 'observability',
    kind: 'mutation',
    operation: 'createDashboard',
    document: `mutation { createDashboard(input: {name: "d"}) {
      dashboard { name } userErrors { code message field } } }`,
    path: ['createDashboard', 'dashboard'],
  },
] as const;

type Operation = (typeof operations)[number];

let stack: Stack;
afterEach(() => stack.close());

const start = async (answering: Answering, config = {}): Promise<void> => {
  stack = await startStack({
    management: answering,
    observability: answering,
    config: { maxRetries: 0, ...config },
  });
};

/** The one error of an answer, once it has been checked that there is one, and what it must not hold. */
const errorOf = async ({
  document,
  path,
}: {
  readonly document: string;
  readonly path: readonly string[];
}) => {
  const { status, headers, body, text } = await stack.query(document);
  expect(status).toBe(200);
  expect(body.errors).toHaveLength(1);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|\.ts:|node_modules|"stack/);
  const [error] = body.errors;
  expect(error.path).toEqual(path);
  expect(error.extensions.requestId).toBe(headers.get('x-request-id'));
  return error;
};

/** A failure in each upstream's own words. */
const failure = ({ upstream }: Operation, status: number, text: string): Answer =>
  upstream === 'management'
    ? json({ status, error: text, requestId: upstreamRequestId }, status)
    : json({ message: text }, status);

const extensions = (operation: Operation, code: string, status?: number, requestId?: string) => ({
  code,
  upstream: {
    name: operation.upstream,
    operation: operation.operation,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
  },
  requestId: expect.stringMatching(/^[\w.-]{1,128}$/),
  // A write that may have been carried out must not be repeated; one that was limited was not.
  retryable: (operation.kind === 'query'
    ? ['RATE_LIMITED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE']
    : ['RATE_LIMITED']
  ).includes(code),
});

const codes = [
  [400, 'BAD_USER_INPUT', 'REJECTED'],
  [401, 'UNAUTHENTICATED', null],
  [403, 'FORBIDDEN', null],
  [404, 'NOT_FOUND', null],
  [409, 'UPSTREAM_ERROR', 'CONFLICT'],
  [413, 'UPSTREAM_ERROR', null],
  [418, 'UPSTREAM_ERROR', null],
  [422, 'BAD_USER_INPUT', 'REJECTED'],
  [424, 'SERVICE_NOT_RUNNING', 'SERVICE_NOT_RUNNING'],
  [429, 'RATE_LIMITED', null],
  [500, 'UPSTREAM_ERROR', null],
  [501, 'UPSTREAM_ERROR', null],
  [502, 'UPSTREAM_UNAVAILABLE', null],
  [503, 'UPSTREAM_UNAVAILABLE', null],
  [504, 'UPSTREAM_TIMEOUT', null],
] as const;

describe.each(operations)('$title', (operation) => {
  const requestId = operation.upstream === 'management' ? upstreamRequestId : undefined;

  it.each(codes)(
    'answered with %i gives %s, or %s as a user error',
    async (status, code, refusal) => {
      const words = `${status === 424 ? 'The service is not running: ' : ''}the words of the upstream.`;
      await start(() => failure(operation, status, 'CODE: the words of the upstream'));
      if (operation.kind === 'mutation' && refusal !== null) {
        const { body } = await stack.query(operation.document);
        expect(body.errors).toBeUndefined();
        const [payload] = Object.values<object>(body.data);
        expect(Object.values(payload ?? {})).toEqual([
          null,
          [{ code: refusal, message: words, field: null }],
        ]);
        return;
      }
      const error = await errorOf(operation);
      expect(error.extensions).toEqual(extensions(operation, code, status, requestId));
      if (status < 500) expect(error.message).toBe(words);
      else expect(error.message).not.toContain('words');
      expect(stack.calls).toHaveLength(1);
    },
  );

  it.each<readonly [string, Answer]>([
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
    [
      'truncated JSON',
      { headers: { 'content-type': 'application/json' }, body: '{"status":200,"re' },
    ],
    ['no content type', { body: '{"status":200,"result":{},"data":{}}' }],
    ['an empty body', { headers: { 'content-type': 'application/json' }, body: '' }],
    ['a bare object', json({ id: 'x', name: 'y' })],
    ['a bare list', json([{ id: 'x' }])],
    ['a null', json(null)],
    ['a list for an object', json({ status: 200, result: [{ id: 'x' }], data: [{ id: 'x' }] })],
    ['a null for an object', json({ status: 200, result: null, data: null })],
    ['a text for an object', json({ status: 200, result: 'x', data: 'x' })],
  ])('answered with %s gives UPSTREAM_BAD_RESPONSE', async (_, answer) => {
    await start(() => answer);
    const error = await errorOf(operation);
    const status = answer.status ?? 200;
    expect(error.extensions).toEqual(extensions(operation, 'UPSTREAM_BAD_RESPONSE', status));
    expect(error.message).not.toMatch(/Sign in|elsewhere/);
    expect(stack.calls).toHaveLength(1);
  });

  it.each<readonly [string, readonly string[], string]>([
    ['a reset before the answer', [], 'UPSTREAM_UNAVAILABLE'],
    [
      'a reset within the body',
      ['HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"st'],
      'UPSTREAM_UNAVAILABLE',
    ],
    ['what is not HTTP', ['SSH-2.0-OpenSSH_9.9\r\n'], 'UPSTREAM_BAD_RESPONSE'],
  ])('met by %s gives no result, and is not repeated when it writes', async (_, pieces, code) => {
    const backend = await startRawBackend((socket) => {
      for (const piece of pieces) socket.write(piece);
      setImmediate(() => socket.destroy());
    });
    await start(() => result({}), {
      managementUrl: backend.url,
      observabilityUrl: backend.url,
    });
    const error = await errorOf(operation);
    const requests = backend.requests.length;
    await backend.close();
    expect(error.extensions).toEqual({
      ...extensions(operation, code),
      upstream: expect.objectContaining({
        name: operation.upstream,
        operation: operation.operation,
      }),
    });
    if (operation.kind === 'mutation') expect(requests).toBe(1);
  });

  it('met by a refused connection gives UPSTREAM_UNAVAILABLE', async () => {
    const url = await refusingUrl();
    await start(() => result({}), { managementUrl: url, observabilityUrl: url });
    const error = await errorOf(operation);
    expect(error.extensions).toEqual({
      ...extensions(operation, 'UPSTREAM_UNAVAILABLE'),
      // A write too: nothing of it was sent.
      retryable: true,
    });
  });

  it.each([
    [{ 'x-ratelimit-reset': '7' }, 7],
    [{ 'ratelimit-reset': '34', 'retry-after': '60' }, 34],
    [{ 'retry-after': '60' }, 60],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1],
    [{ 'x-ratelimit-reset': 'soon' }, undefined],
    [{}, undefined],
  ])('limited with %o says to wait %s seconds', async (headers, seconds) => {
    await start(() => ({
      status: 429,
      headers: { 'content-type': 'text/html', ...headers },
      body: 'Too many requests, please try again later.',
    }));
    const error = await errorOf(operation);
    expect(error.extensions).toEqual({
      ...extensions(operation, 'RATE_LIMITED', 429),
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    });
  });
});

const [getService, , getAlert] = operations;

describe('the message of a failure', () => {
  it.each<readonly [string, Operation, Answer, string]>([
    [
      'plain words',
      getAlert,
      { status: 403, headers: { 'content-type': 'text/plain' }, body: 'No.' },
      'No.',
    ],
    ['the first line', getService, json({ error: ' One.\nTwo.\r\nThree.' }, 403), 'One.'],
    ['499 characters', getService, json({ error: 'x'.repeat(501) }, 403), `${'x'.repeat(499)}.`],
    [
      'all of 499 characters',
      getAlert,
      json({ message: 'x'.repeat(499) }, 403),
      `${'x'.repeat(499)}.`,
    ],
  ])('is %s of the upstream on a 4xx', async (_, operation, answer, message) => {
    await start(() => answer);
    expect((await errorOf(operation)).message).toBe(message);
  });

  it.each<readonly [string, Answer]>([
    [
      'HTML',
      { status: 403, headers: { 'content-type': 'text/html' }, body: '<p>upstream-words</p>' },
    ],
    ['other members', json({ status: 403, detail: 'upstream-words' }, 403)],
    ['an error that is no text', json({ error: { a: 'upstream-words' } }, 403)],
    ['a 500', json({ status: 500, error: 'upstream-words' }, 500)],
    [
      'a plain 503',
      { status: 503, headers: { 'content-type': 'text/plain' }, body: 'upstream-words' },
    ],
    [
      'a 504 page',
      { status: 504, headers: { 'content-type': 'text/html' }, body: 'upstream-words' },
    ],
  ])('never shows a body: %s', async (_, answer) => {
    await start(() => answer);
    const { message } = await errorOf(getService);
    expect(message).not.toContain('upstream-words');
    expect(message).toMatch(/management/);
  });
});

it.each([200, 201, 202, 299])('takes an envelope with the status %i', async (status) => {
  await start(() => json({ status, requestId: upstreamRequestId, result: { id: serviceId } }));
  const { body } = await stack.query(getService.document);
  expect(body.errors).toBeUndefined();
});

it.each([500, 300, 199, '201', null])(
  'takes an envelope whose status is %j for UPSTREAM_BAD_RESPONSE',
  async (status) => {
    await start(() => json({ status, requestId: upstreamRequestId, result: { id: serviceId } }));
    expect((await errorOf(getService)).extensions).toEqual(
      extensions(getService, 'UPSTREAM_BAD_RESPONSE', 200, upstreamRequestId),
    );
  },
);

it.each<readonly [string, string, readonly string[], Answer]>([
  ['pipes', `{ service(${ids}) { pipes { id } } }`, ['service', 'pipes'], result({ id: 'x' })],
  ['alerts', '{ alerts { id } }', ['alerts'], data({ id: 'x' })],
  ['alerts, null', '{ alerts { id } }', ['alerts'], data(null)],
  ['alerts, absent', '{ alerts { id } }', ['alerts'], json({})],
  [
    'pipes, absent',
    `{ service(${ids}) { pipes { id } } }`,
    ['service', 'pipes'],
    json({ status: 200 }),
  ],
])(
  'takes an answer without a list for UPSTREAM_BAD_RESPONSE: %s',
  async (_, document, path, answer) => {
    await start(() => answer);
    const { body } = await stack.query(document);
    expect(body.errors).toMatchObject([{ path, extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  },
);

it('a value that does not fit the schema is an answer that cannot be used', async () => {
  await start(() => data({ id: 'a1', threshold: 'many' }));
  const document = '{ alert(id: "a1") { threshold } }';
  const { message, extensions } = await errorOf({ document, path: ['alert', 'threshold'] });
  expect(message).toBe('The upstream sent a value for "threshold" that does not fit the schema.');
  expect(extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', retryable: false });
});
