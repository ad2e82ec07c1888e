/** Pipes as the reference describes them, and the selection that reads every member of one. */

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const pipeId = '919e0000-0000-4000-8000-000000000001';
export const pipesPath =
  '/v1/organizations/0a9a0000-0000-4000-8000-000000000001/services/5e4c0000-0000-4000-8000-000000000001/pipes';
export const pipePath = `${pipesPath}/919e0000-0000-4000-8000-000000000001`;

/** All source kinds, each with every member that the reference gives a pipe's source in answers. */
export const sources = {
  kafka: {
    brokers: 'broker-1:9092,broker-2:9092',
    topics: 'clicks',
    consumerGroup: 'group-1',
    iamRole: 'role-kafka',
    offset: { timestamp: '2026-11-01T00:00' },
    schemaRegistry: { url: 'https://registry.example', caCertificate: 'registry-ca' },
    caCertificate: 'kafka-ca',
    reversePrivateEndpointIds: ['rpe-1', 'rpe-2'],
  },
  objectStorage: {
    url: 'https://bucket.example/**/*.json',
    delimiter: ';',
    compression: 'gzip',
    isContinuous: true,
    queueUrl: 'https://queue.example/1',
    iamRole: 'role-storage',
    connectionString: 'AccountName=a;AccountKey=b',
    path: 'in/*.csv',
    azureContainerName: 'container',
  },
  kinesis: {
    streamName: 'stream',
    region: 'eu-central-1',
    useEnhancedFanOut: false,
    timestamp: 4102444800,
    iamRole: 'role-kinesis',
  },
  postgres: {
    host: 'pg.example',
    port: 5432,
    database: 'shop',
    settings: {
      syncIntervalSeconds: 60,
      pullBatchSize: 100000,
      publicationName: 'publication',
      replicationSlotName: 'slot',
      allowNullableColumns: true,
      initialLoadParallelism: 4,
      snapshotNumRowsPerPartition: 5000000000,
      snapshotNumberOfParallelTables: 2,
      enableFailoverSlots: false,
    },
    tableMappings: [
      {
        sourceSchemaName: 'public',
        sourceTable: 'orders',
        targetTable: 'shop_orders',
        excludedColumns: ['note'],
        useCustomSortingKey: true,
        sortingKeys: ['id', 'day'],
      },
    ],
  },
} as const;

export type Kind = keyof typeof sources;

export const typeNames: Readonly<Record<Kind, string>> = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
};

/** Both spellings of the twelve settings. */
export const wireSettings = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 8,
  object_storage_polling_interval_ms: 30000,
  object_storage_max_insert_bytes: 53687091200,
  object_storage_max_file_count: 100,
  engine_max_threads: 16,
  engine_max_insert_threads: 4,
  engine_min_insert_block_size_bytes: 10737418240,
  engine_max_download_threads: 6,
  engine_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  engine_parallel_view_processing: false,
};
export const settings = {
  streamingMaxInsertWaitMs: 5000,
  objectStorageConcurrency: 8,
  objectStoragePollingIntervalMs: 30000,
  objectStorageMaxInsertBytes: 53687091200,
  objectStorageMaxFileCount: 100,
  engineMaxThreads: 16,
  engineMaxInsertThreads: 4,
  engineMinInsertBlockSizeBytes: 10737418240,
  engineMaxDownloadThreads: 6,
  engineParallelDistributedInsertSelect: 2,
  objectStorageUseClusterFunction: true,
  engineParallelViewProcessing: false,
};

/** What an input and an answer spell alike. */
export const common = {
  name: 'clicks → warehouse',
  scaling: { replicas: 2, concurrency: 4, replicaCpuMillicores: 125, replicaMemoryGb: 0.5 },
  destination: {
    database: 'default',
    table: 'clicks',
    managedTable: true,
    tableDefinition: {
      engine: { versionColumnId: 'version', columnIds: ['a', 'b'] },
      sortingKey: ['id', 'day'],
      partitionBy: 'toYYYYMM(day)',
      primaryKey: 'id',
    },
    columns: [
      { name: 'id', type: 'UInt64' },
      { name: 'day', type: 'Date' },
    ],
  },
  fieldMappings: [
    { sourceField: '$.id', destinationField: 'id' },
    { sourceField: '$.day', destinationField: 'day' },
  ],
};

const rest = { id: pipeId, serviceId, state: 'Running', createdAt: 'some day', updatedAt: 'today' };

/** A pipe as an upstream answers with it. */
export const wirePipe = (kind: Kind) => ({
  ...rest,
  ...common,
  source: { [kind]: sources[kind] },
  settings: wireSettings,
});

/** The same pipe as `pipeFields` reads it. */
export const pipe = (kind: Kind) => ({
  ...rest,
  organizationId,
  ...common,
  source: { __typename: typeNames[kind], ...sources[kind] },
  settings,
});

/** Every member that a pipe can be asked for but its `nodeId` and its relation. */
export const pipeFields = `id organizationId serviceId name state createdAt updatedAt
  scaling { replicas concurrency replicaCpuMillicores replicaMemoryGb }
  source {
    __typename
    ... on KafkaSource {
      brokers topics consumerGroup iamRole offset { timestamp } schemaRegistry { url caCertificate }
      caCertificate reversePrivateEndpointIds
    }
    ... on ObjectStorageSource {
      url delimiter compression isContinuous queueUrl iamRole connectionString path azureContainerName
    }
    ... on KinesisSource { streamName region useEnhancedFanOut timestamp iamRole }
    ... on PostgresSource {
      host port database
      settings {
        syncIntervalSeconds pullBatchSize publicationName replicationSlotName allowNullableColumns
        initialLoadParallelism snapshotNumRowsPerPartition snapshotNumberOfParallelTables
        enableFailoverSlots
      }
      tableMappings {
        sourceSchemaName sourceTable targetTable excludedColumns useCustomSortingKey sortingKeys
      }
    }
    ... on UnknownSource { kind }
  }
  destination {
    database table managedTable columns { name type }
    tableDefinition { engine { versionColumnId columnIds } sortingKey partitionBy primaryKey }
  }
  fieldMappings { sourceField destinationField }
  settings {
    streamingMaxInsertWaitMs objectStorageConcurrency objectStoragePollingIntervalMs
    objectStorageMaxInsertBytes objectStorageMaxFileCount engineMaxThreads engineMaxInsertThreads
    engineMinInsertBlockSizeBytes engineMaxDownloadThreads engineParallelDistributedInsertSelect
    objectStorageUseClusterFunction engineParallelViewProcessing
  }`;
