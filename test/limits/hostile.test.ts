import {
  GraphQLString,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import { credentials, json, useStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { gatewaySchema } from '../support/random/operation.ts';
import { withIds } from '../support/world/ids.ts';

/** Requests that anybody can send: the upstreams accept no credential. */
const stack = useStack({
  management: () => json({ error: 'unauthorized' }, 401),
  observability: () => json({ message: 'unauthorized' }, 401),
});

const times = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

/**
 * Writes out `3×⟨a# ⟩` as `a0 a1 a2 `, and `3 fragments on T⟨a %⟩⟨b⟩` as three fragments: the first two have a spread of the
 * next one in place of `%`, and the last one has `b`. A line ends at `↵`.
 */
const written = (short: string): string =>
  withIds(short)
    .replaceAll('↵', '\n')
    .replace(/(\d+) fragments on (\w+)⟨(.*?)⟩⟨(.*?)⟩/g, (_, count, type, inner, last) =>
      times(Number(count), (level) => {
        const next = inner.replaceAll('%', `...F${level + 1}`);
        return `fragment F${level} on ${type} { ${level === count - 1 ? last : next} }`;
      }).join(' '),
    )
    .replace(/(\d+)×⟨(.*?)⟩/gs, (_, count, unit) =>
      times(Number(count), (index) => unit.replaceAll('#', String(index))).join(''),
    );

interface Row {
  readonly short: string;
  readonly code: string;
  readonly limit?: string | undefined;
  readonly variables?: object;
}

/** Lines with a code, and its limit if it has one, and below each its documents in short. */
const rowsOf = (text: string): readonly Row[] =>
  text
    .trim()
    .split(/\n(?=\S)/)
    .flatMap((group) => {
      const [head = '', ...documents] = group.split(/\n\s+/);
      const [code = '', limit] = head.split(': ');
      return documents.map((short) => ({ short, code, limit }));
    });

/** As much of the same as their tokens allow. */
const manyTokens = rowsOf(`
GRAPHQL_PARSE_FAILED
  { nodes(nodeIds: 1990×⟨[⟩
  { a 1×⟨@include(if: ⟩ 1990×⟨[⟩
GRAPHQL_VALIDATION_FAILED
  640×⟨{a⟩ 640×⟨}⟩
  query ($v: 640×⟨[⟩ ID 640×⟨]⟩) { node(nodeId: $v) { id } }
  query ($v: [ID!]! = 640×⟨[⟩ 640×⟨]⟩) { __typename }
  120000×⟨↵⟩{ alerts { 900×⟨x# ⟩ } }
  { alerts { 900×⟨nam# ⟩ } }
  { a } 200×⟨fragment U# on Query { a } ⟩
LIMIT_EXCEEDED: comparisons 500000
  { organization(organizationId: "organization-1") { 400×⟨name: id name ⟩ } }
  { dashboards { 490×⟨tiles { name } ⟩ } }
UNAUTHENTICATED
  { 120×⟨...F# ⟩ } 120×⟨fragment F# on Query { dashboards { tiles { id } } } ⟩
  { 330×⟨a#:dashboards{id} ⟩ }
  { dashboards { 175×⟨...@include(if:true){id} ⟩ } }
  80×⟨query Q#($a: Boolean = false) { ...F0 } ⟩ 80 fragments on Query⟨%⟩⟨dashboards @skip(if: $a) { id }⟩`);

/** Parts of messages of graphql-js, which callers can send too. */
const pieces = [
  ...['Value "', 'Value "a" does not exist in "b" enum ', 'got ', ', got: ', ' at "a.b"', 'a', '['],
  ...['; Field "a" is not defined by type ', '; String cannot represent ', ' value: '],
  'Syntax Error: String "',
];
const filtering = 'query ($v: AlertFilter) { alerts(filter: $v) { id } }';
const id = encodeNodeId('Organization', withIds('organization-1'));
const numbered = (count: number, value: unknown): object =>
  Object.fromEntries(times(count, (index) => [`v${index}`, value]));

const hostile: readonly Row[] = [
  ...rowsOf(`
LIMIT_EXCEEDED: tokens 2000 MAX_TOKENS
  { 20000×⟨a#:id ⟩ }
  10000×⟨{a⟩ 10000×⟨}⟩
  query ($v: 10000×⟨[⟩ ID 10000×⟨]⟩) { __typename }
LIMIT_EXCEEDED: cost 100000 MAX_COST
  { ...F0 } 191 fragments on Query⟨% %⟩⟨__typename⟩
  { organization(organizationId: "organization-1") { ...F0 } } 31 fragments on Organization⟨a: service(id: "service-1") { organization { % } } b: service(id: "service-1") { organization { % } }⟩⟨id⟩
  { organizations { services { pipes { 600×⟨a#:name ⟩ } } } }
  { __schema { types { 60×⟨a#: fields { ...F } ⟩ } } } fragment F on __Field { 60×⟨b#: description ⟩ }
GRAPHQL_VALIDATION_FAILED
  { ...A } fragment A on Query { ...A }
  { ...F0 ...F0 } 3 fragments on Query⟨% %⟩⟨...F0 ...F1⟩
  { __schema { types { ...A } } } fragment A on __Type { ofType { ...A } }
  { ...A } fragment A on Nothing { ...A }
  { ...constructor ...__proto__ constructor { a } toString ... on __proto__ { b } dashboards { __proto__ } }
  query 200000×⟨N⟩ { nothing }
  { __typename @include(if: "200000×⟨s⟩") }
  { alerts(filter: """40000×⟨↵  s⟩""") { id } }
  { alerts(filter: {stateIn: {a: {b: "200000×⟨x⟩"}}}) { id } }
  { alerts(2100×⟨x⟩: 1) { id } }
  { alerts(filter: {200000×⟨x⟩: 1}) { id } }
  { alerts { id @200000×⟨x⟩ } }
GRAPHQL_PARSE_FAILED
  { alert(alertId: "200000×⟨s⟩
  200000×⟨x⟩ { alerts { id } }
  mutation { 40000×⟨"\\"⟩
GRAPHQL_VALIDATION_FAILED
  { 480×⟨organizations{name} ⟩ nothing }
  mutation { updateAlert(input: {alertId: "a", threshold: 1e400}) { userErrors { message } } }
  mutation ($i: UpdateAlertInput = {alertId: "a", threshold: 1e400}) { updateAlert(input: $i) { userErrors { message } } }
BAD_USER_INPUT
  { alert(alertId: "200000×⟨i⟩") { name } }
LIMIT_EXCEEDED: textCharacters 1000
  { dashboards { tiles { alerts(filter: {nameContains: "1001×⟨x⟩"}) { id } } } }
  query ($t: String = "1001×⟨x⟩") { alerts(filter: {nameContains: $t}) { id } }
  query ($f: AlertFilter = {stateIn: ["1001×⟨x⟩"]}) { ...F } fragment F on Query { alerts(filter: $f) { id } }`),
  ...[Array(60_000).fill('x'), Array(3000).fill(id)].map((ids) => ({
    short: 'query ($ids: [ID!]!) { 20×⟨a#: nodes(nodeIds: $ids) { nodeId } ⟩ }',
    ...{ code: 'LIMIT_EXCEEDED', limit: 'nodeIds 100', variables: { ids } },
  })),
  ...[
    ['textCharacters', 'String', 'filter: {nameContains: $v}', 'x'.repeat(230_000)],
    ['listEntries', 'AlertFilter', 'filter: $v', { phaseIn: Array(1001).fill('FIRING') }],
  ].map(([limit, type, given, v]) => ({
    short: `query ($v: ${type}) { 40×⟨a#: alerts(${given}) { id } ⟩ }`,
    ...{ code: 'LIMIT_EXCEEDED', limit: `${limit} 1000`, variables: { v } },
  })),
  {
    short: `query (120×⟨$v#:AlertFilter ⟩) { 120×⟨a#:alerts(filter:$v#){id} ⟩ }`,
    ...{ code: 'BAD_USER_INPUT', variables: numbered(120, { source: Array(150).fill('x') }) },
  },
  { short: filtering, code: 'BAD_USER_INPUT', variables: { v: numbered(20_000, 1) } },
  ...pieces.flatMap((piece): readonly Row[] => {
    const text = piece.repeat(100_000 / piece.length);
    const short = `{ alerts(filter: {nameContains: {a: """${text}${text} """}}) { id } }`;
    return [
      { short, code: 'GRAPHQL_VALIDATION_FAILED' },
      ...[{ nameContains: { a: text } }, { [text]: 1 }, text, { source: text }].map((v) => ({
        ...{ short: filtering, code: 'BAD_USER_INPUT', variables: { v } },
      })),
    ];
  }),
];

const send = (body: string): Promise<Response> => {
  const headers = { ...credentials, 'content-type': 'application/json' };
  return fetch(stack.url, { method: 'POST', headers, body });
};

const titled = [...manyTokens, ...hostile].map((row) => {
  const variables = JSON.stringify(row.variables ?? {}).slice(0, 60);
  return { ...row, title: `${row.short.slice(0, 100)} ${variables}` };
});
it.each(titled)('refused in few words, and the gateway stays alive: $title', async (row) => {
  const { code, limit = '', variables } = row;
  const query = written(row.short);
  const address = new URL(stack.url);
  address.searchParams.set('query', query);
  const operationName = query.startsWith('query Q0') ? 'Q0' : undefined;
  const answering = [send(JSON.stringify({ query, variables, operationName }))];
  const isByGet = !variables && !operationName && !query.startsWith('mutation');
  if (isByGet && address.href.length < 15_000) answering.push(fetch(address));
  // Others are answered meanwhile.
  expect((await fetch(new URL('/healthz', stack.url))).status).toBe(200);
  for (const answer of await Promise.all(answering)) {
    const text = await answer.text();
    expect(answer.status).toBeLessThan(500);
    expect(text.length).toBeLessThan(64_000);
    const { data, errors } = JSON.parse(text);
    expect(Object.values(data ?? {})).not.toContainEqual(expect.anything());
    const { extensions } = errors[0];
    const named = [extensions.limit, extensions.allowed, extensions.setting].filter(Boolean);
    expect([extensions.code, named.join(' ')]).toEqual([code, limit]);
    // The longest message that is shown, and the sentence that stands in place of a longer one.
    for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(2100);
  }
  if (code !== 'UNAUTHENTICATED') expect(stack.calls).toEqual([]);
});

it('the texts and lists of all arguments with which rows are compared are limited', () => {
  const compared = Object.values(gatewaySchema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && type !== gatewaySchema.getMutationType())
    .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
    .flatMap(({ args }) => args)
    .filter(
      ({ type }) => isInputObjectType(getNamedType(type)) || getNamedType(type) === GraphQLString,
    )
    // Enums, days with rules of their own, and identifiers.
    .filter(({ name }) => !['orderBy', 'from', 'to', 'service'].includes(name));
  expect([...new Set(compared.map(({ name }) => name))].sort()).toEqual([
    'filter',
    'severityIn',
    'statusIn',
    'typeIn',
  ]);
});

it('a new pipe with 4000 columns that nothing is mapped to is refused in few words', async () => {
  const columns = Array(4000).fill({ name: 'column', type: 'String' });
  const input = {
    ...{ organizationId: withIds('organization-1'), serviceId: withIds('service-1') },
    ...{ name: 'p', source: { kafka: {} }, fieldMappings: [] },
    destination: { database: 'd', table: 't', managedTable: true, columns },
  };
  const creations = '5×⟨m#: createPipe(input: $input) { userErrors { message } } ⟩';
  const query = written(`mutation ($input: CreatePipeInput!) { ${creations} }`);
  const { text, body } = await stack.query(query, { variables: { input } });
  expect(text.length).toBeLessThan(40_000);
  expect(body.data.m4.userErrors.length).toBeGreaterThan(0);
  expect(stack.calls).toEqual([]);
});

describe('what an answer tells of the schema is bounded,', () => {
  const all = written('__schema { 6×⟨t#: types { description fields { name description } } ⟩ }');
  it.each([
    ['alone', `{ ${all} }`],
    ['by aliases', written('{ __schema { types { fields { 600×⟨a#:description ⟩ } } } }')],
    ['before and after other fields', `{ ${all} alerts { id } b: ${all} }`],
    ['in a part', `{ alerts { id } ... @defer { ${all} } }`],
  ])('%s', async (_, query) => {
    const parts = await askInParts(stack, query).ended;
    expect(JSON.stringify(parts).length).toBeLessThan(400_000);
    const message = expect.stringMatching(/^The response is too large: at most \d+ .* about/);
    const refused = { code: 'LIMIT_EXCEEDED', limit: 'responseSize' };
    const error = { message, extensions: expect.objectContaining(refused) };
    const errors = parts.flatMap((part) => part.errors ?? []);
    expect(errors).toContainEqual(expect.objectContaining(error));
  });

  it('but has room for what tools ask for, and for all names beside it', async () => {
    const text = getIntrospectionQuery({
      ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
      ...{ inputValueDeprecation: true, oneOf: true },
    });
    // No type is that deep, and without this the operation costs no more than it may.
    const again = text
      .replace(/__schema (\{.*?\n {6}\})/s, '$& b: __schema $1')
      .replace(/ofType \{\s+name\s+kind\s+\}/, '');
    for (const query of [text, again]) {
      const { body } = await stack.query(query);
      expect([body.errors, Object.values(body.data).includes(null)]).toEqual([undefined, false]);
    }
  });
});

it.each([',', '#\n', '\uFEFF'])('60 000 times %j are answered', async (filler) => {
  const { body } = await stack.query(`{ __typename ${filler.repeat(60_000)}}`);
  expect(body).toEqual({ data: { __typename: 'Query' } });
});

it('a variable of 9000 lists is ignored where nothing declares it, and else refused in few words', async () => {
  const lists = '['.repeat(9000) + ']'.repeat(9000);
  const ask = async (query: string) =>
    (await send(`{"query":"${query}","variables":{"v":${lists}}}`)).text();
  expect(JSON.parse(await ask('{ __typename }'))).toEqual({ data: { __typename: 'Query' } });
  for (const query of [filtering, 'query ($v: [ID!]!) { nodes(nodeIds: $v) { nodeId } }']) {
    const text = await ask(query);
    expect(text.length).toBeLessThan(5000);
    expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  }
  expect(stack.calls).toEqual([]);
});

it('a variable whose value is too long to show is still named', async () => {
  const { body } = await stack.query(filtering, { variables: { v: 'x'.repeat(200_000) } });
  expect(body.errors[0].message).toMatch(/^(?!.*xx).*"\$v"/);
});
