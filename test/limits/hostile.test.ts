import fc from 'fast-check';
import { getIntrospectionQuery, Lexer, Source, TokenKind } from 'graphql';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
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
  return stack.close;
});
beforeEach(() => void stack.calls.splice(0));

/** So many copies, with their number in place of `#`. */
const many = (count: number, text: string): string =>
  Array.from({ length: count }, (_, index) => text.replaceAll('#', String(index))).join(' ');
const nested = (count: number, open: string, inner = '', close = '}'): string =>
  `${open.repeat(count)}${inner}${close.repeat(count)}`;
const lists = (levels: number): string => nested(levels, '[', '', ']');
/** Fragments, each of which spreads the next one in place of `%`. */
const chain = (levels: number, type: string, spreading: string, last: string): string =>
  Array.from({ length: levels }, (_, level) => {
    const inner = level === levels - 1 ? last : spreading.replaceAll('%', `...F${level + 1}`);
    return `fragment F${level} on ${type} { ${inner} }`;
  }).join(' ');
const long = (letter: string): string => letter.repeat(200_000);
const organization = withIds('organization(id: "organization-1")');
const inService = withIds('service(id: "service-1") { organization { % } }');
const byIds = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
const id = encodeNodeId('Organization', withIds('organization-1'));

/** What a message may be at most: its limit, and the sentence that stands in place of a longer one. */
const longestMessage = 2100;

/** Parts of messages of graphql-js, which callers can send too. */
const pieces = [
  'Value "',
  'Value "a" does not exist in "b" enum ',
  'got ',
  ', got: ',
  '; Field "a" is not defined by type ',
  '; String cannot represent ',
  ' at "a.b"',
  ' value: ',
  'Syntax Error: String "',
  'a',
  '[',
];

type Variables = Readonly<Record<string, unknown>>;
type Row = readonly [title: string, query: string, variables?: Variables];
const numbered = (count: number, value: unknown): Variables =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, value]));
const group = (code: string, rows: readonly Row[], limit = {}) =>
  rows.map(([title, query, variables]) => ({
    ...{ title, query, variables },
    expected: { code, ...limit },
  }));

/** As much of the same as their tokens allow. */
const manyTokens = [
  ...group('GRAPHQL_PARSE_FAILED', [
    ['a list, never closed', `{ nodes(nodeIds: ${'['.repeat(1990)}`],
    ['lists within objects, never closed', `{ alerts(filter: ${'{a:['.repeat(490)}`],
    ['selections with arguments, never closed', '{a(b:[1])'.repeat(220)],
    ['an argument of a directive, never closed', `{ a @include(if: ${'['.repeat(1990)}`],
  ]),
  ...group('GRAPHQL_VALIDATION_FAILED', [
    ['levels of selections', nested(640, '{a')],
    ['levels of inline fragments', nested(490, '{...', '{a}')],
    ['levels of a list', `{ nodes(nodeIds: ${lists(640)}) { nodeId } }`],
    ['levels of an object', `{ alerts(filter: ${nested(480, '{a:', '1')}) { id } }`],
    ['levels of a type', `query ($v: ${nested(640, '[', 'ID', ']')}) { node(nodeId: $v) { id } }`],
    ['levels of a default', `query ($v: [ID!]! = ${lists(640)}) { __typename }`],
    ['unknown fields behind lines', `${'\n'.repeat(120_000)}{ alerts { ${many(900, 'x#')} } }`],
    ['fields similar to known ones', `{ alerts { ${many(900, 'nam#')} } }`],
    ['unknown fragments', `{ ${many(900, '...U#')} }`],
    ['unused fragments', `{ a } ${many(200, 'fragment U# on Query { a }')}`],
    ['fields that cannot be merged', `{ ${organization} { ${'name: id name '.repeat(400)} } }`],
    ['fields that are compared', `{ dashboards { ${'tiles { name } '.repeat(490)} } }`],
    ['unknown directives', `{ __typename ${'@nothing '.repeat(900)} }`],
  ]),
  ...group('BAD_USER_INPUT', [
    [
      'variables that do not fit',
      `query (${many(120, '$v#:AlertFilter')}) { ${many(120, 'a#:alerts(filter:$v#){id}')} }`,
      numbered(120, { source: Array(150).fill('x') }),
    ],
  ]),
  ...group('UNAUTHENTICATED', [
    [
      'fragments that are compared',
      `{ ${many(120, '...F#')} } ${many(120, 'fragment F# on Query { dashboards { tiles { id } } }')}`,
    ],
    ['root fields', `{ ${many(330, 'a#:dashboards{id}')} }`],
    ['different reads', `{ ${many(180, 'a#:alert(id:"#"){name}')} }`],
    ['directives', `{ dashboards { ${'...@include(if:true){id} '.repeat(175)} } }`],
    ['operations', `${many(240, 'query Q# { ...F }')} fragment F on Query { dashboards { id } }`],
    [
      'operations and fragments',
      `${many(80, 'query Q#($a: Boolean!) { ...F0 }')} ${chain(80, 'Query', '%', 'dashboards @skip(if: $a) { id }')}`,
      { a: false },
    ],
  ]),
];

const tokens = { limit: 'tokens', allowed: 2000, setting: 'MAX_TOKENS' };
const cost = { limit: 'cost', allowed: 100_000, setting: 'MAX_COST' };
const nodeIds = { limit: 'nodeIds', allowed: 100 };

const hostile = [
  ...group(
    'LIMIT_EXCEEDED',
    [
      ['20 000 aliases', `{ ${many(20_000, 'a#:id')} }`],
      ['10 000 directives', `{ __typename ${'@include(if:true)'.repeat(10_000)} }`],
      ['10 000 levels of selections', nested(10_000, '{a')],
      ['10 000 levels that nobody closes', '{a'.repeat(10_000)],
      ['10 000 levels of a list', `{ nodes(nodeIds: ${lists(10_000)}) { nodeId } }`],
      ['10 000 levels of an object', `{ alerts(filter: ${nested(10_000, '{a:', '1')}) { id } }`],
      ['10 000 levels of a type', `query ($v: ${nested(10_000, '[', 'ID', ']')}) { __typename }`],
    ],
    tokens,
  ),
  ...group(
    'LIMIT_EXCEEDED',
    [
      ['2^30 root fields', `{ ...F0 } ${chain(31, 'Query', '% %', '__typename')}`],
      ['2^190 root fields', `{ ...F0 } ${chain(191, 'Query', '% %', '__typename')}`],
      [
        '2^30 aliases within each other',
        `{ ${organization} { ...F0 } } ${chain(31, 'Organization', `a: ${inService} b: ${inService}`, 'id')}`,
      ],
      [
        '10^60 objects',
        `{ dashboards { ...F0 } } ${chain(60, 'Dashboard', 'alerts { dashboard { % } }', 'name')}`,
      ],
      ['600 aliases', `{ organizations { services { pipes { ${many(600, 'a#:name')} } } } }`],
      [
        'aliases below aliases of the schema',
        `{ __schema { types { ${many(60, 'a#: fields { ...F }')} } } } fragment F on __Field { ${many(60, 'b#: description')} }`,
      ],
    ],
    cost,
  ),
  ...group(
    'LIMIT_EXCEEDED',
    [
      ['60 000 node identifiers', byIds, { ids: Array(60_000).fill('x') }],
      ['101 that are none, of which nothing is said', byIds, { ids: Array(101).fill({}) }],
      [
        '3000 in twenty aliases',
        `query ($ids: [ID!]!) { ${many(20, 'a#: nodes(nodeIds: $ids) { nodeId }')} }`,
        { ids: Array(3000).fill(id) },
      ],
    ],
    nodeIds,
  ),
  ...group('GRAPHQL_VALIDATION_FAILED', [
    ['a fragment within itself', '{ ...A } fragment A on Query { ...A }'],
    ['three within each other', `{ ...F0 ...F0 } ${chain(3, 'Query', '% %', '...F0 ...F1')}`],
    [
      'a cycle through lists',
      '{ dashboards { ...A } } fragment A on Dashboard { tiles { dashboard { ...A } } }',
    ],
    ['a cycle that nobody spreads', '{ __typename } fragment A on Query { ... { ...A } }'],
    [
      'a cycle of the schema',
      '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...A } }',
    ],
    [
      'a cycle that is left out',
      '{ dashboards @skip(if: true) { ...A } } fragment A on Dashboard { ...A }',
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
    ['200 KB of an object in an object', `{alerts(filter:{state:{a:{b:"${long('x')}"}}}){id}}`],
    ['200 KB of an enum value', `{alerts(filter:{source:${long('X')}}){id}}`],
    ['200 KB of an argument', `{alerts(${long('x')}:1){id}}`],
    ['200 KB of a member of an input', `{alerts(filter:{${long('x')}:1}){id}}`],
    ['200 KB of a type', `query($v:${long('X')}){alerts{id}}`],
    ['200 KB of a variable', `{alerts(filter:{state:$${long('x')}}){id}}`],
    ['200 KB of a directive', `{alerts{id @${long('x')}}}`],
    ['200 KB of a default of the wrong type', `query($v:Int="${long('x')}"){alerts{id}}`],
    ...pieces.map((piece): Row => {
      const text = piece.repeat(200_000 / piece.length);
      return [`200 KB of ${piece}`, `{alerts(filter:{nameContains:{a:"""${text} """}}){id}}`];
    }),
  ]),
  ...group('GRAPHQL_PARSE_FAILED', [
    ['200 KB of a string that never ends', `{ alert(id: "${long('s')}`],
    ['200 KB of a text out of place', `{alerts "${long('x')}"}`],
    ['200 KB of a name out of place', `${long('x')} {alerts{id}}`],
    ['200 KB of strings that never end', `mutation { ${'"\\"'.repeat(40_000)}`],
  ]),
  ...group('BAD_USER_INPUT', [
    ['200 KB of an identifier', `{ alert(id: "${long('i')}") { name } }`],
    [
      '20 000 unknown members of a variable',
      'query ($v: AlertFilter) { alerts(filter: $v) { id } }',
      { v: numbered(20_000, 1) },
    ],
    ...pieces.flatMap((piece): readonly Row[] => {
      const text = piece.repeat(100_000 / piece.length);
      return [{ nameContains: { a: text } }, { [text]: 1 }, text, { source: text }].map((v, at) => [
        `100 KB of ${piece} in a variable, ${at}`,
        'query ($v: AlertFilter) { alerts(filter: $v) { id } }',
        { v },
      ]);
    }),
  ]),
];

const send = (body: string): Promise<Response> => {
  const headers = { ...credentials, 'content-type': 'application/json' };
  return fetch(stack.url, { method: 'POST', headers, body });
};

/** Words, signs and values, as the specification counts them. */
const tokensIn = (document: string): number => {
  const lexer = new Lexer(new Source(document));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  return count;
};

it.each(manyTokens)('just below the tokens: $title', ({ title, query }) => {
  const count = tokensIn(query);
  expect(count).toBeLessThanOrEqual(2000);
  if (!title.startsWith('l')) expect(count).toBeGreaterThan(900);
});

it.each([...manyTokens, ...hostile])(
  '$title: answered at once and in few words',
  async ({ query, variables, expected }) => {
    const address = new URL(stack.url);
    address.searchParams.set('query', query);
    const operationName = query.startsWith('query Q0') ? 'Q0' : undefined;
    const answering = [send(JSON.stringify({ query, variables, operationName }))];
    if (!variables && !operationName && address.href.length < 15_000)
      answering.push(fetch(address));
    // Others are answered meanwhile.
    expect((await fetch(new URL('/healthz', stack.url))).status).toBe(200);
    for (const answer of await Promise.all(answering)) {
      const text = await answer.text();
      expect(answer.status).toBeLessThan(500);
      expect(text.length).toBeLessThan(64_000);
      const { data, errors } = JSON.parse(text);
      expect(Object.values(data ?? {})).not.toContainEqual(expect.anything());
      expect(errors[0]).toMatchObject({ extensions: expected });
      for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(longestMessage);
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
  const creations = many(5, 'm#: createPipe(input: $input) { userErrors { message } }');
  const query = `mutation ($input: CreatePipeInput!) { ${creations} }`;
  const { text, body } = await stack.query(query, { variables: { input } });
  expect(text.length).toBeLessThan(40_000);
  expect(body.data.m4.userErrors.length).toBeGreaterThan(0);
  expect(stack.calls).toEqual([]);
});

describe('what an answer tells of the schema is bounded,', () => {
  const all = `__schema { ${many(6, 't#: types { description fields { name description } }')} }`;
  it.each([
    ['alone', `{ ${all} }`],
    ['by aliases', `{ __schema { types { fields { ${many(600, 'a#:description')} } } } }`],
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

  it('a variable of 9000 lists that nothing declares', async () => {
    const answer = await send(`{"query":"{ __typename }","variables":{"v":${lists(9000)}}}`);
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
])('a variable of 9000 lists for %s is refused in few words', async (type, field) => {
  const query = `query ($v: ${type}) { ${field} }`;
  const text = await (await send(`{"query":"${query}","variables":{"v":${lists(9000)}}}`)).text();
  expect(text.length).toBeLessThan(5000);
  expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(stack.calls).toEqual([]);
});

describe('what stands for a message of any length', () => {
  const phrase = fc.constantFrom(
    ...pieces,
    'Variable "$v" got invalid value ',
    'Int cannot represent ',
    'Enum "X" cannot represent value: ',
    'Expected value of type "',
    'Exactly one key must be specified',
    ', found ',
    '. Found: ',
    'BlockString "',
    ...['"', '{', '\n', '\u2028', 'é'],
  );
  const run = fc.tuple(phrase, fc.integer({ min: 1, max: 400 })).map(([text, n]) => text.repeat(n));
  const message = fc
    .array(fc.oneof({ weight: 6, arbitrary: phrase }, run, fc.string({ maxLength: 40 })), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''));

  it('is short, whatever the message, and however long', () => {
    fc.assert(
      fc.property(message, fc.constantFrom(1, 20_000), (text, times) => {
        const long = text.repeat(Math.min(times, Math.ceil(1_000_000 / (text.length + 1))));
        return withoutQuotedInput(long).length <= longestMessage;
      }),
      { numRuns: 1000 },
    );
  });

  it.each([1990, 1999, 2000, 2001, 2100])('is short for %i characters of a phrase', (length) => {
    for (const text of [...pieces, 'Variable "$v" got invalid value "x', 'Syntax Error: Int "']) {
      const cut = text.repeat(length).slice(0, length);
      expect(withoutQuotedInput(cut).length).toBeLessThanOrEqual(longestMessage);
    }
  });

  it('still names a variable whose value is too long to show', () => {
    const text = `Variable "$input" got invalid value ${'x'.repeat(300_000)}; it does not fit.`;
    expect(withoutQuotedInput(text)).toMatch(/^(?!.*xx).*"\$input"/);
  });
});
