import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { data, json, result, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

/** Stands in every part of a request but its document's own names, and must never be logged. */
const canary = 'cnry';
const leaks = /cnry|Y25yeS1/i;
const organizationId = withIds('organization-1');
const organization = `organization(id: "${organizationId}") { name }`;

type Line = Readonly<Record<string, unknown>>;
type Way = 'json' | 'responseJson' | 'GET';
const postWays = ['json', 'responseJson'] as const;
const ways = [...postWays, 'GET'] as const;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The gateway; `linesOf` sends a request and gives the lines that are logged of it. */
const start = async (config: Partial<Config> = {}) => {
  const stack: Stack = await startStack({
    management: ({ method }) =>
      method === 'DELETE' ? json({}, 500) : result({ id: organizationId, name: `${canary}-name` }),
    observability: ({ path }) =>
      path === '/api/v2/alerts'
        ? data([{ id: `${canary}-id`, name: `${canary}-alert` }])
        : json({ message: `${canary} is gone` }, 404),
    config,
  });
  onTestFinished(() => stack.close());
  let sent = 0;
  const send = async (way: Way, requestId: string, params: unknown): Promise<void> => {
    const url = new URL(stack.url);
    if (way === 'GET') {
      for (const [name, value] of Object.entries(params as object)) {
        if (value === undefined) continue;
        url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      }
    }
    const accept = way === 'json' ? 'application/json' : 'application/graphql-response+json';
    const response = await fetch(url, {
      ...(way !== 'GET' && {
        method: 'POST',
        body: typeof params === 'string' ? params : JSON.stringify(params),
      }),
      headers: {
        ...{ 'content-type': 'application/json', accept, 'x-request-id': requestId },
        'management-authorization': `Basic ${btoa(`${canary}-key:${canary}-secret`)}`,
        'observability-authorization': `Bearer ${canary}-token`,
        ...{ cookie: canary, 'x-forwarded-for': `${canary}.example`, 'user-agent': canary },
      },
    });
    await response.text();
  };
  const linesOf = async (way: Way, params: unknown): Promise<readonly Line[]> => {
    sent += 1;
    const id = sent;
    await send(way, `request-${id}`, params);
    const logged = (requestId: string): readonly Line[] =>
      stack
        .log()
        .split('\n')
        .filter((line) => line.includes('"msg":"operation"'))
        .map((line): Line => JSON.parse(line))
        .filter((line) => line.requestId === requestId);
    // Once another request's line has followed.
    await send('json', `marker-${id}`, { query: '{ __typename }' });
    await expect.poll(() => logged(`marker-${id}`).length).toBe(1);
    expect(stack.log()).not.toMatch(leaks);
    return logged(`request-${id}`);
  };
  return { ...stack, linesOf };
};

/** The line of an operation, whole: these members stand in it, and no others. */
const lineWith = (more: Line): Line => ({
  ...{ level: 30, msg: 'operation', time: expect.any(Number), milliseconds: expect.any(Number) },
  requestId: expect.stringMatching(/^request-\d+$/),
  ...{ upstreamCalls: 0, waitedMilliseconds: expect.any(Number), codes: [] },
  kept: { fresh: 0, stale: 0 },
  callsLeft: { management: null, observability: null },
  ...more,
});

interface Row {
  readonly title: string;
  readonly query: string;
  readonly variables?: unknown;
  readonly name?: string;
  /** What is hashed, where it is not the query as it came. */
  readonly hashed?: string;
  readonly calls?: number;
  readonly codes?: readonly string[];
}

const rows: readonly Row[] = [
  {
    title: 'two reads',
    query: `query Both { ${organization} alerts { name } }`,
    name: 'Both',
    calls: 2,
  },
  { title: 'no name', query: '{ alerts { name } }', calls: 1 },
  {
    title: 'variables',
    query: 'query Search($filter: AlertFilter) { alerts(filter: $filter) { name } }',
    variables: { filter: { nameContains: canary, tileId: canary } },
    ...{ name: 'Search', calls: 1 },
  },
  {
    title: 'values of its own, and two kinds of errors',
    query: `query Two { alert(id: "${canary}") { name } other: alert(id: "no/${canary}") { name } }`,
    ...{ name: 'Two', calls: 1, codes: ['BAD_USER_INPUT', 'NOT_FOUND'] },
  },
  { title: 'introspection', query: 'query S { __schema { queryType { name } } }', name: 'S' },
];
const writes: readonly Row[] = [
  {
    title: 'a mutation',
    query:
      'mutation Rename($input: UpdateOrganizationInput!) { updateOrganization(input: $input) { organization { name } } }',
    variables: { input: { organizationId, name: canary } },
    ...{ name: 'Rename', calls: 1 },
  },
  {
    title: 'a mutation that is refused as data',
    query: `mutation Refused { deleteDashboard(input: {dashboardId: "no/${canary}"}) { userErrors { message } } }`,
    hashed:
      'mutation Refused { deleteDashboard(input: {dashboardId: ""}) { userErrors { message } } }',
    name: 'Refused',
  },
];

const refused = {
  'a syntax error': { query: `{ alerts(filter: "${canary} ` },
  'an unknown field': { query: 'query Unknown { nothing }' },
  'too many tokens': { query: `{ ${'a '.repeat(2001)} }` },
  'variables that do not fit': {
    query: 'query Misfit($id: ID!) { alert(id: $id) { name } }',
    variables: { id: { canary } },
  },
  'no such operation': { query: 'query Known { alerts { name } }', operationName: canary },
  'a name that would write a line': {
    query: 'query Fine { __typename }',
    operationName: `Fine\n{"level":50,"msg":"${canary}"}`,
  },
} as const;

describe.each(ways)('an operation that came by %s has one line', (way) => {
  it.each(way === 'GET' ? rows : [...rows, ...writes])('with $title', async (row) => {
    const { linesOf } = await start();
    const { query, variables, name, hashed = query, calls = 0, codes = [] } = row;
    const type = query.startsWith('mutation') ? 'mutation' : 'query';
    // The second time its document is known.
    for (let time = 0; time < 2; time += 1) {
      const lines = await linesOf(way, { query, variables });
      const [line] = lines;
      expect({ ...line, codes: [...new Set(line?.codes as string[])].sort() }).toEqual(
        lineWith({
          ...{ operationType: type, operationHash: sha256(hashed), upstreamCalls: calls, codes },
          ...(name !== undefined && { operationName: name }),
        }),
      );
      expect(lines).toHaveLength(1);
    }
  });

  it.each(Object.entries(refused))('though it is refused: %s', async (_, params) => {
    const { calls, linesOf } = await start();
    const lines = await linesOf(way, params);
    expect(lines).toEqual([expect.objectContaining({ upstreamCalls: 0 })]);
    expect(lines[0]?.codes).toEqual([expect.stringMatching(/^[A-Z_]+$/)]);
    expect([undefined, sha256(params.query)]).toContain(lines[0]?.operationHash);
    expect(calls).toEqual([]);
  });
});

describe('a request has one line of log at most, with nothing of the request:', () => {
  it.each([
    ['no JSON', `{"query": "${canary}`],
    ['a list', `[{"query": "{ ${canary} }"}]`],
    ['no query', `{"variables": {"password": "${canary}"}}`],
    ['an unknown member', `{"query": "{ __typename }", "${canary}": 1}`],
    ['a body that is too long', JSON.stringify({ query: `{ a }${canary.repeat(100_000)}` })],
  ])('%s', async (_, body) => {
    const { linesOf } = await start();
    for (const way of postWays) expect((await linesOf(way, body)).length).toBeLessThanOrEqual(1);
  });

  it('a mutation by GET, which is refused', async () => {
    const { calls, linesOf } = await start();
    const query = `mutation { deleteDashboard(input: {dashboardId: "${canary}"}) { deletedDashboardId } }`;
    expect((await linesOf('GET', { query })).length).toBeLessThanOrEqual(1);
    expect(calls).toEqual([]);
  });
});

it('counts the calls of the operation itself, and of no other', async () => {
  const { linesOf } = await start();
  const lines = await Promise.all([
    linesOf('responseJson', { query: '{ alert(id: "a") { name } }' }),
    linesOf('json', { query: `{ ${organization} alerts { name } dashboards { name } }` }),
  ]);
  expect(lines.flat().map(({ upstreamCalls }) => upstreamCalls)).toEqual([1, 3]);
});

describe('a persisted operation', () => {
  const text = 'query Kept { alerts { name } }';
  const hash = sha256(text);
  const startPersisted = (persistedOperations: 'allow' | 'only') => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const persistedOperationsFile = join(folder, 'manifest.json');
    writeFileSync(persistedOperationsFile, JSON.stringify({ [hash]: text }));
    return start({ persistedOperations, persistedOperationsFile });
  };

  it.each(['allow', 'only'] as const)('has a line with its hash: %s', async (mode) => {
    const { linesOf } = await startPersisted(mode);
    const persistedQuery = { version: 1, sha256Hash: hash };
    for (const [way, params] of [
      ...postWays.map((each) => [each, { documentId: hash }] as const),
      ...ways.map((each) => [each, { extensions: { persistedQuery } }] as const),
    ]) {
      const named = { operationName: 'Kept', operationType: 'query', operationHash: hash };
      expect(await linesOf(way, params)).toEqual([lineWith({ ...named, upstreamCalls: 1 })]);
    }
  });

  it.each([
    [{ documentId: sha256('another') }, 'PERSISTED_QUERY_NOT_FOUND'],
    [{ documentId: canary }, undefined],
    [{ query: '{ alerts { name } }' }, 'PERSISTED_OPERATION_REQUIRED'],
  ])('that is refused has a line at most, with the code: %j', async (params, code) => {
    const { calls, linesOf } = await startPersisted('only');
    for (const way of postWays) {
      const lines = await linesOf(way, params);
      expect(lines.length).toBeLessThanOrEqual(1);
      if (code !== undefined) for (const line of lines) expect(line.codes).toEqual([code]);
    }
    expect(calls).toEqual([]);
  });
});
