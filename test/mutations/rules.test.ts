import { expect, it } from 'vitest';
import { live } from '../operations/table.ts';
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
  ...{ updatePipe: ids, scalePipe: ids, createDashboard: {}, updateAlert: { alertId: 'a1' } },
  ...{ updateApiKey: { organizationId, apiKeyId: ids.pipeId } },
  ...{ updateService: service, updateBackupConfiguration: service, scalePipe: ids },
  updateDashboard: { dashboardId: 'd1' },
};

const answers = {
  management: () => result({ id: organizationId }),
  observability: () => data({ id: 'a1' }),
};
const stack = useStack(answers);
const cloud = useStack({ ...answers, config: live });
/** The gateway of a group of rows, by the words after the name of its mutation. */
const stackOf = (where: string) => (where === '' ? stack : cloud);

const typeOf = (field: string): string =>
  `${field.replace(/^./, (letter) => letter.toUpperCase())}Input!`;
/** A value as a GraphQL literal. */
const literal = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/"(\w+)":/g, '$1: ')
    .replace(/"(ADMIN|DEVELOPER|QUERY_ENDPOINTS|ENABLED|DISABLED)"/g, '$1');

/** The answers to a mutation with its input as a variable, and as a literal. */
const answersTo = async (title: string, given: Members) => {
  const [field = '', where = ''] = title.split(' ', 2);
  const asked = stackOf(where);
  const input = { ...idsOf[field], ...given };
  const payload = '{ userErrors { code message field } }';
  const document = `mutation ($input: ${typeOf(field)}) { ${field}(input: $input) ${payload} }`;
  const one = await asked.query(document, { variables: { input } });
  const other = await asked.query(`mutation { ${field}(input: ${literal(input)}) ${payload} }`);
  return { field, asked, answers: [one.body, other.body] };
};

const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';
const newDoubleSha1Hash = '2470c0c06dee42fd1618bb99005adca2ec9d1e19';
const withUser = '"credentials":{"username":"user","password":"p"}';
const withKey = '"accessKey":{"accessKeyId":"AK","secretKey":"SK"},"iamRole":"role"';
const columns = '"destination":{"columns":[{"name":"id"},{"name":"day"}]}';
const id = '{"sourceField":"$.i","destinationField":"id"}';
const day = '{"sourceField":"$.d","destinationField":"day"}';
const key = `"name":"reporting","hashData":{"keyIdHash":"aWQ=","keyIdSuffix":"x9Yz",
    "keySecretHash":"c2VjcmV0"},"ipAccessList":[{"source":"203.0.113.7","description":"build"}]`;

/** The rows of a text: a mutation, its input besides identifiers, and what comes of it. */
const rowsOf = (text: string): readonly (readonly [string, Members, string | undefined])[] =>
  text
    .trim()
    .split(/\n(?=\S)/)
    .flatMap((group) => {
      const [field = '', ...rows] = group.split(/\n {2}(?=\S)/);
      return rows.map((row) => {
        const [input = '', outcome] = row.replaceAll(/\n\s*/g, '').split(/ -> ?/);
        return [field, JSON.parse(input), outcome] as const;
      });
    });

const scalingMembers = `minTotalMemoryGb maxTotalMemoryGb numReplicas minReplicaMemoryGb
  maxReplicaMemoryGb autoscalingMode minReplicas maxReplicas`.split(/\s+/);
/** All members, with a null for each that is not given. */
const formOf = (given: string, names = scalingMembers): string =>
  JSON.stringify({
    ...Object.fromEntries(
      names.filter((name) => !given.includes(name)).map((name) => [name, null]),
    ),
    ...JSON.parse(`{${given}}`),
  });
const ofTotals = (given: string): string => formOf(given, scalingMembers.slice(0, 3));

/** Inputs, with the body where it is another. Absent and null stay apart. */
const accepted = rowsOf(`
updateOrganization
  {"name":"n","privateEndpoints":null}
  {"privateEndpoints":{"add":null,"remove":[{"id":null}]}}
  {"name":"","privateEndpoints":{}}
createApiKey
  {"roles":["ADMIN","DEVELOPER"],"state":"DISABLED",${key}} ->
    {"roles":["admin","developer"],"state":"disabled",${key}}
  {"roles":["QUERY_ENDPOINTS"],"state":"ENABLED"} -> {"roles":["query_endpoints"],"state":"enabled"}
  {"roles":["ADMIN"],"name":null,"state":null,"hashData":{"keyIdHash":null}} ->
    {"roles":["admin"],"name":null,"state":null,"hashData":{"keyIdHash":null}}
  {"roles":["ADMIN"],"ipAccessList":[{"source":"192.0.2.1","description":null}]} ->
    {"roles":["admin"],"ipAccessList":[{"source":"192.0.2.1","description":null}]}
  {"roles":["ADMIN"],"hashData":null,"expireAt":null} ->
    {"roles":["admin"],"hashData":null,"expireAt":null}
  {"roles":["ADMIN"],"expireAt":""} -> {"roles":["admin"],"expireAt":null}
  {"roles":["ADMIN"],"expireAt":"2028-02-29T23:59:59.120+05:30"} ->
    {"roles":["admin"],"expireAt":"2028-02-29T18:29:59.120Z"}
updateServiceScaling
  {"minTotalMemoryGb":24,"maxTotalMemoryGb":24,"numReplicas":1}
  {"minTotalMemoryGb":1068,"maxTotalMemoryGb":1068,"numReplicas":20}
  {"minTotalMemoryGb":36,"maxTotalMemoryGb":null,"numReplicas":null}
  {"idleTimeoutMinutes":5,"idleScaling":false}
  {"idleTimeoutMinutes":2147483647,"idleScaling":null}
  ${formOf('"numReplicas":3')} -> ${ofTotals('"numReplicas":3')}
updateServiceScaling in-cloud
  ${formOf('"minTotalMemoryGb":30')} -> ${ofTotals('"minTotalMemoryGb":30')}
  {"maxTotalMemoryGb":null}
  ${formOf('"minReplicaMemoryGb":8')} -> {"numReplicas":null,"maxReplicaMemoryGb":null,
    "autoscalingMode":null,"minReplicas":null,"maxReplicas":null,"minReplicaMemoryGb":8}
  {"minTotalMemoryGb":1080,"numReplicas":21,"idleTimeoutMinutes":1}
  {"minReplicaMemoryGb":5,"maxReplicaMemoryGb":360,"numReplicas":50,"idleScaling":null}
  {"autoscalingMode":"horizontal","minReplicas":0,"maxReplicas":21,"idleTimeoutMinutes":4}
  {"minReplicaMemoryGb":null,"autoscalingMode":null,"minReplicas":20,"maxReplicas":1}
updateApiKey in-cloud
  {"roles":null,"assignedRoleIds":["r"],"expireAt":null,"ipAccessList":null}
  {"state":"ENABLED","roles":["QUERY_ENDPOINTS"]} -> {"state":"enabled","roles":["query_endpoints"]}
  {"name":"","roles":[],"assignedRoleIds":["r"],"ipAccessList":[]}
  {"expireAt":"2028-02-29T23:59:59.120+05:30"} -> {"expireAt":"2028-02-29T18:29:59.120Z"}
updateService in-cloud
  {"ipAccessList":null,"tags":null,"releaseChannel":null}
  {"ipAccessList":{"add":null,"remove":[{"source":"192.0.2.1"}]},"releaseChannel":"newest"}
  {"tags":{"add":[{"key":"team","value":null},{}],"remove":[]}}
updateBackupConfiguration in-cloud
  {"backupPeriodInHours":null,"backupRetentionPeriodInHours":null,"backupStartTime":null}
  {"backupRetentionPeriodInHours":24,"backupStartTime":"00:00"}
  {"backupPeriodInHours":5,"backupRetentionPeriodInHours":1081,"backupStartTime":"23:59"}
updateServicePassword
  {}
  {"newPasswordHash":"${newPasswordHash}","newDoubleSha1Hash":"${newDoubleSha1Hash}"}
  {"newDoubleSha1Hash":"${newDoubleSha1Hash.toUpperCase()}"}
  {"newPasswordHash":null,"newDoubleSha1Hash":null}
createPipe
  {"source":{"kinesis":{"iamRole":"r","region":null}},"name":null}
  {"source":{"kafka":{"schemaRegistry":{"credentials":null},"offset":null}}}
  {"source":{"kinesis":{}},"scaling":null,"settings":null,"fieldMappings":null}
  {"source":{"postgres":{}},"settings":{},"destination":{"table":null}}
  {"source":{"kafka":{}},"validateSamples":null} -> {"source":{"kafka":{},"validateSamples":null}}
  {"source":{"kinesis":{}},${columns},"fieldMappings":[${day},${id}]}
  {"source":{"kinesis":{}},"destination":{"columns":[]},"fieldMappings":[${day}]}
updatePipe
  {"name":null,"destination":null,"fieldMappings":null}
  {"source":{"kafka":{${withUser},"iamRole":"role","caCertificate":"ca",
    "reversePrivateEndpointIds":["rpe-1"]}}}
  {"source":{"objectStorage":{${withKey},"connectionString":"AccountKey=b","path":"in/*.csv",
    "azureContainerName":"container"}}}
  {"source":{"kinesis":{${withKey}}}}
  {"source":{"postgres":{${withUser},"host":"pg.example","port":5433,"database":"shop",
    "settings":{"syncIntervalSeconds":30,"pullBatchSize":5000000000},
    "tableMappingsToAdd":[{"sourceTable":"orders","excludedColumns":["notes"]}],
    "tableMappingsToRemove":[{"sourceSchemaName":"s","sourceTable":"c","targetTable":"d"}]}}}
  {"source":{"postgres":{"settings":{"pullBatchSize":null},"tableMappingsToAdd":null}}}
  {"settings":{"engineMaxThreads":null,"engineParallelViewProcessing":false}} ->
    {"settings":{"engine_max_threads":null,"engine_parallel_view_processing":false}}
  {${columns},"fieldMappings":[${id}]}
  {"source":null}
  {"validateSamples":true} -> {"source":{"validateSamples":true}}
  {"source":null,"validateSamples":false} -> {"source":{"validateSamples":false}}
createDashboard
  {}
  {"tiles":[{"x":0,"name":null,"series":[{"groupBy":null}]},{}]}
  {"name":null,"tags":null}
updateAlert
  {"dashboardId":null,"tileId":null,"channel":{"type":null,"webhookId":null},"name":null,
    "message":null}
`);

/** Of each source a new pipe with every member: those that answers hold too, and secrets. */
const wholePipes = Object.entries({
  kafka: `{${withUser},"schemaRegistry":{"url":"r","caCertificate":"ca",${withUser}}}`,
  ...{ objectStorage: `{${withKey}}`, kinesis: `{${withKey}}`, postgres: `{${withUser}}` },
}).map(([kind, secrets]) => {
  const { name, scaling, destination, fieldMappings, settings } = wire.pipe('');
  const source = { [kind]: { ...wire.source(kind as SourceKind), ...JSON.parse(secrets) } };
  const pipe = {
    name,
    scaling,
    fieldMappings,
    destination: { ...Object(destination), roles: ['r'] },
  };
  const input = { ...pipe, source, settings: read.pipe('').settings, validateSamples: true };
  const body = { ...pipe, source: { ...source, validateSamples: true }, settings };
  return ['createPipe', input, JSON.stringify(body)] as const;
});

it.each([...accepted, ...wholePipes])('%s sends %j', async (title, input, body) => {
  const { field, asked, answers } = await answersTo(title, input);
  for (const answer of answers) {
    expect(answer).toEqual({ data: { [field]: { userErrors: [] } } });
  }
  // An update of an alert reads it before.
  const bodies = asked.calls.filter(({ method }) => method !== 'GET').map((call) => call.body);
  const wanted = body === undefined ? input : JSON.parse(body);
  expect(bodies.map((each) => JSON.parse(each))).toEqual([wanted, wanted]);
});

it.each([
  '{} {"name":"x","privateEndpoints":{"remove":[]}}',
  '{"n":null} {"name":"x","enableCoreDumps":null,"privateEndpoints":{"remove":[]}}',
])(
  'a variable that is absent in a literal leaves its member out, and a null one does not: %s',
  async (row) => {
    const [variables, body] = row.split(' ').map((each) => JSON.parse(each));
    const input = `organizationId: "${organizationId}", name: "x", enableCoreDumps: $n,
      privateEndpoints: { add: $a, remove: [] }`;
    await stack.query(
      `mutation ($n: Boolean, $a: [PrivateEndpointInput!]) {
        updateOrganization(input: { ${input} }) { userErrors { code } } }`,
      { variables },
    );
    expect(stack.calls.map((call) => JSON.parse(call.body))).toEqual([body]);
  },
);

const noSource = 'source must be exactly one of kafka, objectStorage, kinesis, postgres, got none.';
const noRoles = 'roles must hold at least one role, got none.';
const lacks = 'fieldMappings must include every destination column, and lacks';
const memory = 'must be a multiple of 12 from 24 to 1068, got';
const together = 'must not be given together with';
const retention = 'backupRetentionPeriodInHours must be an integer of at least 0, got';
const startTime = 'backupStartTime must be a time of day in UTC as HH:MM, got';
const noExpiry =
  'expireAt must be an ISO 8601 date-time, or null for a key that never expires, got';
const noUuid = 'must be a UUID (8-4-4-4-12 hexadecimal digits), got';
const kinesis = '"source":{"kinesis":{}}';
const ofColumns = (count: number): string => {
  const names = Array.from({ length: count }, (_, at) => `{"name":"c${at + 1}"}`);
  return `"destination":{"columns":[${names}]}`;
};
const first20 = Array.from({ length: 20 }, (_, at) => `"c${at + 1}"`).join(', ');

const noSha256 = 'must be the base64 form (44 characters) of a SHA-256 digest';
const noSha1 = 'must be 40 hexadecimal digits';
const notNull = 'must not be null. Leave it out to keep its value.';
/** Of each the number of characters is told, and not the value. */
const badHashes = [
  // No padding, other lengths, the URL alphabet, bits beyond 32 bytes, and a line end.
  ...['password', newPasswordHash.slice(0, -1), Buffer.alloc(31, 7).toString('base64')],
  ...[Buffer.alloc(33, 7).toString('base64'), newPasswordHash.replace('X', '-')],
  ...[newPasswordHash.replace('tg=', 'th='), `${newPasswordHash}\n`],
  // Other lengths, the star of MySQL, a letter beyond f, and a line end.
  ...[newDoubleSha1Hash.slice(1), `${newDoubleSha1Hash}0`, `*${newDoubleSha1Hash.toUpperCase()}`],
  ...[newDoubleSha1Hash.replace('f', 'g'), `${newDoubleSha1Hash}\n`],
].map((hash, at) => {
  const [member, words] = at < 7 ? ['newPasswordHash', noSha256] : ['newDoubleSha1Hash', noSha1];
  return `  {"${member}":${JSON.stringify(hash)}} ->
    ${member} ${words}, got ${hash.length} characters that are not.`;
});

const noneOf = (names: string): string =>
  `${names.replaceAll(/\s+/g, ' ')} must be given, got none.`;
const scalingNames =
  'minTotalMemoryGb, maxTotalMemoryGb, numReplicas, idleScaling, idleTimeoutMinutes';
const noPipe = noneOf('name, source, validateSamples, destination, fieldMappings or settings');
const noKeyRoles =
  'roles or assignedRoleIds must hold at least one role, got none. To switch a key off, give the state DISABLED.';
const noAlert = noneOf(`threshold, interval, thresholdType, thresholdMax, source, dashboardId,
  tileId, channel, channels, name, message, savedSearchId, groupBy, note, numConsecutiveWindows,
  scheduleOffsetMinutes or scheduleStartAt`);

/** Inputs with the errors, each of which begins with the name of the field. */
const refused = rowsOf(`
updateServiceScaling
  {} -> ${noneOf(`${scalingNames}, minReplicaMemoryGb, maxReplicaMemoryGb, autoscalingMode,
    minReplicas or maxReplicas`)}
  {"minReplicas":null} -> ${noneOf(scalingNames.replace(/, (?=\w+$)/, ' or '))}
  {"minTotalMemoryGb":-24} -> minTotalMemoryGb ${memory} -24.
  {"minTotalMemoryGb":12} -> minTotalMemoryGb ${memory} 12.
  {"minTotalMemoryGb":30} -> minTotalMemoryGb ${memory} 30.
  {"minTotalMemoryGb":1080} -> minTotalMemoryGb ${memory} 1080.
  {"maxTotalMemoryGb":12} -> maxTotalMemoryGb ${memory} 12.
  {"maxTotalMemoryGb":30} -> maxTotalMemoryGb ${memory} 30.
  {"numReplicas":0} -> numReplicas must be an integer from 1 to 20, got 0.
  {"numReplicas":21} -> numReplicas must be an integer from 1 to 20, got 21.
  {"organizationId":"northwind","maxTotalMemoryGb":1080,"idleTimeoutMinutes":4} ->
    organizationId ${noUuid} "northwind".
    | maxTotalMemoryGb ${memory} 1080.
    | idleTimeoutMinutes must be an integer of at least 5, got 4.
updateServiceScaling in-cloud
  {} -> ${noneOf(`${scalingNames}, minReplicaMemoryGb, maxReplicaMemoryGb, autoscalingMode,
    minReplicas or maxReplicas`)}
  {"maxTotalMemoryGb":-1} -> maxTotalMemoryGb must be an integer of at least 0, got -1.
  {"minReplicas":-1,"numReplicas":-2} -> numReplicas must be an integer of at least 0, got -2.
    | minReplicas must be an integer of at least 0, got -1.
  {"minTotalMemoryGb":24,"maxTotalMemoryGb":24,"maxReplicaMemoryGb":9,"minReplicas":1} ->
    minTotalMemoryGb ${together} maxReplicaMemoryGb, minReplicas: give minReplicaMemoryGb instead.
    | maxTotalMemoryGb ${together} maxReplicaMemoryGb, minReplicas.
updateOrganization
  {} -> ${noneOf('name, privateEndpoints or enableCoreDumps')}
  {"privateEndpoints":{"add":[],"remove":null}} -> ${noneOf('name, privateEndpoints or enableCoreDumps')}
updateService in-cloud
  {} -> ${noneOf('name, ipAccessList, tags or releaseChannel')}
  {"tags":{},"ipAccessList":{"remove":[]}} ->
    ${noneOf('name, ipAccessList, tags or releaseChannel')}
updatePipe
  {} -> ${noPipe}
  {"settings":{},"destination":{}} -> ${noPipe}
  {"source":{"postgres":{"settings":{},"tableMappingsToAdd":[]}}} -> ${noPipe}
scalePipe in-cloud
  {} -> ${noneOf('replicas, replicaCpuMillicores or replicaMemoryGb')}
updateAlert
  {} -> ${noAlert}
  {"channel":{}} -> ${noAlert}
updateDashboard in-hyperdx
  {"mayResetTiles":true} -> ${noneOf('name, tiles or tags')}
updateApiKey in-cloud
  {} -> ${noneOf('name, state, roles, assignedRoleIds, expireAt or ipAccessList')}
  {"roles":[]} -> ${noKeyRoles}
  {"roles":[],"assignedRoleIds":[]} -> ${noKeyRoles}
  {"name":"n","roles":null} -> ${noKeyRoles}
  {"expireAt":""} -> ${noExpiry} "".
  {"name":null,"state":null} -> name ${notNull} | state ${notNull}
updateOrganization
  {"name":null} -> name ${notNull}
updateService in-cloud
  {"name":null} -> name ${notNull}
scalePipe in-cloud
  {"replicas":null,"replicaCpuMillicores":250,"replicaMemoryGb":null} ->
    replicas ${notNull} | replicaMemoryGb ${notNull}
updatePipe
  {"source":{"postgres":{"host":null,"port":null,"database":null,"credentials":null}}} ->
    source.postgres.host ${notNull} | source.postgres.port ${notNull}
    | source.postgres.database ${notNull}
updatePipe in-cloud
  {"source":{"postgres":{"host":null}}} -> source.postgres.host ${notNull}
updateAlert
  {"threshold":null,"interval":null,"thresholdType":null,"source":null} -> threshold ${notNull}
    | interval ${notNull} | thresholdType ${notNull} | source ${notNull}
updateApiKey in-cloud
  {"organizationId":"northwind","apiKeyId":"deploy","expireAt":""} ->
    organizationId ${noUuid} "northwind". | apiKeyId ${noUuid} "deploy". | ${noExpiry} "".
updateBackupConfiguration in-cloud
  {} -> ${noneOf('backupPeriodInHours, backupRetentionPeriodInHours or backupStartTime')}
  {"backupRetentionPeriodInHours":-24,"backupStartTime":"25:00"} ->
    ${retention} -24. | ${startTime} "25:00".
  ${['', '24:00', '2:00', '02:60', '02:00:00', ' 02:00', '02:00\n', '2027-11-03T02:00:00Z']
    .map((each) => JSON.stringify(each))
    .map((each) => `{"backupStartTime":${each}} -> ${startTime} ${each}.`)
    .join('\n  ')}
updateServicePassword
${badHashes.join('\n')}
  {"newPasswordHash":"","newDoubleSha1Hash":""} ->
    newPasswordHash ${noSha256}, got 0 characters that are not.
    | newDoubleSha1Hash ${noSha1}, got 0 characters that are not.
createApiKey
  {"roles":[]} -> ${noRoles}
  {"roles":null} -> ${noRoles}
  {"name":"n"} -> ${noRoles}
createPipe
  {"name":"p"} -> ${noSource}
  {"source":null,"validateSamples":true} -> ${noSource}
  {${columns}} -> ${noSource} | ${lacks} "id", "day".
  {${kinesis},${columns},"fieldMappings":[]} -> ${lacks} "id", "day".
  {${kinesis},${columns},"fieldMappings":null} -> ${lacks} "id", "day".
  {${kinesis},${columns},"fieldMappings":[${id},${day.replace('day', 'Day')}]} -> ${lacks} "day".
  {${kinesis},${ofColumns(1)}} -> ${lacks} "c1".
  {${kinesis},${ofColumns(20)}} -> ${lacks} ${first20}.
  {${kinesis},${ofColumns(21)}} -> ${lacks} ${first20} and others.
`);

it.each(refused)('%s of %j is refused before any call', async (title, input, messages = '') => {
  const { field, asked, answers } = await answersTo(title, input);
  const userErrors = messages.split(/ *\| */).map((message) => {
    return { code: 'BAD_USER_INPUT', message, field: message.split(/,? /, 1)[0]?.split('.') };
  });
  for (const answer of answers) expect(answer).toEqual({ data: { [field]: { userErrors } } });
  expect(asked.calls).toEqual([]);
});

const noDateTimes = [
  ...['tomorrow', '2027-11-03', '09:30:00Z', '2027-11-03 09:30:00Z', '2027-13-03T09:30:00Z'],
  ...['2027-02-29T09:30:00Z', '2027-04-31T09:30:00Z', '2027-11-03T25:30:00Z', ' ', 1825000000],
  ...['2027-11-03T09:60:00Z', '2027-11-03T09:30:00+25:00', ' 2027-11-03T09:30:00Z', true],
  ...['2027-11-03T09:30:00Z\n', 'Wed, 03 Nov 2027 09:30:00 GMT', '1825000000'],
];

const unfit = rowsOf(`
updateServiceScaling
  {"minTotalMemoryGb":24.5} -> Int
  {"minTotalMemoryGb":"24"} -> Int
  {"minTotalMemoryGb":2147483648} -> Int
createApiKey
  {"roles":["OWNER"]} -> OWNER
  {"roles":["UNKNOWN"]} -> UNKNOWN
  {"roles":["admin"]} -> admin
  {"state":"PAUSED"} -> PAUSED
  ${noDateTimes.map((each) => `{"expireAt":${JSON.stringify(each)}} -> ISO 8601`).join('\n  ')}
updateApiKey in-cloud
  {"expireAt":"tomorrow"} -> ISO 8601
  {"state":"PAUSED"} -> PAUSED
  {"hashData":{}} -> hashData
updateBackupConfiguration in-cloud
  {"backupRetentionPeriodInHours":24.5} -> Int
${['createPipe', 'updatePipe']
  .map(
    (field) => `${field}
  {"source":{}} -> PipeSourceInput
  {"source":{"kafka":{},"postgres":{}}} -> PipeSourceInput
  {"source":{"kafka":null}} -> kafka
  {"source":{"kafka":{},"kinesis":null}} -> PipeSourceInput
  {"source":{"mqtt":{}}} -> mqtt
  {"source":{"kafka":{},"validateSamples":true}} -> PipeSourceInput`,
  )
  .join('\n')}
`);

it.each(unfit)('%s of %j does not fit the schema: %s', async (title, input, words) => {
  const { asked, answers } = await answersTo(title, input);
  const [one, other] = answers;
  for (const [answer, code] of [
    [one, 'BAD_USER_INPUT'],
    [other, 'GRAPHQL_VALIDATION_FAILED'],
  ]) {
    expect(answer.data ?? null).toBeNull();
    expect(answer.errors[0].extensions.code).toBe(code);
    expect(answer.errors[0].message).toContain(words);
  }
  expect(asked.calls).toEqual([]);
});
