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
const idsOf = (count: number, value: unknown = id) => Array.from({ length: count }, () => value);
const listed = JSON.stringify(idsOf(3));
const repeat = (count: number, unit: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => unit(index)).join(' ');
const rename = withIds(
  'updateOrganization(input: {organizationId: "organization-1", name: "a"}) { organization { name } }',
);
const renames = (count: number) => repeat(count, (index) => `m${index}: ${rename}`);

const start = async (config: Partial<Config> = {}): Promise<Stack> => {
  const sizes = { organizations: 1, services: 1, pipesPerService: 1 };
  const none = { dashboards: 0, tilesPerDashboard: 0, alerts: 0 };
  return startStack({ ...createBackend(worldOf({ ...sizes, ...none })), config });
};

const startForTest = async (config: Partial<Config> = {}): Promise<Stack> => {
  const stack = await start(config);
  onTestFinished(stack.close);
  return stack;
};

interface Asked {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** What an operation is answered by POST, and by GET if it is a query. */
const answersTo = async (stack: Stack, { query, variables, operationName }: Asked) => {
  const named = operationName === undefined ? {} : { operationName };
  const { body } = await stack.query(query, { variables, ...named });
  if (query.startsWith('mutation')) return [body];
  const url = new URL(stack.url);
  url.search = new URLSearchParams({
    ...{ query, ...named },
    ...(variables && { variables: JSON.stringify(variables) }),
  }).toString();
  if (url.href.length > 15_000) return [body];
  return [body, await (await fetch(url)).json()];
};

const refusals = async (stack: Stack, asked: Asked) => {
  const answers = await answersTo(stack, asked);
  expect(stack.calls).toEqual([]);
  return answers.map(({ data, errors = [], ...rest }) => {
    expect([data, rest]).toEqual([undefined, {}]);
    expect(errors).toHaveLength(1);
    const { message, extensions } = errors[0];
    const { code, limit, allowed, setting } = extensions;
    expect(code).toBe('LIMIT_EXCEEDED');
    return { message, limit, allowed, setting };
  });
};

/** Two documents, the first at a limit and the second one beyond it. */
const expectLimit = async (
  stack: Stack,
  of: (count: number) => Asked,
  expected: { readonly limit: string; readonly allowed: number; readonly setting?: string },
) => {
  for (const { errors } of await answersTo(stack, of(expected.allowed))) {
    expect(errors?.map(({ extensions }: { extensions: object }) => extensions)).not.toMatchObject([
      { code: 'LIMIT_EXCEEDED' },
    ]);
  }
  stack.calls.length = 0;
  for (const refusal of await refusals(stack, of(expected.allowed + 1))) {
    expect(refusal).toEqual({ setting: undefined, ...expected, message: expect.any(String) });
  }
};

describe('an operation is refused without a call', () => {
  /** A document of just so many tokens, with nothing that costs or that validation compares. */
  const ofTokens = (count: number): Asked => ({
    query: `{ ${organization} { ${'...F '.repeat((count - 17) / 2)} ${count % 2 ? '' : 'id'} } } fragment F on Organization { id }`,
  });
  const names = (count: number): Asked => ({ query: `{ ${'__typename '.repeat(count)} }` });
  const nodes = (count: number): Asked => ({
    query: 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { __typename } }',
    variables: { ids: idsOf(count) },
  });

  it.each([
    [
      'of more than 2000 tokens',
      {},
      ofTokens,
      { limit: 'tokens', allowed: 2000, setting: 'MAX_TOKENS' },
    ],
    [
      'of more tokens than are set',
      { maxTokens: 60 },
      ofTokens,
      { limit: 'tokens', allowed: 60, setting: 'MAX_TOKENS' },
    ],
    [
      'that costs more than is set',
      { maxCost: 7 },
      names,
      { limit: 'cost', allowed: 7, setting: 'MAX_COST' },
    ],
    [
      'of more than five mutations',
      {},
      (count: number) => ({ query: `mutation { ${renames(count)} }` }),
      { limit: 'mutationFields', allowed: 5 },
    ],
    ['with more than a hundred node identifiers', {}, nodes, { limit: 'nodeIds', allowed: 100 }],
  ])('%s', async (_, config, of, expected) => {
    await expectLimit(await startForTest(config), of, expected);
  });

  it('that costs more than 100 000', async () => {
    const stack = await startForTest();
    const of = (count: number): Asked => ({
      query: `{ organizations { services { pipes { ${repeat(98, (index) => `a${index}: name`)} } ${'id '.repeat(count)} } } }`,
    });
    const [{ data }] = await answersTo(stack, of(18));
    expect(data.organizations).toHaveLength(1);
    stack.calls.length = 0;
    const [refusal] = await refusals(stack, of(19));
    expect(refusal?.message).toBe(
      'The operation may cost at most 100000, fragments included; this one comes to 100011.',
    );
  });
});

describe('what an operation costs:', () => {
  let cheap: Stack;
  let beforeVariables: Stack;
  beforeAll(async () => {
    cheap = await start({ maxCost: 0 });
    // The document alone passes, in which each variable counts as one item.
    beforeVariables = await start({ maxCost: 6 });
    return async () => {
      await cheap.close();
      await beforeVariables.close();
    };
  });

  /** The error for an operation that costs too much says what it costs. */
  const costOf = async (asked: Asked): Promise<number> => {
    const [refusal] = await refusals(asked.variables ? beforeVariables : cheap, asked);
    return Number(/; this one comes to (\d+)\.$/.exec(refusal?.message ?? '')?.[1]);
  };

  const rows: readonly (Asked & { readonly title: string; readonly cost: number })[] = [
    {
      title: 'each field, leaves and __typename too',
      cost: 4,
      query: `{ __typename ${organization} { id name } }`,
    },
    {
      title: 'aliases, each',
      cost: 4,
      query: `{ ${organization} { a: name b: name name: name } }`,
    },
    {
      title: 'what is below a list, ten times',
      cost: 31,
      query: '{ organizations { id a: name b: name } }',
    },
    {
      title: 'lists in lists',
      cost: 1111,
      query: '{ organizations { services { pipes { name } } } }',
    },
    {
      title: 'lists about the schema',
      cost: 112,
      query: '{ __schema { types { fields { name } } } }',
    },
    {
      title: 'the list of all pipes of an organization, a hundred times',
      cost: 203,
      query: `{ ${organization} { pipes { items { id name } } } }`,
    },
    {
      title: 'fragments, as often as they are spread',
      cost: 4,
      query:
        '{ ...A ...A } fragment A on Query { ...B } fragment B on Query { ...C ...C } fragment C on Query { __typename }',
    },
    {
      title: 'inline fragments, with and without a type',
      cost: 4,
      query: `{ ... { __typename ... on Query { ${organization} { ... @include(if: true) { id name } } } } }`,
    },
    {
      title: 'every member of an abstract type',
      cost: 4,
      query: '{ node(nodeId: "x") { ... on Pipe { id } ... on Alert { name } } }',
    },
    {
      title: 'what @skip leaves out',
      cost: 3,
      query: `{ ${organization} @skip(if: true) { id @skip(if: true) name } }`,
    },
    {
      title: 'an operation that is not asked for',
      cost: 7,
      query: `query Asked { __typename } query Other { ${repeat(7, (index) => `a${index}: __typename`)} }`,
      variables: {},
      operationName: 'Asked',
    },
    {
      title: 'identifiers in a literal, and what is below for each',
      cost: 7,
      query: `{ nodes(nodeIds: ${listed}) { nodeId } }`,
    },
    { title: 'no identifiers', cost: 1, query: '{ nodes(nodeIds: []) { nodeId } }' },
    {
      title: 'identifiers in a variable',
      cost: 25,
      query: 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }',
      variables: { ids: idsOf(12) },
    },
    {
      title: 'identifiers in a default',
      cost: 7,
      query: `query ($ids: [ID!]! = ${listed}) { nodes(nodeIds: $ids) { nodeId } }`,
      variables: {},
    },
    {
      title: 'a given list in place of a default',
      cost: 7,
      query:
        'query ($ids: [ID!]! = ["a"]) { ...F } fragment F on Query { nodes(nodeIds: $ids) { nodeId } }',
      variables: { ids: idsOf(3) },
    },
    {
      title: 'one identifier without a list around it',
      cost: 28,
      query:
        'query ($ids: [ID!]!, $more: [ID!]!) { a: nodes(nodeIds: $ids) { nodeId } b: nodes(nodeIds: $more) { nodeId } }',
      variables: { ids: id, more: idsOf(12) },
    },
  ];
  it.each(rows)('$title', async ({ cost, ...asked }) => {
    expect(await costOf(asked)).toBe(cost);
  });

  it('those of operations/ and the introspection of tools at most three fifths of the default', async () => {
    const names = Object.keys(documents).filter((name) => !isSubscription(name));
    const introspection = getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true });
    for (const query of [introspection, ...names.map(textOf)]) {
      expect(await costOf({ query })).toBeLessThan(60_000);
    }
  });
});

it('a list of requests is refused, however small', async () => {
  const { url, calls } = await startForTest();
  for (const count of [0, 1, 2]) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: count }, () => ({ query: '{ __typename }' }))),
    });
    expect(response.status).toBe(400);
    expect((await response.json()).errors).toHaveLength(1);
  }
  expect(calls).toEqual([]);
});
