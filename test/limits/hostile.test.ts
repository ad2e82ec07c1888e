import { getIntrospectionQuery, Lexer, Source, TokenKind } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import { credentials, json, type Stack, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { withIds } from '../support/world/ids.ts';

/** Requests that anybody can send: the upstreams accept no credential. */
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => json({ error: 'unauthorized' }, 401),
    observability: () => json({ message: 'unauthorized' }, 401),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

const repeat = (count: number, unit: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => unit(index)).join(' ');
const nested = (count: number, open: string, inner = '', close = '}'): string =>
  `${open.repeat(count)}${inner}${close.repeat(count)}`;
/** Fragments each of which spreads the next one, as `spread` says. */
const chain = (levels: number, type: string, spread: (next: string) => string, last: string) =>
  repeat(levels, (level) => {
    const inner = level === levels - 1 ? last : spread(`...F${level + 1}`);
    return `fragment F${level} on ${type} { ${inner} }`;
  });
const twice = (next: string): string => `${next} ${next}`;
const byService = (next: string): string =>
  withIds(twice(`a: service(id: "service-1") { organization { ${next} } }`).replace('a:', 'b:'));
const byAlerts = (next: string): string => `alerts { dashboard { ${next} } }`;
const byIds = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
const organization = withIds('organization(id: "organization-1")');
const types = repeat(6, (index) => `t${index}: types { description fields { name description } }`);
const numbered = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, value]));

type Row = readonly [title: string, query: string, variables?: Readonly<Record<string, unknown>>];
type Group = readonly [code: string, limit: object, rows: readonly Row[]];

/** As much of the same as their tokens allow. */
const manyTokens: readonly Group[] = [
  [
    'GRAPHQL_PARSE_FAILED',
    {},
    [
      ['a list, never closed', `{ nodes(nodeIds: ${'['.repeat(1990)}`],
      ['lists within objects, never closed', `{ alerts(filter: ${'{a:['.repeat(490)}`],
      ['selections with arguments, never closed', '{a(b:[1])'.repeat(220)],
      ['inline fragments, never closed', '{...'.repeat(490)],
      ['a type, never closed', `query ($v: ${'['.repeat(1990)}`],
      ['a default, never closed', `query ($v: ID = ${'['.repeat(1990)}`],
      ['an argument of a directive, never closed', `{ a @include(if: ${'['.repeat(1990)}`],
    ],
  ],
  [
    'GRAPHQL_VALIDATION_FAILED',
    {},
    [
      ['levels of selections', nested(640, '{a')],
      ['levels of inline fragments', nested(490, '{...', '{a}')],
      ['levels of a list', `{ nodes(nodeIds: ${nested(640, '[', '', ']')}) { nodeId } }`],
      ['levels of an object', `{ alerts(filter: ${nested(480, '{a:', '1')}) { id } }`],
      [
        'levels of a type',
        `query ($v: ${nested(640, '[', 'ID', ']')}) { node(nodeId: $v) { id } }`,
      ],
      ['levels of a default', `query ($v: [ID!]! = ${nested(640, '[', '', ']')}) { __typename }`],
      ['lines', `${'\n'.repeat(120_000)}{ alerts { ${repeat(150, (index) => `x${index}`)} } }`],
      ['fields similar to known ones', `{ alerts { ${repeat(900, (index) => `nam${index}`)} } }`],
      ['unknown fragments', `{ ${repeat(900, (index) => `...U${index}`)} }`],
      ['unused fragments', `{ a } ${repeat(200, (index) => `fragment U${index} on Query { a }`)}`],
      ['fields that cannot be merged', `{ ${organization} { ${'name: id name '.repeat(400)} } }`],
      ['fields that are compared', `{ dashboards { ${'tiles { name } '.repeat(490)} } }`],
      ['unknown directives', `{ __typename ${'@nothing '.repeat(900)} }`],
    ],
  ],
  [
    'OPERATION_RESOLUTION_FAILURE',
    {},
    [
      [
        'operations of one fragment',
        `${repeat(240, (index) => `query Q${index} { ...F }`)} fragment F on Query { __typename }`,
      ],
      [
        'operations of as many fragments',
        `${repeat(80, (index) => `query Q${index}($a: Boolean!) { ...F0 }`)} ${chain(80, 'Query', (next) => next, '__typename @skip(if: $a)')}`,
      ],
    ],
  ],
  [
    'BAD_USER_INPUT',
    {},
    [
      [
        'variables that do not fit',
        `query (${repeat(120, (index) => `$v${index}:AlertFilter`)}) { ${repeat(120, (index) => `a${index}:alerts(filter:$v${index}){id}`)} }`,
        numbered(120, { source: Array(150).fill('x') }),
      ],
    ],
  ],
  [
    'UNAUTHENTICATED',
    {},
    [
      [
        'fragments that are compared',
        `{ ${repeat(120, (index) => `...F${index}`)} } ${repeat(120, (index) => `fragment F${index} on Query { dashboards { tiles { id } } }`)}`,
      ],
      ['root fields', `{ ${repeat(330, (index) => `a${index}:dashboards{id}`)} }`],
      ['different reads', `{ ${repeat(180, (index) => `a${index}:alert(id:"${index}"){name}`)} }`],
      ['directives', `{ dashboards { ${'...@include(if:true){id} '.repeat(175)} } }`],
    ],
  ],
];

const long = (letter: string): string => letter.repeat(200_000);

const hostile: readonly Group[] = [
  [
    'LIMIT_EXCEEDED',
    { limit: 'tokens', allowed: 2000, setting: 'MAX_TOKENS' },
    [
      ['20 000 aliases', `{ ${repeat(20_000, (index) => `a${index}:id`)} }`],
      ['10 000 directives', `{ __typename ${'@include(if:true)'.repeat(10_000)} }`],
      ['20 000 operations', 'query{a}'.repeat(20_000)],
      ['10 000 levels of selections', nested(10_000, '{a')],
      ['10 000 levels that nobody closes', '{a'.repeat(10_000)],
      ['10 000 levels of inline fragments', nested(10_000, '{...', '{a}')],
      ['10 000 levels of a list', `{ nodes(nodeIds: ${nested(10_000, '[', '', ']')}) { nodeId } }`],
      ['10 000 levels of an object', `{ alerts(filter: ${nested(10_000, '{a:', '1')}) { id } }`],
      ['10 000 levels of a type', `query ($v: ${nested(10_000, '[', 'ID', ']')}) { __typename }`],
    ],
  ],
  [
    'LIMIT_EXCEEDED',
    { limit: 'cost', allowed: 100_000, setting: 'MAX_COST' },
    [
      ['2^30 root fields', `{ ...F0 } ${chain(31, 'Query', twice, '__typename')}`],
      ['2^190 root fields', `{ ...F0 } ${chain(191, 'Query', twice, '__typename')}`],
      [
        '2^30 root fields by inline fragments',
        `{ ...F0 } ${chain(31, 'Query', (next) => `... { ${twice(next)} }`, '__typename')}`,
      ],
      [
        '2^30 aliases within each other',
        `{ ${organization} { ...F0 } } ${chain(31, 'Organization', byService, 'name')}`,
      ],
      ['10^60 objects', `{ dashboards { ...F0 } } ${chain(60, 'Dashboard', byAlerts, 'name')}`],
      [
        'aliases below lists',
        `{ organizations { services { pipes { ${repeat(600, (index) => `a${index}:name`)} } } } }`,
      ],
      [
        'aliases below aliases of the schema',
        `{ __schema { types { ${repeat(60, (index) => `a${index}: fields { ...F }`)} } } } fragment F on __Field { ${repeat(60, (index) => `b${index}: description`)} }`,
      ],
    ],
  ],
  [
    'LIMIT_EXCEEDED',
    { limit: 'nodeIds', allowed: 100 },
    [
      ['60 000 node identifiers', byIds, { ids: Array(60_000).fill('x') }],
      ['101 that are none, of which nothing is said', byIds, { ids: Array(101).fill({}) }],
      [
        '3000 in twenty aliases',
        `query ($ids: [ID!]!) { ${repeat(20, (index) => `a${index}: nodes(nodeIds: $ids) { nodeId }`)} }`,
        { ids: Array(3000).fill(encodeNodeId('Organization', withIds('organization-1'))) },
      ],
    ],
  ],
  [
    'GRAPHQL_VALIDATION_FAILED',
    {},
    [
      ['a fragment within itself', '{ ...A } fragment A on Query { ...A }'],
      [
        'three within each other, and twice',
        '{ ...A ...A } fragment A on Query { a ...B } fragment B on Query { ...C ...C } fragment C on Query { ...A ...B ...C }',
      ],
      [
        'a cycle through lists and aliases',
        '{ dashboards { ...A } } fragment A on Dashboard { a: tiles { dashboard { ...A } } b: tiles { dashboard { ...A } } }',
      ],
      ['a cycle that nobody spreads', '{ __typename } fragment A on Query { ... { ...A } }'],
      [
        'a cycle below the schema',
        '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...A } }',
      ],
      [
        'a cycle below what is left out',
        '{ dashboards @skip(if: true) { ...A } } fragment A on Dashboard { ...A }',
      ],
      [
        'two fragments of a name',
        '{ ...A } fragment A on Query { a } fragment A on Query { ...A }',
      ],
      ['a fragment on a type that is none', '{ ...A } fragment A on Nothing { ...A }'],
      [
        'names that every object has',
        '{ ...constructor ...__proto__ constructor { a } toString ... on __proto__ { b } dashboards { __proto__ } }',
      ],
      ['200 KB of a field', `{ ${long('a')} }`],
      ['200 KB of a name of the operation', `query ${long('N')} { nothing }`],
      ['200 KB of a string for a switch', `{ __typename @include(if: "${long('s')}") }`],
      ['200 KB of a block string', `{ alerts(filter: """${'\n  s'.repeat(40_000)}""") { id } }`],
      ['200 KB of a number', `{ alerts(filter: {state: ${long('9')}}) { id } }`],
      ['200 KB of an exponent', `{ alerts(filter: {state: 1e${long('9')}}) { id } }`],
    ],
  ],
  [
    'GRAPHQL_PARSE_FAILED',
    {},
    [
      ['200 KB of a string that never ends', `{ alert(id: "${long('s')}`],
      ['200 KB of strings that never end', `mutation { ${'"\\"'.repeat(40_000)}`],
    ],
  ],
  [
    'BAD_USER_INPUT',
    {},
    [
      ['200 KB of an identifier', `{ alert(id: "${long('i')}") { name } }`],
      [
        '20 000 unknown members of a variable',
        'query ($v: AlertFilter) { alerts(filter: $v) { id } }',
        { v: numbered(20_000, 1) },
      ],
    ],
  ],
];

const send = (body: string): Promise<Response> => {
  const headers = { ...credentials, 'content-type': 'application/json' };
  return fetch(stack.url, { method: 'POST', headers, body });
};

const rowsOf = (groups: readonly Group[]) =>
  groups.flatMap(([code, limit, rows]) =>
    rows.map(([title, query, variables]) => ({
      title,
      query,
      variables,
      expected: { code, ...limit },
    })),
  );

/** Words, signs and values, as the specification counts them. */
const tokensIn = (document: string): number => {
  const lexer = new Lexer(new Source(document));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  return count;
};

it.each(rowsOf(manyTokens))('just below the tokens: $title', ({ title, query }) => {
  const count = tokensIn(query);
  expect(count).toBeLessThanOrEqual(2000);
  if (!title.startsWith('l')) expect(count).toBeGreaterThan(900);
});

it.each(rowsOf([...manyTokens, ...hostile]))(
  '$title: answered at once and in few words',
  async ({ query, variables, expected }) => {
    const address = new URL(stack.url);
    address.searchParams.set('query', query);
    const answering = [send(JSON.stringify({ query, variables }))];
    if (!variables && address.href.length < 15_000) answering.push(fetch(address));
    // Others are answered meanwhile.
    expect((await fetch(new URL('/healthz', stack.url))).status).toBe(200);
    for (const answer of await Promise.all(answering)) {
      const text = await answer.text();
      expect(answer.status).toBeLessThan(500);
      expect(text.length).toBeLessThan(64_000);
      const { data, errors } = JSON.parse(text);
      expect(Object.values(data ?? {})).not.toContainEqual(expect.anything());
      expect(errors[0]).toMatchObject({ extensions: expected });
      for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(2100);
    }
    if (expected.code !== 'UNAUTHENTICATED') expect(stack.calls).toEqual([]);
  },
);

it('a new pipe with 4000 columns that nothing is mapped to is refused in few words', async () => {
  const columns = Array(4000).fill({ name: 'column', type: 'String' });
  const input = {
    ...{ organizationId: withIds('organization-1'), serviceId: withIds('service-1') },
    ...{ name: 'p', source: { kafka: {} }, fieldMappings: [] },
    destination: { database: 'd', table: 't', managedTable: true, columns },
  };
  const one = 'createPipe(input: $input) { userErrors { message } }';
  const creations = repeat(5, (index) => `m${index}: ${one}`);
  const query = `mutation ($input: CreatePipeInput!) { ${creations} }`;
  const { text, body } = await stack.query(query, { variables: { input } });
  expect(text.length).toBeLessThan(40_000);
  expect(body.data.m4.userErrors.length).toBeGreaterThan(0);
  expect(stack.calls).toEqual([]);
});

describe('what an answer tells of the schema is bounded,', () => {
  const all = `__schema { ${types} }`;
  it.each([
    ['alone', `{ ${all} }`],
    [
      'by aliases',
      `{ __schema { types { fields { ${repeat(600, (at) => `a${at}:description`)} } } } }`,
    ],
    ['in halves and a fragment', `{ ...q b: ${all} } fragment q on Query { a: ${all} }`],
    ['before and after other fields', `{ ${all} alerts { id } b: ${all} }`],
    ['in a part', `{ alerts { id } ... @defer { ${all} } }`],
    ['beside a part', `{ ${all} ... @defer { alerts { id } } }`],
  ])('%s', async (_, query) => {
    const parts = await askInParts(stack, query).ended;
    expect(JSON.stringify(parts).length).toBeLessThan(400_000);
    expect(parts.flatMap(({ errors = [] }) => errors)).toContainEqual(
      expect.objectContaining({
        message: expect.stringMatching(/^The response is too large: at most \d+ characters about/),
        extensions: expect.objectContaining({ code: 'LIMIT_EXCEEDED', limit: 'responseSize' }),
      }),
    );
  });

  it('but not below what tools ask for, twice', async () => {
    const text = getIntrospectionQuery({
      ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
      ...{ inputValueDeprecation: true, oneOf: true },
    });
    const again = 'b: __schema { types { name fields { name } } } } fragment FullType';
    for (const query of [text, text.replace(/\}\s*fragment FullType/, again)]) {
      const { body } = await stack.query(query);
      expect([body.errors, Object.values(body.data).includes(null)]).toEqual([undefined, false]);
    }
  });
});

describe('what is long and harmless is answered:', () => {
  it.each([',', ' ', '\n', '#\n', '\uFEFF'])('60 000 times %j', async (filler) => {
    const query = `{ __typename ${filler.repeat(60_000)}}`;
    const answer = await send(JSON.stringify({ query }));
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('a variable of 10 000 lists that nothing declares', async () => {
    const lists = nested(10_000, '[', '', ']');
    const answer = await send(`{"query":"{ __typename }","variables":{"v":${lists}}}`);
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('a tracestate of twelve members and blanks', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { traceparent, tracestate: `${'a=b        ,'.repeat(12)}=` };
    expect((await stack.query('{ __typename }', { headers })).body.errors).toBeUndefined();
  });
});

it.each([
  ['[ID!]!', 'nodes(nodeIds: $v) { nodeId }'],
  ['AlertFilter', 'alerts(filter: $v) { id }'],
])('a variable of 10 000 lists for %s is refused in few words', async (type, field) => {
  const lists = nested(10_000, '[', '', ']');
  const query = `query ($v: ${type}) { ${field} }`;
  const text = await (await send(`{"query":"${query}","variables":{"v":${lists}}}`)).text();
  expect(text.length).toBeLessThan(5000);
  expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(stack.calls).toEqual([]);
});
