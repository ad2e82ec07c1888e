import { getIntrospectionQuery } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import type { Stack } from '../support/harness.ts';
import { expectAccepted, expectRefused, startLimited, ways } from '../support/limits/ways.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const id = encodeNodeId('Organization', withIds('organization-1'));
const ids = (count: number, value: unknown = id) => Array.from({ length: count }, () => value);
const select = '{ ... on Organization { name } }';

/** So many identifiers, by every way into a list or a single argument. */
const namings: Readonly<
  Record<string, (count: number) => { query: string; variables?: Record<string, unknown> }>
> = {
  'in one variable': (count) => ({
    query: `query ($ids: [ID!]!) { nodes(nodeIds: $ids) ${select} }`,
    variables: { ids: ids(count) },
  }),
  'in one variable, through a fragment': (count) => ({
    query: `fragment F on Query { ... { nodes(nodeIds: $ids) ${select} } } query ($ids: [ID!]!) { ...F }`,
    variables: { ids: ids(count) },
  }),
  'in one variable and two aliases': (count) => ({
    query: `query ($ids: [ID!]!, $more: [ID!]!) { a: nodes(nodeIds: $ids) ${select} b: nodes(nodeIds: $ids) ${select} c: nodes(nodeIds: $more) ${select} }`,
    variables: { ids: ids(Math.floor(count / 2)), more: ids(count % 2) },
  }),
  'in a default': (count) => ({
    query: `query ($ids: [ID!]! = ${JSON.stringify(ids(count))}) { nodes(nodeIds: $ids) ${select} }`,
  }),
  'in a literal, a variable and single ones': (count) => ({
    query: `query ($ids: [ID!]!, $id: ID!) { nodes(nodeIds: $ids) ${select} b: nodes(nodeIds: [$id, "${id}"]) ${select} node(nodeId: $id) ${select} }`,
    variables: { ids: ids(count - 3), id },
  }),
  'one without a list around it': (count) => ({
    query: `query ($ids: [ID!]!) { nodes(nodeIds: $ids) ${select} b: nodes(nodeIds: "${id}") ${select} }`,
    variables: { ids: ids(count - 1) },
  }),
};

describe('node identifiers are counted', () => {
  it.each(Object.entries(namings))('%s', async (_, asked) => {
    stack = await startLimited({ nodeIds: 5 });
    for (const send of Object.values(ways)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(stack, asked(5)), true);
      stack.calls.length = 0;
      const refused = await send(stack, asked(6));
      expectRefused(stack, refused, 'nodeIds', 5);
      expect(refused.body.errors?.[0]?.message).toMatch(
        /at most 5 node identifiers.*comes to 6\.$/,
      );
    }
  });

  it('before they are coerced: nothing is said of any of them', async () => {
    stack = await startLimited();
    for (const wrong of ['x', 7, null, {}, [[]]]) {
      const query = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
      for (const send of Object.values(ways)) {
        expectRefused(
          stack,
          await send(stack, { query, variables: { ids: ids(101, wrong) } }),
          'nodeIds',
          100,
        );
      }
    }
  });

  it('in the operation that is asked for alone', async () => {
    stack = await startLimited({ nodeIds: 2 });
    const query = `query Asked { node(nodeId: "${id}") ${select} }
      query Other ($ids: [ID!]!) { nodes(nodeIds: $ids) ${select} }`;
    const variables = { ids: ids(3) };
    for (const send of Object.values(ways)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(stack, { query, variables, operationName: 'Asked' }), true);
      stack.calls.length = 0;
      expectRefused(
        stack,
        await send(stack, { query, variables, operationName: 'Other' }),
        'nodeIds',
        2,
      );
    }
  });
});

describe('a list by identifiers costs what they are:', () => {
  const nodes = (list: string) =>
    `nodes(nodeIds: ${list}) { ... on Organization { services { name } } }`;
  // One for `nodes` itself, and for each identifier one for its list of services.
  it.each([
    ['three in a literal', nodes(JSON.stringify(ids(3))), undefined, 4],
    ['none in a literal', nodes('[]'), undefined, 1],
    ['three in a variable', nodes('$ids'), ids(3), 4],
    ['twelve in a variable', nodes('$ids'), ids(12), 13],
  ])('%s', async (_, selection, given, cost) => {
    const query = given ? `query ($ids: [ID!]!) { ${selection} }` : `{ ${selection} }`;
    const variables = given ? { ids: given } : undefined;
    for (const allowed of [cost, cost - 1]) {
      stack = await startLimited({ cost: allowed });
      for (const send of Object.values(ways)) {
        stack.calls.length = 0;
        const answer = await send(stack, { query, variables });
        if (allowed === cost) expect(answer.body.errors).toBeUndefined();
        else expectRefused(stack, answer, 'cost', allowed);
      }
      if (allowed === cost) await stack.close();
    }
  });
});

describe('introspection', () => {
  const query = getIntrospectionQuery();
  const fragments = query.slice(query.indexOf('fragment FullType'));
  const schema = query.slice(
    query.indexOf('__schema'),
    query.lastIndexOf('}', query.indexOf('fragment FullType')),
  );
  const times = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `a${index}: ${schema}`).join(' ')} } ${fragments}`;

  it('is allowed twice in a document, and not three times', async () => {
    stack = await startLimited();
    for (const send of Object.values(ways)) {
      expectAccepted(stack, await send(stack, { query: times(2) }), false);
      for (const count of [3, 11]) {
        expectRefused(stack, await send(stack, { query: times(count) }), 'introspections', 2);
      }
      const types =
        '{ a: __type(name: "A") { name } ...F ...F } fragment F on Query { __schema { __typename } }';
      expectRefused(stack, await send(stack, { query: types }), 'introspections', 2);
    }
  });

  it('has a price', async () => {
    stack = await startLimited({ cost: 20 });
    for (const send of Object.values(ways)) {
      // One, one for each of four types, and for each of these one for each of four fields' types.
      const asked = (more: string) => `{ __schema { types { fields { type { name } } ${more} } } }`;
      expectRefused(stack, await send(stack, { query: asked('') }), 'cost', 20);
      expectAccepted(
        stack,
        await send(stack, { query: '{ __schema { types { fields { name } } } __typename }' }),
        false,
      );
      expectRefused(
        stack,
        await send(stack, {
          query: '{ __type(name: "Query") { fields { args { type { ofType { name } } } } } }',
        }),
        'cost',
        20,
      );
    }
  });
});
