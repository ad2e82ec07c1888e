import { isEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { faults } from '../../sandbox/faults.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';
import { useSandboxStack } from '../support/harness.ts';

const { main: management } = world.management;
const { main: observability } = world.observability;
const idsOf: Readonly<Record<string, string>> = {
  organization: `organizationId: "${management.organizationId}"`,
  service: `organizationId: "${management.organizationId}", serviceId: "${management.services.production}"`,
  dashboard: `dashboardId: "${observability.dashboards.ingestion}"`,
  alert: `alertId: "${Object.values(observability.alerts)[0]}"`,
};

/** The value of a sum such as `m + n + 1`. */
const sumOf = (sum: string, numbers: Readonly<Record<string, number>>): number =>
  sum.split(' + ').reduce((total, term) => total + (numbers[term] ?? Number(term)), 0);

describe('docs/clients.md: what a page costs', () => {
  const stack = useSandboxStack();

  const rows = table(section('docs/clients.md', 'What a page costs'), 'Selection', 'Management');
  it.each(rows)(
    'docs/clients.md says what a page costs: %s: %s calls to management, %s to observability',
    async (selection, ...costs) => {
      stack.calls.length = 0;
      const fields = selection?.replace(/^(\w+)\(…\)/, (_, field) => `${field}(${idsOf[field]})`);
      const { body } = await stack.query(`{ ${fields} }`);
      expect(body.errors).toBeUndefined();
      const calls = ['management', 'observability'].map(
        (name) => stack.calls.filter(({ upstream }) => upstream === name).length,
      );
      const numbers = { m: 1, n: Object.keys(management.services).length };
      expect(calls).toEqual(costs.map((cost) => sumOf(cost, numbers)));
    },
  );
});

describe('docs/clients.md', () => {
  const page = read('docs/clients.md');

  it('docs/clients.md lists exactly the codes of top-level errors', () => {
    const [, union = ''] =
      read('src/errors/describe.ts').match(/^export type ErrorCode =([^;]*);/m) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
    expect(codes).toContain('NOT_FOUND');
    expect(firstCells(table(section('docs/clients.md', 'Errors'), 'Code', 'When'))).toEqual(
      codes.sort(),
    );
  });

  it('docs/clients.md lists exactly the codes of userErrors', () => {
    const type = createSchema().getType('UserErrorCode');
    const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
    expect(firstCells(table(page, 'Code', 'Meaning'))).toEqual(codes.sort());
  });

  it('docs/clients.md lists exactly the credentials of the sandbox that fail on purpose', () => {
    const tokens = faults.map((fault) => credentials.failing.observability[fault].token);
    expect(firstCells(table(page, 'Credential', 'What its calls get'))).toEqual(tokens.sort());
  });
});

it('docs/operating.md names every message of the log', () => {
  const files = [
    ...[
      'config/start',
      'gateway/server',
      'gateway/http',
      'gateway/tracing',
      'gateway/yoga',
      'main',
      'process',
    ],
    ...['plugins/browser', 'plugins/errors', 'plugins/live', 'plugins/operation-log'],
  ];
  const code = files.map((path) => read(`src/${path}.ts`)).join('\n');
  const calls = code.match(/\b(?:log\.\w+|write(?:Line)?)\([\s\S]*?\);?\n/g) ?? [];
  const written = calls.flatMap((call) =>
    [...call.matchAll(/'([a-zA-Z][^']*)'/g)].map(([, text = '']) => text),
  );
  const rows = table(section('docs/operating.md', 'Log'), 'msg', 'When');
  const named = rows.flatMap(([cell = '']) => cell.replaceAll(/ ?`/g, '').split(/,(?=\w)/));
  expect(written.length).toBeGreaterThan(8);
  expect(named.map((name) => name.trim()).sort()).toEqual([...new Set(written)].sort());
});

it('CONTRIBUTING.md lists every script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
  const rows = table(section('CONTRIBUTING.md', 'Scripts'), 'Script', 'Does');
  const named = firstCells(rows).flatMap(
    (cell) => cell.replace(/npm (run )?/, '').match(/[\w:]+/g) ?? [],
  );
  // npm runs scripts that begin with `pre` by itself.
  const own = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
  expect(own.filter((name) => !named.includes(name))).toEqual([]);
});
