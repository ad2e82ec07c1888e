import { pipeId, serviceId } from './cloud-records.ts';

/** A pipe as ClickHouse Cloud describes it, for each kind of source, with every member. */

const settings = {
  syncIntervalSeconds: 60,
  pullBatchSize: 100_000,
  allowNullableColumns: true,
  initialLoadParallelism: 4,
  snapshotNumRowsPerPartition: 5_000_000_000,
  snapshotNumberOfParallelTables: 2,
  replicationMode: 'cdc',
  deleteOnMerge: true,
};

const tls = {
  tlsHost: 'tls.example',
  caCertificate: 'database-ca',
  disableTls: false,
  skipCertVerification: false,
};

const mapping = {
  sourceSchemaName: 'public',
  sourceTable: 'orders',
  targetTable: 'shop_orders',
  excludedColumns: ['note'],
  useCustomSortingKey: true,
  sortingKeys: ['id', 'day'],
  tableEngine: 'ReplacingMergeTree',
  partitionKey: 'id',
};

/** What an answer holds in `source`. */
export const sources = {
  kafka: {
    type: 'msk',
    format: 'AvroConfluent',
    brokers: 'broker-1:9092,broker-2:9092',
    topics: 'clicks',
    consumerGroup: 'group-1',
    authentication: 'IAM_ROLE',
    iamRole: 'role-kafka',
    offset: { strategy: 'from_timestamp', timestamp: '2026-11-01T00:00' },
    schemaRegistry: {
      url: 'https://registry.example',
      authentication: 'PLAIN',
      caCertificate: 'registry-ca',
    },
    caCertificate: 'kafka-ca',
    exactlyOnce: true,
    reversePrivateEndpointIds: ['rpe-1', 'rpe-2'],
  },
  objectStorage: {
    type: 'azureblobstorage',
    format: 'CSVWithNames',
    url: 'https://bucket.example/**/*.csv',
    delimiter: ';',
    compression: 'gzip',
    isContinuous: true,
    queueUrl: 'https://queue.example/1',
    skipInitialLoad: true,
    startAfter: 'in/2026-11.csv',
    authentication: 'CONNECTION_STRING',
    iamRole: 'role-storage',
    connectionString: 'AccountName=a;AccountKey=b',
    path: 'in/*.csv',
    azureContainerName: 'container',
  },
  kinesis: {
    format: 'JSONEachRow',
    streamName: 'stream',
    region: 'eu-central-1',
    useEnhancedFanOut: false,
    iteratorType: 'AT_TIMESTAMP',
    timestamp: 4_102_444_800,
    authentication: 'IAM_USER',
    iamRole: 'role-kinesis',
  },
  postgres: {
    type: 'neon',
    host: 'pg.example',
    port: 5432,
    database: 'shop',
    authentication: 'basic',
    iamRole: 'role-postgres',
    ...tls,
    settings: {
      ...settings,
      publicationName: 'publication',
      replicationSlotName: 'slot',
      enableFailoverSlots: false,
    },
    tableMappings: [{ ...mapping, partitionByExpr: 'toYYYYMM(day)' }],
  },
  mysql: {
    type: 'mariadb',
    host: 'my.example',
    port: 3306,
    authentication: 'basic',
    iamRole: 'role-mysql',
    ...tls,
    serverId: 4_000_000_001,
    settings: { ...settings, replicationMechanism: 'GTID', useCompression: true },
    tableMappings: [mapping],
  },
  bigquery: {
    snapshotStagingPath: 'gs://bucket/staging',
    settings: {
      replicationMode: 'snapshot',
      allowNullableColumns: true,
      initialLoadParallelism: 4,
      snapshotNumRowsPerPartition: 100_000,
      snapshotNumberOfParallelTables: 1,
    },
    tableMappings: [
      {
        sourceDatasetName: 'shop',
        sourceTable: 'orders',
        targetTable: 'shop_orders',
        excludedColumns: ['note'],
        useCustomSortingKey: false,
        sortingKeys: ['id'],
        tableEngine: 'MergeTree',
      },
    ],
  },
  mongodb: {
    uri: 'mongodb+srv://cluster.example/shop',
    readPreference: 'secondaryPreferred',
    ...tls,
    settings: {
      syncIntervalSeconds: 60,
      pullBatchSize: 100_000,
      replicationMode: 'cdc',
      snapshotNumRowsPerPartition: 100_000,
      snapshotNumberOfParallelTables: 1,
      deleteOnMerge: false,
      useJsonNativeFormat: true,
    },
    tableMappings: [
      {
        sourceDatabaseName: 'shop',
        sourceCollection: 'orders',
        targetTable: 'shop_orders',
        tableEngine: 'ReplacingMergeTree',
      },
    ],
  },
  pubsub: {
    format: 'Protobuf',
    projectId: 'project-1',
    topic: 'clicks',
    authentication: 'SERVICE_ACCOUNT',
    seekType: 'timestamp',
    seekTimestamp: '2026-11-01T00:00:00Z',
    filter: 'attributes.kind = "click"',
    enableOrdering: true,
    ackDeadline: 60,
  },
};

export type Kind = keyof typeof sources;
export const kinds = Object.keys(sources) as readonly Kind[];

/** Every kind has a member in `source`; those that the pipe does not have are null. */
const arms = {
  kafka: null,
  objectStorage: null,
  kinesis: null,
  postgres: null,
  mysql: null,
  bigquery: null,
  mongodb: null,
  pubsub: null,
};

export const common = {
  name: 'clicks → warehouse',
  scaling: { replicas: 2, concurrency: 1, replicaCpuMillicores: 125, replicaMemoryGb: 0.5 },
  destination: {
    database: 'default',
    table: 'clicks',
    managedTable: true,
    tableDefinition: {
      engine: { type: 'ReplacingMergeTree', versionColumnId: 'version', columnIds: ['a', 'b'] },
      sortingKey: ['id'],
      partitionBy: 'toYYYYMM(day)',
      primaryKey: 'id',
    },
    columns: [{ name: 'id', type: 'UInt64' }],
  },
  fieldMappings: [{ sourceField: '$.id', destinationField: 'id' }],
};

export const wireSettings = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 8,
  object_storage_polling_interval_ms: 30_000,
  object_storage_max_insert_bytes: 53_687_091_200,
  object_storage_max_file_count: 100,
  clickhouse_max_threads: 16,
  clickhouse_max_insert_threads: 4,
  clickhouse_min_insert_block_size_bytes: 10_737_418_240,
  clickhouse_max_download_threads: 6,
  clickhouse_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  clickhouse_parallel_view_processing: false,
};

export const pipe = (kind: Kind) => ({
  id: pipeId,
  serviceId,
  ...common,
  state: 'Running',
  source: { ...arms, [kind]: sources[kind] },
  settings: wireSettings,
  createdAt: '2026-05-06T07:08:09Z',
  updatedAt: '2026-05-07T07:08:09Z',
});
