import { getIntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stack } from '../support/harness.ts';
import {
  documentOfTokens,
  forms,
  mutationsOf,
  queriesOf,
  type Root,
  tokensIn,
} from '../support/limits/documents.ts';
import {
  atAndBeyond,
  expectAccepted,
  expectRefused,
  isAskedFor,
  postBody,
  postWays,
  startLimited,
  ways,
} from '../support/limits/ways.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const organization = withIds('organization(id: "organization-1")');
const service = withIds('service(id: "service-1")');

/** Smaller than the defaults, so that it is these bounds which hold. */
const bounds = {
  depth: 5,
  aliases: 4,
  rootFields: 3,
  directives: 6,
  cost: 13,
  nodeIds: 4,
} as const;

describe.each(Object.entries(bounds))('at most so much of %s: %i', (limit, allowed) => {
  beforeEach(async () => {
    stack = await startLimited({ [limit]: allowed });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const selectionsOf = queriesOf[limit as keyof typeof bounds];
    const documentOf = (count: number) => form(selectionsOf(count), 'Query');
    await atAndBeyond(stack, limit, allowed, documentOf, ways, isAskedFor(title));
  });

  it('known documents too, and beside others that are well within it', async () => {
    const selectionsOf = queriesOf[limit as keyof typeof bounds];
    const query = `query Asked { ${selectionsOf(allowed + 1)} }`;
    const [post = ways.GET] = Object.values(ways);
    for (let time = 0; time < 3; time += 1) {
      expect((await post?.(stack, { query: '{ __typename }' }))?.status).toBe(200);
      for (const send of Object.values(ways)) {
        expectRefused(stack, await send(stack, { query }), limit, allowed);
      }
    }
  });

  it('for each operation on its own', async () => {
    const selections = queriesOf[limit as keyof typeof bounds](allowed);
    const query = `query Asked { ${selections} } query Other { ${selections} }`;
    for (const send of Object.values(ways)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(stack, { query, operationName: 'Asked' }), true);
    }
  });
});

describe('at most so many mutations', () => {
  beforeEach(async () => {
    stack = await startLimited({ mutationFields: 2 });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const documentOf = (count: number) => form(mutationsOf(count), 'Mutation');
    await atAndBeyond(stack, 'mutationFields', 2, documentOf, postWays, isAskedFor(title));
  });
});

describe('at most so many tokens', () => {
  beforeEach(async () => {
    stack = await startLimited({ tokens: 60 });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const documentOf = (count: number) => documentOfTokens(form, count);
    expect(tokensIn(documentOf(61))).toBe(61);
    await atAndBeyond(stack, 'tokens', 60, documentOf, ways, isAskedFor(title));
  });

  it('of which commas and comments are none', async () => {
    const query = `${documentOfTokens((selection) => `{ ${selection} }`, 60)},,, # a b c d e f\n,`;
    expectAccepted(stack, await postBody(stack, JSON.stringify({ query })), true);
  });

  it('also where the document would not be a valid one', async () => {
    for (const query of [`{ ${'nothing '.repeat(59)} }`, '('.repeat(61)]) {
      for (const send of Object.values(ways)) {
        const { body } = await send(stack, { query });
        expect(body).not.toHaveProperty('data');
        expect(body.errors).not.toHaveLength(0);
      }
    }
    expect(stack.calls).toEqual([]);
  });
});

describe('a fragment counts as often as it is spread:', () => {
  it.each<readonly [string, number, Root, string]>([
    ['aliases', 6, 'Query', `${organization} { a: name b: id c: createdAt }`],
    ['rootFields', 4, 'Query', `a: ${organization} { name } b: ${organization} { name }`],
    ['directives', 4, 'Query', `${organization} { name @include(if: true) id @skip(if: false) }`],
    ['cost', 22, 'Query', 'organizations { privateEndpoints { id } }'],
    ['mutationFields', 2, 'Mutation', mutationsOf(1)],
  ])('%s', async (limit, allowed, root, selection) => {
    const entries = root === 'Query' ? ways : postWays;
    const documentOf = (spreads: number) =>
      `${root.toLowerCase()} Asked { ${'...F '.repeat(spreads)} } fragment F on ${root} { ${selection} }`;
    stack = await startLimited({ [limit]: allowed });
    for (const send of Object.values(entries)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(stack, { query: documentOf(2) }), true);
      stack.calls.length = 0;
      expectRefused(stack, await send(stack, { query: documentOf(3) }), limit, allowed);
    }
  });
});

describe('what a limit counts:', () => {
  const refuse = async (limit: string, allowed: number, query: string) => {
    stack = await startLimited({ [limit]: allowed });
    for (const send of Object.values(query.startsWith('mutation') ? postWays : ways)) {
      expectRefused(stack, await send(stack, { query }), limit, allowed);
    }
  };
  const accept = async (limit: string, allowed: number, query: string) => {
    stack = await startLimited({ [limit]: allowed });
    for (const send of Object.values(ways)) {
      const answer = await send(stack, { query });
      expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    }
  };

  it.each([
    ['on fields', `{ ${organization} @include(if: true) { name @skip(if: false) } }`],
    ['twice on one field', `{ ${organization} @include(if: true) @skip(if: false) { name } }`],
    [
      'on inline fragments',
      `{ ... @include(if: true) { ${organization} { ... on Organization @skip(if: false) { name } } } }`,
    ],
    [
      'on spreads',
      `{ ...A @include(if: true) ...A @skip(if: false) } fragment A on Query { ${organization} { name } }`,
    ],
    [
      'where they leave everything out',
      `{ ${organization} @skip(if: true) { name @skip(if: true) } }`,
    ],
    ['below the schema', '{ __schema @include(if: true) { queryType { name @skip(if: false) } } }'],
    ['on an operation', 'query A @include(if: true) @skip(if: false) { __typename }'],
    [
      'on a fragment, where none may stand',
      '{ ...A } fragment A on Query @include(if: true) @skip(if: false) { __typename }',
    ],
  ])('directives %s', async (_, query) => refuse('directives', 1, query));

  it.each([
    ['at the root', `{ a: ${organization} { name } b: ${organization} { name } }`],
    ['of introspection', '{ a: __typename b: __typename }'],
    ['below what is left out', `{ ${organization} @skip(if: true) { a: name b: name } }`],
    ['below the schema', '{ __schema { a: queryType { name } b: queryType { name } } }'],
  ])('aliases %s', async (_, query) => refuse('aliases', 1, query));

  it('aliases that name a field as it is called anyway', () =>
    refuse('aliases', 1, `{ organization: ${organization} { name: name } }`));

  it.each([
    [
      'left out',
      `{ a: ${organization} @skip(if: true) { name } ...@skip(if: true) { dashboards { name } } }`,
    ],
    ['of introspection', '{ __typename __schema { queryType { name } } }'],
  ])('root fields %s', async (_, query) => refuse('rootFields', 1, query));

  it('mutations by their own limit alone', async () => {
    await refuse('mutationFields', 1, `mutation { __typename ${mutationsOf(1)} }`);
  });

  it('depth of fields that @skip leaves out', () =>
    refuse('depth', 2, `{ ${organization} { ${service} @skip(if: true) { name } } }`));

  it('depth of the deepest path, wherever it stands in the document', () =>
    refuse('depth', 2, `{ ${organization} { ${service} { name } id } __typename }`));

  it('cost of nothing that yields no objects', () =>
    accept('cost', 1, `{ __typename ${organization} { id name createdAt nodeId } }`));

  it('cost of an abstract type and below its fragments', () =>
    refuse(
      'cost',
      11,
      '{ nodes(nodeIds: ["a", "b", "c", "d", "e", "f"]) { nodeId ... on Dashboard { tiles { id } alerts { id } } } }',
    ));

  it.each([
    ['above', 102, refuse],
    ['within', 103, accept],
  ])('cost below the list of all pipes: a hundred times, %s %i', (_, allowed, judge) =>
    judge('cost', allowed, `{ ${organization} { pipes { items { scaling { replicas } } } } }`),
  );

  it('no depth below __schema and __type', () =>
    accept(
      'depth',
      1,
      '{ __schema { types { fields { type { ofType { ofType { name } } } } } } __type(name: "Query") { fields { type { name } } } }',
    ));
});

describe('with the defaults', () => {
  beforeEach(async () => {
    stack = await startLimited();
  });

  const defaults = {
    depth: 10,
    aliases: 30,
    rootFields: 20,
    directives: 50,
    cost: 5000,
    nodeIds: 100,
  } as const;
  it.each(Object.entries(defaults))('%s are %i', async (limit, allowed) => {
    const selectionsOf = queriesOf[limit as keyof typeof defaults];
    const documentOf = (count: number) => `query Asked { ${selectionsOf(count)} }`;
    await atAndBeyond(stack, limit, allowed, documentOf, ways, true);
  });

  it('mutations are 5', () =>
    atAndBeyond(
      stack,
      'mutationFields',
      5,
      (count) => `mutation Asked { ${mutationsOf(count)} }`,
      postWays,
      true,
    ));

  it('tokens are 2000', () =>
    atAndBeyond(
      stack,
      'tokens',
      2000,
      // Nothing that another limit counts, or that validation would compare with each other.
      (count) => {
        const spreads = (missing: number) =>
          `query Asked { ${organization} { name ${missing % 2 === 1 ? 'id ' : ''}${'...F '.repeat(missing / 2)} } }
           fragment F on Organization { id }`;
        return spreads(count - tokensIn(spreads(0)));
      },
      ways,
      true,
    ));

  it('the introspection of tools passes, through every entry', async () => {
    for (const send of Object.values(ways)) {
      for (const query of [
        getIntrospectionQuery(),
        getIntrospectionQuery({
          specifiedByUrl: true,
          directiveIsRepeatable: true,
          schemaDescription: true,
          inputValueDeprecation: true,
          oneOf: true,
        }),
      ]) {
        expectAccepted(stack, await send(stack, { query }), false);
      }
    }
  });
});

it('a list of requests is refused, however small', async () => {
  stack = await startLimited();
  const query = `{ ${organization} { name } }`;
  for (const count of [0, 1, 2, 1000]) {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const body = JSON.stringify(Array.from({ length: count }, () => ({ query })));
      const answer = await postBody(stack, body, accept);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(1);
    }
  }
  expect(stack.calls).toEqual([]);
});
