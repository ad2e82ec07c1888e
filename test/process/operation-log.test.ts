import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json } from '../support/harness.ts';
import {
  canary,
  expectForm,
  get,
  type LogLine,
  linesAfter,
  organizationId,
  postWays,
  type Row,
  sha256,
  stack,
  start,
  ways,
} from '../support/process/log-lines.ts';

const organizationField = `organization(id: "${organizationId}") { name }`;
const reads: Readonly<Record<string, Row>> = {
  'a query': {
    params: { query: `query Both { ${organizationField} alerts { name } }` },
    name: 'Both',
    type: 'query',
    calls: 2,
    codes: [],
  },
  'one without a name': {
    params: { query: '{ alerts { name } }' },
    type: 'query',
    calls: 1,
    codes: [],
  },
  'one of two operations, chosen by its name': {
    params: {
      query: 'query First { __typename } query Second { alerts { name } }',
      operationName: 'Second',
    },
    name: 'Second',
    type: 'query',
    calls: 1,
    codes: [],
  },
  'one with variables': {
    params: {
      query: 'query Search($filter: AlertFilter) { alerts(filter: $filter) { name } }',
      variables: { filter: { nameContains: canary, tileId: canary } },
    },
    name: 'Search',
    type: 'query',
    calls: 1,
    codes: [],
  },
  'one with values of its own': {
    params: { query: `query Literal { alerts(filter: {nameContains: "${canary}"}) { name } }` },
    name: 'Literal',
    type: 'query',
    calls: 1,
    codes: [],
  },
  'partial data': {
    params: {
      query: `query Partial { ${organizationField} alert(id: "${canary}") { name } }`,
    },
    name: 'Partial',
    type: 'query',
    calls: 2,
    codes: ['NOT_FOUND'],
  },
  'two kinds of errors': {
    params: {
      query: `query Two { alert(id: "${canary}") { name } other: alert(id: "no/${canary}") { name } }`,
    },
    name: 'Two',
    type: 'query',
    calls: 1,
    codes: ['BAD_USER_INPUT', 'NOT_FOUND'],
  },
  introspection: {
    params: { query: 'query Schema { __schema { queryType { name } } }' },
    name: 'Schema',
    type: 'query',
    calls: 0,
    codes: [],
  },
};
const writes: Readonly<Record<string, Row>> = {
  'a mutation': {
    params: {
      query:
        'mutation Rename($input: UpdateOrganizationInput!) { updateOrganization(input: $input) { organization { name } } }',
      variables: { input: { organizationId, name: canary } },
    },
    name: 'Rename',
    type: 'mutation',
    calls: 1,
    codes: [],
  },
  'one that is refused as data': {
    params: {
      query: `mutation Refused { deleteDashboard(input: {dashboardId: "no/${canary}"}) { userErrors { message } } }`,
    },
    hashed:
      'mutation Refused { deleteDashboard(input: {dashboardId: ""}) { userErrors { message } } }',
    name: 'Refused',
    type: 'mutation',
    calls: 0,
    codes: [],
  },
};

const expectRow = (line: LogLine | undefined, row: Row): void => {
  expectForm(line);
  expect({ ...line, codes: [...new Set(line?.codes as string[])].sort() }).toMatchObject({
    operationType: row.type,
    operationHash: sha256(row.hashed ?? row.params.query),
    upstreamCalls: row.calls,
    codes: row.codes,
  });
  expect(line?.operationName ?? undefined).toBe(row.name);
};

describe.each(Object.entries(ways))('an operation that came by %s has one line:', (title, way) => {
  const rows = title === 'GET' ? reads : { ...reads, ...writes };
  it.each(Object.entries(rows))('%s', async (_, row) => {
    await start();
    // The second time its document is known.
    for (let time = 0; time < 2; time += 1) {
      const lines = await linesAfter(way, row.params);
      expect(lines).toHaveLength(1);
      expectRow(lines[0], row);
    }
  });

  it.each([
    ['a syntax error', { query: `{ alerts(filter: "${canary} ` }],
    ['an unknown field', { query: 'query Unknown { nothing }' }],
    ['a limit', { query: `query Wide { ${'__typename '.repeat(21)} }` }],
    ['too many tokens', { query: `{ ${'a '.repeat(2001)} }` }],
    [
      'variables that do not fit',
      {
        query: 'query Misfit($id: ID!) { alert(id: $id) { name } }',
        variables: { id: { canary } },
      },
    ],
    ['no such operation', { query: 'query Known { alerts { name } }', operationName: canary }],
    ['no name for two operations', { query: 'query A { __typename } query B { __typename }' }],
  ])('one that was refused, for %s', async (_, params) => {
    await start();
    for (let time = 0; time < 2; time += 1) {
      const lines = await linesAfter(way, params);
      expect(lines).toHaveLength(1);
      expectForm(lines[0]);
      expect(lines[0]).toMatchObject({ upstreamCalls: 0 });
      expect([undefined, sha256(params.query)]).toContain(lines[0]?.operationHash);
      expect(lines[0]?.codes).toEqual([expect.stringMatching(/^[A-Z_]+$/)]);
    }
    expect(stack.calls).toEqual([]);
  });
});

it('a mutation by GET, which is refused, has a line with its code', async () => {
  await start();
  const query = `mutation Write { deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId } }`;
  const lines = await linesAfter(get, { query });
  expect(lines.length).toBeLessThanOrEqual(1);
  for (const line of lines) {
    expectForm(line);
    expect(line).toMatchObject({ upstreamCalls: 0, codes: [expect.any(String)] });
  }
  expect(stack.calls).toEqual([]);
});

describe('a request that is no operation has one line of log at most, with nothing of the request:', () => {
  it.each([
    ['no JSON', `{"query": "${canary}`],
    ['a list', `[{"query": "{ ${canary} }"}]`],
    ['a text', `"${canary}"`],
    ['no query', `{"variables": {"password": "${canary}"}}`],
    ['an unknown member', `{"query": "{ __typename }", "${canary}": 1}`],
    ['variables that are a text', `{"query": "{ __typename }", "variables": "${canary}"}`],
    ['a body that is too long', JSON.stringify({ query: `{ a }${canary.repeat(100_000)}` })],
    [
      'an unknown extension',
      `{"query": "{ __typename }", "extensions": {"${canary}": "${canary}"}}`,
    ],
  ])('%s', async (_, body) => {
    await start();
    for (const way of Object.values(postWays)) {
      const lines = await linesAfter(way, body);
      expect(lines.length).toBeLessThanOrEqual(1);
      for (const line of lines) expectForm(line);
    }
  });
});

it('counts the calls of the operation itself, and of no other', async () => {
  await start();
  const [one, two] = await Promise.all([
    linesAfter(postWays.responseJson, { query: '{ alert(id: "a") { name } }' }),
    linesAfter(postWays.json, {
      query: `{ ${organizationField} alerts { name } dashboards { name } }`,
    }),
  ]);
  expect([one[0]?.upstreamCalls, two[0]?.upstreamCalls]).toEqual([1, 3]);
});

it('has the codes of failures, and nothing of the upstreams’ messages', async () => {
  await start({}, () => json({ message: canary }, 403));
  const lines = await linesAfter(postWays.responseJson, {
    query: `query Failing { a: alerts { name } b: alert(id: "a") { name } ${organizationField} }`,
  });
  expect(lines).toHaveLength(1);
  expectForm(lines[0]);
  expect(new Set(lines[0]?.codes as string[])).toEqual(new Set(['FORBIDDEN']));
});

it('tells a name no caller could use to write lines of his own', async () => {
  await start();
  const lines = await linesAfter(postWays.responseJson, {
    query: 'query Fine { __typename }',
    operationName: `Fine\n{"level":50,"msg":"${canary}"}`,
  });
  expect(lines).toHaveLength(1);
  expectForm(lines[0]);
});

describe('persisted operations', () => {
  const text = 'query Kept { alerts { name } }';
  const hash = sha256(text);
  const startPersisted = async (mode: 'allow' | 'only') => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify({ [hash]: text }));
    await start({ persistedOperations: mode, persistedOperationsFile: file });
  };
  const names: Readonly<Record<string, object>> = {
    documentId: { documentId: hash },
    extension: { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } },
  };

  it.each(['allow', 'only'] as const)('have a line with their hash: %s', async (mode) => {
    await startPersisted(mode);
    for (const [name, params] of Object.entries(names)) {
      for (const way of Object.values(name === 'extension' ? ways : postWays)) {
        const lines = await linesAfter(way, params);
        expect(lines).toHaveLength(1);
        expectForm(lines[0]);
        expect(lines[0]).toMatchObject({
          operationName: 'Kept',
          operationType: 'query',
          operationHash: hash,
          upstreamCalls: 1,
          codes: [],
        });
      }
    }
  });

  it.each([
    [{ documentId: sha256('another') }, 'PERSISTED_QUERY_NOT_FOUND'],
    [{ documentId: `${canary}` }, undefined],
    [{ query: '{ alerts { name } }' }, 'PERSISTED_OPERATION_REQUIRED'],
  ])('that are refused have a line at most, with the code: %j', async (params, code) => {
    await startPersisted('only');
    for (const way of Object.values(postWays)) {
      const lines = await linesAfter(way, params);
      expect(lines.length).toBeLessThanOrEqual(1);
      for (const line of lines) {
        expectForm(line);
        if (code !== undefined) expect(line.codes).toEqual([code]);
      }
    }
    expect(stack.calls).toEqual([]);
  });
});
