import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from '../../sandbox/faults.ts';
import { readLimits } from '../../sandbox/settings.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';
import { startSandboxStack } from '../support/harness.ts';

const { main: management } = world.management;
const { main: observability } = world.observability;

const idsOf: Readonly<Record<string, string>> = {
  organization: `id: "${management.organizationId}"`,
  service: `organizationId: "${management.organizationId}", serviceId: "${management.services.production}"`,
  dashboard: `id: "${observability.dashboards.ingestion}"`,
  alert: `id: "${Object.values(observability.alerts)[0]}"`,
};

/** `service(…) { name }` with the identifiers of a service of the sandbox. */
const operationOf = (selection: string): string =>
  `{ ${selection.replace(/^(\w+)\(…\)/, (_, field: string) => `${field}(${idsOf[field]})`)} }`;

/** The value of a sum such as `2n + 1`. */
const sumOf = (sum: string, numbers: Readonly<Record<string, number>>): number =>
  sum
    .split(' + ')
    .map((term) => /^(\d*)([mn]?)$/.exec(term) ?? [])
    .map(([, factor = '?', letter = '']) => Number(factor || 1) * (numbers[letter] ?? 1))
    .reduce((total, value) => total + value, 0);

let stack: Awaited<ReturnType<typeof startSandboxStack>>;
beforeAll(async () => {
  stack = await startSandboxStack();
});
afterAll(() => stack.close());

/** The calls to management and to observability that a selection makes. */
const costOf = async (selection: string): Promise<readonly number[]> => {
  stack.calls.length = 0;
  const { body } = await stack.query(operationOf(selection));
  expect(body.errors).toBeUndefined();
  return (['management', 'observability'] as const).map(
    (name) => stack.calls.filter(({ upstream }) => upstream === name).length,
  );
};

const numbers = { m: 1, n: Object.keys(management.services).length };
const callsOf = (cost: string): number => sumOf(cost, numbers);

describe('docs/clients.md: what a page costs', () => {
  const rows = table(section('docs/clients.md', 'What a page costs'), 'Selection', 'Management');

  it('tells the cost of pages of both interfaces', () => {
    expect(rows.filter(([, of]) => of !== '0').length).toBeGreaterThan(3);
    expect(rows.filter(([, , of]) => of !== '0').length).toBeGreaterThan(2);
  });

  it.each(rows)('%s: %s calls to management, %s to observability', async (selection, ...costs) => {
    expect(await costOf(selection ?? '')).toEqual(costs.map(callsOf));
  });
});

describe('README.md: what a page costs, in short', () => {
  const rows = table(section('README.md', 'What a page costs, in short'), 'A page that shows');
  const selections: Readonly<Record<string, string>> = {
    'one service': 'service(…) { name }',
    'one service with its pipes': 'service(…) { name pipes { name } }',
    'one organization, its `n` services and the pipes of each':
      'organization(…) { name services { name pipes { name } } }',
    'all dashboards with their tiles and alerts':
      'dashboards { name tiles { name } alerts { name } }',
  };

  it.each(rows)('%s: %s calls to management, %s to observability', async (page = '', ...costs) => {
    expect(await costOf(selections[page] ?? '')).toEqual(costs.map(callsOf));
  });
});

const kinds: Readonly<Record<string, string>> = {
  Pipe: 'pipes',
  PipeSetting: 'pipes',
  Alert: 'alerts',
  Service: 'services',
  Dashboard: 'dashboards',
  Organization: 'organizations',
  Invitation: 'invitations',
  BackupConfiguration: 'backup configurations',
  DataSource: 'data sources',
  Webhook: 'webhooks',
  SavedSearche: 'saved searches',
};
const kindOf = (operation: string): string =>
  kinds[operation.replace(/^(get|list)/, '').replace(/s$/, '')] ?? operation;

/** For how many seconds each kind of read is fresh. */
const freshness = new Map(
  Object.entries({ ...managementOperations('command'), ...observabilityOperations }).flatMap(
    ([name, { freshSeconds }]) =>
      freshSeconds === undefined ? [] : [[kindOf(name), freshSeconds] as const],
  ),
);

it.each(['README.md', 'docs/operating.md'])('%s tells the same seconds', (page) => {
  const text = read(page).replaceAll(/\s+/g, ' ').toLowerCase();
  const of = (kind: string) => freshness.get(kind);
  expect(text).toMatch(new RegExp(`pipes and alerts (are|stay) fresh for ${of('pipes')} seconds`));
  expect(text).toContain(`services and dashboards for ${of('services')},`);
  expect(text).toContain(`organizations for ${of('organizations')}`);
});

describe('docs/clients.md: the sandbox', () => {
  const text = section('docs/clients.md', 'Work without a backend');

  it('has limits by default', () => {
    const rows = table(text, 'Sandbox variable', 'Default');
    expect(rows.find(([name]) => name === 'SANDBOX_LIMITS')?.[1]).toBe(readLimits() ? 'on' : 'off');
  });

  it('has exactly these credentials that fail on purpose', () => {
    const tokens = faults.map((fault) => credentials.failing.observability[fault].token);
    expect(firstCells(table(text, 'Credential', 'What its calls get'))).toEqual(tokens.sort());
  });
});
