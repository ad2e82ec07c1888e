import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { documents, isSubscription, textOf } from '../support/operations.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const organization = withIds('organization(id: "organization-1")');
const id = encodeNodeId('Organization', withIds('organization-1'));
const idsOf = (count: number): readonly string[] => Array.from({ length: count }, () => id);
const repeat = (count: number, unit: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => unit(index)).join(' ');
const aliases = (count: number, field: string) => repeat(count, (index) => `a${index}: ${field}`);

const start = (config: Partial<Config> = {}): Promise<Stack> => {
  const some = { organizations: 1, services: 1, pipesPerService: 1 };
  const none = { dashboards: 0, tilesPerDashboard: 0, alerts: 0 };
  return startStack({ ...createBackend(worldOf({ ...some, ...none })), config });
};

interface Asked {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** What an operation is answered by POST, and by GET if that can have it. */
const answersTo = async (stack: Stack, { query, variables, operationName }: Asked) => {
  stack.calls.length = 0;
  const named = operationName === undefined ? {} : { operationName };
  const { body } = await stack.query(query, { variables, ...named });
  const given = variables && { variables: JSON.stringify(variables) };
  const parameters = new URLSearchParams({ query, ...named, ...given });
  if (/\bmutation\b/.test(query) || parameters.toString().length > 15_000) return [body];
  return [body, await (await fetch(`${stack.url}?${parameters}`)).json()];
};

/** What an operation is refused with, before any call. */
const refusals = async (stack: Stack, asked: Asked) => {
  const answers = await answersTo(stack, asked);
  expect(stack.calls).toEqual([]);
  return answers.map(({ errors, ...rest }) => {
    expect(rest).toEqual({});
    expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED' } }]);
    const { limit, allowed, setting } = errors[0].extensions;
    return { message: errors[0].message, limit, allowed, setting };
  });
};

describe('an operation is answered at a limit, and refused beyond it:', () => {
  /** A document of just so many tokens, with nothing that costs or that validation compares. */
  const ofTokens = (count: number): Asked => ({
    query: `{ ${organization} { ${'...F '.repeat((count - 17) / 2)} ${count % 2 ? '' : 'id'} } } fragment F on Organization { id }`,
  });
  const ofCost = (count: number): Asked => ({ query: `{ ${'__typename '.repeat(count)} }` });
  const ofMutations = (count: number): Asked => ({
    query: `mutation { ${aliases(count, withIds('updateOrganization(input: {organizationId: "organization-1", name: "a"}) { organization { name } }'))} }`,
  });
  const ofIds = (count: number): Asked => ({
    query: 'query ($ids: [ID!]!) { ...F } fragment F on Query { nodes(nodeIds: $ids) { nodeId } }',
    variables: { ids: idsOf(count) },
  });

  it.each([
    ['tokens', {}, ofTokens, 2000, 'MAX_TOKENS', 'The document may have at most 2000 tokens'],
    ['tokens', { maxTokens: 60 }, ofTokens, 60, 'MAX_TOKENS', ''],
    ['cost', { maxCost: 7 }, ofCost, 7, 'MAX_COST', 'The operation may cost at most 7'],
    ['mutationFields', {}, ofMutations, 5, undefined, 'The operation may select at most 5 mutat'],
    ['nodeIds', {}, ofIds, 100, undefined, 'The operation may name at most 100 node identifiers'],
  ] as const)('%s with %j', async (limit, config, of, allowed, setting, message) => {
    const stack = await start(config);
    onTestFinished(stack.close);
    for (const { data } of await answersTo(stack, of(allowed))) {
      expect(data).toBeTypeOf('object');
    }
    for (const refusal of await refusals(stack, of(allowed + 1))) {
      const expected = { limit, allowed, setting, message: expect.stringContaining(message) };
      expect(refusal).toEqual(expected);
    }
  });

  it('cost by default', async () => {
    const stack = await start();
    onTestFinished(stack.close);
    // The deepest of what a page shows, with 98 fields of each pipe, and more of each service.
    const of = (count: number): Asked => ({
      query: `{ organizations { services { pipes { ${aliases(98, 'name')} } ${aliases(count, 'id')} } } }`,
    });
    const [{ data }] = await answersTo(stack, of(18));
    expect(data.organizations).toHaveLength(1);
    const message =
      'The operation may cost at most 100000, fragments included; this one comes to 100011.';
    const expected = { limit: 'cost', allowed: 100_000, setting: 'MAX_COST', message };
    expect(await refusals(stack, of(19))).toEqual([expected, expected]);
  });

  it('280 levels of one organization are one call', async () => {
    const stack = await start();
    onTestFinished(stack.close);
    const level = withIds('{ service(id: "service-1") { organization ');
    const query = `{ ${organization} ${level.repeat(140)} { name } ${'} }'.repeat(140)} }`;
    expect((await stack.query(query)).body.errors).toBeUndefined();
    expect(stack.calls.length).toBeLessThanOrEqual(2);
  });
});

describe('what an operation costs:', () => {
  let cheap: Stack;
  let cheapVariables: Stack;
  beforeAll(async () => {
    cheap = await start({ maxCost: 0 });
    // Lets the document itself pass, in which each variable counts as one item.
    cheapVariables = await start({ maxCost: 6 });
    return () => Promise.all([cheap.close(), cheapVariables.close()]);
  });

  /** The error for an operation that costs too much says what it costs. */
  const costOf = async (asked: Asked): Promise<number> => {
    const [refusal] = await refusals(asked.variables ? cheapVariables : cheap, asked);
    return Number(/; this one comes to (\d+)\.$/.exec(refusal?.message ?? '')?.[1]);
  };

  const ids = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
  const rows: readonly (readonly [string, number, string, Asked['variables']?])[] = [
    ['fields, leaves and __typename too', 4, `{ __typename ${organization} { id name } }`],
    ['aliases', 4, `{ ${organization} { a: name b: name name: name } }`],
    ['what is below a list, ten times', 31, '{ organizations { id a: name b: name } }'],
    ['lists in lists', 1111, '{ organizations { services { pipes { name } } } }'],
    ['lists about the schema', 112, '{ __schema { types { fields { name } } } }'],
    ['all pipes of an organization', 203, `{ ${organization} { pipes { items { id name } } } }`],
    [
      'fragments, as often as they are spread',
      4,
      '{ ...A ...A } fragment A on Query { ...B } fragment B on Query { ...C ...C } fragment C on Query { __typename }',
    ],
    [
      'inline fragments, with and without a type',
      14,
      `{ ... { organizations { name } ... on Query { ${organization} { ... @include(if: true) { id name } } } } }`,
    ],
    [
      'every member of an abstract type',
      4,
      '{ node(nodeId: "x") { ... on Pipe { id } ... on Alert { name } } }',
    ],
    ['what is left out', 3, `{ ${organization} @skip(if: true) { id @skip(if: true) name } }`],
    ['identifiers', 7, `{ nodes(nodeIds: ${JSON.stringify(idsOf(3))}) { nodeId } }`],
    ['no identifiers', 1, '{ nodes(nodeIds: []) { nodeId } }'],
    ['identifiers in a variable', 25, ids, { ids: idsOf(12) }],
    ['in a default', 7, ids.replace('!)', `! = ${JSON.stringify(idsOf(3))})`), {}],
    ['in place of a default', 7, ids.replace('!)', '! = ["a"])'), { ids: idsOf(3) }],
    [
      'one without a list around it',
      28,
      'query ($one: [ID!]!, $ids: [ID!]!) { a: nodes(nodeIds: $one) { nodeId } b: nodes(nodeIds: $ids) { nodeId } }',
      { one: id, ids: idsOf(12) },
    ],
  ];
  it.each(rows.map(([title, cost, query, variables]) => ({ title, cost, query, variables })))(
    '$title',
    async ({ cost, query, variables }) => {
      expect(await costOf(variables ? { query, variables } : { query })).toBe(cost);
    },
  );

  it('each operation of a document by itself, also one that is not asked for', async () => {
    const query = `query Asked { ${aliases(6, '__typename')} } query Other { ${aliases(7, 'x')} }`;
    expect(await costOf({ query, operationName: 'Asked', variables: {} })).toBe(7);
  });

  it('those of operations/ and what tools ask about the schema three fifths of the default', async () => {
    const names = Object.keys(documents).filter((name) => !isSubscription(name));
    const introspection = getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true });
    for (const query of [introspection, ...names.map(textOf)]) {
      expect(await costOf({ query })).toBeLessThan(60_000);
    }
  });
});

it('a list of requests is refused, however small', async () => {
  const { url, calls, close } = await start();
  onTestFinished(close);
  for (const count of [0, 1, 2]) {
    const body = JSON.stringify(Array(count).fill({ query: '{ organizations { name } }' }));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await response.json()).errors).toHaveLength(1);
  }
  expect(calls).toEqual([]);
});
