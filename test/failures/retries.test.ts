import { afterEach, describe, expect, it } from 'vitest';
import { hangUp, type Reaction, reset, resetWithinBody } from '../support/faults/backend.ts';
import {
  ofService,
  oneAfterTheOther,
  organizationId,
  reads,
  startFaultStack,
  status,
  unexpected,
  upstreams,
  well,
} from '../support/faults/stack.ts';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';

let stack: Stack;
afterEach(() => stack.close());

const start = async (...options: Parameters<typeof startFaultStack>) => {
  const started = await startFaultStack(...options);
  stack = started;
  return started.backend;
};

interface Passing {
  readonly title: string;
  readonly reaction: Reaction;
  readonly code: string;
}

/** What may be gone the next moment. */
const passing: readonly Passing[] = [
  { title: 'a reset before the answer', reaction: reset, code: 'UPSTREAM_UNAVAILABLE' },
  {
    title: 'a connection closed without an answer',
    reaction: hangUp,
    code: 'UPSTREAM_UNAVAILABLE',
  },
  { title: 'a reset within the body', reaction: resetWithinBody, code: 'UPSTREAM_UNAVAILABLE' },
  { title: '502', reaction: status(502), code: 'UPSTREAM_UNAVAILABLE' },
  { title: '503', reaction: status(503), code: 'UPSTREAM_UNAVAILABLE' },
  { title: '504', reaction: status(504), code: 'UPSTREAM_TIMEOUT' },
  { title: '522', reaction: status(522), code: 'UPSTREAM_UNAVAILABLE' },
  { title: '524', reaction: status(524), code: 'UPSTREAM_TIMEOUT' },
  {
    title: '429 with a short wait',
    reaction: status(429, { 'ratelimit-reset': '0.05' }),
    code: 'RATE_LIMITED',
  },
];

const passingCases = upstreams.flatMap((upstream) =>
  passing.map((kind) => ({ upstream, ...kind })),
);

describe.each(passingCases)('a read of $upstream that meets $title', (row) => {
  const { upstream, reaction, code } = row;
  const { document, field } = reads[upstream];

  it.each([
    ['once is sent again', [reaction, well(upstream)], 2],
    ['twice is sent once more', [reaction, reaction, well(upstream)], 3],
  ] as const)('%s', async (_, reactions, calls) => {
    const { calls: sent } = await start(upstream, oneAfterTheOther(reactions));
    const { body } = await stack.query(document);
    expect(body).toEqual({ data: { [field]: { name: 'well' } } });
    expect(sent).toHaveLength(calls);
  });

  it('always is given up after the third time', async () => {
    const { calls } = await start(upstream, () => reaction);
    const { body } = await stack.query(document);
    expect(body.data).toEqual({ [field]: null });
    expect(body.errors).toMatchObject([{ extensions: { code, retryable: true } }]);
    expect(calls).toHaveLength(3);
    expect(new Set(calls).size).toBe(1);
  });
});

it('a read whose connection is refused is tried three times', async () => {
  stack = await startStack({
    management: unexpected,
    observability: unexpected,
    config: { observabilityUrl: await refusingUrl() },
  });
  const { body } = await stack.query(reads.observability.document, {
    headers: { 'sluice-explain': '1' },
  });
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(body.extensions.upstream).toHaveLength(3);
});

it('a read that meets one thing after another is sent three times in all', async () => {
  const { calls } = await start('management', oneAfterTheOther([reset, status(503), status(504)]));
  const { body } = await stack.query(reads.management.document);
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(calls).toHaveLength(3);
});

it.each([
  [0, 1],
  [1, 2],
])('where %i retries are allowed, a read is sent %i times', async (maxRetries, sent) => {
  const { calls } = await start('management', () => status(503), { maxRetries });
  const { body } = await stack.query(reads.management.document);
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(calls).toHaveLength(sent);
});

it('no retry follows a retry that met a lasting failure', async () => {
  const { calls } = await start('management', oneAfterTheOther([status(503), status(403)]));
  const { body } = await stack.query(reads.management.document);
  expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(calls).toHaveLength(2);
});

const html = (text: string): Answer => ({ headers: { 'content-type': 'text/html' }, body: text });

const lasting: readonly (readonly [title: string, reaction: Reaction])[] = [
  ...[301, 302, 304, 400, 401, 403, 404, 408, 409, 410, 413, 422, 424, 425, 500, 501, 505, 527].map(
    (code) => [String(code), status(code)] as const,
  ),
  ['204', { status: 204, body: '' }],
  ['an empty 200', html('')],
  ['HTML', html('<h1>Sign in</h1>')],
  ['truncated JSON', { headers: { 'content-type': 'application/json' }, body: '{"data":{' }],
  ['a wrong envelope', json({ id: 'a1', name: 'bare' })],
  ['an envelope with a status of 503', json({ status: 503, error: 'later' })],
  ['what is not HTTP', ({ socket }) => socket?.end('SSH-2.0-OpenSSH_9.9\r\n')],
];

describe.each(upstreams)('a read of %s is not sent again after', (upstream) => {
  it.each(lasting)('%s', async (_, reaction) => {
    const { calls } = await start(upstream, () => reaction);
    const { body } = await stack.query(reads[upstream].document);
    expect(body.errors).toHaveLength(1);
    expect(calls).toHaveLength(1);
  });
});

const writes = [
  {
    method: 'POST',
    upstream: 'observability',
    field: 'createDashboard(input: {name: "d"}) { dashboard { name } }',
  },
  {
    method: 'DELETE',
    upstream: 'observability',
    field: 'deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId }',
  },
  {
    method: 'PUT',
    upstream: 'observability',
    field: `updateAlert(input: {alertId: "a1", threshold: 1, interval: "1m", thresholdType: ABOVE,
      source: TILE, dashboardId: "d1", tileId: "t1", channel: {type: "webhook", webhookId: "w"},
      name: "n", message: "m"}) { alert { name } }`,
  },
  {
    method: 'POST',
    upstream: 'management',
    field: `createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]}) { keyId }`,
  },
  {
    method: 'PATCH',
    upstream: 'management',
    field: `updateServicePassword(input: {${ofService}}) { password }`,
  },
] as const;

describe.each(writes)(
  'a $method to $upstream is sent once when it meets',
  ({ method, upstream, field }) => {
    it.each(passing)('$title', async ({ reaction, code }) => {
      const { calls } = await start(upstream, ({ method }) =>
        method === 'GET' ? well(upstream) : reaction,
      );
      const { body } = await stack.query(`mutation { ${field} }`);
      expect(body.errors).toMatchObject([
        { extensions: { code, retryable: code === 'RATE_LIMITED' } },
      ]);
      const writes = calls.filter((call) => !call.startsWith('GET '));
      expect(writes.map((call) => call.split(' ')[0])).toEqual([method]);
    });
  },
);

it('a write is sent once, though its connection was used before and has been closed since', async () => {
  const { calls } = await start('observability', ({ method }) =>
    method === 'GET' ? well('observability') : reset,
  );
  await stack.query(`mutation { ${writes[2].field} }`);
  expect(calls).toEqual(['GET /api/v2/alerts/a1', 'PUT /api/v2/alerts/a1']);
});

it('of an update that has to read first, the read alone is sent again', async () => {
  let gets = 0;
  const { calls } = await start('observability', ({ method }) => {
    if (method !== 'GET') return status(503);
    gets += 1;
    return gets === 1 ? status(503) : well('observability');
  });
  const { body } = await stack.query(
    'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
  );
  expect(body.errors).toMatchObject([
    { path: ['updateAlert', 'alert'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['GET', 'GET', 'PUT']);
});
