import { result } from '../support/harness.ts';
import { describeOperations, type OperationRow } from '../support/operation-row.ts';
import {
  common,
  type Kind,
  organizationId,
  pipe,
  pipeFields,
  pipeId,
  pipePath,
  pipesPath,
  serviceId,
  settings,
  sources,
  wirePipe,
} from '../support/pipe-samples.ts';

const serviceIds = { organizationId, serviceId };
const usernamePassword = { username: 'user', password: 'p"w' };
const accessKey = { accessKeyId: 'AK', secretKey: 'SK' };

const wireSettings =
  '"settings":{"streaming_max_insert_wait_ms":5000,"object_storage_concurrency":8,' +
  '"object_storage_polling_interval_ms":30000,"object_storage_max_insert_bytes":53687091200,' +
  '"object_storage_max_file_count":100,"engine_max_threads":16,"engine_max_insert_threads":4,' +
  '"engine_min_insert_block_size_bytes":10737418240,"engine_max_download_threads":6,' +
  '"engine_parallel_distributed_insert_select":2,"object_storage_use_cluster_function":true,' +
  '"engine_parallel_view_processing":false}';
const wireMappings =
  '"fieldMappings":[{"sourceField":"$.id","destinationField":"id"},' +
  '{"sourceField":"$.day","destinationField":"day"}]';

describeOperations('each read of pipes is one exact call:', 'management', [
  {
    title: 'list the pipes',
    document: `query ($organizationId: ID!, $serviceId: ID!) {
      service(organizationId: $organizationId, serviceId: $serviceId) { pipes { ${pipeFields} } }
    }`,
    variables: serviceIds,
    call: `GET ${pipesPath}`,
    answer: result([
      wirePipe('kafka'),
      wirePipe('objectStorage'),
      wirePipe('kinesis'),
      wirePipe('postgres'),
      { ...wirePipe('kafka'), source: { mqtt: { host: 'x' } } },
    ]),
    data: {
      service: {
        pipes: [
          pipe('kafka'),
          pipe('objectStorage'),
          pipe('kinesis'),
          pipe('postgres'),
          { ...pipe('kafka'), source: { __typename: 'UnknownSource', kind: 'mqtt' } },
        ],
      },
    },
  },
  {
    title: 'read a pipe (beyond the reference)',
    document: `query ($organizationId: ID!, $serviceId: ID!, $pipeId: ID!) {
      pipe(organizationId: $organizationId, serviceId: $serviceId, pipeId: $pipeId) { ${pipeFields} }
    }`,
    variables: { ...serviceIds, pipeId },
    call: `GET ${pipePath}`,
    answer: result(wirePipe('postgres')),
    data: { pipe: pipe('postgres') },
  },
]);

describeOperations(
  'each state command is one exact call:',
  'management',
  [
    { field: 'startPipe', input: 'StartPipeInput', body: '{"command":"start"}' },
    { field: 'stopPipe', input: 'StopPipeInput', body: '{"command":"stop"}' },
    { field: 'resyncPipe', input: 'ResyncPipeInput', body: '{"command":"resync"}' },
  ].map(({ field, input, body }) => ({
    title: field,
    document: `mutation ($input: ${input}!) {
      ${field}(input: $input) { pipe { ${pipeFields} } userErrors { code } }
    }`,
    variables: { input: { ...serviceIds, pipeId } },
    call: `PATCH ${pipePath}/state`,
    body,
    answer: result(wirePipe('kafka')),
    data: { [field]: { pipe: pipe('kafka'), userErrors: [] } },
  })),
);

const createRow = (kind: Kind, source: object, wireSource: string): OperationRow => ({
  title: kind,
  document: `mutation ($input: CreatePipeInput!) {
    createPipe(input: $input) { pipe { ${pipeFields} } userErrors { code } }
  }`,
  variables: {
    input: {
      ...serviceIds,
      ...common,
      destination: { ...common.destination, roles: ['reader', 'writer'] },
      source: { [kind]: source },
      validateSamples: true,
      settings,
    },
  },
  call: `POST ${pipesPath}`,
  body:
    '{"name":"clicks → warehouse","destination":{"database":"default","table":"clicks",' +
    '"managedTable":true,"tableDefinition":{"engine":{"versionColumnId":"version",' +
    '"columnIds":["a","b"]},"sortingKey":["id","day"],"partitionBy":"toYYYYMM(day)",' +
    '"primaryKey":"id"},"columns":[{"name":"id","type":"UInt64"},{"name":"day","type":"Date"}],' +
    `"roles":["reader","writer"]},${wireMappings},` +
    '"scaling":{"replicas":2,"concurrency":4,"replicaCpuMillicores":125,"replicaMemoryGb":0.5},' +
    `"source":{${wireSource},"validateSamples":true},${wireSettings}}`,
  answer: result(wirePipe(kind)),
  data: { createPipe: { pipe: pipe(kind), userErrors: [] } },
});

describeOperations('creating a pipe with every documented member, from', 'management', [
  createRow(
    'kafka',
    {
      ...sources.kafka,
      schemaRegistry: { ...sources.kafka.schemaRegistry, credentials: usernamePassword },
      credentials: usernamePassword,
    },
    '"kafka":{"brokers":"broker-1:9092,broker-2:9092","topics":"clicks","consumerGroup":"group-1",' +
      '"iamRole":"role-kafka","offset":{"timestamp":"2026-11-01T00:00"},"schemaRegistry":' +
      '{"url":"https://registry.example","caCertificate":"registry-ca",' +
      '"credentials":{"username":"user","password":"p\\"w"}},"caCertificate":"kafka-ca",' +
      '"reversePrivateEndpointIds":["rpe-1","rpe-2"],' +
      '"credentials":{"username":"user","password":"p\\"w"}}',
  ),
  createRow(
    'objectStorage',
    { ...sources.objectStorage, accessKey },
    '"objectStorage":{"url":"https://bucket.example/**/*.json","delimiter":";",' +
      '"compression":"gzip","isContinuous":true,"queueUrl":"https://queue.example/1",' +
      '"iamRole":"role-storage","connectionString":"AccountName=a;AccountKey=b",' +
      '"path":"in/*.csv","azureContainerName":"container",' +
      '"accessKey":{"accessKeyId":"AK","secretKey":"SK"}}',
  ),
  createRow(
    'kinesis',
    { ...sources.kinesis, accessKey },
    '"kinesis":{"streamName":"stream","region":"eu-central-1","useEnhancedFanOut":false,' +
      '"timestamp":4102444800,"iamRole":"role-kinesis",' +
      '"accessKey":{"accessKeyId":"AK","secretKey":"SK"}}',
  ),
  createRow(
    'postgres',
    { ...sources.postgres, credentials: usernamePassword },
    '"postgres":{"host":"pg.example","port":5432,"database":"shop","settings":' +
      '{"syncIntervalSeconds":60,"pullBatchSize":100000,"publicationName":"publication",' +
      '"replicationSlotName":"slot","allowNullableColumns":true,"initialLoadParallelism":4,' +
      '"snapshotNumRowsPerPartition":5000000000,"snapshotNumberOfParallelTables":2,' +
      '"enableFailoverSlots":false},"tableMappings":[{"sourceSchemaName":"public",' +
      '"sourceTable":"orders","targetTable":"shop_orders","excludedColumns":["note"],' +
      '"useCustomSortingKey":true,"sortingKeys":["id","day"]}],' +
      '"credentials":{"username":"user","password":"p\\"w"}}',
  ),
]);

const updateRow = (kind: Kind, source: object, wireSource: string): OperationRow => ({
  title: kind,
  document: `mutation ($input: UpdatePipeInput!) {
    updatePipe(input: $input) { pipe { ${pipeFields} } userErrors { code } }
  }`,
  variables: {
    input: {
      ...serviceIds,
      pipeId,
      name: 'renamed',
      source: { [kind]: source },
      validateSamples: false,
      destination: { columns: common.destination.columns },
      fieldMappings: common.fieldMappings,
      settings,
    },
  },
  call: `PATCH ${pipePath}`,
  body:
    '{"name":"renamed","destination":{"columns":[{"name":"id","type":"UInt64"},' +
    `{"name":"day","type":"Date"}]},${wireMappings},` +
    `"source":{${wireSource},"validateSamples":false},${wireSettings}}`,
  answer: result(wirePipe(kind)),
  data: { updatePipe: { pipe: pipe(kind), userErrors: [] } },
});

describeOperations('updating a pipe with every documented member, from', 'management', [
  updateRow(
    'kafka',
    {
      iamRole: 'role-kafka',
      caCertificate: 'kafka-ca',
      reversePrivateEndpointIds: ['rpe-1'],
      credentials: usernamePassword,
    },
    '"kafka":{"iamRole":"role-kafka","caCertificate":"kafka-ca",' +
      '"reversePrivateEndpointIds":["rpe-1"],"credentials":{"username":"user","password":"p\\"w"}}',
  ),
  updateRow(
    'objectStorage',
    {
      iamRole: 'role-storage',
      connectionString: 'AccountName=a;AccountKey=b',
      path: 'in/*.csv',
      azureContainerName: 'container',
      accessKey,
    },
    '"objectStorage":{"iamRole":"role-storage","connectionString":"AccountName=a;AccountKey=b",' +
      '"path":"in/*.csv","azureContainerName":"container",' +
      '"accessKey":{"accessKeyId":"AK","secretKey":"SK"}}',
  ),
  updateRow(
    'kinesis',
    { iamRole: 'role-kinesis', accessKey },
    '"kinesis":{"iamRole":"role-kinesis","accessKey":{"accessKeyId":"AK","secretKey":"SK"}}',
  ),
  updateRow(
    'postgres',
    {
      host: 'pg.example',
      port: 5433,
      database: 'shop',
      credentials: usernamePassword,
      settings: { syncIntervalSeconds: 30, pullBatchSize: 5000000000 },
      tableMappingsToAdd: sources.postgres.tableMappings,
      tableMappingsToRemove: [
        { sourceSchemaName: 'public', sourceTable: 'carts', targetTable: 'shop_carts' },
      ],
    },
    '"postgres":{"host":"pg.example","port":5433,"database":"shop",' +
      '"credentials":{"username":"user","password":"p\\"w"},' +
      '"settings":{"syncIntervalSeconds":30,"pullBatchSize":5000000000},' +
      '"tableMappingsToAdd":[{"sourceSchemaName":"public","sourceTable":"orders",' +
      '"targetTable":"shop_orders","excludedColumns":["note"],"useCustomSortingKey":true,' +
      '"sortingKeys":["id","day"]}],"tableMappingsToRemove":[{"sourceSchemaName":"public",' +
      '"sourceTable":"carts","targetTable":"shop_carts"}]}',
  ),
]);
