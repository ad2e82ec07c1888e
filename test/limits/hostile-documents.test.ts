import { Lexer, Source, TokenKind } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stack } from '../support/harness.ts';
import {
  cut,
  expectAccepted,
  postBody,
  postWays,
  startLimited,
  ways,
} from '../support/limits/ways.ts';
import { withIds } from '../support/world/ids.ts';

/** Words, signs and values, as the specification counts them. */
const tokensIn = (document: string): number => {
  const lexer = new Lexer(new Source(document));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  return count;
};

let stack: Stack;
afterEach(() => stack.close());

const organization = withIds('organization(id: "organization-1")');
const service = withIds('service(id: "service-1")');

describe('a document made to hurt is refused at once:', () => {
  /** Whatever the bounds: refused with an error, without data, without a call. */
  const refuse = async (query: string, limit?: string): Promise<void> => {
    stack = await startLimited();
    const entries = query.length < 8000 ? ways : postWays;
    for (const send of Object.values(entries)) {
      const answer = await send(stack, { query });
      expect(answer.body).not.toHaveProperty('data');
      expect(answer.body.errors).not.toHaveLength(0);
      expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
      expect(answer.status).toBeLessThan(500);
      expect(answer.text.length).toBeLessThan(100_000);
      if (limit !== undefined) {
        expect(answer.body.errors).toMatchObject([
          { extensions: { code: 'LIMIT_EXCEEDED', limit } },
        ]);
      }
    }
    expect(stack.calls).toEqual([]);
    // And it still answers.
    expect((await stack.query('{ __typename }')).status).toBe(200);
  };

  const doubling = (levels: number, type: string, spread: (next: string) => string, last: string) =>
    Array.from({ length: levels }, (_, level) =>
      level === levels - 1
        ? `fragment F${level} on ${type} { ${last} }`
        : `fragment F${level} on ${type} { ${spread(`...F${level + 1}`)} }`,
    ).join('\n');

  it.each([
    ['2^30 root fields', doubling(31, 'Query', (next) => `${next} ${next}`, '__typename')],
    ['2^190 root fields', doubling(191, 'Query', (next) => `${next} ${next}`, '__typename')],
    ['20^40 root fields', doubling(41, 'Query', (next) => next.repeat(20), '__typename')],
    [
      '2^30 by inline fragments between',
      doubling(31, 'Query', (next) => `... { ${next} ${next} } `, '__typename'),
    ],
  ])('%s', (_, fragments) => refuse(`{ ...F0 } ${fragments}`, 'cost'));

  it.each([
    [31, '; this one comes to 1073741824.'],
    [191, ', fragments included.'],
  ])('%i levels: how many they are is said where it can be counted', async (levels, end) => {
    stack = await startLimited();
    const fragments = doubling(levels, 'Query', (next) => `${next} ${next}`, '__typename');
    const { body } = await postBody(stack, JSON.stringify({ query: `{ ...F0 } ${fragments}` }));
    const [error] = body.errors ?? [];
    expect(error?.message.endsWith(end)).toBe(true);
  });

  it.each([
    ['aliases', 31],
    ['cost', 100],
  ])('2^n %s within each other, n being %i', (_, levels) =>
    refuse(
      `{ ${organization} { ...F0 } } ${doubling(
        levels,
        'Organization',
        (next) =>
          `a: ${service} { organization { ${next} } } b: ${service} { organization { ${next} } }`,
        'name',
      )}`.slice(0, 200_000),
    ),
  );

  it('2^30 directives', () =>
    refuse(
      `{ ${organization} { ...F0 } } ${doubling(31, 'Organization', (next) => `${next} ${next}`, 'name @include(if: true)')}`,
      'cost',
    ));

  it('10^60 objects', () =>
    refuse(
      `{ dashboards { ...F0 } } ${doubling(60, 'Dashboard', (next) => `alerts { dashboard { ${next} } }`, 'name')}`,
    ));

  it('a bomb below the schema', () =>
    refuse(
      `{ __schema { types { ${Array.from({ length: 60 }, (_, index) => `a${index}: fields(includeDeprecated: true) { ...F }`).join(' ')} } } }
       fragment F on __Field { ${Array.from({ length: 60 }, (_, index) => `b${index}: type { ...T }`).join(' ')} }
       fragment T on __Type { ${Array.from({ length: 60 }, (_, index) => `c${index}: name`).join(' ')} }`,
      'cost',
    ));

  it.each([
    ['direct', '{ ...A } fragment A on Query { ...A }'],
    ['mutual', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    [
      'mutual, of three, with fields',
      '{ ...A } fragment A on Query { __typename ...B } fragment B on Query { ...C __typename } fragment C on Query { ...A ...B ...C }',
    ],
    [
      'through a field',
      `{ ${organization} { ...A } } fragment A on Organization { ${service} { organization { ...A } } }`,
    ],
    [
      'through lists and aliases',
      '{ dashboards { ...A } } fragment A on Dashboard { a: tiles { dashboard { ...A } } b: tiles { dashboard { ...A } } }',
    ],
    ['through inline fragments', '{ ...A } fragment A on Query { ... { ... on Query { ...A } } }'],
    ['that nobody spreads', `{ ${organization} { name } } fragment A on Query { ...A }`],
    [
      'of another operation',
      `query Asked { ${organization} { name } } query Other { ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
    ],
    [
      'doubled',
      '{ ...A ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A ...A }',
    ],
    [
      'below the schema',
      '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...A } }',
    ],
    [
      'below what is left out',
      `{ ${organization} @skip(if: true) { ...A } } fragment A on Organization { ...A }`,
    ],
  ])('a cycle, %s', (_, query) => refuse(query));

  it.each([
    [
      'two fragments of one name',
      '{ ...A } fragment A on Query { __typename } fragment A on Query { ...A }',
    ],
    ['a fragment that is not there', '{ ...A ...A }'],
    ['a fragment on a type that is none', '{ ...A } fragment A on Nothing { ...A }'],
    ['a fragment named like a member of every object', '{ ...constructor ...__proto__ }'],
    [
      'fields named like members of every object',
      `{ constructor { a } __proto__ { b } hasOwnProperty toString ${organization} { __proto__ } }`,
    ],
    ['types so named', '{ ... on constructor { a } ... on __proto__ { b } }'],
  ])('%s', (_, query) => refuse(query));

  const deep = 10_000;
  it.each([
    [
      '20 000 aliases',
      `{ ${Array.from({ length: 20_000 }, (_, index) => `a${index}:id`).join(' ')} }`,
    ],
    ['20 000 root fields', `{ ${'__typename '.repeat(20_000)} }`],
    ['10 000 levels of selections', `${'{a'.repeat(deep)}${'}'.repeat(deep)}`],
    ['10 000 levels that nobody closes', '{a'.repeat(deep)],
    ['10 000 levels of inline fragments', `${'{...'.repeat(deep)}{a}${'}'.repeat(deep)}`],
    [
      '10 000 levels of a list',
      `{ nodes(nodeIds: ${'['.repeat(deep)}${']'.repeat(deep)}) { nodeId } }`,
    ],
    [
      '10 000 levels of an object',
      `{ alerts(filter: ${'{a:'.repeat(deep)}1${'}'.repeat(deep)}) { id } }`,
    ],
    [
      '10 000 levels of a list type',
      `query ($v: ${'['.repeat(deep)}ID${']'.repeat(deep)}) { nodes(nodeIds: $v) { nodeId } }`,
    ],
    ['20 000 directives', `{ __typename ${'@include(if:true)'.repeat(10_000)} }`],
    ['20 000 operations', 'query{a}'.repeat(20_000)],
  ])('%s', (_, query) => refuse(query, 'tokens'));

  // As much of the same as its tokens allow.
  const near = 640;
  it.each([
    ['selections', `${'{a'.repeat(near)}${'}'.repeat(near)}`],
    ['inline fragments', `${'{...'.repeat(near)}{a}${'}'.repeat(near)}`],
    ['a list', `{ nodes(nodeIds: ${'['.repeat(near)}${']'.repeat(near)}) { nodeId } }`],
    ['an object', `{ alerts(filter: ${'{a:'.repeat(480)}1${'}'.repeat(480)}) { id } }`],
    [
      'a list type',
      `query ($v: ${'['.repeat(near)}ID${']'.repeat(near)}) { nodes(nodeIds: $v) { nodeId } }`,
    ],
    [
      'a default value',
      `query ($v: [ID!]! = ${'['.repeat(near)}${']'.repeat(near)}) { nodes(nodeIds: $v) { nodeId } }`,
    ],
    ['unknown fields', `{ ${Array.from({ length: 1900 }, (_, index) => `u${index}`).join(' ')} }`],
    [
      'unknown fragments',
      `{ ${Array.from({ length: 900 }, (_, index) => `...U${index}`).join(' ')} }`,
    ],
    [
      'unused fragments',
      `{ __typename } ${Array.from({ length: 200 }, (_, index) => `fragment U${index} on Query { __typename }`).join(' ')}`,
    ],
    [
      'fields that cannot be merged',
      `{ ${organization} { ${'name: id '.repeat(300)} ${'name '.repeat(400)} } }`,
    ],
    ['unknown variables', `{ nodes(nodeIds: [${'$v '.repeat(900)}]) { nodeId } }`],
    ['unknown directives', `{ __typename ${'@nothing '.repeat(900)} }`],
  ])('just below the tokens, of %s', (_, query) => {
    expect(tokensIn(query)).toBeLessThanOrEqual(2000);
    return refuse(query);
  });

  it.each([
    ['a list', `{ nodes(nodeIds: ${'['.repeat(1990)}`],
    ['a list within objects', `{ alerts(filter: ${'{a:['.repeat(490)}`],
    ['an object', `{ alerts(filter: ${'{a:'.repeat(660)}`],
    ['selections', '{a'.repeat(990)],
    ['selections with arguments', '{a(b:[1])'.repeat(220)],
    ['inline fragments', '{...'.repeat(990)],
    ['a list type', `query ($v: ${'['.repeat(1990)}`],
    ['a default value', `query ($v: ID = ${'['.repeat(1990)}`],
    ['a directive’s argument', `{ a @include(if: ${'['.repeat(1990)}`],
  ])('just below the tokens and never closed, of %s', (_, query) => {
    expect(tokensIn(query)).toBeLessThanOrEqual(2000);
    return refuse(query);
  });

  it.each([
    ['a name', `{ ${'a'.repeat(200_000)} }`],
    ['a string where none belongs', `{ __typename @include(if: "${'s'.repeat(200_000)}") }`],
    ['a block string', `{ alerts(filter: """${'\n  s'.repeat(50_000)}""") { id } }`],
    ['a number', `{ alerts(filter: {state: ${'9'.repeat(200_000)}}) { id } }`],
    ['a string that never ends', `{ alert(id: "${'s'.repeat(200_000)}`],
    ['a number with an exponent', `{ alerts(filter: {state: 1e${'9'.repeat(200_000)}}) { id } }`],
    ['an operation name', `query ${'N'.repeat(200_000)} { nothing }`],
  ])('%s of 200 KB', (_, query) => refuse(query));
});

describe('a long but harmless document is answered:', () => {
  beforeEach(async () => {
    stack = await startLimited();
  });

  it.each([
    ['commas', ','],
    ['blanks', ' '],
    ['line ends', '\n'],
    ['comments', '#\n'],
    ['byte order marks', '\uFEFF'],
  ])('200 KB of %s', async (_, filler) => {
    const size = Math.floor(65_000 / Buffer.byteLength(JSON.stringify(filler).slice(1, -1)));
    const query = `{ ${organization} { name ${filler.repeat(size)}} }`;
    for (const send of Object.values(postWays)) {
      stack.calls.length = 0;
      expectAccepted(stack, await send(stack, { query }), true);
    }
  });

  it.each([',', '#\n'])('but not a megabyte of %j', async (filler) => {
    const query = `{ ${organization} { name ${filler.repeat(1024 * 1024)}} }`;
    for (const send of Object.values(postWays)) {
      const answer = await send(stack, { query });
      expect([answer.status, answer.body.data]).toEqual([413, undefined]);
    }
    expect(stack.calls).toEqual([]);
  });

  it('an identifier of 200 KB is refused without a call, and not repeated', async () => {
    for (const send of Object.values(postWays)) {
      const { body, text } = await send(stack, {
        query: `{ alert(id: "${'i'.repeat(200_000)}") { name } }`,
      });
      expect(body).toMatchObject({
        data: { alert: null },
        errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
      });
      expect(text.length).toBeLessThan(5000);
    }
    expect(stack.calls).toEqual([]);
  });

  it.each([
    ['a variable of 10 000 lists', 'query ($v: [ID!]!) { nodes(nodeIds: $v) { nodeId } }'],
    ['an unknown variable of 10 000 lists', '{ __typename }'],
    ['an input object of 10 000 lists', 'query ($v: AlertFilter) { alerts(filter: $v) { id } }'],
  ])('%s', async (_, query) => {
    const variables = `{"v":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    for (const sent of [body, cut(body, 3)]) {
      const answer = await postBody(stack, sent);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).toMatch(/^\{"(?:data|errors)":/);
      expect(answer.text.length).toBeLessThan(5000);
    }
    expect(stack.calls).toEqual([]);
  });
});
