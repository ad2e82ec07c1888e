import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults } from '../../sandbox/faults.ts';
import { readLimits } from '../../sandbox/settings.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { startSandboxStack } from '../support/harness.ts';
import { firstCells, section, table } from '../support/readme-text.ts';

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

describe('README: what a page costs', () => {
  const rows = table(section('What a page costs'), 'Selection', 'Management', 'Observability');
  const numbers = { m: 1, n: Object.keys(management.services).length };
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  afterAll(() => stack.close());

  it('tells the cost of pages of both interfaces', () => {
    expect(rows.filter(([, of]) => of !== '0').length).toBeGreaterThan(3);
    expect(rows.filter(([, , of]) => of !== '0').length).toBeGreaterThan(2);
  });

  it.each(rows)('%s: %s calls to management, %s to observability', async (selection, ...costs) => {
    stack.calls.length = 0;
    const { body } = await stack.query(operationOf(selection ?? ''));
    expect(body.errors).toBeUndefined();
    const made = (['management', 'observability'] as const).map(
      (name) => stack.calls.filter(({ upstream }) => upstream === name).length,
    );
    expect(made).toEqual(costs.map((cost) => sumOf(cost, numbers)));
  });
});

it('README: how often to ask tells for how long each read is fresh', () => {
  const kinds: Readonly<Record<string, string>> = {
    Pipe: 'pipes',
    Alert: 'alerts',
    Service: 'services',
    Dashboard: 'dashboards',
    Organization: 'organizations',
    Invitation: 'invitations',
    BackupConfiguration: 'backup configurations',
  };
  const kindOf = (operation: string): string =>
    kinds[operation.replace(/^(get|list)/, '').replace(/s$/, '')] ?? operation;
  const rows = Object.entries({ ...managementOperations('command'), ...observabilityOperations });
  const reads = rows.flatMap(([name, { freshSeconds }]) =>
    freshSeconds === undefined ? [] : [`${kindOf(name)}: ${freshSeconds} s`],
  );
  const told = table(section('How often to ask'), 'What is read', 'Fresh for').flatMap(
    ([names = '', seconds = '']) => names.split(', ').map((name) => `${name}: ${seconds}`),
  );
  expect(told.sort()).toEqual([...new Set(reads)].sort());
});

describe('README: the sandbox', () => {
  const text = section('For frontend developers without a backend');

  it('has limits by default', () => {
    const rows = table(text, 'Sandbox variable', 'Default');
    expect(rows.find(([name]) => name === 'SANDBOX_LIMITS')?.[1]).toBe(readLimits() ? 'on' : 'off');
  });

  it('has exactly these credentials that fail on purpose', () => {
    const tokens = faults.map((fault) => credentials.failing.observability[fault].token);
    expect(firstCells(table(text, 'Credential', 'What its calls get'))).toEqual(tokens.sort());
  });
});
