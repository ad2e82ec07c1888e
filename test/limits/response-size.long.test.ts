import { afterEach, describe, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { isLong } from '../support/random/runs.ts';

let stack: Stack;
afterEach(() => stack.close());

/** A gateway whose upstream has so many alerts, all of one dashboard. */
const start = async (alerts: number, message: string, config = {}): Promise<void> => {
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

const codes = (errors: readonly { readonly extensions: { readonly code: string } }[]) => [
  ...new Set(errors.map(({ extensions }) => extensions.code)),
];

describe('the response to one operation has a largest size:', () => {
  it('lists that multiply each other are cut', async () => {
    // Filling the default of 32 MB takes seconds.
    await start(300, 'm', isLong ? {} : { maxResponseSize: 1024 * 1024 });
    // 300 to the fourth are eight thousand million objects, of one call.
    const nested =
      '{ alerts { dashboard { alerts { dashboard { alerts { dashboard { alerts { message } } } } } } } }';
    const { body, text } = await stack.query(nested);
    expect(codes(body.errors)).toEqual(['LIMIT_EXCEEDED']);
    expect(body.errors.length).toBeLessThanOrEqual(101);
    expect(text.length).toBeLessThan(64 * 1024 * 1024);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
    expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('aliases of one list count each', async () => {
    await start(10, 'm'.repeat(100), { maxResponseSize: 3300 });
    const { body } = await stack.query(
      '{ a: alerts { message } b: alerts { message } c: alerts { message } }',
    );
    expect([body.data.a.length, body.data.b.length, body.data.c]).toEqual([10, 10, null]);
    expect(codes(body.errors)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('the result of a finished mutation stays in the answer', async () => {
    await start(10, 'm'.repeat(1000), { maxResponseSize: 2500 });
    const { body } = await stack.query(
      'mutation { createDashboard(input: {name: "new"}) { dashboard { name alerts { message } } userErrors { code } } }',
    );
    expect(body.data).toEqual({
      createDashboard: { dashboard: { name: 'new', alerts: null }, userErrors: [] },
    });
    expect(codes(body.errors)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('one within it is answered in full', async () => {
    await start(40, 'm');
    const { body } = await stack.query('{ alerts { dashboard { alerts { message } } } }');
    expect(body.errors).toBeUndefined();
    expect(body.data.alerts[39].dashboard.alerts).toHaveLength(40);
  });
});
