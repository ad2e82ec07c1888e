/** Records as ClickHouse Cloud documents them, with every documented member, each with a different value. */

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
export const ids = { organizationId, serviceId, pipeId };

const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const pipesPath = `${servicePath}/clickpipes`;
export const paths = {
  organization: organizationPath,
  service: servicePath,
  pipes: pipesPath,
  pipe: `${pipesPath}/${pipeId}`,
};

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;
const filled = <Names extends string, Value>(
  names: Names,
  value: (name: string, at: number) => Value,
) =>
  Object.fromEntries(names.split(' ').map((name, at) => [name, value(name, at)])) as Record<
    Words<Names>,
    Value
  >;
const texts = <Names extends string>(names: Names) =>
  filled(names, (name, at) => (/At$/.test(name) ? `2026-11-04T10:00:0${at}Z` : `${name}-1`));
const numbers = <Names extends string>(names: Names) => filled(names, (_, at) => at + 1);
const flags = <Names extends string>(names: Names) => filled(names, (_, at) => at % 2 === 0);

const assignedRoles = [texts('roleId roleName roleType')];
const ipAccessList = [texts('source description')];

const organization = {
  id: organizationId,
  ...texts('createdAt name'),
  privateEndpoints: [texts('id description cloudProvider region')],
  byocConfig: [texts('id state accountName regionId cloudProvider displayName')],
  enableCoreDumps: true,
};

const invitation = { ...texts('id role email createdAt expireAt'), assignedRoles };

const apiKey = {
  ...texts('id name state keySuffix createdAt expireAt usedAt'),
  roles: ['admin', 'developer', 'query_endpoints'],
  assignedRoles,
  ipAccessList,
};

const service = {
  id: serviceId,
  ...texts('name provider region state clickhouseVersion tier autoscalingMode createdAt'),
  ...texts('encryptionKey encryptionAssumedRoleIdentifier iamRole dataWarehouseId releaseChannel'),
  ...texts('byocId profile transparentDataEncryptionKeyId encryptionRoleId complianceType'),
  ...numbers('minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas'),
  ...{ replicaMemoryGb: 32, minReplicas: 12, maxReplicas: 16, idleTimeoutMinutes: 15 },
  ...flags('idleScaling isPrimary isReadonly hasTransparentDataEncryption'),
  enableCoreDumps: false,
  endpoints: [{ ...texts('protocol host'), port: 9440, username: null }],
  ...{ ipAccessList, privateEndpointIds: ['vpce-1'], tags: [texts('key value')] },
  availablePrivateEndpointIds: ['vpce-1', 'vpce-2'],
  scalingSchedule: {
    entries: [texts('id')],
    baseConfig: { numReplicas: 3 },
    ...texts('activeEntryId'),
  },
  currentScaling: { effectiveNumReplicas: 3 },
};

const backupConfiguration = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: null,
  backupStartTime: '02:00',
};

export const records = { organization, invitation, apiKey, service, backupConfiguration };

const copying = {
  ...numbers('syncIntervalSeconds pullBatchSize initialLoadParallelism'),
  ...{ snapshotNumRowsPerPartition: 5_000_000_000, snapshotNumberOfParallelTables: 12 },
  ...flags('allowNullableColumns deleteOnMerge'),
  ...texts('replicationMode'),
};
const { syncIntervalSeconds, pullBatchSize, deleteOnMerge, ...copyingOnce } = copying;
const { allowNullableColumns, initialLoadParallelism, ...copyingDocuments } = copying;

const tls = { ...texts('tlsHost caCertificate'), ...flags('disableTls skipCertVerification') };
const columns = {
  excludedColumns: ['note'],
  useCustomSortingKey: true,
  sortingKeys: ['id', 'day'],
};
const mapping = {
  ...texts('sourceSchemaName sourceTable targetTable tableEngine partitionKey'),
  ...columns,
};

/** The content of `source` in a pipe, for each kind of source. */
export const sources = {
  kafka: {
    ...texts('type format brokers topics consumerGroup authentication iamRole caCertificate'),
    offset: texts('strategy timestamp'),
    schemaRegistry: texts('url authentication caCertificate'),
    ...{ exactlyOnce: true, reversePrivateEndpointIds: ['rpe-1', 'rpe-2'] },
  },
  objectStorage: {
    ...texts('type format url delimiter compression queueUrl startAfter authentication iamRole'),
    ...texts('connectionString path azureContainerName'),
    ...flags('isContinuous skipInitialLoad'),
  },
  kinesis: {
    ...texts('format streamName region iteratorType authentication iamRole'),
    ...{ useEnhancedFanOut: false, timestamp: 4_102_444_800 },
  },
  postgres: {
    ...{ ...texts('type host database authentication iamRole'), port: 5432, ...tls },
    settings: {
      ...{ ...copying, ...texts('publicationName replicationSlotName') },
      enableFailoverSlots: false,
    },
    tableMappings: [{ ...mapping, partitionByExpr: 'toYYYYMM(day)' }],
  },
  mysql: {
    ...{ ...texts('type host authentication iamRole'), port: 3306, serverId: 4_000_000_001 },
    ...{ ...tls, tableMappings: [mapping] },
    settings: { ...copying, ...texts('replicationMechanism'), useCompression: true },
  },
  bigquery: {
    ...{ snapshotStagingPath: 'gs://bucket/staging', settings: copyingOnce },
    tableMappings: [
      { ...texts('sourceDatasetName sourceTable targetTable tableEngine'), ...columns },
    ],
  },
  mongodb: {
    ...{ ...texts('uri readPreference'), ...tls },
    settings: { ...copyingDocuments, useJsonNativeFormat: false },
    tableMappings: [texts('sourceDatabaseName sourceCollection targetTable tableEngine')],
  },
  pubsub: {
    ...texts('format projectId topic authentication seekType seekTimestamp filter'),
    ...{ enableOrdering: true, ackDeadline: 60 },
  },
};

export type Kind = keyof typeof sources;
export const kinds = Object.keys(sources) as readonly Kind[];

export const common = {
  name: 'clicks → warehouse',
  scaling: { replicas: 2, concurrency: 1, replicaCpuMillicores: 125, replicaMemoryGb: 0.5 },
  destination: {
    ...{
      ...texts('database table'),
      managedTable: true,
      columns: [{ name: 'id', type: 'UInt64' }],
    },
    tableDefinition: {
      engine: { ...texts('type versionColumnId'), columnIds: ['a', 'b'] },
      ...{ ...texts('partitionBy primaryKey'), sortingKey: ['id'] },
    },
  },
  fieldMappings: [{ sourceField: '$.id', destinationField: 'id' }],
};

const settings = {
  ...numbers(
    'streaming_max_insert_wait_ms object_storage_concurrency object_storage_polling_interval_ms object_storage_max_file_count clickhouse_max_threads clickhouse_max_insert_threads clickhouse_max_download_threads clickhouse_parallel_distributed_insert_select',
  ),
  object_storage_max_insert_bytes: 53_687_091_200,
  clickhouse_min_insert_block_size_bytes: 10_737_418_240,
  ...flags('object_storage_use_cluster_function clickhouse_parallel_view_processing'),
};

/** A pipe of each kind: `source` has a member for every kind, and the members of other kinds are null. */
export const pipe = (kind: Kind) => ({
  ...{ id: pipeId, serviceId, ...common, state: 'Running', settings },
  source: { ...Object.fromEntries(kinds.map((each) => [each, null])), [kind]: sources[kind] },
  ...texts('createdAt updatedAt'),
});
