import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import { type Stack, stackInTest } from '../support/harness.ts';
import { documents, isSubscription, textOf } from '../support/operations.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const id = encodeNodeId('Organization', withIds('organization-1'));
const idsOf = (count: number): readonly string[] => Array.from({ length: count }, () => id);
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

const start = (config: Partial<Config> = {}): Promise<Stack> =>
  stackInTest({ ...createBackend(worldOf({ services: 1 })), config });

interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

/** What an operation is answered by POST, and by GET if that can have it. */
const answersTo = async (stack: Stack, { variables, ...asked }: Asked) => {
  stack.calls.length = 0;
  const query = withIds(asked.query);
  const { body } = await stack.query(query, { variables, ...asked });
  const given = variables && { variables: JSON.stringify(variables) };
  const parameters = new URLSearchParams({ ...asked, query, ...given });
  if (/\bmutation\b/.test(query) || parameters.toString().length > 15_000) return [body];
  return [body, await (await fetch(`${stack.url}?${parameters}`)).json()];
};

/** What an operation is refused with, before any call. */
const refusals = async (stack: Stack, asked: Asked) => {
  const answers = await answersTo(stack, asked);
  expect(stack.calls).toEqual([]);
  return answers.map((answer) => {
    const { code, limit, allowed, setting } = answer.errors[0].extensions;
    expect([Object.keys(answer), answer.errors.length, code]).toEqual([
      ['errors'],
      1,
      'LIMIT_EXCEEDED',
    ]);
    return { message: answer.errors[0].message, limit, allowed, setting };
  });
};

describe('an operation is answered at a limit, and refused beyond it:', () => {
  const organization = 'organization(organizationId: "organization-1")';
  /** A document with exactly this number of tokens, and nothing that costs calls or that validation compares. */
  const ofTokens = (count: number): Asked => ({
    query: `{ ${organization} { ${'...F '.repeat((count - 17) / 2)} ${count % 2 ? '' : 'id'} } } fragment F on Organization { id }`,
  });
  const ofCost = (count: number): Asked => ({ query: `{ ${'__typename '.repeat(count)} }` });
  // The deepest of what a page shows, with 98 fields of each pipe, and more of each service: each ten counts a hundred.
  const ofPage = (count: number): Asked => ({
    query: `{ organizations { services { pipes { ${aliases(98, 'name')} } ${aliases(count - 99_982, 'id')} } } }`,
  });
  const rename =
    'updateOrganization(input: {@organization-1, name: "a"}) { organization { name } }';
  const ofMutations = (count: number): Asked => ({
    query: `mutation { ${aliases(count, rename)} }`,
  });
  const ofIds = (count: number): Asked => ({
    query: 'query ($ids: [ID!]!) { ...F } fragment F on Query { nodes(nodeIds: $ids) { nodeId } }',
    variables: { ids: idsOf(count) },
  });

  const tooCostly =
    'The operation may cost at most 100000, fragments included; this one comes to 100011.';
  it.each([
    [
      'tokens',
      { maxTokens: 60 },
      ofTokens,
      60,
      'MAX_TOKENS',
      'The document may have at most 60 to',
    ],
    ['cost', { maxCost: 7 }, ofCost, 7, 'MAX_COST', 'The operation may cost at most 7'],
    ['cost', {}, ofPage, 100_000, 'MAX_COST', tooCostly],
    ['mutationFields', {}, ofMutations, 5, undefined, 'The operation may select at most 5 mutat'],
    ['nodeIds', {}, ofIds, 100, undefined, 'The operation may name at most 100 node identifiers'],
  ] as const)('%s with %j', async (limit, config, of, allowed, setting, text) => {
    const stack = await start(config);
    for (const { data } of await answersTo(stack, of(allowed))) expect(data).toBeTypeOf('object');
    const message = expect.stringContaining(text);
    for (const refusal of await refusals(stack, of(allowed + 1)))
      expect(refusal).toEqual({ limit, allowed, setting, message });
  });

  it('280 levels of one organization are one call', async () => {
    const stack = await start();
    const level = '{ service(id: "service-1") { organization ';
    const query = `{ ${organization} ${level.repeat(140)} { name } ${'} }'.repeat(140)} }`;
    expect((await stack.query(withIds(query))).body.errors).toBeUndefined();
    expect(stack.calls.length).toBeLessThanOrEqual(2);
  });
});

/** The error for an operation that costs too much says what it costs. */
const costsOf = async (config: Partial<Config>, all: readonly Asked[]) => {
  const stack = await start(config);
  const costs: number[] = [];
  for (const asked of all) {
    const [refusal] = await refusals(stack, asked);
    costs.push(Number(/; this one comes to (\d+)\.$/.exec(refusal?.message ?? '')?.[1]));
  }
  return costs;
};

describe('an operation costs', () => {
  // Each field counts, leaves and __typename too, and what is below a list ten times, also in what is about the schema.
  // Fragments count as often as they are spread, and every member of an abstract type; what is left out counts too.
  it.each(
    `4 { __typename organization(organizationId: "organization-1") { id name } }
    31 { organizations { id a: name b: name } }
    1111 { organizations { services { pipes { name } } } }
    4 { ...A ...A } fragment A on Query { ...B } fragment B on Query { ...C ...C } fragment C on Query { __typename }
    14 { ... { organizations { name } ... on Query { organization(organizationId: "o") { ... @include(if: true) { id name } } } } }
    4 { node(nodeId: "x") { ... on Pipe { id } ... on Alert { name } } }
    3 { organization(organizationId: "o") @skip(if: true) { id @skip(if: true) name } }
    7 { nodes(nodeIds: ["a", "b", "c"]) { nodeId } }
    3 query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }`.split(/\n\s+/),
  )('%s', async (row) => {
    const [cost = '', query] = row.split(/ (.*)/);
    expect(await costsOf({ maxCost: 0 }, [{ query: query ?? '' }])).toEqual([Number(cost)]);
  });

  const ids = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
  const one =
    'query ($one: [ID!]!, $ids: [ID!]!) { a: nodes(nodeIds: $one) { nodeId } b: nodes(nodeIds: $ids) { nodeId } }';
  const other = `query Asked { ${aliases(6, '__typename')} } query Other { ${aliases(7, 'x')} }`;
  it.each([
    ['identifiers in a variable', 25, { query: ids, variables: { ids: idsOf(12) } }],
    ['in a default', 7, { query: ids.replace('!)', '! = ["a", "b", "c"])'), variables: {} }],
    ['one without a list', 28, { query: one, variables: { one: id, ids: idsOf(12) } }],
    ['another one of its document', 7, { query: other, operationName: 'Asked' }],
  ])('%s', async (_, cost, asked) => {
    // Lets the document itself pass, in which each variable counts as one item.
    expect(await costsOf({ maxCost: 6 }, [asked])).toEqual([cost]);
  });

  it('less than three fifths of the default for each of operations/ and for introspection by tools', async () => {
    const names = Object.keys(documents).filter((name) => !isSubscription(name));
    const introspection = getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true });
    const queries = [introspection, ...names.map(textOf)].map((query) => ({ query }));
    const costs = await costsOf({ maxCost: 0 }, queries);
    for (const cost of costs) expect(cost).toBeLessThan(60_000);
  });
});
