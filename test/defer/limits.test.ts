import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { data, result, startStack } from '../support/harness.ts';
import { askInParts, type Part } from '../support/in-parts.ts';

/** Asks a gateway whose upstream has so many alerts, all of one dashboard. */
const ask = async (alerts: number, message: string, config: Partial<Config>, document: string) => {
  const rows = Array.from({ length: alerts }, (_, index) => ({
    id: `a${index}`,
    dashboard: 'd1',
    message,
  }));
  const stack = await startStack({
    management: () => result([]),
    observability: ({ path }) => data(path.endsWith('/alerts') ? rows : { id: 'd1', name: 'd' }),
    config,
  });
  onTestFinished(() => stack.close());
  const { ended, text } = askInParts(stack, document);
  const parts = await ended;
  const errors = errorsOf(parts);
  return {
    stack,
    text,
    parts,
    errors,
    codes: [...new Set(errors.map(({ extensions }) => extensions.code))],
  };
};

interface Failure {
  readonly extensions: { readonly code: string };
}
const errorsOf = (parts: readonly Part[]) =>
  parts.flatMap(({ errors = [], incremental = [] }) => [
    ...errors,
    ...incremental.flatMap((each) => each.errors ?? []),
  ]) as readonly Failure[];

describe('later parts count in the limits of an operation:', () => {
  it('what it may cost', async () => {
    const below = (depth: number): string =>
      depth === 0 ? 'name' : `alerts { dashboard { ${below(depth - 1)} } }`;
    const { stack, parts, codes } = await ask(
      1,
      'm',
      {},
      `{ dashboards { name ... @defer { ${below(7)} } } }`,
    );
    expect([parts.length, codes, stack.calls]).toEqual([1, ['LIMIT_EXCEEDED'], []]);
  });

  it('the calls that it may make', async () => {
    const document = '{ alerts { id } ... @defer { dashboards { id } } }';
    const { stack, parts, codes } = await ask(1, 'm', { maxUpstreamCalls: 1 }, document);
    expect(parts[0]?.data).toEqual({ alerts: [{ id: 'a0' }] });
    expect([codes, stack.calls.length]).toEqual([['UPSTREAM_BUDGET_EXCEEDED'], 1]);
  });

  it('its size, of lists that multiply each other', async () => {
    const document =
      '{ alerts { dashboard { ... @defer { alerts { dashboard { alerts { dashboard { alerts { message } } } } } } } } }';
    const { stack, parts, errors, codes, text } = await ask(
      300,
      'm',
      { maxResponseSize: 2 * 1024 * 1024 },
      document,
    );
    expect(codes).toEqual(['LIMIT_EXCEEDED']);
    expect(errors.length).toBeLessThanOrEqual(100 + parts.length * 300);
    expect(text().length).toBeLessThan(8 * 1024 * 1024);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
    expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('its size, of text; what came before stays', async () => {
    const document =
      '{ a: alerts { message } ... @defer { b: alerts { message } } ... @defer { c: alerts { message } d: dashboard(id: "d1") { name } } }';
    const { parts, codes } = await ask(10, 'm'.repeat(100), { maxResponseSize: 3500 }, document);
    expect(parts[0]?.data).toMatchObject({ a: { length: 10 } });
    expect([codes, parts.at(-1)?.hasNext]).toEqual([['LIMIT_EXCEEDED'], false]);
  });

  it('its size, where what a mutation made stays', async () => {
    const document =
      'mutation { createDashboard(input: {name: "new"}) { dashboard { name ... @defer { alerts { message } } } userErrors { code } } }';
    const { parts, codes } = await ask(10, 'm'.repeat(1000), { maxResponseSize: 8000 }, document);
    expect(parts[0]?.data).toEqual({
      createDashboard: { dashboard: { name: 'd' }, userErrors: [] },
    });
    expect(codes).toEqual(['LIMIT_EXCEEDED']);
  });

  it('and fragments without @defer are no later parts', async () => {
    const document =
      '{ alerts { ...F ... { message } } ... @defer { dashboard(id: "d1") { name } } } fragment F on Alert { id }';
    const { parts, errors } = await ask(100, 'm', { maxResponseSize: 100_000 }, document);
    expect(parts[0]?.data).toMatchObject({ alerts: { length: 100 } });
    expect(errors).toEqual([]);
  });
});
