import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unpaced } from '../support/harness.ts';
import { askInParts, events, multipart } from '../support/in-parts.ts';
import { openMetrics } from '../support/metrics.ts';

let stack: Awaited<ReturnType<typeof openMetrics>>;
beforeAll(async () => {
  stack = await openMetrics(unpaced);
  return () => stack.close();
});
beforeEach(() => void stack.calls.splice(0));

const nullFor = (argument: string, type: string) =>
  `Argument "${argument}" of non-null type "${type}!" must not be null.`;
const noIf = nullFor('if', 'Boolean');
const noId = nullFor('id', 'ID');
const noAlertId = nullFor('alertId', 'ID');
const within = (argument: string, place: string, type = 'ID') =>
  `Argument "${argument}" has an invalid value at "${place}"; Expected non-nullable type "${type}!" not to be null.`;

const flag = 'query ($n: Boolean = true)';
const nullFlag = 'query ($n: Boolean = null)';
const ofId = 'query ($n: ID = "s1")';
const change = 'updateAlert(input: { alertId: "a1", threshold: 2 })';
const password = 'updateServicePassword(input: { organizationId: "secret", serviceId: $n })';

type Variables = Readonly<Record<string, unknown>>;
type Row = readonly [title: string, query: string, message: string, variables?: Variables];

/** Each with the variable `n`, which is null. What counts as reached, null-variables-random.test.ts tries out. */
const refused: readonly Row[] = [
  ['@include at the root', `${flag} { alerts @include(if: $n) { name } }`, noIf],
  ['@defer', `${flag} { alerts { id ... @defer(if: $n) { name } } }`, noIf],
  ['@defer, by a default', `${nullFlag} { alerts { id ... @defer(if: $n) { name } } }`, noIf, {}],
  [
    'an argument that only one type has',
    `${ofId} { node(nodeId: "x") { ... on Organization { service(id: $n) { name } } } }`,
    noId,
  ],
  ['a list', `${ofId} { nodes(nodeIds: ["a", $n]) { nodeId } }`, within('nodeIds', 'nodeIds[1]')],
  ['a field of the schema', `${flag} { __schema { queryType { name @include(if: $n) } } }`, noIf],
  [
    '@defer below a mutation',
    `mutation ($n: Boolean = true) { ${change} { alert { id ... @defer(if: $n) { name } } } }`,
    noIf,
  ],
  [
    'an argument of the second mutation',
    `mutation ($n: DeleteDashboardInput = { dashboardId: "d1" }) {
      ${change} { alert { name } } deleteDashboard(input: $n) { deletedDashboardId }
    }`,
    nullFor('input', 'DeleteDashboardInput'),
  ],
  [
    'a member of an input',
    `mutation ($n: ID = "s1") { ${password} { password } }`,
    within('input', 'input.serviceId'),
  ],
  [
    'a member of an input, beside a list that may be null',
    'query ($n: AlertOrderField = NAME) { alerts(filter: { stateIn: null }, orderBy: { field: $n }) { name } }',
    within('orderBy', 'orderBy.field', 'AlertOrderField'),
  ],
];

const subscriptions: readonly Row[] = [
  [
    '@include below a subscription',
    'subscription ($n: Boolean = true) { alerts { name @include(if: $n) } }',
    noIf,
  ],
  ['a subscription', 'subscription ($n: ID = "a1") { alert(alertId: $n) { name } }', noAlertId],
];

/** What graphql-js executes too, with one call. */
const allowed: readonly (readonly [title: string, query: string, variables: Variables])[] = [
  ['null', 'query ($n: AlertFilter = {}) { alerts(filter: $n) { name } }', { n: null }],
  [
    'null in what @include leaves out',
    `query ($n: ID = "a1", $no: Boolean = true) {
      alerts { name } alert(alertId: $n) @include(if: $no) { name @skip(if: $no) }
    }`,
    { n: null, no: false },
  ],
  ['a default where nothing came', `${flag} { alerts { name id @include(if: $n) } }`, {}],
];

const refusals = async (): Promise<number> => {
  const { value } = await stack.scrape();
  return value('operation_errors_total', 'BAD_USER_INPUT') ?? 0;
};

describe.each([multipart, events, 'application/json'])('null, with accept: %s,', (accept) => {
  const rows = [...refused, ...(accept === events ? subscriptions : [])];
  it.each(rows.map(([title, ...rest]) => ({ title, rest })))(
    'for $title is refused before anything is sent',
    async ({ rest: [query, message, variables = { n: null }] }) => {
      const before = await refusals();
      expect(await askInParts(stack, query, { accept, variables }).ended).toMatchObject([
        { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] },
      ]);
      expect([stack.calls, stack.complaints()]).toEqual([[], '']);
      expect(await refusals()).toBe(before + 1);
    },
  );

  it.each(allowed)('%s is executed', async (_, query, variables) => {
    const parts = await askInParts(stack, query, { accept, variables }).ended;
    expect(parts.flatMap(({ errors = [] }) => errors)).toEqual([]);
    expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
  });
});
