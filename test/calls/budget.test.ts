import { expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  result,
  type Stack,
  stackInTest,
} from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

const invitationsOf = (number: number) =>
  `GET /v1/organizations/organization-${number}/invitations`;
/** Reads of one call each, all at once. */
const invitations = (count: number): string =>
  numbers(count)
    .map(
      (each) =>
        `o${each}: organization(organizationId: "organization-${each}") { invitations { email } }`,
    )
    .join(' ');
const create = (name: string) =>
  `${name}: createDashboard(input: {name: "${name}"}) { dashboard { name } }`;

const writes = ['a', 'b', 'c'].map(create).join(' ');
const update = 'updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } }';
const alert = 'GET /api/v2/alerts/a1';

const management: Answering = ({ path }) => {
  if (path.endsWith('/invitations')) return result([{ id: 'i1', email: 'e' }]);
  if (path !== '/v1/organizations') return result({ id: 'x', name: 'well' });
  return result(
    numbers(60).map((each) => ({ id: withIds(`organization-${each}`), name: `${each}` })),
  );
};
const observability: Answering = ({ path }) =>
  data({ id: 'a1', name: path, dashboard: 'd1', interval: '1m' });

let stack: Stack;
const ask = async (maxUpstreamCalls: number | undefined, document: string, headers = {}) => {
  const config = maxUpstreamCalls === undefined ? {} : { maxUpstreamCalls };
  stack = await stackInTest({ management, observability, config });
  return (await stack.query(withIds(document), { headers })).body;
};
const sent = () => stack.calls.map(({ method, path }) => `${method} ${withNames(path)}`).sort();
const errorsOf = (body: { readonly errors?: readonly AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]);
const exceeded = (path: string) => [path, 'UPSTREAM_BUDGET_EXCEEDED'];

it('an operation makes 50 upstream calls by default; the fields beyond say which setting it is, and so does the log', async () => {
  const body = await ask(undefined, '{ organizations { name invitations { email } } }');
  expect(stack.calls).toHaveLength(50);
  expect(body.data.organizations).toEqual(
    numbers(60).map((each) => ({
      name: `${each}`,
      invitations: each < 50 ? [{ email: 'e' }] : null,
    })),
  );
  expect(errorsOf(body)).toEqual(
    numbers(11).map((each) => exceeded(`organizations.${48 + each}.invitations`)),
  );
  expect(body.errors[0].extensions).toEqual({
    code: 'UPSTREAM_BUDGET_EXCEEDED',
    setting: 'MAX_UPSTREAM_CALLS',
    upstream: { name: 'management', operation: 'listInvitations' },
    requestId: expect.any(String),
    retryable: false,
  });
  const codes = ['UPSTREAM_BUDGET_EXCEEDED'];
  expect(JSON.parse(stack.log())).toMatchObject({ msg: 'operation', upstreamCalls: 50, codes });
});

type Row = [string, allowed: number, string, calls: readonly string[], refused: readonly string[]];
it.each<Row>([
  ['as many as may be', 2, `{ ${invitations(2)} }`, numbers(2).map(invitationsOf), []],
  ['one more', 2, `{ ${invitations(3)} }`, numbers(2).map(invitationsOf), ['o3.invitations']],
  [
    'of both upstreams together',
    3,
    `{ ${invitations(2)} alert(alertId: "a1") { name dashboard { name } } }`,
    [alert, ...numbers(2).map(invitationsOf)],
    ['alert.dashboard'],
  ],
  [
    'of equal reads one',
    1,
    '{ a: alert(alertId: "a1") { name } b: alert(alertId: "a1") { id } }',
    [alert],
    [],
  ],
  [
    'of writes',
    2,
    `mutation { ${writes} }`,
    Array(2).fill('POST /api/v2/dashboards'),
    ['c.dashboard'],
  ],
  ['of an update its read too', 1, `mutation { ${update} }`, [alert], ['updateAlert.alert']],
])('calls count: %s', async (_, allowed, document, calls, refused) => {
  const body = await ask(allowed, document);
  expect(sent()).toEqual(calls);
  expect(errorsOf(body)).toEqual(refused.map(exceeded));
});

it('a field that is refused without a call does not count, and each operation has its own calls', async () => {
  const document =
    '{ alerts { name } node(nodeId: "nonsense") { nodeId } organization(organizationId: "organization-1") { name } }';
  const headers = { 'observability-authorization': '' };
  const body = await ask(1, document, headers);
  expect(body.data.organization).toEqual({ name: 'well' });
  expect(errorsOf(body)).toEqual([
    ['node', 'BAD_USER_INPUT'],
    ['alerts', 'UNAUTHENTICATED'],
  ]);
  expect((await stack.query(withIds(document), { headers })).body.data).toEqual(body.data);
  expect(stack.calls).toHaveLength(2);
});
