import { expect, it } from 'vitest';
import { live } from '../operations/table.ts';
import { read, wire } from '../support/documented-fields.ts';
import { data, result, type Stack, useStack } from '../support/harness.ts';

type Members = Readonly<Record<string, unknown>>;

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const ofService = { organizationId, serviceId: '5e4c0000-0000-4000-8000-000000000001' };
const ofPipe = { ...ofService, pipeId: '919e0000-0000-4000-8000-000000000001' };
const idsOf: Readonly<Record<string, Members>> = {
  ...{ updateOrganization: { organizationId }, createApiKey: { organizationId } },
  ...{ updateServiceScaling: ofService, updateServicePassword: ofService, createPipe: ofService },
  ...{ updateService: ofService, updateBackupConfiguration: ofService, updatePipe: ofPipe },
  ...{
    updateCdcScaling: ofService,
    scalePipe: ofPipe,
    updateApiKey: { organizationId, apiKeyId: ofPipe.pipeId },
  },
  ...{ createDashboard: {}, updateDashboard: { dashboardId: 'd1' }, updateAlert: { alertId: 'a' } },
};

/** The members that an input must have, which stand in its body too. */
const requiredOf: Readonly<Record<string, Members>> = {
  createApiKey: { name: 'made' },
  createPipe: { name: 'made', source: { kinesis: {} }, destination: { table: 't' } },
  createDashboard: { name: 'made' },
};

const answers = {
  management: () => result({ id: organizationId }),
  observability: () => data({ id: 'a1' }),
};
const documented = useStack(answers);
const cloud = useStack({ ...answers, config: live });

/** A value as a GraphQL literal. */
const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/"(\w+)":/g, '$1: ')
    .replace(/"(ADMIN|DEVELOPER|QUERY_ENDPOINTS|ENABLED|DISABLED)"/g, '$1');

/** The answers to a mutation with its input as a variable, and as a literal. */
const answersTo = async (stack: Stack, field: string, given: Members) => {
  const input = { ...idsOf[field], ...requiredOf[field], ...given };
  const payload = '{ userErrors { code message field } }';
  const type = `${field.replace(/^./, (letter) => letter.toUpperCase())}Input!`;
  const document = `mutation ($input: ${type}) { ${field}(input: $input) ${payload} }`;
  const one = await stack.query(document, { variables: { input } });
  const other = await stack.query(`mutation { ${field}(input: ${literal(input)}) ${payload} }`);
  return [one.body, other.body];
};

/** Inputs of mutations besides identifiers and required members, and what comes of each. */
type Rows<Outcome> = Readonly<Record<string, readonly (readonly [Members, Outcome])[]>>;
const rowsOf = <Outcome>(stack: Stack, rows: Rows<Outcome>) =>
  Object.entries(rows).flatMap(([field, of]) =>
    of.map(([input, outcome]) => [field, input, outcome, stack] as const),
  );
/** An input that is sent, as it is if no body is given, and one that is refused with these messages. */
const sends = (input: Members, body = input) => [input, body] as const;
const refuses = (input: Members, ...messages: readonly string[]) => [input, messages] as const;

const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';
const newDoubleSha1Hash = '2470c0c06dee42fd1618bb99005adca2ec9d1e19';
const login = { credentials: { username: 'user', password: 'p' } };
const accessKey = { accessKey: { accessKeyId: 'AK', secretKey: 'SK' }, iamRole: 'role' };
const toColumns = (...names: readonly string[]) => ({
  destination: { columns: names.map((name) => ({ name, type: 'String' })) },
});
const mapped = (...names: readonly string[]) => ({
  fieldMappings: names.map((name) => ({ sourceField: `$.${name}`, destinationField: name })),
});
const noUri = 'source.mongoDb.uri must begin with mongodb:// or mongodb+srv://, got another text.';
const fromMongoDb = (uri: string) => {
  const settings = { replicationMode: 'cdc' };
  return { source: { mongoDb: { uri, readPreference: 'primary', settings, tableMappings: [] } } };
};
const pubSub = {
  source: {
    pubSub: {
      ...{ projectId: 'p', topic: 't', format: 'Avro', seekType: 'latest' },
      authentication: 'SERVICE_ACCOUNT_WORKLOAD_IDENTITY',
    },
  },
};
const postgres = (members: Members) => ({ source: { postgres: members } });
const ipAccessList = [{ source: '192.0.2.1' }];
const hashData = { keyIdHash: 'aWQ=', keyIdSuffix: 'x9Yz', keySecretHash: 'c2VjcmV0' };
const totals = { minTotalMemoryGb: null, maxTotalMemoryGb: null };
const byReplica = {
  ...{ minReplicaMemoryGb: null, maxReplicaMemoryGb: null, autoscalingMode: null },
  ...{ minReplicas: null, maxReplicas: null },
};
const scaling = { ...totals, ...byReplica, numReplicas: null };
const table = { sourceSchemaName: 's', sourceTable: 'c', targetTable: 'd' };
const late = ['2028-02-29T23:59:59.120+05:30', '2028-02-29T18:29:59.120Z'] as const;

/** Absent and null stay apart. */
const accepted = [
  ...rowsOf<Members>(documented, {
    updateOrganization: [
      sends({ privateEndpoints: { add: null, remove: [{ id: 'a', description: null }] } }),
    ],
    createApiKey: [
      sends(
        { roles: ['ADMIN', 'DEVELOPER'], state: 'DISABLED', name: 'reporting', hashData },
        { roles: ['admin', 'developer'], state: 'disabled', name: 'reporting', hashData },
      ),
      sends(
        { roles: ['QUERY_ENDPOINTS'], state: null },
        { roles: ['query_endpoints'], state: null },
      ),
      sends({ roles: ['ADMIN'], expiresAt: '' }, { roles: ['admin'], expireAt: null }),
      sends({ roles: ['ADMIN'], expiresAt: late[0] }, { roles: ['admin'], expireAt: late[1] }),
    ],
    updateServiceScaling: [
      sends({ minTotalMemoryGb: 24, maxTotalMemoryGb: 24, numReplicas: 1, idleTimeoutMinutes: 5 }),
      sends({ minTotalMemoryGb: 1068, maxTotalMemoryGb: 1068, numReplicas: 20 }),
      sends({ ...scaling, numReplicas: 3 }, { ...totals, numReplicas: 3 }),
    ],
    updateServicePassword: [
      sends({}),
      sends({ newPasswordHash, newDoubleSha1Hash }),
      sends({ newPasswordHash: null, newDoubleSha1Hash: newDoubleSha1Hash.toUpperCase() }),
    ],
    createPipe: [
      sends({ source: { kafka: { schemaRegistry: { credentials: null }, offset: null } } }),
      sends({ scaling: null, settings: null, fieldMappings: null }),
      sends({ ...postgres({}), settings: {}, destination: { table: null } }),
      sends({ ...toColumns('id', 'day'), ...mapped('day', 'id') }),
      sends({ validateSamples: null }, { source: { kinesis: {}, validateSamples: null } }),
      sends({ settings: read.pipe('').settings }, { settings: wire.pipe('').settings }),
    ],
    updatePipe: [
      sends({ source: { objectStorage: { ...accessKey, connectionString: 'AccountKey=b' } } }),
      sends(postgres({ ...login, host: 'pg.example', settings: { pullBatchSize: 5e9 } })),
      sends(postgres({ settings: { pullBatchSize: null }, tableMappingsToRemove: [table] })),
      sends({ ...toColumns('id', 'day'), ...mapped('id') }),
      sends(
        { settings: { engineMaxThreads: null, engineParallelViewProcessing: false } },
        { settings: { engine_max_threads: null, engine_parallel_view_processing: false } },
      ),
      sends({ validateSamples: true }, { source: { validateSamples: true } }),
      sends({ source: null, validateSamples: false }, { source: { validateSamples: false } }),
    ],
    createDashboard: [
      sends({ tags: null }),
      sends({ tiles: [{ x: 0, name: null, series: [{ groupBy: null }] }, {}] }),
    ],
    updateAlert: [sends({ tileId: null, message: null, channel: { webhookId: null } })],
  }),
  ...rowsOf<Members>(cloud, {
    updateServiceScaling: [
      sends(
        { ...scaling, minTotalMemoryGb: 30 },
        { ...totals, numReplicas: null, minTotalMemoryGb: 30 },
      ),
      sends(
        { ...scaling, minReplicaMemoryGb: 8 },
        { ...byReplica, numReplicas: null, minReplicaMemoryGb: 8 },
      ),
      sends({ minTotalMemoryGb: 1080, numReplicas: 21, idleTimeoutMinutes: 1 }),
      sends({ minReplicaMemoryGb: 5, maxReplicaMemoryGb: 360, numReplicas: 50 }),
    ],
    updateApiKey: [
      sends(
        { roles: null, assignedRoleIds: ['r'], expiresAt: null, ipAccessList: null },
        { roles: null, assignedRoleIds: ['r'], expireAt: null, ipAccessList: null },
      ),
      sends(
        { state: 'ENABLED', roles: ['QUERY_ENDPOINTS'], expiresAt: late[0] },
        { state: 'enabled', roles: ['query_endpoints'], expireAt: late[1] },
      ),
    ],
    updateService: [
      sends({ ipAccessList: { add: null, remove: [{ source: '192.0.2.1' }] }, tags: null }),
      sends({ privateEndpointIds: { add: ['vpce-1'], remove: null }, endpoints: null }),
      sends({
        endpoints: [{ protocol: 'mysql', enabled: false }],
        ...{ transparentDataEncryptionKeyId: null, enableCoreDumps: null },
      }),
      sends({ tags: { add: [{ key: 'team', value: null }], remove: [] } }),
    ],
    updateCdcScaling: [sends({ replicaCpuMillicores: 1000 }), sends({ replicaMemoryGb: 132.5 })],
    updateBackupConfiguration: [
      sends({ backupPeriodInHours: null, backupStartTime: null }),
      sends({ backupRetentionPeriodInHours: 1081, backupStartTime: '23:59' }),
    ],
  }),
];

it.each(accepted)('%s sends %j', async (field, input, wanted, stack) => {
  for (const answer of await answersTo(stack, field, input)) {
    expect(answer).toEqual({ data: { [field]: { userErrors: [] } } });
  }
  // An update of an alert reads it before.
  const bodies = stack.calls.filter(({ method }) => method !== 'GET').map((call) => call.body);
  const body = { ...requiredOf[field], ...wanted };
  expect(bodies.map((each) => JSON.parse(each))).toEqual([body, body]);
});

it.each([
  [{}, { name: 'x', privateEndpoints: { remove: [] } }],
  [{ n: null }, { name: 'x', enableCoreDumps: null, privateEndpoints: { remove: [] } }],
])(
  'of the variables %j in a literal, those that are absent leave their members out',
  async (...row) => {
    const [variables, body] = row;
    const input = `organizationId: "${organizationId}", name: "x", enableCoreDumps: $n,
    privateEndpoints: { add: $a, remove: [] }`;
    await documented.query(
      `mutation ($n: Boolean, $a: [PrivateEndpointInput!]) {
      updateOrganization(input: { ${input} }) { userErrors { code } } }`,
      { variables },
    );
    expect(documented.calls.map((call) => JSON.parse(call.body))).toEqual([body]);
  },
);

const noRole = 'must hold at least one role, got none.';
const noAddress =
  'ipAccessList must hold at least one address, got none: nobody could use the key.';
const noRoles = `roles ${noRole}`;
const lacks = 'fieldMappings must include every destination column, and lacks';
const memory = 'must be a multiple of 12 from 24 to 1068, got';
const together = 'must not be given together with';
const retention = 'backupRetentionPeriodInHours must be an integer of at least 0, got';
const startTime = 'backupStartTime must be a time of day in UTC as HH:MM, got';
const noExpiry =
  'expiresAt must be an ISO 8601 date-time, or null for a key that never expires, got "".';
const noUuid = 'must be a UUID (8-4-4-4-12 hexadecimal digits), got';
const notNull = 'must not be null. Leave it out to keep its value.';
const noneOf = (names: string): string => `${names} must be given, got none.`;
const noScaling = 'minTotalMemoryGb, maxTotalMemoryGb, numReplicas, idleScaling';
const anyScaling = noneOf(
  `${noScaling}, idleTimeoutMinutes, minReplicaMemoryGb, maxReplicaMemoryGb, autoscalingMode, minReplicas or maxReplicas`,
);
const noOrganization = noneOf('name, privateEndpoints or enableCoreDumps');
const noService = noneOf(
  'name, ipAccessList, tags, releaseChannel, privateEndpointIds, endpoints, transparentDataEncryptionKeyId or enableCoreDumps',
);
const noPipe = noneOf('name, source, validateSamples, destination, fieldMappings or settings');
const noKeyRoles = `roles or assignedRoleIds ${noRole} To switch a key off, give the state DISABLED.`;
const noAlert = noneOf(
  'threshold, interval, thresholdType, thresholdMax, source, dashboardId, tileId, channel, channels, name, message, savedSearchId, groupBy, note, tags, numConsecutiveWindows, scheduleOffsetMinutes or scheduleStartAt',
);
const columns = Array.from({ length: 21 }, (_, at) => `c${at + 1}`);
const first20 = columns
  .slice(0, 20)
  .map((name) => `"${name}"`)
  .join(', ');
/** Of a hash the number of characters is told, and not the value. */
const badHash = (member: string, words: string) => (hash: string) =>
  refuses({ [member]: hash }, `${member} ${words}, got ${hash.length} characters that are not.`);

/** Inputs with the errors, each of which begins with the name of the field. */
const refused = [
  ...rowsOf<readonly string[]>(documented, {
    updateServiceScaling: [
      refuses({}, anyScaling),
      refuses({ minReplicas: null }, noneOf(`${noScaling} or idleTimeoutMinutes`)),
      refuses({ minTotalMemoryGb: 30 }, `minTotalMemoryGb ${memory} 30.`),
      refuses(
        { minTotalMemoryGb: 12, numReplicas: 0 },
        `minTotalMemoryGb ${memory} 12.`,
        'numReplicas must be an integer from 1 to 20, got 0.',
      ),
      refuses({ numReplicas: 21 }, 'numReplicas must be an integer from 1 to 20, got 21.'),
      refuses(
        { organizationId: 'northwind', maxTotalMemoryGb: 1080, idleTimeoutMinutes: 4 },
        ...[`organizationId ${noUuid} "northwind".`, `maxTotalMemoryGb ${memory} 1080.`],
        'idleTimeoutMinutes must be an integer of at least 5, got 4.',
      ),
    ],
    updateOrganization: [refuses({}, noOrganization), refuses({ name: null }, `name ${notNull}`)],
    updatePipe: [
      refuses({ settings: {}, destination: {} }, noPipe),
      refuses(postgres({ settings: {}, tableMappingsToAdd: [] }), noPipe),
      refuses(
        postgres({ host: null, port: null, database: null, credentials: null }),
        ...['host', 'port', 'database'].map((name) => `source.postgres.${name} ${notNull}`),
      ),
    ],
    updateAlert: [
      refuses({ channel: {} }, noAlert),
      refuses(
        { threshold: null, interval: null, thresholdType: null, source: null },
        ...['threshold', 'interval', 'thresholdType', 'source'].map((name) => `${name} ${notNull}`),
      ),
    ],
    updateServicePassword: [
      // No padding, other lengths, the URL alphabet, bits beyond 32 bytes, and a line end.
      ...[
        ...['', newPasswordHash.slice(0, -1), Buffer.alloc(33, 7).toString('base64')],
        ...[newPasswordHash.replace('X', '-'), newPasswordHash.replace('tg=', 'th=')],
        `${newPasswordHash}\n`,
      ].map(
        badHash('newPasswordHash', 'must be the base64 form (44 characters) of a SHA-256 digest'),
      ),
      // Other lengths, the star of MySQL, a letter beyond f, and a line end.
      ...[
        ...[newDoubleSha1Hash.slice(1), `${newDoubleSha1Hash}0`, `*${newDoubleSha1Hash}`],
        ...[newDoubleSha1Hash.replace('f', 'g'), `${newDoubleSha1Hash}\n`],
      ].map(badHash('newDoubleSha1Hash', 'must be 40 hexadecimal digits')),
    ],
    createApiKey: [refuses({ roles: [] }, noRoles)],
    createPipe: [
      refuses(toColumns('id', 'day'), `${lacks} "id", "day".`),
      refuses({ ...toColumns('c1'), fieldMappings: null }, `${lacks} "c1".`),
      refuses({ ...toColumns('id', 'day'), ...mapped('id', 'Day') }, `${lacks} "day".`),
      refuses(toColumns(...columns), `${lacks} ${first20} and others.`),
    ],
  }),
  ...rowsOf<readonly string[]>(cloud, {
    updateServiceScaling: [
      refuses({}, anyScaling),
      refuses(
        { maxTotalMemoryGb: -1 },
        'maxTotalMemoryGb must be an integer of at least 0, got -1.',
      ),
      refuses(
        { minTotalMemoryGb: 24, maxTotalMemoryGb: 24, maxReplicaMemoryGb: 9, minReplicas: 1 },
        `minTotalMemoryGb ${together} maxReplicaMemoryGb, minReplicas: give minReplicaMemoryGb instead.`,
        `maxTotalMemoryGb ${together} maxReplicaMemoryGb, minReplicas.`,
      ),
    ],
    updateService: [
      refuses(
        { tags: {}, ipAccessList: { remove: [] }, privateEndpointIds: { add: [] } },
        noService,
      ),
      refuses({ name: null }, `name ${notNull}`),
    ],
    createApiKey: [
      refuses({ assignedRoleIds: [], ipAccessList }, `roles or assignedRoleIds ${noRole}`),
      ...[{}, { ipAccessList: null }, { ipAccessList: [] }].map((addresses) =>
        refuses({ roles: ['ADMIN'], ...addresses }, noAddress),
      ),
      refuses({}, `roles or assignedRoleIds ${noRole}`, noAddress),
    ],
    createPipe: [
      refuses({ ...pubSub, ...toColumns('id') }, `${lacks} "id".`),
      refuses(
        { source: { pubSub: { ...pubSub.source.pubSub, seekAt: '' } } },
        'source.pubSub.seekAt must be an ISO 8601 date-time, or null, got "".',
      ),
      ...['tess:opensesame@h', 'mongodb:/tess:opensesame@h', ''].map((uri) =>
        refuses(fromMongoDb(uri), noUri),
      ),
    ],
    updatePipe: [
      refuses(
        { source: { mongoDb: { uri: 'tess:opensesame@h', readPreference: 'primary' } } },
        noUri,
      ),
    ],
    scalePipe: [
      refuses({}, noneOf('replicas, replicaCpuMillicores or replicaMemoryGb')),
      refuses(
        { replicas: null, replicaCpuMillicores: 250, replicaMemoryGb: null },
        `replicas ${notNull}`,
        `replicaMemoryGb ${notNull}`,
      ),
    ],
    updateCdcScaling: [
      refuses({}, noneOf('replicaCpuMillicores or replicaMemoryGb')),
      refuses(
        { replicaCpuMillicores: null, replicaMemoryGb: null },
        ...[`replicaCpuMillicores ${notNull}`, `replicaMemoryGb ${notNull}`],
      ),
    ],
    updateDashboard: [refuses({ mayResetTiles: true }, noneOf('name, tiles or tags'))],
    updateApiKey: [
      refuses({}, noneOf('name, state, roles, assignedRoleIds, expiresAt or ipAccessList')),
      refuses({ roles: [], assignedRoleIds: [] }, noKeyRoles),
      refuses({ name: 'n', roles: null }, noKeyRoles),
      refuses(
        { organizationId: 'northwind', apiKeyId: 'deploy', expiresAt: '' },
        `organizationId ${noUuid} "northwind".`,
        `apiKeyId ${noUuid} "deploy".`,
        noExpiry,
      ),
    ],
    updateBackupConfiguration: [
      refuses({}, noneOf('backupPeriodInHours, backupRetentionPeriodInHours or backupStartTime')),
      refuses(
        { backupRetentionPeriodInHours: -24, backupStartTime: '25:00' },
        `${retention} -24.`,
        `${startTime} "25:00".`,
      ),
      ...['', '24:00', '2:00', '02:60', '02:00\n'].map((time) => {
        return refuses({ backupStartTime: time }, `${startTime} ${JSON.stringify(time)}.`);
      }),
    ],
  }),
];

it.each(refused)('%s of %j is refused before any call', async (field, input, messages, stack) => {
  const userErrors = messages.map((message) => {
    return { code: 'BAD_USER_INPUT', message, field: message.split(/,? /, 1)[0]?.split('.') };
  });
  for (const answer of await answersTo(stack, field, input)) {
    expect(answer).toEqual({ data: { [field]: { userErrors } } });
  }
  expect(stack.calls).toEqual([]);
});

const sources = [
  [{ source: {} }, 'PipeSourceInput'],
  [{ source: { kafka: {}, postgres: {} } }, 'PipeSourceInput'],
  [{ source: { kafka: null } }, 'kafka'],
  [{ source: { kafka: {}, kinesis: null } }, 'PipeSourceInput'],
  [{ source: { mqtt: {} } }, 'mqtt'],
  [{ source: { mySql: { port: 3306 } } }, 'host'],
  [{ source: { mongoDb: { uri: 'mongodb://h' } } }, 'readPreference'],
] as const;

const unfit = rowsOf<string>(cloud, {
  updateServiceScaling: [[{ minTotalMemoryGb: 24.5 }, 'Int']],
  createApiKey: [[{ roles: ['UNKNOWN'] }, 'UNKNOWN']],
  updateApiKey: [[{ hashData: {} }, 'hashData']],
  createPipe: [
    ...sources,
    [{ source: { bigQuery: { projectId: 'p' } } }, 'snapshotStagingPath'],
    [{ name: null }, 'String!'],
    [{ source: null }, 'PipeSourceInput!'],
    [{ destination: null }, 'PipeDestinationInput!'],
  ],
  updatePipe: [
    ...sources,
    [{ source: { bigQuery: {} } }, 'bigQuery'],
    [{ source: { pubSub: { ackDeadline: 10 } } }, 'authentication'],
  ],
});

it.each(unfit)('%s of %j does not fit the schema: %s', async (field, input, words, stack) => {
  const codes = ['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED'];
  for (const [at, answer] of (await answersTo(stack, field, input)).entries()) {
    expect(answer.data ?? null).toBeNull();
    expect(answer.errors[0].extensions.code).toBe(codes[at]);
    expect(answer.errors[0].message).toContain(words);
  }
  expect(stack.calls).toEqual([]);
});
