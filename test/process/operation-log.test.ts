import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import { credentials, data, json, result, stackInTest } from '../support/harness.ts';
import { createFolder, hashOf, manifestOf } from '../support/http/operations.ts';
import { serveMetrics } from '../support/metrics.ts';
import { holdTime } from '../support/pacing/time.ts';
import { withIds } from '../support/world/ids.ts';

/** Stands in every part of a request but its document's own names, and must never be logged. */
const canary = 'cnry';
const leaks = /cnry|Y25yeS1/i;
const organizationId = withIds('organization-1');
const organization = `organization(organizationId: "${organizationId}") { name }`;

type Line = Readonly<Record<string, unknown>>;
const own = 'application/graphql-response+json';
const ofUrql = `${own}, application/graphql+json, application/json, text/event-stream, multipart/mixed`;
/** By POST for who accepts this, as clients do, or by GET. */
const ways = ['application/json', own, 'GET', 'multipart/mixed,application/json', ofUrql] as const;

/** The gateway; `linesOf` sends a request and gives the lines that are logged of it. */
const start = async (given: Partial<Config> = {}) => {
  // Otherwise the names of credentials are random, and might once hold the canary.
  const config = { cacheSecret: 'a-secret-of-the-deployment-of-this-test', ...given };
  const stack = await stackInTest({
    management: () => result({ id: organizationId, name: `${canary}-name` }),
    observability: ({ path }) =>
      path === '/api/v2/alerts'
        ? data([{ id: `${canary}-id`, name: `${canary}-alert` }])
        : json({ message: `${canary} is gone` }, 404),
    config,
  });
  let sent = 0;
  const linesOf = async (way: string, params: object | string): Promise<readonly Line[]> => {
    sent += 1;
    const id = `request-${sent}`;
    const url = new URL(stack.url);
    if (way === 'GET')
      for (const [name, value] of Object.entries(params))
        url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    const body = typeof params === 'string' ? params : JSON.stringify(params);
    const response = await fetch(url, {
      ...(way !== 'GET' && { method: 'POST', body }),
      headers: {
        ...{ 'content-type': 'application/json', accept: way === 'GET' ? '*/*' : way },
        'management-authorization': `Basic ${btoa(`${canary}-key:${canary}-secret`)}`,
        'observability-authorization': `Bearer ${canary}-token`,
        ...{ cookie: canary, 'x-forwarded-for': `${canary}.example`, 'user-agent': canary },
        'x-request-id': id,
      },
    });
    await response.text();
    // Once another request's line has followed.
    await stack.query('{ __typename }', { headers: { 'x-request-id': `after-${id}` } });
    await expect.poll(stack.log).toContain(`"after-${id}"`);
    expect(stack.log()).not.toMatch(leaks);
    const logged: readonly Line[] = stack.lines();
    const own = logged.filter(({ requestId }) => requestId === id);
    expect(own.map(({ status }) => status)).toEqual([response.status]);
    return own;
  };
  return { ...stack, linesOf };
};

const name = expect.stringMatching(/^[\w-]{12}$/);

/** The line of an operation, whole: these members stand in it, and no others. */
const lineWith = (more: Line): Line => ({
  ...{ level: 'info', msg: 'operation', time: expect.any(String) },
  ...{ requestId: expect.stringMatching(/^request-\d+$/), status: 200 },
  ...{ milliseconds: expect.any(Number), credentials: { management: name, observability: name } },
  ...{ upstreamCalls: 0, waitedMilliseconds: expect.any(Number), codes: [] },
  kept: { fresh: 0, stale: 0 },
  callsLeft: { management: null, observability: null },
  ...more,
});

const both = `query Both { ${organization} alerts { name } }`;
const search = 'query Search($filter: AlertFilter) { alerts(filter: $filter) { name } }';
const rename =
  'mutation Rename($input: UpdateOrganizationInput!) { updateOrganization(input: $input) { organization { name } } }';
const two = `query Two { alert(alertId: "${canary}") { name } other: alert(alertId: "no/${canary}") { name } }`;
const refusedWrite = (id: string) =>
  `mutation Refused { deleteDashboard(input: {dashboardId: "${id}"}) { userErrors { message } } }`;

type Row = [title: string, calls: number, codes: string[], query: string, variables: object];
it.each<Row>([
  ['Both', 2, [], both, {}],
  ['no name', 1, [], '{ alerts { name } }', {}],
  ['Search', 1, [], search, { filter: { nameContains: canary, tileIdIn: [canary] } }],
  ['Two', 1, ['BAD_USER_INPUT', 'NOT_FOUND'], two, {}],
  ['Rename', 1, [], rename, { input: { organizationId, name: canary } }],
  ['Refused', 0, [], refusedWrite(`no/${canary}`), {}],
])(
  'an operation has a name, calls and codes: %s %i %j',
  async (title, calls, expectedCodes, query, variables) => {
    const operationType = query.startsWith('mutation') ? 'mutation' : 'query';
    // What a mutation is given in its document is hashed as empty.
    const operationHash = hashOf(title === 'Refused' ? refusedWrite('') : query);
    const named = title !== 'no name' && { operationName: title };
    const expected = { operationType, operationHash, upstreamCalls: calls, codes: expectedCodes };
    for (const way of title === 'Both' ? ways : ways.slice(0, 1)) {
      const { linesOf } = await start();
      // The second time its document is known.
      for (let time = 0; time < 2; time += 1) {
        const [line, ...others] = await linesOf(way, { query, variables });
        const codes = [line?.codes].flat().sort();
        expect([{ ...line, codes }, ...others]).toEqual([lineWith({ ...expected, ...named })]);
      }
    }
  },
);

describe('what is refused has one line, with a code where it is an operation:', () => {
  const query = 'query Fine { __typename }';
  it.each<[title: string, params: string | { readonly query: string }]>([
    ['a syntax error', { query: `{ alerts(filter: "${canary} ` }],
    ['an unknown field', { query: 'query Unknown { nothing }' }],
    ['a name that would write a line', { query, ...{ operationName: `Fine\n{"${canary}":1}` } }],
    ['variables that do not fit', { query: search, ...{ variables: { filter: canary } } }],
    ['no JSON', `{"query": "${canary}`],
    ['an unknown member', `{"query": "{ __typename }", "${canary}": 1}`],
    ['a body that is too long', JSON.stringify({ query: canary.repeat(100_000) })],
  ])('%s', async (_, params) => {
    const { calls, linesOf } = await start();
    for (const way of typeof params === 'string' ? ways.slice(0, 2) : ways) {
      const lines = await linesOf(way, params);
      if (typeof params === 'string') continue;
      const codes = [expect.stringMatching(/^[A-Z_]+$/)];
      expect(lines).toEqual([expect.objectContaining({ upstreamCalls: 0, codes })]);
      expect([undefined, hashOf(params.query)]).toContain(lines[0]?.operationHash);
    }
    expect(calls).toEqual([]);
  });
});

it('a caller that leaves before its response is told by the status', async () => {
  const gate = createGate();
  const { url, log } = await stackInTest({ observability: gate.answering });
  const leaving = leavable(url, '{ alerts { name } }', credentials);
  await gate.arrived(1);
  await leaving.leave();
  await expect.poll(log).toContain('"operation"');
  expect(JSON.parse(log())).toMatchObject({ status: 499, upstreamCalls: 1 });
});

it('a line counts the calls of the operation itself, and of no other', async () => {
  const { linesOf } = await start();
  const lines = await Promise.all([
    linesOf('application/json', { query: '{ alert(alertId: "a") { name } }' }),
    linesOf('GET', { query: `{ ${organization} alerts { name } dashboards { name } }` }),
  ]);
  expect(lines.flat().map(({ upstreamCalls }) => upstreamCalls)).toEqual([1, 3]);
});

describe('a persisted operation', () => {
  const text = 'query Kept { alerts { name } }';
  const hash = hashOf(text);
  const persistedOperationsFile = createFolder().fileOf(JSON.stringify(manifestOf(text)));
  const startPersisted = (persistedOperations: 'allow' | 'only') =>
    start({ persistedOperations, persistedOperationsFile });

  it.each(['allow', 'only'] as const)(
    'a persisted operation has a line with its hash: %s',
    async (mode) => {
      const { linesOf } = await startPersisted(mode);
      const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
      const named = { operationName: 'Kept', operationType: 'query', operationHash: hash };
      const expected = [lineWith({ ...named, upstreamCalls: 1 })];
      for (const way of ways) expect(await linesOf(way, { extensions })).toEqual(expected);
      expect(await linesOf('application/json', { documentId: hash })).toEqual(expected);
    },
  );
});

const trace = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${trace}-b7ad6b7169203331-01`;
const made = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const holding = { traceparent, tracestate: 'a=token-of-the-caller' };
it.each([
  ['that the caller gives', { 'x-request-id': 'caller-7' }, /^caller-7$/, undefined],
  ['beside a trace', { 'x-request-id': 'caller-7', traceparent }, /^caller-7$/, trace],
  ['in place of a trace that holds a credential', holding, made, undefined],
])(
  'an id %s joins the response, its errors, the log and the calls to both upstreams',
  async (_, headers, form, traceId) => {
    const observability = () => json({ message: 'no' }, 500);
    const stack = await stackInTest({ observability });
    const response = await stack.query('{ organizations { name } alerts { name } }', { headers });
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(form);
    expect(response.body.errors).toMatchObject([{ extensions: { requestId: id } }]);
    const sent = stack.calls.map((call) => [call.upstream, call.headers['x-request-id']]);
    expect(Object.fromEntries(sent)).toEqual({ management: id, observability: id });
    const logged = stack.lines();
    expect(logged.map((line) => [line.msg, line.requestId, line.trace_id])).toEqual([
      ['upstream call failed', id, traceId],
      ['operation', id, traceId],
    ]);
  },
);

const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
it.each<[title: string, status: number, path: string, init?: RequestInit]>([
  ['no type to answer in', 406, '/graphql?query={a}', { headers: { accept: 'image/png' } }],
  ['broken parameters', 400, '/graphql?query={a}&variables={'],
  [
    'an agent that lists tools',
    200,
    '/mcp',
    { ...post, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
  ],
  ['an agent without JSON', 400, '/mcp', { ...post, body: '{' }],
  ['an agent of a page', 403, '/mcp', { ...post, headers: { origin: 'https://a.example' } }],
])('a request that reaches no operation has a short line: %s', async (_, status, path, init) => {
  const { url, log } = await stackInTest({ config: { mcp: 'read' } });
  const response = await fetch(new URL(path, url), init);
  const requestId = response.headers.get('x-request-id');
  expect([response.status, requestId]).toEqual([status, expect.stringMatching(made)]);
  await expect.poll(log).not.toBe('');
  expect(JSON.parse(log())).toEqual({
    ...{ level: 'info', time: expect.any(String), msg: 'request', requestId, status },
    ...{ milliseconds: expect.any(Number), credentials: {} },
    ...(path === '/mcp' && { way: 'mcp' }),
  });
});

it('the fingerprint of a credential is equal for all its spellings, in one deployment alone, and no plain hash', async () => {
  const shown = async (
    cacheSecret: string | undefined,
    headers: Readonly<Record<string, string>>,
  ) => {
    const { query, log } = await stackInTest({ config: { cacheSecret } });
    await query('{ __typename }', { headers });
    return JSON.parse(log()).credentials;
  };
  const [one, other] = ['1', '2'].map((digit) => digit.repeat(32));
  const absent = { 'management-authorization': '', 'observability-authorization': '' };
  const token = btoa('key-id:key-secret').replace(/=+$/, '');
  const both = await shown(one, credentials);
  expect(both).toEqual({ management: name, observability: name });
  expect(await shown(`${one},${other}`, credentials)).toEqual(both);
  const spelt = { ...absent, authorization: `basic   ${token}` };
  expect(await shown(one, spelt)).toEqual({ management: both.management });
  expect(await shown(one, { ...absent, 'management-authorization': `Bearer ${token}` })).toEqual(
    {},
  );
  const elsewhere = [other, undefined, undefined].map((secret) => shown(secret, credentials));
  const all = [both, ...(await Promise.all(elsewhere))].flatMap((each) => Object.values(each));
  expect(new Set(all).size).toBe(8);
  for (const text of [...Object.values(credentials), 'key-id:key-secret']) {
    const hashes = (['hex', 'base64url'] as const).map((form) => hash('sha256', text, form));
    for (const each of hashes) expect(all).not.toContain(each.slice(0, 12));
  }
});

describe('LOG_SUCCESS_PERCENT', () => {
  const read = '{ alerts { name } }';
  const idsIn = (log: string) =>
    log
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line).requestId);

  it('LOG_SUCCESS_PERCENT=0 logs no success but changes and what is slow; metrics count all', async () => {
    const time = holdTime();
    onTestFinished(time.release);
    const { query, log, gateway } = await stackInTest({
      observability: ({ path }) => {
        if (path.endsWith('s')) time.pass(path === '/api/v2/dashboards' ? 5 : 4);
        return data([]);
      },
      config: { logSuccessPercent: 0, metricsPort: 0 },
    });
    const ask = (id: string, document: string) =>
      query(document, { headers: { 'x-request-id': id } });
    await ask('quick', read);
    await ask('slow', '{ dashboards { name } }');
    await ask('change', refusedWrite('da5b0000000000000000c4e1'));
    await ask('partly', '{ alerts { name } alert(alertId: "no/id") { name } }');
    await ask('wrong', '{ nothing }');
    expect(idsIn(log())).toEqual(['slow', 'change', 'partly', 'wrong']);
    const { value } = await (await serveMetrics(gateway))();
    expect(value('operations_total', 'query', 'ok')).toBe(2);
  });

  it('LOG_SUCCESS_PERCENT chooses the same requests in all replicas, and all requests of a trace or none', async () => {
    const start = () => stackInTest({ config: { logSuccessPercent: 50 } });
    const [one, other] = [await start(), await start()];
    const traces = Array.from({ length: 8 }, (_, index) =>
      traceparent.replace('0af7', `${index}af7`.slice(-4)),
    );
    for (const [index, parent] of traces.entries()) {
      for (const { query } of [one, other])
        await query('{ __typename }', { headers: { 'x-request-id': `request-${index}` } });
      for (const id of ['a', 'b'])
        await one.query('{ __typename }', {
          headers: { 'x-request-id': `${index}-${id}`, traceparent: parent },
        });
    }
    const all = idsIn(one.log()).map(String);
    const chosen = all.filter((id) => id.startsWith('request'));
    expect(idsIn(other.log())).toEqual(chosen);
    const traced = all.filter((id) => !id.startsWith('request'));
    expect(traced).toEqual(
      traced.flatMap((id) => (id.endsWith('a') ? [id, id.replace('a', 'b')] : [])),
    );
    for (const { length } of [chosen, traced]) {
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThan(length === chosen.length ? 8 : 16);
    }
  });
});
