import { withIds } from '../support/world/ids.ts';
import type { Members } from './rows.ts';

/** Records as ClickHouse Cloud documents them, with every documented member, each with a different value. */

const [organizationId = '', serviceId = '', pipeId = ''] = withIds(
  'organization-1 service-1 pipe-1',
).split(' ');
const apiKeyId = '4e1f0000-0000-4000-8000-000000000001';
export const ids = { organizationId, serviceId, pipeId };

const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const pipesPath = `${servicePath}/clickpipes`;
export const paths = {
  ...{ organization: organizationPath, service: servicePath, pipes: pipesPath },
  ...{ pipe: `${pipesPath}/${pipeId}`, apiKey: `${organizationPath}/keys/${apiKeyId}` },
};

const eachOf = (names: string, make: (name: string, at: number) => unknown): Members =>
  Object.fromEntries(names.split(/\s+/).map((name, at) => [name, make(name, at)]));
/** Members with a text each, or with a time if the name ends with At. */
export const texts = (names: string): Members =>
  eachOf(names, (name, at) => (name.endsWith('At') ? `2026-11-04T10:00:${10 + at}Z` : `${name}-1`));
const numbers = (names: string): Members => eachOf(names, (_, at) => at + 1);
const flags = (names: string): Members => eachOf(names, (_, at) => at % 2 === 0);

const assignedRoles = [texts('roleId roleName roleType')];
const ipAccessList = [texts('source description')];

export const records = {
  organization: {
    ...{ ...texts('createdAt name'), id: organizationId, enableCoreDumps: true },
    privateEndpoints: [texts('id description cloudProvider region')],
    byocConfig: [texts('id state accountName regionId cloudProvider displayName')],
  },
  invitation: { ...texts('id role email createdAt expireAt'), assignedRoles },
  apiKey: {
    ...{ ...texts('name state keySuffix createdAt expireAt usedAt'), id: apiKeyId },
    ...{ assignedRoles, ipAccessList, roles: ['admin', 'developer', 'query_endpoints'] },
  },
  service: {
    ...texts(`name provider region state clickhouseVersion tier autoscalingMode createdAt
      encryptionKey encryptionAssumedRoleIdentifier iamRole dataWarehouseId releaseChannel byocId
      profile transparentDataEncryptionKeyId encryptionRoleId complianceType`),
    ...numbers(`minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas
      replicaMemoryGb minReplicas maxReplicas idleTimeoutMinutes`),
    ...flags('idleScaling isPrimary isReadonly hasTransparentDataEncryption enableCoreDumps'),
    ...{ id: serviceId, tags: [texts('key value')], ipAccessList },
    endpoints: [{ ...texts('protocol host'), port: 9440, username: null }],
    ...{ privateEndpointIds: ['vpce-1'], availablePrivateEndpointIds: ['vpce-1', 'vpce-2'] },
    currentScaling: { effectiveNumReplicas: 3 },
    scalingSchedule: { entries: [texts('id')], baseConfig: { numReplicas: 3 }, activeEntryId: 'a' },
  },
  backupConfiguration: {
    ...{ backupPeriodInHours: 24, backupRetentionPeriodInHours: null, backupStartTime: '02:00' },
  },
};

const copying = {
  ...{ ...texts('replicationMode'), initialLoadParallelism: 4, snapshotNumberOfParallelTables: 12 },
  snapshotNumRowsPerPartition: 5_000_000_000,
};
const syncing = { syncIntervalSeconds: 60, pullBatchSize: 100, deleteOnMerge: false };
const tls = { ...texts('tlsHost caCertificate'), disableTls: true, skipCertVerification: false };
const columns = {
  ...{ excludedColumns: ['note'], useCustomSortingKey: true, sortingKeys: ['id', 'day'] },
};
const mapping = {
  ...{ ...texts('sourceSchemaName sourceTable targetTable tableEngine partitionKey'), ...columns },
};
const rpe = { reversePrivateEndpointIds: ['rpe-1', 'rpe-2'] };

/** The content of `source` in a pipe, for each kind of source. */
export const sources = {
  kafka: {
    ...texts('type format brokers topics consumerGroup authentication iamRole caCertificate'),
    ...{ ...rpe, offset: texts('strategy timestamp'), exactlyOnce: true },
    schemaRegistry: texts('url authentication caCertificate'),
  },
  objectStorage: {
    ...texts(`type format url delimiter compression queueUrl startAfter authentication iamRole
      connectionString path azureContainerName`),
    ...{ isContinuous: true, skipInitialLoad: false },
  },
  kinesis: {
    ...texts('format streamName region iteratorType authentication iamRole'),
    ...{ useEnhancedFanOut: false, timestamp: 4_102_444_800 },
  },
  postgres: {
    ...{ ...texts('type host database authentication iamRole'), ...tls, port: 5432 },
    settings: {
      ...{ ...copying, ...syncing, ...texts('publicationName replicationSlotName') },
      ...{ allowNullableColumns: true, enableFailoverSlots: false },
    },
    tableMappings: [{ ...mapping, partitionByExpr: 'toYYYYMM(day)' }],
  },
  mysql: {
    ...{
      ...texts('type host authentication iamRole'),
      ...tls,
      port: 3306,
      serverId: 4_000_000_001,
    },
    tableMappings: [mapping],
    settings: {
      ...{ ...copying, ...syncing, ...texts('replicationMechanism') },
      ...{ allowNullableColumns: true, useCompression: true },
    },
  },
  bigquery: {
    ...{ snapshotStagingPath: 'gs://bucket/staging' },
    settings: { ...copying, allowNullableColumns: true },
    tableMappings: [
      { ...texts('sourceDatasetName sourceTable targetTable tableEngine'), ...columns },
    ],
  },
  mongodb: {
    ...{ ...texts('uri readPreference'), ...tls },
    settings: {
      ...{ ...syncing, ...texts('replicationMode'), useJsonNativeFormat: false },
      ...{ snapshotNumRowsPerPartition: 5_000_000_000, snapshotNumberOfParallelTables: 12 },
    },
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
      ...{ ...texts('partitionBy primaryKey'), sortingKey: ['id'] },
      engine: { ...texts('type versionColumnId'), columnIds: ['a', 'b'] },
    },
  },
  fieldMappings: [{ sourceField: '$.id', destinationField: 'id' }],
};

/** A pipe of each kind: `source` has a member for every kind, and the members of other kinds are null. */
export const pipe = (kind: Kind): Members => ({
  ...{ ...common, ...texts('createdAt updatedAt'), id: pipeId, serviceId, state: 'Running' },
  settings: {
    ...numbers(`streaming_max_insert_wait_ms object_storage_concurrency clickhouse_max_threads
      object_storage_polling_interval_ms object_storage_max_file_count
      clickhouse_max_insert_threads clickhouse_max_download_threads
      clickhouse_parallel_distributed_insert_select`),
    ...flags('object_storage_use_cluster_function clickhouse_parallel_view_processing'),
    object_storage_max_insert_bytes: 53_687_091_200,
    clickhouse_min_insert_block_size_bytes: 10_737_418_240,
  },
  source: { ...Object.fromEntries(kinds.map((each) => [each, null])), [kind]: sources[kind] },
});
