import { describe, expect, it } from 'vitest';
import { read, type SourceKind, wire } from '../support/documented-fields.ts';
import { data, result, useStack } from '../support/harness.ts';

type Members = Readonly<Record<string, unknown>>;

const ids = {
  organizationId: '0a9a0000-0000-4000-8000-000000000001',
  serviceId: '5e4c0000-0000-4000-8000-000000000001',
  pipeId: '919e0000-0000-4000-8000-000000000001',
};
const { pipeId: _, ...service } = ids;
const { organizationId } = ids;
const idsOf: Readonly<Record<string, Members>> = {
  ...{ updateOrganization: { organizationId }, createApiKey: { organizationId } },
  ...{ updateServiceScaling: service, updateServicePassword: service, createPipe: service },
  ...{ updatePipe: ids, createDashboard: {}, updateAlert: { alertId: 'a1' } },
};

const stack = useStack({
  management: () => result({ id: organizationId }),
  observability: () => data({ id: 'a1' }),
});

const typeOf = (field: string): string =>
  `${field.replace(/^./, (letter) => letter.toUpperCase())}Input!`;
/** A value as a GraphQL literal. */
const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/"(\w+)":/g, '$1: ')
    .replace(/"(ADMIN|DEVELOPER|QUERY_ENDPOINTS|ENABLED|DISABLED)"/g, '$1');

/** The answers to a mutation with its input as a variable, and as a literal. */
const answersTo = async (field: string, given: Members) => {
  const input = { ...idsOf[field], ...given };
  const payload = '{ userErrors { code message field } }';
  const document = `mutation ($input: ${typeOf(field)}) { ${field}(input: $input) ${payload} }`;
  const one = await stack.query(document, { variables: { input } });
  const other = await stack.query(`mutation { ${field}(input: ${literal(input)}) ${payload} }`);
  return [one.body, other.body];
};

const source = { kinesis: {} };
const columns = { columns: [{ name: 'id' }, { name: 'day' }] };
const id = { sourceField: '$.i', destinationField: 'id' };
const day = { sourceField: '$.d', destinationField: 'day' };
const admin = { roles: ['ADMIN'] };
const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';
const newDoubleSha1Hash = '2470c0c06dee42fd1618bb99005adca2ec9d1e19';
const nullMapping = { settings: { pullBatchSize: null }, tableMappingsToAdd: null };
const nullAlert = {
  ...{ threshold: null, interval: null, thresholdType: null, source: null, dashboardId: null },
  ...{ tileId: null, channel: { type: null, webhookId: null }, name: null, message: null },
};

const kafkaChanges = { iamRole: 'role', caCertificate: 'ca', reversePrivateEndpointIds: ['rpe-1'] };
const storageChanges = {
  ...{ connectionString: 'AccountKey=b', path: 'in/*.csv', azureContainerName: 'container' },
};
const postgresChanges = {
  ...{ host: 'pg.example', port: 5433, database: 'shop' },
  settings: { syncIntervalSeconds: 30, pullBatchSize: 5_000_000_000 },
  tableMappingsToAdd: [{ sourceTable: 'orders', excludedColumns: ['notes'] }],
  tableMappingsToRemove: [{ sourceSchemaName: 'public', sourceTable: 'c', targetTable: 'd' }],
};
const withUser = { credentials: { username: 'user', password: 'p"w' } };
const withKey = { accessKey: { accessKeyId: 'AK', secretKey: 'SK' }, iamRole: 'role' };
const registry = { schemaRegistry: { url: 'https://r', caCertificate: 'ca', ...withUser } };
/** Every member of each source: what a new pipe has beside those that are read, and what a changed pipe has. */
const sources: readonly [kind: SourceKind, ofNew: Members, changed: Members][] = [
  ['kafka', { ...withUser, ...registry }, { ...withUser, ...kafkaChanges }],
  ['objectStorage', withKey, { ...withKey, ...storageChanges }],
  ['kinesis', withKey, withKey],
  ['postgres', withUser, { ...withUser, ...postgresChanges }],
];
const { name, scaling, destination, fieldMappings, settings: sentSettings } = wire.pipe('');
const pipe = {
  name,
  scaling,
  fieldMappings,
  destination: { ...Object(destination), roles: ['r'] },
};
const { settings } = read.pipe('');
const ofPipes = sources.flatMap(([kind, ofNew, changed]): Accepted[] => {
  const whole = { [kind]: { ...wire.source(kind), ...ofNew } };
  return [
    [
      ...(['createPipe', { ...pipe, settings, source: whole, validateSamples: true }] as const),
      { ...pipe, settings: sentSettings, source: { ...whole, validateSamples: true } },
    ],
    ['updatePipe', { source: { [kind]: changed } }],
  ];
});
const wholeKey = {
  ...{ name: 'reporting', expireAt: '2027-11-03T09:30:00Z' },
  hashData: { keyIdHash: 'aWQ=', keyIdSuffix: 'x9Yz', keySecretHash: 'c2VjcmV0' },
  ipAccessList: [{ source: '203.0.113.7', description: 'build server' }],
};

/** A mutation, its input besides identifiers, and the body where it is another. Absent and null stay apart. */
type Accepted = [field: string, input: Members, body?: Members];
const accepted: readonly Accepted[] = [
  ...ofPipes,
  [
    ...([
      'createApiKey',
      { ...wholeKey, roles: ['ADMIN', 'DEVELOPER'], state: 'DISABLED' },
    ] as const),
    { ...wholeKey, roles: ['admin', 'developer'], state: 'disabled' },
  ],
  ['updateOrganization', {}],
  ['updateOrganization', { name: null, privateEndpoints: null }],
  ['updateOrganization', { privateEndpoints: { add: null, remove: [{ id: null }] } }],
  ['updateOrganization', { name: '', privateEndpoints: {} }],
  [
    'createApiKey',
    { roles: ['QUERY_ENDPOINTS'], state: 'ENABLED' },
    { roles: ['query_endpoints'], state: 'enabled' },
  ],
  ['createApiKey', { ...admin, name: null, state: null, hashData: { keyIdHash: null } }],
  ['createApiKey', { ...admin, ipAccessList: [{ source: '192.0.2.1', description: null }] }],
  ['createApiKey', { ...admin, hashData: null, expireAt: null }],
  ['createApiKey', { ...admin, expireAt: '' }, { roles: ['admin'], expireAt: null }],
  ['createApiKey', { ...admin, expireAt: '2027-11-03T09:30:00Z' }],
  [
    'createApiKey',
    { ...admin, expireAt: '2028-02-29T23:59:59.120+05:30' },
    { roles: ['admin'], expireAt: '2028-02-29T18:29:59.120Z' },
  ],
  ['updateServiceScaling', { minTotalMemoryGb: 24, maxTotalMemoryGb: 24, numReplicas: 1 }],
  ['updateServiceScaling', { minTotalMemoryGb: 1068, maxTotalMemoryGb: 1068, numReplicas: 20 }],
  ['updateServiceScaling', { minTotalMemoryGb: 36, maxTotalMemoryGb: null, numReplicas: null }],
  ['updateServiceScaling', { idleTimeoutMinutes: 5, idleScaling: false }],
  ['updateServiceScaling', { idleTimeoutMinutes: 2147483647, idleScaling: null }],
  ['updateServicePassword', {}],
  ['updateServicePassword', { newPasswordHash, newDoubleSha1Hash }],
  ['updateServicePassword', { newDoubleSha1Hash: newDoubleSha1Hash.toUpperCase() }],
  ['updateServicePassword', { newPasswordHash: null, newDoubleSha1Hash: null }],
  ['createPipe', { source: { kinesis: { region: null } }, name: null }],
  ['createPipe', { source: { kafka: { schemaRegistry: { credentials: null }, offset: null } } }],
  ['createPipe', { source, scaling: null, settings: null, fieldMappings: null }],
  ['createPipe', { source: { postgres: {} }, settings: {}, destination: { table: null } }],
  [
    'createPipe',
    { source: { kafka: {} }, validateSamples: null },
    { source: { kafka: {}, validateSamples: null } },
  ],
  ['createPipe', { source, destination: columns, fieldMappings: [day, id] }],
  ['createPipe', { source, destination: { columns: [] }, fieldMappings: [day] }],
  ['updatePipe', {}],
  ['updatePipe', { name: null, destination: null, fieldMappings: null }],
  ['updatePipe', { source: { postgres: nullMapping } }],
  [
    'updatePipe',
    { settings: { engineMaxThreads: null, engineParallelViewProcessing: false } },
    { settings: { engine_max_threads: null, engine_parallel_view_processing: false } },
  ],
  ['updatePipe', { destination: columns, fieldMappings: [id] }],
  ['updatePipe', { source: null }],
  ['updatePipe', { validateSamples: true }, { source: { validateSamples: true } }],
  ['updatePipe', { source: null, validateSamples: false }, { source: { validateSamples: false } }],
  ['createDashboard', {}],
  ['createDashboard', { tiles: [{ x: 0, name: null, series: [{ groupBy: null }] }, {}] }],
  ['createDashboard', { name: null, tags: null }],
  ['updateAlert', nullAlert],
];

it.each(accepted)('%s sends %j', async (field, input, body) => {
  const wire = 'roles' in input ? { ...input, roles: ['admin'] } : input;
  for (const answer of await answersTo(field, input)) {
    expect(answer).toEqual({ data: { [field]: { userErrors: [] } } });
  }
  // An update of an alert reads it before.
  const bodies = stack.calls.filter(({ method }) => method !== 'GET').map((call) => call.body);
  expect(bodies.map((each) => JSON.parse(each))).toEqual([body ?? wire, body ?? wire]);
});

it.each([
  [{}, { privateEndpoints: {} }],
  [
    { name: null, add: null },
    { name: null, privateEndpoints: { add: null } },
  ],
  [
    { name: 'n', add: [] },
    { name: 'n', privateEndpoints: { add: [] } },
  ],
])('variables of %j inside a literal send %j', async (variables, body) => {
  const document = `mutation ($name: String, $add: [PrivateEndpointInput!]) {
    updateOrganization(input: {
      organizationId: "${organizationId}", name: $name, privateEndpoints: { add: $add }
    }) { userErrors { code } } }`;
  await stack.query(document, { variables });
  expect(stack.calls.map((call) => JSON.parse(call.body))).toEqual([body]);
});

const memory = (name: string, got: number): string =>
  `${name} must be a multiple of 12 from 24 to 1068, got ${got}.`;
const lacks = (names: string): string =>
  `fieldMappings must include every destination column, and lacks ${names}.`;
const noSource = 'source must be exactly one of kafka, objectStorage, kinesis, postgres, got none.';
const noRoles = 'roles must hold at least one role, got none.';
const named = (count: number) => ({
  columns: Array.from({ length: count }, (_, at) => ({ name: `c${at + 1}` })),
});
const first20 = named(20)
  .columns.map(({ name }) => `"${name}"`)
  .join(', ');

/** A mutation, its input, and the errors, which begin with the name of the field. */
type Refused = [field: string, input: Members, ...messages: string[]];
const refused: readonly Refused[] = [
  ...[-24, 12, 30, 1080].flatMap((gb) =>
    ['minTotalMemoryGb', 'maxTotalMemoryGb'].map(
      (name): Refused => ['updateServiceScaling', { [name]: gb }, memory(name, gb)],
    ),
  ),
  ...[0, 21].map((numReplicas): Refused => {
    const message = `numReplicas must be an integer from 1 to 20, got ${numReplicas}.`;
    return ['updateServiceScaling', { numReplicas }, message];
  }),
  [
    'updateServiceScaling',
    { organizationId: 'northwind', maxTotalMemoryGb: 1080, idleTimeoutMinutes: 4 },
    'organizationId must be a UUID (8-4-4-4-12 hexadecimal digits), got "northwind".',
    memory('maxTotalMemoryGb', 1080),
    'idleTimeoutMinutes must be an integer of at least 5, got 4.',
  ],
  ['createApiKey', { roles: [] }, noRoles],
  ['createApiKey', { roles: null }, noRoles],
  ['createApiKey', { name: 'n' }, noRoles],
  ['createPipe', { name: 'p' }, noSource],
  ['createPipe', { source: null, validateSamples: true }, noSource],
  ['createPipe', { destination: columns }, noSource, lacks('"id", "day"')],
  ['createPipe', { source, destination: columns, fieldMappings: [] }, lacks('"id", "day"')],
  ['createPipe', { source, destination: columns, fieldMappings: null }, lacks('"id", "day"')],
  [
    'createPipe',
    { source, destination: columns, fieldMappings: [id, { ...day, destinationField: 'Day' }] },
    lacks('"day"'),
  ],
  ['createPipe', { source, destination: named(1) }, lacks('"c1"')],
  ['createPipe', { source, destination: named(20) }, lacks(first20)],
  ['createPipe', { source, destination: named(21) }, lacks(`${first20} and others`)],
];

it.each(refused)('%s of %j is refused before any call', async (field, input, ...messages) => {
  const userErrors = messages.map((message) => {
    return { code: 'BAD_USER_INPUT', message, field: message.split(' ', 1) };
  });
  for (const answer of await answersTo(field, input)) {
    expect(answer).toEqual({ data: { [field]: { userErrors } } });
  }
  expect(stack.calls).toEqual([]);
});

const sha256 = 'newPasswordHash must be the base64 form (44 characters) of a SHA-256 digest';
const doubleSha1 = 'newDoubleSha1Hash must be 40 hexadecimal digits';

it.each([
  ['the plain password', sha256, 'password'],
  ['no padding', sha256, newPasswordHash.slice(0, -1)],
  ['31 bytes', sha256, Buffer.alloc(31, 7).toString('base64')],
  ['33 bytes', sha256, Buffer.alloc(33, 7).toString('base64')],
  ['the URL alphabet', sha256, newPasswordHash.replace('X', '-')],
  ['bits beyond 32 bytes', sha256, newPasswordHash.replace('tg=', 'th=')],
  ['a line end', sha256, `${newPasswordHash}\n`],
  ['39 digits', doubleSha1, newDoubleSha1Hash.slice(1)],
  ['41 digits', doubleSha1, `${newDoubleSha1Hash}0`],
  ['the star of MySQL', doubleSha1, `*${newDoubleSha1Hash.toUpperCase()}`],
  ['a letter beyond f', doubleSha1, newDoubleSha1Hash.replace('f', 'g')],
  ['a line end', doubleSha1, `${newDoubleSha1Hash}\n`],
])('a hash that is %s is refused and not quoted: %s', async (_title, words, value) => {
  const [member = ''] = words.split(' ');
  const message = `${words}, got ${value.length} characters that are not.`;
  const userErrors = [{ code: 'BAD_USER_INPUT', message, field: [member] }];
  const [answer] = await answersTo('updateServicePassword', { [member]: value });
  expect(answer).toEqual({ data: { updateServicePassword: { userErrors } } });
  expect(stack.calls).toEqual([]);
});

it('both hashes are told at once, and empty ones too', async () => {
  const both = { newPasswordHash: '', newDoubleSha1Hash: '' };
  const [answer] = await answersTo('updateServicePassword', both);
  expect(answer.data.updateServicePassword.userErrors).toHaveLength(2);
});

const noDateTimes = [
  ...['tomorrow', '2027-11-03', '09:30:00Z', '2027-11-03 09:30:00Z', '2027-13-03T09:30:00Z'],
  ...['2027-02-29T09:30:00Z', '2027-04-31T09:30:00Z', '2027-11-03T25:30:00Z', ' ', 1825000000],
  ...['2027-11-03T09:60:00Z', '2027-11-03T09:30:00+25:00', ' 2027-11-03T09:30:00Z', true],
  ...['2027-11-03T09:30:00Z\n', 'Wed, 03 Nov 2027 09:30:00 GMT', '1825000000'],
];

describe('what does not fit the schema is one error, as variable and as literal:', () => {
  it.each<readonly [field: string, input: Members, words: string]>([
    ['updateServiceScaling', { minTotalMemoryGb: 24.5 }, 'Int'],
    ['updateServiceScaling', { minTotalMemoryGb: '24' }, 'Int'],
    ['updateServiceScaling', { minTotalMemoryGb: 2147483648 }, 'Int'],
    ...noDateTimes.map((expireAt) => ['createApiKey', { expireAt }, 'ISO 8601'] as const),
    ['createApiKey', { roles: ['OWNER'] }, 'OWNER'],
    ['createApiKey', { roles: ['UNKNOWN'] }, 'UNKNOWN'],
    ['createApiKey', { roles: ['admin'] }, 'admin'],
    ['createApiKey', { state: 'PAUSED' }, 'PAUSED'],
    ...['createPipe', 'updatePipe'].flatMap((field) => [
      [field, { source: {} }, 'PipeSourceInput'] as const,
      [field, { source: { kafka: {}, postgres: {} } }, 'PipeSourceInput'] as const,
      [field, { source: { kafka: null } }, 'kafka'] as const,
      [field, { source: { kafka: {}, kinesis: null } }, 'PipeSourceInput'] as const,
      [field, { source: { mqtt: {} } }, 'mqtt'] as const,
      [field, { source: { kafka: {}, validateSamples: true } }, 'PipeSourceInput'] as const,
    ]),
  ])('%s with %j', async (field, input, words) => {
    const [one, other] = await answersTo(field, input);
    for (const [answer, code] of [
      [one, 'BAD_USER_INPUT'],
      [other, 'GRAPHQL_VALIDATION_FAILED'],
    ]) {
      expect(answer.data ?? null).toBeNull();
      expect(answer.errors[0].extensions.code).toBe(code);
      expect(answer.errors[0].message).toContain(words);
    }
    expect(stack.calls).toEqual([]);
  });
});
