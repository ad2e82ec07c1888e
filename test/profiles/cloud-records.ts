import { wire } from '../support/documented-fields.ts';
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

const limits = {
  ...{ ...texts('autoscalingMode'), idleScaling: true },
  ...numbers('minReplicaMemoryGb maxReplicaMemoryGb minReplicas maxReplicas idleTimeoutMinutes'),
};
const assignedRoles = [texts('roleId roleName roleType')];
const { engineVersion: _, organizationId: __, ...service } = wire.service(serviceId);

export const records = {
  organization: {
    ...{ ...wire.organization, enableCoreDumps: true },
    privateEndpoints: [texts('id description cloudProvider region')],
    byocConfig: [texts('id state accountName regionId cloudProvider displayName')],
  },
  invitation: { ...wire.invitation, ...texts('role'), assignedRoles },
  member: { ...texts('userId name email role joinedAt'), assignedRoles },
  quota: {
    ...texts('quotaCode name description scope'),
    ...{ value: 20, usage: 4.5, adjustable: true },
  },
  apiKey: { ...wire.apiKey, ...texts('state'), id: apiKeyId, assignedRoles },
  service: {
    ...{ ...service, ...texts('clickhouseVersion provider region state tier autoscalingMode') },
    ...texts('releaseChannel profile complianceType'),
    ...{ replicaMemoryGb: 7, minReplicas: 8, maxReplicas: 9, enableCoreDumps: false },
    tags: [texts('key value')],
    currentScaling: {
      ...{ ...texts('activeEntryId effectiveAutoscalingMode'), effectiveIdleScaling: true },
      ...numbers('effectiveMinReplicaMemoryGb effectiveMaxReplicaMemoryGb effectiveMinReplicas'),
      ...numbers('effectiveIdleTimeoutMinutes effectiveMaxReplicas'),
    },
  },
  scalingSchedule: {
    entries: [
      {
        ...{ ...texts('id name'), ...limits, weekdays: [1, 5], isActiveNow: true },
        ...numbers('startHourUtc endHourUtc'),
      },
    ],
    ...{ baseConfig: limits, activeEntryId: 'a' },
  },
  reversePrivateEndpoint: {
    ...texts('id description status type endpointId vpcEndpointServiceName mskClusterArn'),
    ...texts('vpcResourceConfigurationId vpcResourceShareArn mskAuthentication'),
    ...{ ...texts('gcpServiceAttachment'), dnsNames: ['a'], privateDnsNames: ['b'] },
    ...{ serviceId, customPrivateDnsMappings: [{}], privateDnsMappings: [{}], dnsTargets: [{}] },
  },
  upgradeWindow: { weekday: 1, startHourUtc: 6, duration: 12 },
  backupConfiguration: { ...wire.backupConfiguration, backupRetentionPeriodInHours: null },
};

const copying = {
  ...{ ...texts('replicationMode'), initialLoadParallelism: 4, snapshotNumberOfParallelTables: 12 },
  snapshotNumRowsPerPartition: 5_000_000_000,
};
const syncing = { syncIntervalSeconds: 60, pullBatchSize: 100, deleteOnMerge: false };
const tls = { ...texts('tlsHost caCertificate'), disableTls: true, skipCertVerification: false };
const columns = {
  excludedColumns: ['note'],
  useCustomSortingKey: true,
  sortingKeys: ['id', 'day'],
};
const targets = texts('targetTable tableEngine');
const mapping = { ...texts('sourceSchemaName sourceTable partitionKey'), ...targets, ...columns };

/** The content of `source` in a pipe, for each kind of source. */
export const sources = {
  kafka: {
    ...{ ...wire.source('kafka'), ...texts('type format authentication'), exactlyOnce: true },
    offset: texts('strategy timestamp'),
    schemaRegistry: texts('url authentication caCertificate'),
  },
  objectStorage: {
    ...{ ...wire.source('objectStorage'), ...texts('type format startAfter authentication') },
    skipInitialLoad: false,
  },
  kinesis: { ...wire.source('kinesis'), ...texts('format iteratorType authentication') },
  postgres: {
    ...{ ...wire.source('postgres'), ...texts('type authentication iamRole'), ...tls },
    settings: { ...Object(wire.source('postgres').settings), ...copying, ...syncing },
    tableMappings: [{ ...mapping, partitionByExpr: 'toYYYYMM(day)' }],
  },
  mysql: {
    ...{
      ...texts('type host authentication iamRole'),
      ...tls,
      port: 3306,
      serverId: 4_000_000_001,
    },
    tableMappings: [{ ...mapping, partitionByExpr: 'toYYYYMM(day)' }],
    settings: {
      ...{ ...copying, ...syncing, ...texts('replicationMechanism') },
      ...{ allowNullableColumns: true, useCompression: true },
    },
  },
  bigquery: {
    ...{ ...texts('projectId authentication'), snapshotStagingPath: 'gs://bucket/staging' },
    settings: { ...copying, allowNullableColumns: true },
    tableMappings: [{ ...texts('sourceDatasetName sourceTable'), ...targets, ...columns }],
  },
  mongodb: {
    ...{ uri: 'mongodb://h', ...texts('readPreference'), ...tls },
    settings: {
      ...{ ...syncing, ...texts('replicationMode'), useJsonNativeFormat: false },
      ...{ snapshotNumRowsPerPartition: 5_000_000_000, snapshotNumberOfParallelTables: 12 },
    },
    tableMappings: [{ ...texts('sourceDatabaseName sourceCollection'), ...targets }],
  },
  pubsub: {
    ...texts('format projectId topic authentication seekType filter'),
    ...{ seekTimestamp: '2026-11-01T00:00:00Z', enableOrdering: true, ackDeadline: 60 },
  },
};

export type Kind = keyof typeof sources;
export const kinds = Object.keys(sources) as readonly Kind[];

const { name, scaling, fieldMappings, destination } = wire.pipe('');
export const common = {
  ...{ name, scaling, fieldMappings },
  destination: {
    ...Object(destination),
    tableDefinition: {
      ...{ ...texts('partitionBy primaryKey'), sortingKey: ['id'] },
      engine: { ...texts('type versionColumnId'), columnIds: ['a', 'b'] },
    },
  },
};

/** A pipe of each kind: `source` has a member for every kind, and the members of other kinds are null. */
export const pipe = (kind: Kind): Members => ({
  ...{ ...common, ...texts('createdAt updatedAt'), id: pipeId, serviceId, state: 'Running' },
  settings: {
    ...numbers(`streaming_max_insert_wait_ms object_storage_concurrency clickhouse_max_threads
      object_storage_polling_interval_ms object_storage_max_file_count
      clickhouse_max_insert_threads clickhouse_max_download_threads
      clickhouse_parallel_distributed_insert_select`),
    ...flags(`object_storage_use_cluster_function clickhouse_parallel_view_processing
      kafka_read_committed`),
    object_storage_max_insert_bytes: 53_687_091_200,
    clickhouse_min_insert_block_size_bytes: 10_737_418_240,
  },
  source: { ...Object.fromEntries(kinds.map((each) => [each, null])), [kind]: sources[kind] },
});
