import { expect, it } from 'vitest';
import { type AnswerError, type Call, json, result } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { common, ids, kinds, paths, pipe, records, sources, texts } from './cloud-records.ts';
import {
  cloud,
  describeRows,
  type Members,
  mutate,
  mutationOf,
  type ProfileRow,
  sentOf,
  startProfile,
} from './rows.ts';
import { shownOf } from './shown.ts';

const { pipeId, ...inService } = ids;
const { organizationId } = ids;

/** The fields of queries, with their arguments. */
const fields: Readonly<Record<string, string>> = {
  organization: withIds('organization(organizationId: "organization-1")'),
  service: withIds('service(@service-1)'),
  pipe: withIds('pipe(@service-1, pipeId: "pipe-1")'),
};

const typeOf = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());
const recordsByName: Members = { ...records, pipe: pipe('postgres') };

/** A read below these fields, the last of which shows the record: a list of it, if the name is a plural. */
const read = (call: string, path: string, given?: object): ProfileRow => {
  const names = path.split(' ');
  const last = names.at(-1) ?? '';
  const singular = last.replace(/s$/, '');
  const record = given ?? recordsByName[singular];
  const { selection, data } = shownOf(typeOf(singular), record);
  const document = [...names.map((name) => fields[name] ?? name), selection].join(' { ');
  return {
    title: `GET ${call}`,
    document: `{ ${document} ${'} '.repeat(names.length + 1)}`,
    calls: [[`GET ${call}`]],
    answer: result(last === singular ? record : [record]),
    data: names.reduceRight<unknown>(
      (inner, name) => ({ [name]: name.endsWith('s') ? [inner] : inner }),
      data,
    ),
  };
};

describeRows('each read is one exact call, and shows every member that the schema has:', cloud, [
  read('/v1/organizations', 'organizations'),
  read(paths.organization, 'organization'),
  read(`${paths.organization}/invitations`, 'organization invitations'),
  read(`${paths.organization}/members`, 'organization members'),
  read(`${paths.organization}/quotas`, 'organization quotas'),
  read(`${paths.organization}/services`, 'organization services'),
  read(paths.service, 'service'),
  read(`${paths.service}/backupConfiguration`, 'service backupConfiguration'),
  read(`${paths.service}/scalingSchedule`, 'service scalingSchedule'),
  read(`${paths.service}/upgradeWindow`, 'service upgradeWindow'),
  read(`${paths.service}/clickpipesReversePrivateEndpoints`, 'service reversePrivateEndpoints'),
  read(paths.pipes, 'service pipes'),
  ...kinds.map((kind) => ({ ...read(paths.pipe, 'pipe', pipe(kind)), title: `from ${kind}` })),
]);

/** A mutation by its title, its input besides identifiers, the call, and the object that it changed, by its member. */
const change = (
  title: string,
  call: string,
  input: Members,
  body: object = input,
  record?: object,
): ProfileRow => {
  const [field = ''] = title.split(' ');
  const member = /[A-Z].*$/.exec(field)?.[0].replace(/^./, (letter) => letter.toLowerCase()) ?? '';
  const name = member === 'serviceScaling' ? 'service' : member;
  const changed = record ?? recordsByName[name];
  const { selection, data } = shownOf(typeOf(name), changed);
  const given = call.includes(ids.serviceId) ? inService : { organizationId };
  return {
    title,
    document: mutationOf(field, `${name} { ${selection} }`),
    variables: { input: { ...(call.includes(pipeId) ? ids : given), ...input } },
    calls: [[call, body]],
    answer: result(field === 'createApiKey' ? { key: changed } : changed),
    data: { [field]: { [name]: data, userErrors: [] } },
  };
};

const apiKeyId = records.apiKey.id;
const keys = `POST ${paths.organization}/keys`;
const ipAccessList = [{ source: '192.0.2.1' }];
const byRole = { name: 'reporting', assignedRoleIds: ['401e0000'], ipAccessList };
const organization = {
  ...{ name: 'n', enableCoreDumps: false },
  privateEndpoints: { add: [texts('id description cloudProvider region')] },
};
const byReplica = [
  ...[
    { minReplicaMemoryGb: 8 },
    { maxReplicaMemoryGb: 356, maxReplicas: null },
    { autoscalingMode: 'vertical' },
  ],
  ...[{ minReplicas: 1 }, { maxReplicas: 20, numReplicas: 3, idleScaling: false }],
];
/** Members of both paths: the newer one is not only for services that scale vertically. */
const ofBoth = [{ numReplicas: 3 }, { idleScaling: true }, { idleTimeoutMinutes: 30 }];
const postgres = { postgres: { host: 'pg.example' } };
const tuning = { engineMaxThreads: 16, objectStorageConcurrency: 8, kafkaReadCommitted: true };
const tunedPipe = { name: 'tuned', source: postgres, destination: {} };
const tuned = { ...tunedPipe, settings: tuning };
const wireSettings = {
  ...{ object_storage_concurrency: 8, clickhouse_max_threads: 16 },
  kafka_read_committed: true,
};
const tunedSent = { ...tunedPipe, settings: wireSettings };

describeRows('each change is one exact call, and shows every member that the schema has:', cloud, [
  change('updateOrganization', `PATCH ${paths.organization}`, organization),
  change(
    'createApiKey by roles',
    keys,
    { name: 'reporting', roles: ['ADMIN'], ipAccessList },
    { name: 'reporting', roles: ['admin'], ipAccessList },
  ),
  change('createApiKey by assigned roles', keys, byRole),
  change('updateServiceScaling', `PATCH ${paths.service}/scaling`, { minTotalMemoryGb: 48 }),
  ...[...byReplica, ...ofBoth].map((input) =>
    change(
      `updateServiceScaling by ${Object.keys(input)}`,
      `PATCH ${paths.service}/replicaScaling`,
      input,
    ),
  ),
  ...['start', 'stop', 'resync'].map((command) =>
    change(`${command}Pipe`, `PATCH ${paths.pipe}/state`, {}, { command }),
  ),
  change('createPipe with settings', `POST ${paths.pipes}`, tuned, tunedSent),
]);

type Pages = Readonly<Record<string, readonly [ids: readonly string[], nextCursor?: unknown]>>;
/** A list in pages by their cursors; the first page has none. */
const paged =
  (pages: Pages) =>
  ({ path }: Call) => {
    const cursor = new URLSearchParams(path.split('?')[1]).get('cursor') ?? '';
    const [list = [], nextCursor] = pages[cursor] ?? [];
    const rows = list.map((id) => ({ id: withIds(id), userId: id }));
    return json({ status: 200, requestId: 'r', result: rows, nextCursor });
  };
const ofActivities = `GET ${paths.organization}/activities?from_date=2026-11-01T00%3A00%3A00Z`;
const keysCall = `GET ${paths.organization}/keys`;
const ab = ['a', 'b'];
const twice = ['', '?cursor=n', '', '?cursor=n'];

it.each<[Pages, whole: readonly string[] | undefined, queries: readonly string[]]>([
  [
    { '': [ab, 'n&=é'], 'n&=é': [['c', 'o'], 'o'], o: [['d'], ''] },
    ['a', 'b', 'c', 'o', 'd'],
    ['', '?cursor=n%26%3D%C3%A9', '?cursor=o'],
  ],
  [{ '': [ab, null] }, ab, ['']],
  // The cursor is not understood; a row is double; the cursor is no text.
  [{ '': [ab, 'n'], n: [ab, 'n'] }, undefined, twice],
  [{ '': [ab, 'n'], n: [['b', 'c']] }, undefined, twice],
  [{ '': [ab, 5] }, undefined, ['']],
])('keys in the pages %j are whole or fail: %j', async (pages, whole, queries) => {
  const stack = await startProfile({ management: paged(pages) });
  const { body } = await stack.query(`{ ${fields.organization} { apiKeys { id } } }`);
  expect(body.data.organization).toEqual({ apiKeys: whole?.map((id) => ({ id })) ?? null });
  const codes = (body.errors ?? []).map((error: AnswerError) => error.extensions.code);
  expect(codes).toEqual(whole ? [] : ['UPSTREAM_BAD_RESPONSE']);
  expect(sentOf(stack)).toEqual(queries.map((query) => [`${keysCall}${query}`]));
});

it('a later page may have any number of rows', async () => {
  const many = Array.from({ length: 130_000 }, (_, index) => `${index}`);
  const stack = await startProfile({ management: paged({ '': [['a'], 'n'], n: [many] }) });
  const filter = '{ stateIn: ["disabled"] }';
  const { body } = await stack.query(
    `{ ${fields.organization} { apiKeys(filter: ${filter}) { id } } }`,
  );
  expect(body).toEqual({ data: { organization: { apiKeys: [] } } });
});

it('every list of the service may come in pages, whose later ones a write changes too', async () => {
  const management = paged({ '': [['service-1'], 'n'], n: [['service-2']] });
  const stack = await startProfile({ management }, { readCacheBytes: 64 * 1024 * 1024 });
  const times = 'from: "2026-11-01T00:00:00Z"';
  const ask = async () => {
    stack.calls.length = 0;
    const { body } = await stack.query(`{ organizations { id } ${fields.organization} {
      services { id } invitations { id } members { id } apiKeys { id } activities(${times}) { id }
      service(id: "${ids.serviceId}") { pipes { id } backups { id } } } }`);
    expect(body.errors).toBeUndefined();
    return stack.callList();
  };
  const calls = await ask();
  expect(calls).toHaveLength(16);
  expect(calls).toContain(`${ofActivities}&cursor=n`);
  expect(await ask()).toEqual([]);
  await mutate(stack, 'deleteApiKey', { organizationId, apiKeyId });
  const again = [keysCall, `${keysCall}?cursor=n`, ofActivities, `${ofActivities}&cursor=n`];
  expect(await ask()).toEqual(again.toSorted());
});

const login = { username: 'user', password: 'p"w' };
const accessKey = { accessKeyId: 'AK', secretKey: 'SK' };
const clientCertificate = { certificate: 'client-certificate', privateKey: 'client-key' };

/** How a login to Kafka is given, and what is sent for it in `credentials`. */
const logins = [
  [{ credentials: login }, login],
  [{ accessKey }, accessKey],
  [{ connectionString: 'Endpoint=b' }, { connectionString: 'Endpoint=b' }],
  [{ connectionString: null }, null],
  [{ clientCertificate }, clientCertificate],
  [{ accessKey: null }, null],
  [{ accessKey: null, clientCertificate }, clientCertificate],
] as const;

const created = { id: pipeId };
const create = (title: string, source: Members, sent = source): ProfileRow => {
  const input = { ...common, source, validateSamples: true };
  const body = { ...common, source: { ...sent, validateSamples: true } };
  return change(`createPipe from ${title}`, `POST ${paths.pipes}`, input, body, created);
};
const update = (title: string, source: Members, sent = source): ProfileRow =>
  change(`updatePipe from ${title}`, `PATCH ${paths.pipe}`, { source }, { source: sent }, created);

const only = (source: Members, names: string): Members =>
  Object.fromEntries(names.split(' ').map((name) => [name, source[name]]));
const { kafka, objectStorage, kinesis } = sources;
const registry = {
  ...kafka,
  schemaRegistry: { ...Object(kafka.schemaRegistry), credentials: login },
};
const kafkaUpdate = only(kafka, 'iamRole caCertificate reversePrivateEndpointIds authentication');
const moved = only(
  objectStorage,
  'authentication skipInitialLoad startAfter path azureContainerName',
);
const tls = only(sources.postgres, 'tlsHost caCertificate disableTls skipCertVerification');
const { tableMappings } = sources.postgres;
const { mysql, bigquery, mongodb, pubsub } = sources;
const { seekTimestamp: seekAt, ...unnamed } = pubsub;
const pubSub = { ...unnamed, seekAt };
const [mapped] = mysql.tableMappings;
const pace = only(mysql.settings, 'syncIntervalSeconds pullBatchSize');
const mysqlChange = {
  ...only(mysql, 'host port authentication iamRole serverId'),
  ...{ ...tls, credentials: login, settings: { ...pace, useCompression: true } },
  tableMappingsToAdd: mysql.tableMappings,
  tableMappingsToRemove: [only({ ...mapped }, 'sourceSchemaName sourceTable targetTable')],
};
const [collection] = mongodb.tableMappings;
const mongodbChange = {
  ...{ ...only(mongodb, 'uri readPreference'), ...tls, credentials: login, settings: pace },
  tableMappingsToAdd: mongodb.tableMappings,
  tableMappingsToRemove: [
    only({ ...collection }, 'sourceDatabaseName sourceCollection targetTable'),
  ],
};
const keyed = { serviceAccountKey: 'SAK' };
const keyFile = { serviceAccountFile: 'SAK' };
/** What differs in a change of a Pub/Sub source: how the key is given, and what is sent for it. */
const givenKeys = [
  [keyed, { serviceAccountKey: keyFile }],
  [{ serviceAccountKey: null }, { serviceAccountKey: null }],
  [{}, {}],
] as const;
const columns = [{ name: 'day', type: 'Date' }];
const toColumns = { name: 'tables', destination: { columns } };
/** Without field mappings. */
const fromTables = [
  [{ postgres: {} }, { postgres: {} }],
  [{ mySql: mysql }, { mysql }],
  [{ bigQuery: bigquery }, { bigquery }],
  [{ mongoDb: mongodb }, { mongodb }],
] as const;

describeRows('a pipe is sent with every member of its source:', cloud, [
  ...logins.flatMap(([given, credentials]) =>
    [[create, registry] as const, [update, kafkaUpdate] as const].map(([write, members]) =>
      write(
        `kafka with ${JSON.stringify(given)}`,
        { kafka: { ...members, ...given } },
        { kafka: { ...members, credentials } },
      ),
    ),
  ),
  create('kafka with a schema of Protobuf', { kafka: { ...kafka, protobufSchema: 'c3ludGF4' } }),
  create('objects', { objectStorage: { ...objectStorage, accessKey, serviceAccountKey: 'SAK' } }),
  create('public objects', { objectStorage: { url: 'https://o.example', authentication: null } }),
  create('kinesis', { kinesis: { ...kinesis, accessKey } }),
  create('postgres', { postgres: { ...sources.postgres, credentials: login } }),
  update('objects', { objectStorage: { ...moved, serviceAccountKey: 'SAK' } }),
  update('kinesis', { kinesis: only(kinesis, 'authentication iamRole') }),
  update('postgres', { postgres: { ...tls, tableMappingsToAdd: tableMappings } }),
  create(
    'mysql',
    { mySql: { ...mysql, credentials: login } },
    { mysql: { ...mysql, credentials: login } },
  ),
  create(
    'bigquery',
    { bigQuery: { ...bigquery, ...keyed } },
    { bigquery: { ...bigquery, credentials: keyFile } },
  ),
  create(
    'mongodb',
    { mongoDb: { ...mongodb, credentials: login } },
    { mongodb: { ...mongodb, credentials: login } },
  ),
  create(
    'pubsub',
    { pubSub: { ...pubSub, ...keyed } },
    { pubsub: { ...pubsub, serviceAccountKey: keyFile } },
  ),
  update('mysql', { mySql: mysqlChange }, { mysql: mysqlChange }),
  update('mongodb', { mongoDb: mongodbChange }, { mongodb: mongodbChange }),
  ...givenKeys.map(([given, sent]) => {
    const members = only(pubsub, 'authentication ackDeadline');
    const title = `pubsub with ${JSON.stringify(given)}`;
    return update(title, { pubSub: { ...members, ...given } }, { pubsub: { ...members, ...sent } });
  }),
  // Only a pipe that copies a database needs no field mappings for the columns of its destination.
  ...fromTables.map(([source, sent]) =>
    change(
      `createPipe from ${Object.keys(source)} with columns`,
      `POST ${paths.pipes}`,
      { ...toColumns, source },
      { ...toColumns, source: sent },
      created,
    ),
  ),
]);

it.each([
  [{ status: 200, requestId: 'r' }, null],
  [{ requestId: 'r' }, null],
  [{}, null],
  [{ status: 403, error: 'no' }, 'UPSTREAM_BAD_RESPONSE'],
])('deletePipe answered with %j', async (answer, code) => {
  const stack = await startProfile({ management: () => json(answer) });
  const { data, errors } = await mutate(stack, 'deletePipe', ids, 'deletedPipeId');
  expect(data.deletePipe).toEqual({ deletedPipeId: code ? null : pipeId, userErrors: [] });
  expect(errors?.[0].extensions.code ?? null).toBe(code);
  expect(stack.callList()).toEqual([`DELETE ${paths.pipe}`]);
});

const parts = 'scalingSchedule { activeEntryId } upgradeWindow { weekday }';
const scheduled = { id: ids.serviceId, scalingSchedule: { activeEntryId: 'e1' } };

it.each([
  ['a 404 means that there is none', json({ status: 404, error: 'none' }, 404), null, []],
  ['a 403 is told', json({ status: 403, error: 'no' }, 403), null, ['FORBIDDEN', 'FORBIDDEN']],
  ['a 424 is told', json({ status: 424 }, 424), null, Array(2).fill('SERVICE_NOT_RUNNING')],
] as const)('schedule and upgrade window of a service: %s', async (_, answer, shown, codes) => {
  const stack = await startProfile({ management: () => answer });
  const { body } = await stack.query(`{ ${fields.service} { ${parts} } }`);
  expect(body.data.service).toEqual({ scalingSchedule: shown, upgradeWindow: shown });
  const told = (body.errors ?? []).map(({ extensions }: AnswerError) => extensions.code);
  expect([told, stack.calls.length]).toEqual([codes, 2]);
});

it('a list of services that came with their schedules shows these without a call', async () => {
  const stack = await startProfile({ management: () => result([scheduled]) });
  const { body } = await stack.query(
    `{ ${fields.organization} { services { scalingSchedule { activeEntryId } } } }`,
  );
  const { scalingSchedule } = scheduled;
  expect(body.data.organization.services).toEqual([{ scalingSchedule }]);
  expect(stack.callList()).toEqual([`GET ${paths.organization}/services`]);
});

it('the private connections of the pipes of a service cost one call together', async () => {
  const list = `GET ${paths.service}/clickpipesReversePrivateEndpoints`;
  const pipesWith = [['r1', 'gone'], ['R2'], [], null].map((reversePrivateEndpointIds, at) => ({
    ...{ id: `p${at}`, source: { kafka: { reversePrivateEndpointIds } } },
  }));
  const connections = ['r1', 'r2'].map((id) => ({
    id,
    status: id === 'r1' ? 'Ready' : 'Rejected',
  }));
  const shownFor = async (given: readonly object[]) => {
    const stack = await startProfile({
      management: ({ path }) => result(path.endsWith('pipes') ? given : connections),
    });
    const { body } = await stack.query(`{ ${fields.service} { pipes { source {
      ... on KafkaSource { reversePrivateEndpoints { id status } } } } } }`);
    return { shown: body.data.service.pipes.map(sourceOf), calls: stack.callList() };
  };
  const sourceOf = ({ source }: { source: Members }) => source.reversePrivateEndpoints;
  const pipes = `GET ${paths.pipes}`;
  expect(await shownFor(pipesWith)).toEqual({
    shown: [[connections[0]], [connections[1]], [], null],
    calls: [pipes, list],
  });
  expect(await shownFor(pipesWith.slice(2))).toEqual({ shown: [[], null], calls: [pipes] });
});

const more = { credentials: login, clientCertificate };
const aPasswordMore = { credentials: { password: 'p"w' }, clientCertificate };

it.each([
  ['createPipe', { ...inService, name: 'n', source: { kafka: more }, destination: {} }],
  ['updatePipe', { ...ids, source: { kafka: more } }],
  ['updatePipe', { ...ids, source: { kafka: aPasswordMore } }],
])('two logins are refused before any call, and no secret repeated: %s of %j', async (...row) => {
  const [field, input] = row;
  const stack = await startProfile({});
  const { data } = await mutate(stack, field, input);
  const message = expect.stringContaining('got more');
  const userErrors = [{ code: 'BAD_USER_INPUT', field: ['source', 'kafka'], message }];
  expect(data[field].userErrors).toEqual(userErrors);
  expect(stack.calls).toEqual([]);
  expect(JSON.stringify(data)).not.toMatch(/p.*"w|client-key/);
});

it('without the profile what it adds to an input is unavailable', async () => {
  const stack = await startProfile({}, { managementProfile: 'reference' });
  const scaling = { ...inService, numReplicas: 3, maxReplicas: 4, minReplicas: 2 };
  const { errors } = await mutate(stack, 'updateServiceScaling', scaling);
  const words = 'does not have with the profile reference of this gateway.';
  const message = `The input has minReplicas, maxReplicas, which management ${words}`;
  expect(errors).toMatchObject([{ message, extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  expect(stack.calls).toEqual([]);
});

it.each([
  ['createPipe', { mySql: mysql }, 'mySql'],
  ['createPipe', { bigQuery: bigquery }, 'bigQuery'],
  ['createPipe', { mongoDb: mongodb }, 'mongoDb'],
  ['createPipe', { pubSub }, 'pubSub'],
  ['updatePipe', { mySql: { host: 'h', port: 3306 } }, 'mySql'],
  ['updatePipe', { mongoDb: only(mongodb, 'uri readPreference') }, 'mongoDb'],
  ['updatePipe', { pubSub: { authentication: 'SERVICE_ACCOUNT' } }, 'pubSub'],
])('without the profile a kind of source that it adds is unavailable: %s', async (...row) => {
  const [field, source, kind] = row;
  const stack = await startProfile({}, { managementProfile: 'reference' });
  const { errors } = await mutate(
    stack,
    field,
    { ...(field === 'createPipe' ? { ...inService, ...common } : ids), source },
    'pipe { id }',
  );
  const words = 'does not have with the profile reference of this gateway.';
  const message = `The input has source.${kind}, which management ${words}`;
  expect(errors).toMatchObject([{ message, extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  expect(stack.calls).toEqual([]);
});
