import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unpaced } from '../support/harness.ts';
import { askInParts, events, multipart } from '../support/in-parts.ts';
import { openMetrics } from '../support/metrics/world.ts';

let stack: Awaited<ReturnType<typeof openMetrics>>;
beforeAll(async () => {
  stack = await openMetrics(unpaced);
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

const noIf = 'Argument "if" of non-null type "Boolean!" must not be null.';
const change = 'updateAlert(input: { alertId: "a1", threshold: 2 })';

type Variables = Readonly<Record<string, unknown>>;

interface Row {
  readonly title: string;
  readonly query: string;
  readonly message: string;
}

/** Each with the variable `n`, which is null. */
const queries: readonly Row[] = [
  {
    title: '@include on a field',
    query: 'query ($n: Boolean = true) { alerts { name @include(if: $n) } }',
    message: noIf,
  },
  {
    title: '@include on a field at the root',
    query: 'query ($n: Boolean = true) { alerts @include(if: $n) { name } }',
    message: noIf,
  },
  {
    title: '@skip on a fragment',
    query:
      'query ($n: Boolean = true) { alerts { ...F @skip(if: $n) } } fragment F on Alert { name }',
    message: noIf,
  },
  {
    title: '@include on a field in fragments',
    query:
      'query ($n: Boolean = true) { ...F } fragment F on Query { ... { alerts { name @include(if: $n) } } }',
    message: noIf,
  },
  {
    title: '@defer',
    query: 'query ($n: Boolean = true) { alerts { id ... @defer(if: $n) { name } } }',
    message: noIf,
  },
  {
    title: 'an argument',
    query: 'query ($n: ID = "a1") { alert(id: $n) { name } }',
    message: 'Argument "id" of non-null type "ID!" must not be null.',
  },
  {
    title: 'an argument beside @defer',
    query: 'query ($n: ID = "a1") { alert(id: $n) { id ... @defer { name } } }',
    message: 'Argument "id" of non-null type "ID!" must not be null.',
  },
  {
    title: 'an argument that only one type has',
    query:
      'query ($n: ID = "s1") { node(nodeId: "x") { ... on Organization { service(id: $n) { name } } } }',
    message: 'Argument "id" of non-null type "ID!" must not be null.',
  },
  {
    title: 'an argument in a fragment that the first type does not reach',
    query: `query ($n: ID = "s1") {
      node(nodeId: "x") { ... on Dashboard { ...F } ... on Organization { ...F } }
    } fragment F on Node { nodeId ... on Organization { service(id: $n) { name } } }`,
    message: 'Argument "id" of non-null type "ID!" must not be null.',
  },
  {
    title: 'a list',
    query: 'query ($n: ID = "x") { nodes(nodeIds: ["secret", $n]) { nodeId } }',
    message:
      'Argument "nodeIds" has an invalid value at "nodeIds[1]"; Expected non-nullable type "ID!" not to be null.',
  },
  {
    title: '__type',
    query: 'query ($n: String = "Pipe") { __type(name: $n) { name } }',
    message: 'Argument "name" of non-null type "String!" must not be null.',
  },
  {
    title: '@include on a field of the schema',
    query: 'query ($n: Boolean = true) { __schema { queryType { name @include(if: $n) } } }',
    message: noIf,
  },
];

/** The same where the variable is null by its default, which is allowed where the argument has one too. */
const nullByDefault: Row = {
  title: '@defer, by a default that is null,',
  query: 'query ($n: Boolean = null) { alerts { id ... @defer(if: $n) { name } } }',
  message: noIf,
};

const mutations: readonly Row[] = [
  {
    title: '@include below a mutation',
    query: `mutation ($n: Boolean = true) { ${change} { alert { name @include(if: $n) } } }`,
    message: noIf,
  },
  {
    title: '@defer below a mutation',
    query: `mutation ($n: Boolean = true) { ${change} { alert { id ... @defer(if: $n) { name } } } }`,
    message: noIf,
  },
  {
    title: 'an argument of the second mutation',
    query: `mutation ($n: DeleteDashboardInput = { dashboardId: "d1" }) {
      ${change} { alert { name } } deleteDashboard(input: $n) { deletedDashboardId }
    }`,
    message: 'Argument "input" of non-null type "DeleteDashboardInput!" must not be null.',
  },
  {
    title: 'a member of an input',
    query: `mutation ($n: ID = "s1") {
      updateServicePassword(input: { organizationId: "secret", serviceId: $n }) { password }
    }`,
    message:
      'Argument "input" has an invalid value at "input.serviceId"; Expected non-nullable type "ID!" not to be null.',
  },
];

const subscriptions: readonly Row[] = [
  {
    title: '@include below a subscription',
    query: 'subscription ($n: Boolean = true) { alerts { name @include(if: $n) } }',
    message: noIf,
  },
  {
    title: 'the argument of a subscription',
    query: 'subscription ($n: ID = "a1") { alert(id: $n) { name } }',
    message: 'Argument "id" of non-null type "ID!" must not be null.',
  },
];

const alertCall = 'GET /api/v2/alerts';

/** What graphql-js executes too. */
const allowed: readonly {
  readonly title: string;
  readonly query: string;
  readonly calls: readonly string[];
  readonly variables?: Variables;
}[] = [
  {
    title: 'null where it is allowed',
    query: 'query ($n: AlertFilter = {}) { alerts(filter: $n) { name } }',
    calls: [alertCall],
  },
  {
    title: 'null in what @include leaves out',
    query: `query ($n: ID = "a1", $no: Boolean = true) {
      alerts { name } alert(id: $n) @include(if: $no) { name @skip(if: $no) }
    }`,
    calls: [alertCall],
    variables: { n: null, no: false },
  },
  {
    title: 'null in @include on what @skip leaves out',
    query: 'query ($n: Boolean = true) { alerts { name id @skip(if: true) @include(if: $n) } }',
    calls: [alertCall],
  },
  {
    title: 'null in a fragment on a type that cannot stand there',
    query: `query ($n: ID = "s1") {
      alerts { ... on Node { nodeId ... on Organization { service(id: $n) { name } } } }
    }`,
    calls: [alertCall],
  },
  {
    title: 'a default where no variable came',
    query: 'query ($n: Boolean = false) { alerts { name id @include(if: $n) } }',
    calls: [alertCall],
    variables: {},
  },
];

const send = (query: string, accept: string, variables: Variables = { n: null }) =>
  askInParts(stack, query, { accept, variables }).ended;

const refusals = async (): Promise<number> => {
  const { value } = await stack.scrape();
  return value('sluice_operation_errors_total', { code: 'BAD_USER_INPUT' }) ?? 0;
};

describe.each([multipart, events, 'application/json'])('null, with accept: %s,', (accept) => {
  const rows = [...queries, ...mutations, ...(accept === events ? subscriptions : [])];
  it.each(rows)('for $title is refused before anything is sent', async ({ query, message }) => {
    const before = await refusals();
    expect(await send(query, accept)).toMatchObject([
      { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(stack.calls).toEqual([]);
    expect(stack.complaints()).toBe('');
    expect(await refusals()).toBe(before + 1);
  });

  it(`for ${nullByDefault.title} is refused before anything is sent`, async () => {
    const { query, message } = nullByDefault;
    expect(await send(query, accept, {})).toMatchObject([
      { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(stack.calls).toEqual([]);
    expect(stack.complaints()).toBe('');
  });

  it.each(allowed)('$title is executed', async ({ query, calls, variables }) => {
    const parts = await send(query, accept, variables);
    expect(parts.flatMap(({ errors = [] }) => errors)).toEqual([]);
    expect(parts[0]?.data).toBeTypeOf('object');
    expect(stack.callList()).toEqual(calls);
  });
});
