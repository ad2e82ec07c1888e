import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import {
  type AnswerError,
  type Answering,
  data,
  type GraphQLAnswer,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { isLong } from '../support/random/runs.ts';

let stack: Stack;
afterEach(() => stack.close());

const errorsOf = ({ body }: GraphQLAnswer): readonly AnswerError[] => body.errors ?? [];
const codesOf = (answer: GraphQLAnswer) => [
  ...new Set(errorsOf(answer).map(({ extensions }) => extensions.code)),
];

/** Upstreams with these alerts, all of one dashboard. */
const startAlerts = async (rows: readonly object[], config: Partial<Config> = {}) => {
  stack = await startStack({
    management: () => result([]),
    observability: ({ method, path }) => {
      if (method === 'POST') return data({ id: 'd1', name: 'new' });
      return path.endsWith('/alerts') ? data(rows) : data({ id: 'd1', name: 'd' });
    },
    config,
  });
};
const alerts = (count: number, more: object = { message: 'm' }) =>
  Array.from({ length: count }, (_, index) => ({ id: `a${index}`, dashboard: 'd1', ...more }));

describe('the response to one operation has a largest size:', () => {
  it('lists that multiply each other are cut', async () => {
    // Filling the default of 32 MB takes seconds.
    await startAlerts(alerts(300), isLong ? {} : { maxResponseSize: 1024 * 1024 });
    // 300 to the fourth are eight thousand million objects, of one call.
    const answer = await stack.query(
      '{ alerts { dashboard { alerts { dashboard { alerts { dashboard { alerts { message } } } } } } } }',
    );
    expect(codesOf(answer)).toEqual(['LIMIT_EXCEEDED']);
    expect(answer.text.length).toBeLessThan(64 * 1024 * 1024);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
    expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('aliases of one list count each', async () => {
    await startAlerts(alerts(10, { message: 'm'.repeat(100) }), { maxResponseSize: 3300 });
    const answer = await stack.query(
      '{ a: alerts { message } b: alerts { message } c: alerts { message } }',
    );
    const { a, b, c } = answer.body.data;
    expect([a.length, b.length, c]).toEqual([10, 10, null]);
    expect(codesOf(answer)).toEqual(['LIMIT_EXCEEDED']);
  });

  it('the result of a finished mutation stays in the answer', async () => {
    await startAlerts(alerts(10, { message: 'm'.repeat(1000) }), { maxResponseSize: 2500 });
    const answer = await stack.query(
      'mutation { createDashboard(input: {name: "new"}) { dashboard { name alerts { message } } } }',
    );
    expect(answer.body.data).toEqual({
      createDashboard: { dashboard: { name: 'new', alerts: null } },
    });
    expect(codesOf(answer)).toEqual(['LIMIT_EXCEEDED']);
  });
});

describe('an answer has at most a hundred errors', () => {
  it.each([100, 101, 250])('and says how many were left out of %i', async (count) => {
    await startAlerts(alerts(count, { name: {} }));
    const answer = await stack.query('{ alerts { id name } }');
    expect(answer.body.data.alerts).toEqual(alerts(count).map(({ id }) => ({ id, name: null })));
    const errors = errorsOf(answer);
    expect(errors.slice(0, 100).map(({ path }) => path)).toEqual(
      Array.from({ length: 100 }, (_, index) => ['alerts', index, 'name']),
    );
    const leftOut = {
      message: `The answer may have at most 100 errors: ${count - 100} more were left out.`,
      extensions: expect.objectContaining({
        code: 'LIMIT_EXCEEDED',
        limit: 'errors',
        allowed: 100,
      }),
    };
    expect(errors.slice(100)).toEqual(count > 100 ? [leftOut] : []);
    const { codes } = JSON.parse(stack.log().trim().split('\n').at(-1) ?? '');
    expect(codes).toEqual(
      ['UPSTREAM_BAD_RESPONSE', 'LIMIT_EXCEEDED'].slice(0, count > 100 ? 2 : 1),
    );
  });

  it('all of which point to the start of a document of more than 5000 lines', async () => {
    await startAlerts(alerts(3, { name: {} }));
    for (const [lines, location] of [
      [5000, { line: 5001, column: 15 }],
      [5001, { line: 1, column: 1 }],
    ] as const) {
      const { body } = await stack.query(`${'\n'.repeat(lines)}{ alerts { id name } }`);
      const locations = body.errors.map(({ locations }: { locations: unknown }) => locations);
      expect(locations).toEqual(Array(3).fill([location]));
    }
  });
});

describe("the bytes of the upstreams' answers to an operation are limited:", () => {
  const organizationId = (index: number): string =>
    `0a9a0000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  /** A list whose answer is a bit longer than that. */
  const listOf = (bytes: number) => result([{ id: 'i1', email: 'e'.repeat(bytes) }]);
  const listed = '{ invitations { id email } }';
  const invitations = (...numbers: readonly number[]): string =>
    numbers.map((at) => `o${at}: organization(id: "${organizationId(at)}") ${listed}`).join(' ');
  const start = async (management: Answering, config: Partial<Config> = {}): Promise<void> => {
    stack = await startStack({
      management,
      observability: () => data({ id: 'd1', name: 'n'.repeat(1000) }),
      config: { maxUpstreamBytes: 2500, upstreamConnections: 1, ...config },
    });
  };
  const missingIn = (answer: GraphQLAnswer) =>
    errorsOf(answer).map(({ path, extensions }) => [path[0], extensions.code]);
  const exceeded = (index: number) => [`o${index}`, 'UPSTREAM_BUDGET_EXCEEDED'];

  it('fields within the limit are answered, those beyond it fail, and the next operation begins anew', async () => {
    await start(() => listOf(1000));
    for (let time = 0; time < 2; time += 1) {
      const answer = await stack.query(`{ ${invitations(1, 2, 3, 4)} }`);
      expect(missingIn(answer)).toEqual([exceeded(3), exceeded(4)]);
      expect(answer.body.errors[0].message).toContain('too large together');
    }
  });

  it('of both upstreams together', async () => {
    await start(() => listOf(1000));
    const answer = await stack.query(`{ ${invitations(1, 2)} dashboard(id: "d1") { name } }`);
    expect(missingIn(answer)).toHaveLength(1);
  });

  it('a large answer does not fail a write, but no call is sent after it', async () => {
    await start(() => result({ keyId: 'k1', keySecret: 's'.repeat(3000), key: { id: 'k1' } }));
    const create = `createApiKey(input: {organizationId: "${organizationId(1)}", name: "n", roles: [DEVELOPER]}) { keySecret }`;
    const { body } = await stack.query(`mutation { a: ${create} b: ${create} }`);
    expect(body.data).toEqual({ a: { keySecret: 's'.repeat(3000) }, b: { keySecret: null } });
    expect(body.errors[0].extensions.code).toBe('UPSTREAM_BUDGET_EXCEEDED');
    expect(stack.calls).toHaveLength(1);
  });

  it.each([
    ['started', [1, 2, 9], [9]],
    ['joined', [9], [1, 2, 9]],
  ])('a shared read counts for each, also for the one that %s it', async (_, first, second) => {
    const opened = Promise.withResolvers<void>();
    const isShared = ({ path }: { readonly path: string }) => path.includes(organizationId(9));
    await start(
      async (call) => {
        if (isShared(call)) await opened.promise;
        return listOf(1000);
      },
      { upstreamConnections: 64 },
    );
    const starting = stack.query(`{ ${invitations(...first)} }`);
    await expect.poll(() => stack.calls.some(isShared)).toBe(true);
    const joining = stack.query(`{ ${invitations(...second)} }`);
    await expect.poll(() => stack.calls.length).toBe(3);
    // The second one has arrived by now, since a later request is answered.
    await stack.query('{ __typename }');
    opened.resolve();
    expect(missingIn(await starting)).toEqual(first.length === 3 ? [exceeded(9)] : []);
    expect(missingIn(await joining)).toEqual(second.length === 3 ? [exceeded(9)] : []);
    expect(stack.calls.filter(isShared)).toHaveLength(1);
  });

  it.runIf(isLong)('by default to 32 MB: twenty lists of 9 MB give three', async () => {
    const list = listOf(9 * 1024 * 1024);
    await start(() => list, { maxUpstreamBytes: 32 * 1024 * 1024, upstreamConnections: 64 });
    const before = process.memoryUsage().rss;
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    const answer = await stack.query(`{ ${invitations(...numbers)} }`);
    expect(missingIn(answer)).toHaveLength(17);
    // The backend and the caller are in this process too.
    expect(process.memoryUsage().rss - before).toBeLessThan(900 * 1024 * 1024);
  });
});
