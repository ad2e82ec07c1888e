import type {
  DestinationRecord,
  PipeRecord,
  SettingsRecord,
  SourceRecord,
} from '../backend/records.ts';

/** The part of a pipe that Q2 selects, in its order. */

const pickSource = ({ kafka, objectStorage, kinesis, postgres }: SourceRecord) => {
  if (kafka) {
    return {
      __typename: 'KafkaSource',
      brokers: kafka.brokers ?? null,
      topics: kafka.topics ?? null,
      consumerGroup: kafka.consumerGroup ?? null,
      iamRole: kafka.iamRole ?? null,
      offset: kafka.offset ? { timestamp: kafka.offset.timestamp ?? null } : null,
      schemaRegistry: kafka.schemaRegistry ? { url: kafka.schemaRegistry.url ?? null } : null,
      reversePrivateEndpointIds: kafka.reversePrivateEndpointIds ?? null,
    };
  }
  if (objectStorage) {
    return {
      __typename: 'ObjectStorageSource',
      url: objectStorage.url ?? null,
      delimiter: objectStorage.delimiter ?? null,
      compression: objectStorage.compression ?? null,
      isContinuous: objectStorage.isContinuous ?? null,
      queueUrl: objectStorage.queueUrl ?? null,
      iamRole: objectStorage.iamRole ?? null,
      path: objectStorage.path ?? null,
    };
  }
  if (kinesis) {
    return {
      __typename: 'KinesisSource',
      streamName: kinesis.streamName ?? null,
      region: kinesis.region ?? null,
      useEnhancedFanOut: kinesis.useEnhancedFanOut ?? null,
      timestamp: kinesis.timestamp ?? null,
      iamRole: kinesis.iamRole ?? null,
    };
  }
  if (postgres) {
    const { settings, tableMappings } = postgres;
    return {
      __typename: 'PostgresSource',
      host: postgres.host ?? null,
      port: postgres.port ?? null,
      database: postgres.database ?? null,
      settings: settings
        ? {
            syncIntervalSeconds: settings.syncIntervalSeconds ?? null,
            pullBatchSize: settings.pullBatchSize ?? null,
            publicationName: settings.publicationName ?? null,
            allowNullableColumns: settings.allowNullableColumns ?? null,
          }
        : null,
      tableMappings:
        tableMappings?.map((mapping) => ({
          sourceSchemaName: mapping.sourceSchemaName ?? null,
          sourceTable: mapping.sourceTable ?? null,
          targetTable: mapping.targetTable ?? null,
          excludedColumns: mapping.excludedColumns ?? null,
        })) ?? null,
    };
  }
  return { __typename: 'UnknownSource' };
};

const pickDestination = (destination: DestinationRecord) => {
  const { tableDefinition, columns } = destination;
  return {
    database: destination.database ?? null,
    table: destination.table ?? null,
    managedTable: destination.managedTable ?? null,
    tableDefinition: tableDefinition
      ? {
          engine: tableDefinition.engine
            ? {
                versionColumnId: tableDefinition.engine.versionColumnId ?? null,
                columnIds: tableDefinition.engine.columnIds ?? null,
              }
            : null,
          sortingKey: tableDefinition.sortingKey ?? null,
          partitionBy: tableDefinition.partitionBy ?? null,
          primaryKey: tableDefinition.primaryKey ?? null,
        }
      : null,
    columns: columns?.map(({ name, type }) => ({ name: name ?? null, type: type ?? null })) ?? null,
  };
};

const pickSettings = (settings: SettingsRecord) => ({
  streamingMaxInsertWaitMs: settings.streaming_max_insert_wait_ms ?? null,
  objectStorageConcurrency: settings.object_storage_concurrency ?? null,
  objectStoragePollingIntervalMs: settings.object_storage_polling_interval_ms ?? null,
  objectStorageMaxInsertBytes: settings.object_storage_max_insert_bytes ?? null,
  objectStorageMaxFileCount: settings.object_storage_max_file_count ?? null,
  objectStorageUseClusterFunction: settings.object_storage_use_cluster_function ?? null,
  engineMaxThreads: settings.engine_max_threads ?? null,
  engineMaxInsertThreads: settings.engine_max_insert_threads ?? null,
  engineMinInsertBlockSizeBytes: settings.engine_min_insert_block_size_bytes ?? null,
  engineMaxDownloadThreads: settings.engine_max_download_threads ?? null,
  engineParallelDistributedInsertSelect: settings.engine_parallel_distributed_insert_select ?? null,
  engineParallelViewProcessing: settings.engine_parallel_view_processing ?? null,
});

export const pickPipe = (pipe: PipeRecord) => ({
  id: pipe.id,
  name: pipe.name ?? null,
  state: pipe.state ?? null,
  scaling: pipe.scaling
    ? {
        replicas: pipe.scaling.replicas ?? null,
        concurrency: pipe.scaling.concurrency ?? null,
        replicaCpuMillicores: pipe.scaling.replicaCpuMillicores ?? null,
        replicaMemoryGb: pipe.scaling.replicaMemoryGb ?? null,
      }
    : null,
  source: pipe.source ? pickSource(pipe.source) : null,
  destination: pipe.destination ? pickDestination(pipe.destination) : null,
  fieldMappings:
    pipe.fieldMappings?.map((mapping) => ({
      sourceField: mapping.sourceField ?? null,
      destinationField: mapping.destinationField ?? null,
    })) ?? null,
  settings: pipe.settings ? pickSettings(pipe.settings) : null,
  createdAt: pipe.createdAt ?? null,
  updatedAt: pipe.updatedAt ?? null,
});
