import { getIntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentials, type Stack } from './harness.ts';
import {
  documentOfTokens,
  forms,
  mutationsOf,
  queriesOf,
  type Root,
  tokensIn,
} from './limits-documents.ts';
import { cut, postBody, postWays, startLimited, type WayAnswer, ways } from './limits-ways.ts';
import { type HeaderLine, postRaw } from './raw-http.ts';
import { withIds } from './world-ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const organization = withIds('organization(id: "organization-1")');
const service = withIds('service(id: "service-1")');

const expectRefused = (answer: WayAnswer, limit: string, allowed: number): void => {
  expect(answer.body).not.toHaveProperty('data');
  expect(answer.body.errors).toMatchObject([
    { extensions: { code: 'LIMIT_EXCEEDED', limit, allowed } },
  ]);
  expect(answer.status).toBeLessThan(500);
  expect(answer.type).toMatch(/json/);
  expect(stack.calls).toEqual([]);
};

/** `executed` says whether the selections themselves are asked for. */
const expectAccepted = (answer: WayAnswer, executed: boolean): void => {
  expect(answer.body.errors).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(answer.body.data).toBeTypeOf('object');
  expect(stack.calls.length > 0).toBe(executed);
};

const isAskedFor = (form: string): boolean => !form.includes('not asked for');

/** One document at the limit and one beyond it, in that form; each of them must be new to the gateway. */
const atAndBeyond = async (
  limit: string,
  allowed: number,
  documentOf: (count: number) => string,
  entries: typeof ways,
  executed: boolean,
): Promise<void> => {
  for (const [title, send] of Object.entries(entries)) {
    for (const count of [allowed, allowed + 1]) {
      stack.calls.length = 0;
      // Told apart by a comment, so that no entry lives on what another has left in a cache.
      const query = `# ${title}\n${documentOf(count)}`;
      const answer = await send(stack, { query, operationName: 'Asked' });
      if (count === allowed) expectAccepted(answer, executed);
      else expectRefused(answer, limit, allowed);
    }
  }
};

/** Smaller than the defaults, so that it is these bounds which hold. */
const bounds = { depth: 5, aliases: 4, rootFields: 3, directives: 6, cost: 13 } as const;

describe.each(Object.entries(bounds))('at most so much of %s: %i', (limit, allowed) => {
  beforeEach(async () => {
    stack = await startLimited({ [limit]: allowed });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const selectionsOf = queriesOf[limit as keyof typeof bounds];
    const documentOf = (count: number) => form(selectionsOf(count), 'Query');
    await atAndBeyond(limit, allowed, documentOf, ways, isAskedFor(title));
  });

  it('known documents too, and beside others that are well within it', async () => {
    const selectionsOf = queriesOf[limit as keyof typeof bounds];
    const query = `query Asked { ${selectionsOf(allowed + 1)} }`;
    const [post = ways.GET] = Object.values(ways);
    for (let time = 0; time < 3; time += 1) {
      expect((await post?.(stack, { query: '{ __typename }' }))?.status).toBe(200);
      for (const send of Object.values(ways)) {
        expectRefused(await send(stack, { query }), limit, allowed);
      }
    }
  });

  it('for each operation on its own', async () => {
    const selections = queriesOf[limit as keyof typeof bounds](allowed);
    const query = `query Asked { ${selections} } query Other { ${selections} }`;
    for (const send of Object.values(ways)) {
      stack.calls.length = 0;
      expectAccepted(await send(stack, { query, operationName: 'Asked' }), true);
    }
  });
});

describe('at most so many mutations', () => {
  beforeEach(async () => {
    stack = await startLimited({ mutationFields: 2 });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const documentOf = (count: number) => form(mutationsOf(count), 'Mutation');
    await atAndBeyond('mutationFields', 2, documentOf, postWays, isAskedFor(title));
  });
});

describe('at most so many tokens', () => {
  beforeEach(async () => {
    stack = await startLimited({ tokens: 60 });
  });
  it.each(Object.entries(forms))('through %s', async (title, form) => {
    const documentOf = (count: number) => documentOfTokens(form, count);
    expect(tokensIn(documentOf(61))).toBe(61);
    await atAndBeyond('tokens', 60, documentOf, ways, isAskedFor(title));
  });

  it('of which commas and comments are none', async () => {
    const query = `${documentOfTokens((selection) => `{ ${selection} }`, 60)},,, # a b c d e f\n,`;
    expectAccepted(await postBody(stack, JSON.stringify({ query })), true);
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
      expectAccepted(await send(stack, { query: documentOf(2) }), true);
      stack.calls.length = 0;
      expectRefused(await send(stack, { query: documentOf(3) }), limit, allowed);
    }
  });
});

describe('what a limit counts:', () => {
  const refuse = async (limit: string, allowed: number, query: string) => {
    stack = await startLimited({ [limit]: allowed });
    for (const send of Object.values(query.startsWith('mutation') ? postWays : ways)) {
      expectRefused(await send(stack, { query }), limit, allowed);
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

  it('depth of what is left out', () =>
    refuse('depth', 2, `{ ${organization} { ${service} @skip(if: true) { name } } }`));

  it('depth on the deepest way, whatever comes last', () =>
    refuse('depth', 2, `{ ${organization} { ${service} { name } id } __typename }`));

  it('cost of nothing that yields no objects', () =>
    accept('cost', 1, `{ __typename ${organization} { id name createdAt nodeId } }`));

  it('cost of an abstract type and below its fragments', () =>
    refuse(
      'cost',
      11,
      '{ nodes(nodeIds: []) { nodeId ... on Dashboard { tiles { id } alerts { id } } } }',
    ));

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

  const defaults = { depth: 10, aliases: 30, rootFields: 20, directives: 50, cost: 5000 } as const;
  it.each(Object.entries(defaults))('%s are %i', async (limit, allowed) => {
    const selectionsOf = queriesOf[limit as keyof typeof defaults];
    const documentOf = (count: number) => `query Asked { ${selectionsOf(count)} }`;
    await atAndBeyond(limit, allowed, documentOf, ways, true);
  });

  it('mutations are 5', () =>
    atAndBeyond(
      'mutationFields',
      5,
      (count) => `mutation Asked { ${mutationsOf(count)} }`,
      postWays,
      true,
    ));

  it('tokens are 2000', () =>
    atAndBeyond(
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
        expectAccepted(await send(stack, { query }), false);
      }
    }
  });
});

describe('at most so many bytes of a body', () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  /** A request of just so many bytes, some of which are parts of characters. */
  const bodyOf = (size: number): string => {
    const query = `{ ${organization} { name } } # äöü→😀`;
    const body = JSON.stringify({ query });
    return `${body.slice(0, -1)}${' '.repeat(size - bytes(body))}}`;
  };
  const entries: Readonly<Record<string, (body: string) => Promise<WayAnswer>>> = {
    'the short way': (body) => postBody(stack, body),
    Yoga: (body) => postBody(stack, body, 'application/graphql-response+json'),
    'one chunk': (body) => postBody(stack, [body]),
    'many chunks': (body) => postBody(stack, cut(body, 50)),
  };

  it.each([
    ['600, as told', 600, { bodyBytes: 600 }],
    ['262144 by default', 262_144, undefined],
  ] as const)('%s', async (_, allowed, limits) => {
    stack = await startLimited(limits);
    for (const send of Object.values(entries)) {
      stack.calls.length = 0;
      expectAccepted(await send(bodyOf(allowed)), true);
      stack.calls.length = 0;
      for (const size of [allowed + 1, allowed * 3]) {
        const answer = await send(bodyOf(size));
        expect(answer.status).toBe(413);
        expect(answer.body.errors).toMatchObject([
          { message: expect.any(String), extensions: { code: expect.any(String) } },
        ]);
        expect(stack.calls).toEqual([]);
      }
    }
  });

  it.each(Object.entries(entries))(
    'and the next request on the same connection is answered, after %s',
    async (_, send) => {
      stack = await startLimited();
      for (const size of [262_145, 300_000, 800_000, 3_000_000]) {
        expect((await send(bodyOf(size))).status).toBe(413);
        // The one connection that fetch has keeps, unless the gateway has closed it.
        expect((await send(bodyOf(500))).status).toBe(200);
        expect((await stack.query('{ __typename }')).status).toBe(200);
      }
    },
  );

  it('also of one that would be small once unpacked, and nothing is unpacked', async () => {
    stack = await startLimited();
    const { gzipSync } = await import('node:zlib');
    const small = gzipSync(bodyOf(500));
    const bomb = gzipSync(bodyOf(20 * 1024 * 1024));
    for (const body of [small, bomb]) {
      const response = await fetch(stack.url, {
        method: 'POST',
        headers: {
          ...credentials,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(body),
      });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      expect((await response.json()).errors).toHaveLength(1);
    }
    expect(stack.calls).toEqual([]);
  });
});

describe('at most so many bytes of headers', () => {
  const credentialLines: readonly HeaderLine[] = Object.entries(credentials);
  const send = (filler: number) =>
    postRaw(stack.url, `{ ${organization} { name } }`, [
      ...credentialLines,
      ['x-filler', 'f'.repeat(filler)],
    ]);

  /** The bytes of the whole section that the request above comes to, without its filler. */
  const sectionBytes = (): number => {
    const { host } = new URL(stack.url);
    const body = JSON.stringify({ query: `{ ${organization} { name } }` });
    const lines = [
      'POST /graphql HTTP/1.1',
      `Host: ${host}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...[...credentialLines, ['x-filler', '']].map(([name, value]) => `${name}: ${value}`),
    ];
    return lines.map((line) => line.length + 2).reduce((sum, length) => sum + length) + 2;
  };

  it.each([
    ['2000, as told', 2000, { headerBytes: 2000 }],
    ['16384 by default', 16_384, undefined],
  ] as const)('%s', async (_, allowed, limits) => {
    stack = await startLimited(limits);
    const fits = await send(allowed - sectionBytes());
    expect([fits.status, fits.body.errors]).toEqual([200, undefined]);
    expect(stack.calls).toHaveLength(1);
    stack.calls.length = 0;
    // Node leaves colons, blanks and line ends out of its count, so some bytes beyond still pass.
    let most = allowed - sectionBytes();
    let least: number = allowed;
    while (least - most > 1) {
      const middle = (most + least) >> 1;
      if ((await send(middle)).status === 200) most = middle;
      else least = middle;
    }
    expect(most).toBeLessThan(allowed - sectionBytes() + 100);
    stack.calls.length = 0;
    expect((await send(least)).status).toBe(431);
    expect(stack.calls).toEqual([]);
  });

  it('in the address of a GET as well', async () => {
    stack = await startLimited({ headerBytes: 2000 });
    const url = new URL(stack.url);
    url.searchParams.set('query', `{ ${organization} { name } } # ${'x'.repeat(2000)}`);
    const response = await fetch(url, { headers: credentials });
    expect(response.status).toBe(431);
    await response.text();
    expect(stack.calls).toEqual([]);
  });
});

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
  ])('%s', (_, fragments) => refuse(`{ ...F0 } ${fragments}`, 'rootFields'));

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
      'directives',
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
      'aliases',
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
    [
      'selections that exist',
      `{ ${organization} ${`{ ${service} { organization `.repeat(140)} {id} ${'}}'.repeat(140)} }`,
    ],
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

describe('what is long and harmless is answered:', () => {
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
      expectAccepted(await send(stack, { query }), true);
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
