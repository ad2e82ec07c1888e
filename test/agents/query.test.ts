import { readFileSync } from 'node:fs';
import {
  buildSchema,
  Kind,
  type NamedTypeNode,
  parse,
  specifiedScalarTypes,
  validate,
  visit,
} from 'graphql';
import { expect, it } from 'vitest';
import { queryTools } from '../../src/agents/query.ts';
import type { Config } from '../../src/config.ts';
import { closedOf } from '../../src/schema/closed.ts';
import { stackInTest, useSandboxStack } from '../support/harness.ts';
import { createFolder, manifestOf } from '../support/http/operations.ts';
import { call, type Members, request, send } from './agent.ts';
import { coordinates } from './coordinates.ts';
import { credentialsIn, optionsOf, organizationId } from './table.ts';

const stack = useSandboxStack(optionsOf());
const { fileOf } = createFolder();

const use = (name: string, given: Members) => call(stack.url, name, given, credentialsIn(stack));
const search = async (words: string) => (await use('search_schema', { words })).text;
const start = (config: Partial<Config> = {}) => stackInTest({ config: { mcp: 'read', ...config } });
const withoutNulls = (value: unknown) =>
  JSON.stringify(value, (_, member) => (member === null ? undefined : member));

const inOrganization = (fields: string) =>
  `{ organization(organizationId: "${organizationId}") { ${fields} } }`;
const personal = (coordinate: string, what = 'personal data') =>
  `BAD_USER_INPUT: ${coordinate} is ${what}, which agents may not read: leave it out.`;
const unclear = 'OPERATION_RESOLUTION_FAILURE: Could not determine what operation to execute.';
const unpaid = '{ gateway { version } }';

const asks = (query: unknown, told: string, variables?: unknown) =>
  [query, told, variables] as const;

const misused = [
  // Each field that the SDL marks, in some way to write it.
  asks('{ whoAmI { keyId } }', personal('Query.whoAmI')),
  asks(inOrganization('members { __typename }'), personal('Organization.members')),
  asks(inOrganization('other: invitations { id }'), personal('Organization.invitations')),
  asks(
    '{ organizations { ...on Organization { ...A } } } fragment A on Organization { services { ipAccessList { description } } }',
    personal('IpAccessEntry.description'),
  ),
  asks(inOrganization('activities { actorDetails }'), personal('Activity.actorDetails')),
  asks(
    inOrganization('activities { ...@defer { actorIpAddress } }'),
    personal('Activity.actorIpAddress'),
  ),
  asks(
    inOrganization('activities { userAgent @include(if: false) }'),
    personal('Activity.userAgent'),
  ),
  asks(inOrganization('notifications { items { json } }'), personal('Notification.json')),
  asks('{ alerts { channels { emailRecipients } } }', personal('AlertChannel.emailRecipients')),
  asks('{ node(nodeId: "x") { ...on Member { id } } }', personal('Member.id')),
  asks(
    inOrganization(
      'services { pipes { source { ...on ObjectStorageSource { connectionString } } } }',
    ),
    personal('ObjectStorageSource.connectionString', 'a secret'),
  ),
  // What is no single read.
  asks(
    'mutation { stopPipe(input: {}) { pipe { id } } }',
    'BAD_USER_INPUT: query only reads: a mutation is not carried out.',
  ),
  asks(
    'subscription { alerts { id } }',
    'BAD_USER_INPUT: query only reads: a subscription is not carried out.',
  ),
  asks(`query A ${unpaid} mutation B { stopPipe { __typename } }`, unclear),
  asks('fragment A on Query { __typename }', unclear),
  // What models write wrong.
  asks(
    '{ alerts { id }',
    'GRAPHQL_PARSE_FAILED: Syntax Error: Expected Name, found <EOF>. (line 1, column 16)',
  ),
  asks(
    '{\n  alerts { ids }\n}',
    'GRAPHQL_VALIDATION_FAILED: Cannot query field "ids" on type "Alert". Did you mean "id"? (line 2, column 12)',
  ),
  asks(7, 'BAD_USER_INPUT: Wrong arguments for query. query must be a text, got a number.'),
  asks(
    unpaid,
    'BAD_USER_INPUT: Wrong arguments for query. variables must be an object, got a text.',
    '{}',
  ),
  asks(unpaid, 'BAD_USER_INPUT: variables has "x", which the query does not declare.', { x: 1 }),
  asks(
    unpaid,
    'BAD_USER_INPUT: variables has "__proto__", which the query does not declare.',
    JSON.parse('{"__proto__":{"x":1}}'),
  ),
  asks(
    'query A($id: ID!) { alert(alertId: $id) { id } }',
    'BAD_USER_INPUT: Variable "$id" of required type "ID!" was not provided. (line 1, column 9)',
    {},
  ),
  // What costs much.
  asks(
    `{ ${Array.from({ length: 10_000 }, (_, at) => `a${at}: alerts { id }`).join(' ')} }`,
    'LIMIT_EXCEEDED: The document may have at most 2000 tokens',
  ),
  asks(
    `{ organizations ${'{ services { organization '.repeat(60)}{ id }${' } }'.repeat(60)} }`,
    'LIMIT_EXCEEDED: The operation may cost at most 100000',
  ),
  asks(
    `{ nodes(nodeIds: [${'"x" '.repeat(101)}]) { nodeId } }`,
    'LIMIT_EXCEEDED: The operation may name at most 100 node identifiers',
  ),
  asks(
    inOrganization(`services(filter: { nameContains: "${'x'.repeat(1001)}" }) { id }`),
    'LIMIT_EXCEEDED: The argument filter may have a text of at most 1000 characters',
  ),
];

it.each(misused)(
  'before any call, query tells what is wrong: %s',
  async (query, told, variables) => {
    const { text, isError } = await use('query', { query, variables });
    expect([text.slice(0, told.length), isError, stack.calls]).toEqual([told, true, []]);
  },
);

const marked = buildSchema(`
  directive @personal on ARGUMENT_DEFINITION | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT
  input Filter { emailIn: [ID!] @personal, and: [Filter!] }
  interface Named { name: String }
  type Key implements Named { name: String @personal }
  type Query { keys(email: ID @personal, filter: Filter, filters: [Filter!]): [Named!] }
`);
const options = { closed: closedOf(marked), unavailable: [] };
const config = { persistedOperations: 'off', introspection: true } as const;
const emailIn = { emailIn: 'a' };

const given = 'query ($a: [Filter!]) { keys(filters: $a, filter: {}) { __typename } }';
const gives = (variables: Members, coordinate?: string) => [given, coordinate, variables] as const;

it.each([
  ['{ keys(email: null) { __typename } }', 'Query.keys(email:)', {}] as const,
  ['{ keys { name } }', 'Named.name', {}] as const,
  ['{ keys(filter: { and: { emailIn: [] } }) { __typename } }', 'Filter.emailIn', {}] as const,
  [given.replace('!]', '!] = { emailIn: "a" }'), 'Filter.emailIn', {}] as const,
  gives({ a: { and: emailIn } }, 'Filter.emailIn'),
  gives({ a: [{}, emailIn] }, 'Filter.emailIn'),
  gives({ a: { and: [{}], other: emailIn } }),
])(
  'marks close arguments, members, and fields of interfaces: %s %s %j',
  (document, coordinate, variables) => {
    const tool = queryTools(marked, { ...options, config }).get('query');
    const refusal = tool?.kind === 'query' && tool.refusalOf(parse(document), { variables });
    const told = refusal ? `BAD_USER_INPUT: ${refusal.message}` : undefined;
    expect(told).toBe(coordinate && personal(coordinate));
  },
);

it('looks at the value of a variable once, however often a wrong document declares it', () => {
  const looks: string[] = [];
  const a = new Proxy([], { get: (list, name) => looks.push(String(name)) && list[name as never] });
  const looksFor = (declarations: string) => {
    const tool = queryTools(marked, { ...options, config }).get('query');
    const document = parse(`query (${declarations}) { keys { __typename } }`);
    expect(tool?.kind === 'query' && tool.refusalOf(document, { variables: { a } })).toBe(
      undefined,
    );
    return looks.splice(0);
  };
  expect(looksFor('$a: [Filter!] '.repeat(200))).toEqual(looksFor('$a: [Filter!]'));
});

it('what an agent may not ask stays allowed to people, and refused to agents', async () => {
  const query = inOrganization('members { id email }');
  const refused = await use('query', { query });
  const { body } = await stack.query(query);
  expect(body.data.organization.members[0].email).toContain('@');
  expect(await use('query', { query })).toEqual(refused);
  expect(refused.isError).toBe(true);
});

it('answers what the query selects, without nulls, whatever its keys are', async () => {
  const query = `query A($filter: AlertFilter) {
    errors: alerts(filter: $filter) { userErrors: displayName id note }
    before: dashboards(filter: { tagIn: ["no such tag"] }) { ...@defer { id } }
    now: alerts { userErrors: tags }
    unreadServices: dashboards { totalCount: id }
  }`;
  const variables = { filter: { phaseIn: ['FIRING'] } };
  const { text, isError } = await use('query', { query, variables });
  const calls = stack.callList();
  stack.calls.splice(0);
  const { body } = await stack.query(query, { variables });
  expect([isError, text, calls]).toEqual([
    false,
    withoutNulls({ data: body.data, now: JSON.parse(text).now }),
    stack.callList(),
  ]);
  expect(text).toContain('"userErrors":"');
  expect(stack.log()).toMatch(/"operationName":"A".*\n/);
});

it('says that a service could not be read, also if the query does not ask for that', async () => {
  const { text } = await use('query', { query: '{ organizations { pipes { n: totalCount } } }' });
  const { incomplete, data } = JSON.parse(text);
  expect([text.startsWith('{"incomplete"'), incomplete]).toEqual([
    true,
    {
      unreadServices: { SERVICE_NOT_RUNNING: 1 },
      totals: 'Lists and totals have only what was read.',
    },
  ]);
  expect(data.organizations[0].pipes.n).toBeGreaterThan(0);
});

it('search says of what agents may not read that they may not', async () => {
  const { text } = await use('search_schema', { words: 'members' });
  expect(text).not.toContain('Node.members');
  expect(text).toMatch(/^# Organization\.members is .+, which agents may not read\.\n/);
});

it('tells which field does not work, before any call', async () => {
  const { url, calls } = await start();
  const { text, isError } = await call(url, 'query', {
    query: '{ alerts { id } webhooks { id } }',
  });
  const told =
    'OPERATION_UNAVAILABLE: Query.webhooks does not work with this gateway: leave it out.';
  expect([isError, text, calls]).toEqual([true, told, []]);
});

it('refuses an answer that is too long, with advice', async () => {
  const { url } = await start({ mcpMaxCharacters: 10 });
  const { text, isError } = await call(url, 'query', { query: unpaid });
  expect([isError, text]).toEqual([
    true,
    expect.stringMatching(/^ANSWER_TOO_LONG: .*: narrow it with fewer fields, first, a filter\.$/),
  ]);
});

it('is off where only persisted operations may be executed, and search where the schema is closed', async () => {
  const persistedOperationsFile = fileOf(JSON.stringify(manifestOf(unpaid)));
  const namesOf = async (config: Partial<Config>) => {
    const { url } = await start(config);
    const { tools } = (await send(url, request('tools/list'))).body.result;
    const called = request('tools/call', {
      name: 'query',
      arguments: { query: '{ __schema { description } }' },
    });
    const { body } = await send(url, called);
    const names: readonly string[] = tools.map(({ name }: { name: string }) => name);
    const answer = body.error?.message ?? body.result.content[0].text;
    return [
      names.filter((name) => /query|search_/.test(name)),
      JSON.stringify(tools).includes('search_schema'),
      answer,
    ];
  };
  expect(await namesOf({})).toEqual([
    ['query', 'search_schema'],
    true,
    expect.stringContaining('{"data":{"__schema":{"desc'),
  ]);
  expect(await namesOf({ introspection: false })).toEqual([
    ['query'],
    false,
    expect.stringMatching(/^GRAPHQL_VALIDATION_FAILED: GraphQL introspection has been disabled/),
  ]);
  const only = { persistedOperations: 'only', persistedOperationsFile } as const;
  expect(await namesOf(only)).toEqual([[], false, 'There is no tool of this name.']);
});

/** The schema of an answer, with an empty type for each that it only names. */
const schemaOf = (sdl: string) => {
  const document = parse(sdl);
  const defined = new Set<string>([
    ...specifiedScalarTypes.map(({ name }) => name),
    ...document.definitions.flatMap((node) =>
      'name' in node && node.name ? [node.name.value] : [],
    ),
  ]);
  const named = new Set<string>();
  visit(document, { [Kind.NAMED_TYPE]: ({ name }: NamedTypeNode) => void named.add(name.value) });
  const stubs = [...named.difference(defined)].map(
    (name) => `${/(?:Filter|Order|Input)$/.test(name) ? 'input' : 'type'} ${name} { stub: Int }`,
  );
  return buildSchema([sdl, ...stubs].join('\n'));
};

const cost = 'usageCost(fromDate: "2026-11-01", toDate: "2026-11-07") { totalChc }';

const questions = [
  [
    'cost by service and its pipes',
    `{ organizations { services { name ${cost} pipes { name ${cost} } } } }`,
    '"usageCost":{"totalChc":',
  ],
  [
    'backups of all services with failed status',
    '{ organizations { services { name backups { status startedAt } } } }',
    '"backups":[{"status":"',
  ],
  [
    'alerts whose tile reads a given source',
    '{ alerts { displayName phase tile { name series { sourceId } } } }',
    '"series":[{"sourceId":"',
  ],
  [
    'pipes of a Postgres host',
    '{ organizations { pipes(filter: { sourceIn: [POSTGRES] }) { items { name phase source { ...on PostgresSource { host } } } } } }',
    '"source":{"host":"',
  ],
  [
    'tags of services',
    '{ organizations { services { name tags { key value } } } }',
    '"tags":[{"key":"',
  ],
] as const;

it.each(questions)('one search for "%s" tells what its query needs', async (words, query, part) => {
  const sdl = await search(words);
  expect(validate(schemaOf(sdl), parse(query))).toEqual([]);
  expect(sdl.length).toBeLessThanOrEqual(3000);
  expect(await search(words)).toBe(sdl);
  const { text, isError } = await use('query', { query });
  expect([isError, text]).toEqual([false, expect.stringContaining(part)]);
});

it.each([
  ['PipePhase', /\nenum PipePhase \{ RUNNING, .*UNKNOWN \}$/],
  ['servicefilter', /^input ServiceFilter \{ .*tagIn: \[String!\].*\}\nenum ServicePhase \{/],
  [
    'Backup',
    /\n# Query\.organizations\.services\.backups\ntype Backup \{\n {2}"Identifier from the upstream\."\n {2}id: ID!/,
  ],
  [
    'audit_trail',
    /\n {2}activities\(from: DateTime, to: DateTime, typeIn: \[String!\]\): \[Activity!\]\n/,
  ],
  ['Which services are tagged?', /\n {2}tags: \[ServiceTag!\]\n/],
  ['expiring keys', /\n {2}expiresAt: DateTime\n/],
  ['postgresql', /\ntype PostgresSource \{/],
  ['newest pipes', /orderBy: PipeOrder/],
  ['xyzzy', /^# No name and no description has these words\. .*\n# Query\ntype Query \{\n/],
  ['x'.repeat(201), /^BAD_USER_INPUT: words may have at most 200 characters, got 201\.$/],
])('search_schema %s', async (words, told) => {
  expect(await search(words)).toMatch(told);
});

it('search_schema finds nothing that an agent may not read, or that does not work', async () => {
  const { url } = await start();
  const all = coordinates();
  const found = async (at: string, words: string) => {
    const { text } = await call(at, 'search_schema', { words });
    expect(text.length, words).toBeLessThanOrEqual(3000);
    if (text.startsWith('# No')) return [];
    return Object.values(schemaOf(text).getTypeMap())
      .flatMap((type) =>
        'getFields' in type
          ? Object.keys(type.getFields()).map((name) => `${type.name}.${name}`)
          : [],
      )
      .filter((each) => !each.includes('__') && !each.endsWith('.stub'));
  };
  const words = [
    ...all.keys(),
    'member',
    'invitation',
    'email recipient',
    'who am I caller',
    'ip access list',
    'connection string',
    'update alert input',
    'webhook',
  ];
  for (const each of words) {
    for (const coordinate of await found(stack.url, each)) {
      const [type = '', name = ''] = coordinate.split('.');
      expect(all.get(type), coordinate).toContain(name);
    }
  }
  expect(await found(stack.url, 'webhook')).toContain('Query.webhooks');
  expect(await found(url, 'webhook')).not.toContain('Query.webhooks');
  expect(await call(url, 'search_schema', { words: 'alerts' })).toMatchObject({
    text: expect.not.stringContaining('ServiceIdInput'),
  });
});

it('each field, argument and member that agents may use has been reviewed', () => {
  const lines = readFileSync(new URL('reviewed.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const reviewed = new Map(
    lines.map((line) => {
      const [type = '', names = ''] = line.split(': ');
      return [type, names.split(' ')];
    }),
  );
  const all = coordinates();
  const file = 'test/agents/reviewed.txt';
  const faults = [...new Set([...all.keys(), ...reviewed.keys()])].flatMap((type) => {
    const [now, then] = [new Set(all.get(type)), new Set(reviewed.get(type))];
    return [
      ...[...now.difference(then)].map(
        (name) =>
          `${type}.${name} is new: if agents may read it, add "${name}" to the line of ${type} in ${file}; else mark it @personal in schema/.`,
      ),
      ...[...then.difference(now)].map((name) => `${type}.${name} is gone: delete it in ${file}.`),
    ];
  });
  expect(faults).toEqual([]);
});
