import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { askInParts, type Part } from '../support/in-parts.ts';

let stack: Stack;
afterEach(() => stack.close());

/** A gateway whose upstream has so many alerts, all of one dashboard. */
const start = async (
  alerts: number,
  message: string,
  config: Partial<Config> = {},
): Promise<void> => {
  const rows = Array.from({ length: alerts }, (_, index) => ({
    id: `a${index}`,
    dashboard: 'd1',
    message,
  }));
  stack = await startStack({
    management: () => result([]),
    observability: ({ method, path }) => {
      if (method === 'POST') return data({ id: 'd1', name: 'new' });
      return path.endsWith('/alerts') ? data(rows) : data({ id: 'd1', name: 'd' });
    },
    config,
  });
};

const errorsOf = (parts: readonly Part[]) =>
  parts.flatMap(({ errors = [], incremental = [] }) => [
    ...errors,
    ...incremental.flatMap((each) => each.errors ?? []),
  ]);

describe('later parts count in every limit of an operation:', () => {
  it('the cost', async () => {
    await start(1, 'm', { maxCost: 20 });
    const parts = await askInParts(stack, '{ ... @defer { alerts { dashboard { name } } } }').ended;
    expect(parts).toMatchObject([
      { errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'cost' } }] },
    ]);
    expect(stack.calls).toEqual([]);
  });

  it('the calls that it may make', async () => {
    await start(1, 'm', { maxUpstreamCalls: 1 });
    const parts = await askInParts(stack, '{ alerts { id } ... @defer { dashboards { id } } }')
      .ended;
    expect(parts[0]?.data).toEqual({ alerts: [{ id: 'a0' }] });
    expect(errorsOf(parts)).toMatchObject([{ extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } }]);
    expect(stack.calls).toHaveLength(1);
  });
});

describe('the response in parts has a largest size:', () => {
  const codes = (parts: readonly Part[]) => [
    ...new Set(
      errorsOf(parts).map((error) => (error as { extensions: { code: string } }).extensions.code),
    ),
  ];

  it('lists that multiply each other are cut, whichever part they are in', async () => {
    await start(300, 'm', { maxResponseSize: 2 * 1024 * 1024 });
    const nested =
      '{ alerts { dashboard { ... @defer { alerts { dashboard { alerts { dashboard { alerts { message } } } } } } } } }';
    const { ended, text } = askInParts(stack, nested);
    const parts = await ended;
    expect(codes(parts)).toEqual(['LIMIT_EXCEEDED']);
    expect(errorsOf(parts).length).toBeLessThanOrEqual(100 + parts.length * 300);
    expect(text().length).toBeLessThan(8 * 1024 * 1024);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
    expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('text counts, and what came before stays', async () => {
    await start(10, 'm'.repeat(100), { maxResponseSize: 3500 });
    const parts = await askInParts(
      stack,
      '{ a: alerts { message } ... @defer { b: alerts { message } } ... @defer { c: alerts { message } d: dashboard(id: "d1") { name } } }',
    ).ended;
    expect(parts[0]?.data).toMatchObject({ a: { length: 10 } });
    expect(codes(parts)).toEqual(['LIMIT_EXCEEDED']);
    expect(parts.at(-1)?.hasNext).toBe(false);
  });

  it('fragments without @defer are no later parts', async () => {
    await start(100, 'm', { maxResponseSize: 100_000 });
    const parts = await askInParts(
      stack,
      '{ alerts { ...F ... { message } } ... @defer { dashboard(id: "d1") { name } } } fragment F on Alert { id }',
    ).ended;
    expect(parts[0]?.data).toMatchObject({ alerts: { length: 100 } });
    expect(errorsOf(parts)).toEqual([]);
  });

  it('what a mutation made stays', async () => {
    await start(10, 'm'.repeat(1000), { maxResponseSize: 8000 });
    const parts = await askInParts(
      stack,
      'mutation { createDashboard(input: {name: "new"}) { dashboard { name ... @defer { alerts { message } } } userErrors { code } } }',
    ).ended;
    expect(parts[0]?.data).toEqual({
      createDashboard: { dashboard: { name: 'new' }, userErrors: [] },
    });
    expect(codes(parts)).toEqual(['LIMIT_EXCEEDED']);
  });
});
