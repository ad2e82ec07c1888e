import { afterEach, describe, expect, it } from 'vitest';
import { createGate, leavable } from '../support/faults/gate.ts';
import { ofService, status } from '../support/faults/stack.ts';
import {
  type AnswerError,
  type Answering,
  credentials,
  data,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';

const organizationId = (index: number): string =>
  `0a9a0000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const invitationsOf = (index: number): string =>
  `/v1/organizations/${organizationId(index)}/invitations`;

/** Reads of one call each, all at once. */
const invitations = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `o${index}: organization(id: "${organizationId(index)}") { invitations { email } }`,
  ).join(' ');

/** So many organizations; whatever else is asked for is well. */
const organizations =
  (count: number): Answering =>
  ({ path }) => {
    if (path.endsWith('/invitations')) return result([{ id: 'i1', email: path }]);
    if (path !== '/v1/organizations') return result({ id: 'x', name: 'well' });
    return result(
      Array.from({ length: count }, (_, index) => ({
        id: organizationId(index),
        name: `${index}`,
      })),
    );
  };

const observability: Answering = ({ path }) =>
  data({ id: 'a1', name: path, dashboard: 'd1', interval: '1m' });

let stack: Stack;
afterEach(() => stack.close());

const start = async (config = {}, count = 0): Promise<void> => {
  stack = await startStack({ management: organizations(count), observability, config });
};

const errorsOf = (body: { readonly errors?: readonly AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]).toSorted();

const exceeded = (path: string) => [path, 'UPSTREAM_BUDGET_EXCEEDED'];

describe('the upstream calls of an operation are limited:', () => {
  it('50 are made, and the fields beyond go without', async () => {
    await start({}, 60);
    const { body } = await stack.query('{ organizations { name invitations { email } } }');
    expect(stack.calls).toHaveLength(50);
    expect(body.data.organizations).toEqual(
      Array.from({ length: 60 }, (_, index) => ({
        name: `${index}`,
        invitations: index < 49 ? [{ email: invitationsOf(index) }] : null,
      })),
    );
    expect(errorsOf(body)).toEqual(
      Array.from({ length: 11 }, (_, index) => exceeded(`organizations.${49 + index}.invitations`)),
    );
    expect(body.errors[0].extensions).toEqual({
      code: 'UPSTREAM_BUDGET_EXCEEDED',
      setting: 'MAX_UPSTREAM_CALLS',
      upstream: { name: 'management', operation: 'listInvitations' },
      requestId: expect.any(String),
      retryable: false,
    });
  });

  it.each([
    [5, 5],
    [6, 5],
    [1, 1],
    [2, 1],
    [9, 1],
  ])('of %i reads at most %i are sent, where as many may be', async (wanted, allowed) => {
    await start({ maxUpstreamCalls: allowed });
    const { body } = await stack.query(`{ ${invitations(wanted)} }`);
    expect(stack.calls).toHaveLength(Math.min(wanted, allowed));
    expect(errorsOf(body)).toEqual(
      Array.from({ length: wanted - allowed }, (_, index) =>
        exceeded(`o${allowed + index}.invitations`),
      ),
    );
  });

  it('both upstreams together', async () => {
    await start({ maxUpstreamCalls: 3 });
    const { body } = await stack.query(
      `{ ${invitations(2)} alert(id: "a1") { name dashboard { name } } }`,
    );
    expect(stack.callList()).toEqual([
      'GET /api/v2/alerts/a1',
      `GET ${invitationsOf(0)}`,
      `GET ${invitationsOf(1)}`,
    ]);
    expect(body.data.alert).toEqual({ name: '/api/v2/alerts/a1', dashboard: null });
    expect(errorsOf(body)).toEqual([exceeded('alert.dashboard')]);
  });

  it('equal reads count once', async () => {
    await start({ maxUpstreamCalls: 1 });
    const { body } = await stack.query(
      '{ a: alert(id: "a1") { name } b: alert(id: "a1") { id name } }',
    );
    expect(body.errors).toBeUndefined();
    expect(stack.calls).toHaveLength(1);
  });

  it('an operation that is refused without a call does not count', async () => {
    await start({ maxUpstreamCalls: 1 });
    const { body } = await stack.query(
      `{ alerts { name } node(nodeId: "nonsense") { nodeId } service(${ofService}) { name } }`,
      { headers: { 'observability-authorization': '' } },
    );
    expect(body.data.service).toEqual({ name: 'well' });
    expect(errorsOf(body)).toEqual([
      ['alerts', 'UNAUTHENTICATED'],
      ['node', 'BAD_USER_INPUT'],
    ]);
  });

  it('writes beyond are not sent', async () => {
    await start({ maxUpstreamCalls: 2 });
    const fields = ['a', 'b', 'c'].map(
      (name) =>
        `${name}: createDashboard(input: {name: "${name}"}) { dashboard { name } userErrors { code } }`,
    );
    const { body } = await stack.query(`mutation { ${fields.join(' ')} }`);
    const made = { dashboard: { name: '/api/v2/dashboards' }, userErrors: [] };
    expect(body.data).toEqual({ a: made, b: made, c: { dashboard: null, userErrors: [] } });
    expect(errorsOf(body)).toEqual([exceeded('c.dashboard')]);
    expect(stack.calls.map(({ body: sent }) => JSON.parse(sent).name)).toEqual(['a', 'b']);
  });

  it('of an update that has to read first, both count', async () => {
    await start({ maxUpstreamCalls: 1 });
    const { body } = await stack.query(
      'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
    );
    expect(errorsOf(body)).toEqual([exceeded('updateAlert.alert')]);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts/a1']);
  });

  it('each operation has its own', async () => {
    await start({ maxUpstreamCalls: 2 });
    for (let asked = 0; asked < 5; asked += 1) {
      const { body } = await stack.query(`{ ${invitations(2)} }`);
      expect(body.errors).toBeUndefined();
    }
    expect(stack.calls).toHaveLength(10);
  });

  it('the log tells how many were made', async () => {
    await start({ maxUpstreamCalls: 3 });
    await stack.query(`{ ${invitations(5)} }`);
    const lines = stack
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { msg: 'operation', upstreamCalls: 3, codes: ['UPSTREAM_BUDGET_EXCEEDED'] },
    ]);
  });
});

describe('the calls of an operation that wait for a connection', () => {
  const startGate = async (config = {}) => {
    const gate = createGate();
    stack = await startStack({
      management: gate.answering,
      observability: gate.answering,
      config,
    });
    return gate;
  };
  const settled = () => stack.query('{ __typename }');

  it('leave their place to another while they wait to be sent again', async () => {
    const gate = await startGate({ upstreamConnections: 1 });
    const answer = stack.query(`{ ${invitations(2)} }`);
    (await gate.arrived(1)).answer(status(429, { 'retry-after': '1' }));
    for (const [count, path] of [
      [2, invitationsOf(1)],
      [3, invitationsOf(0)],
    ] as const) {
      const waiting = await gate.arrived(count);
      expect(waiting.call.path).toBe(path);
      waiting.answer(result([]));
    }
    expect((await answer).body.errors).toBeUndefined();
  });

  it('are followed by no other once the caller has gone', async () => {
    const gate = await startGate({ upstreamConnections: 8 });
    const { leave } = leavable(stack.url, `{ ${invitations(6)} }`, credentials);
    await gate.arrived(2);
    const closed = gate.calls.map(({ call }) => new Promise<void>((done) => call.onClose(done)));
    await leave();
    await Promise.all(closed);
    await settled();
    expect(gate.calls).toHaveLength(2);
  });
});
