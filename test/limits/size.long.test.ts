import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { AnswerError, Answering, GraphQLAnswer } from '../support/harness.ts';
import { data, result, stackInTest } from '../support/harness.ts';
import { isLong } from '../support/random/runs.ts';
import { withIds } from '../support/world/ids.ts';

const codesOf = ({ body }: GraphQLAnswer) => [
  ...new Set(body.errors?.map(({ extensions }: AnswerError) => extensions.code)),
];
const tooLarge = ['LIMIT_EXCEEDED'];

/** Upstreams with these alerts, all of one dashboard. */
const startAlerts = (rows: readonly object[], config: Partial<Config> = {}) =>
  stackInTest({
    observability: ({ method, path }) => {
      if (method === 'POST') return data({ id: 'd1', name: 'new' });
      return path.endsWith('/alerts') ? data(rows) : data({ id: 'd1', name: 'd' });
    },
    config,
  });
const alerts = (count: number, more: object = { message: 'm' }) =>
  Array.from({ length: count }, (_, index) => ({ id: `a${index}`, dashboard: 'd1', ...more }));

describe('the response to one operation has a largest size:', () => {
  it('lists that multiply each other are cut', async () => {
    // Filling the default of 32 MB takes seconds.
    const stack = await startAlerts(alerts(300), isLong ? {} : { maxResponseSize: 1024 * 1024 });
    // 300 to the fourth are eight thousand million objects, of one call.
    const level = 'alerts { dashboard { ';
    const query = `{ ${level.repeat(3)} alerts { message } ${'} }'.repeat(3)} }`;
    const answer = await stack.query(query);
    expect(codesOf(answer)).toEqual(tooLarge);
    expect(answer.text.length).toBeLessThan(64 * 1024 * 1024);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
    expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  const created = 'createDashboard(input: {name: "new"}) { dashboard { name alerts { message } } }';
  it.each([
    ['aliases count each', 'query { a: alerts { message } b: alerts { message } }', { b: null }],
    [
      'the result of a finished mutation stays in the answer',
      `mutation { ${created} }`,
      { createDashboard: { dashboard: { name: 'new', alerts: null } } },
    ],
  ])('%s', async (_, document, data) => {
    // Room for one list of the first.
    const rows = alerts(10, { message: 'm'.repeat(document.startsWith('query') ? 100 : 1000) });
    const { query } = await startAlerts(rows, { maxResponseSize: 2200 });
    const answer = await query(document);
    expect(answer.body.data).toMatchObject(data);
    expect(codesOf(answer)).toEqual(tooLarge);
  });
});

describe('an answer has at most a hundred errors', () => {
  it.each([100, 250])('and says how many were left out of %i', async (count) => {
    const stack = await startAlerts(alerts(count, { name: {} }));
    const { body } = await stack.query('{ alerts { id name } }');
    expect(body.data.alerts).toEqual(alerts(count).map(({ id }) => ({ id, name: null })));
    const paths = body.errors.slice(0, 100).map(({ path }: AnswerError) => path.join('.'));
    expect(paths).toEqual(Array.from({ length: 100 }, (_, index) => `alerts.${index}.name`));
    const isOver = count > 100;
    const message = `The answer may have at most 100 errors: ${count - 100} more were left out.`;
    const limit = { code: 'LIMIT_EXCEEDED', limit: 'errors', allowed: 100 };
    const leftOut = { message, extensions: expect.objectContaining(limit) };
    expect(body.errors.slice(100)).toEqual(isOver ? [leftOut] : []);
    const { codes } = stack.lines().at(-1);
    expect(codes).toEqual(['UPSTREAM_BAD_RESPONSE', ...(isOver ? tooLarge : [])]);
  });
});

describe("the bytes of the upstreams' answers to an operation are limited:", () => {
  /** A list whose answer is a bit longer than that. */
  const listOf = (bytes: number) => result([{ id: 'i1', email: 'e'.repeat(bytes) }]);
  const list = '{ invitations { id email } }';
  const invitations = (...numbers: readonly number[]): string =>
    withIds(
      numbers
        .map((at) => `o${at}: organization(organizationId: "organization-${at}") ${list}`)
        .join(' '),
    );
  const start = (management: Answering, config: Partial<Config> = {}) =>
    stackInTest({
      management,
      observability: () => data({ id: 'd1', name: 'n'.repeat(1000) }),
      config: { maxUpstreamBytes: 2500, upstreamConnections: 1, ...config },
    });
  const missingIn = ({ body }: GraphQLAnswer) =>
    (body.errors ?? []).map(({ path, extensions }: AnswerError) => `${path[0]} ${extensions.code}`);
  const exceeded = (index: number) => `o${index} UPSTREAM_BUDGET_EXCEEDED`;

  it('fields within the limit are answered, those beyond it fail, and the next operation begins anew', async () => {
    const { query } = await start(() => listOf(1000));
    for (let time = 0; time < 2; time += 1) {
      const answer = await query(`{ ${invitations(1, 2, 3, 4)} }`);
      expect(missingIn(answer)).toEqual([exceeded(3), exceeded(4)]);
      expect(answer.body.errors[0].message).toContain('too large together');
    }
    // Those of both upstreams together.
    const both = await query(`{ ${invitations(1, 2)} dashboard(dashboardId: "d1") { name } }`);
    expect(missingIn(both)).toHaveLength(1);
  });

  it('a large answer does not fail a write, but no call is sent after it', async () => {
    const key = { keyId: 'k1', keySecret: 's'.repeat(3000), key: { id: 'k1' } };
    const stack = await start(() => result(key));
    const input = withIds('{organizationId: "organization-1", name: "n", roles: [DEVELOPER]}');
    const create = `createApiKey(input: ${input}) { keySecret }`;
    const { body } = await stack.query(`mutation { a: ${create} b: ${create} }`);
    expect(body.data).toEqual({ a: { keySecret: key.keySecret }, b: { keySecret: null } });
    expect(body.errors[0].extensions.code).toBe('UPSTREAM_BUDGET_EXCEEDED');
    expect(stack.calls).toHaveLength(1);
  });

  it.each([
    ['started', [1, 2, 9], [9]],
    ['joined', [9], [1, 2, 9]],
  ])(
    'a shared read counts for both operations, also for the one that %s it',
    async (_, first, second) => {
      const opened = Promise.withResolvers<void>();
      const isShared = ({ path }: { readonly path: string }) =>
        path.includes(withIds('organization-9'));
      const answering: Answering = async (call) => {
        if (isShared(call)) await opened.promise;
        return listOf(1000);
      };
      const stack = await start(answering, { upstreamConnections: 64 });
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
    },
  );

  it.runIf(isLong)('by default to 32 MB: twenty lists of 9 MB give three', async () => {
    const large = listOf(9 * 1024 * 1024);
    const config = { maxUpstreamBytes: 32 * 1024 * 1024, upstreamConnections: 64 };
    const { query } = await start(() => large, config);
    const before = process.memoryUsage().rss;
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(missingIn(await query(`{ ${invitations(...numbers)} }`))).toHaveLength(17);
    // The backend and the caller are in this process too.
    expect(process.memoryUsage().rss - before).toBeLessThan(900 * 1024 * 1024);
  });
});
