/** Wire shapes of what the four operations read: every member may be missing or null. */
type Wire<Members> = { readonly [Name in keyof Members]?: Members[Name] | null };

export type OrganizationRecord = Wire<{ id: string; name: string }>;

export type ServiceRecord = Wire<{
  id: string;
  name: string;
  engineVersion: string;
  numReplicas: number;
  idleScaling: boolean;
  createdAt: string;
  endpoints: readonly Wire<{ protocol: string; host: string; port: number; username: string }>[];
}>;

export type BackupConfigurationRecord = Wire<{
  backupPeriodInHours: number;
  backupRetentionPeriodInHours: number;
  backupStartTime: string;
}>;

export type InvitationRecord = Wire<{
  id: string;
  email: string;
  createdAt: string;
  expireAt: string;
}>;

export type KafkaRecord = Wire<{
  brokers: string;
  topics: string;
  consumerGroup: string;
  iamRole: string;
  offset: Wire<{ timestamp: string }>;
  schemaRegistry: Wire<{ url: string }>;
  reversePrivateEndpointIds: readonly string[];
}>;

export type ObjectStorageRecord = Wire<{
  url: string;
  delimiter: string;
  compression: string;
  isContinuous: boolean;
  queueUrl: string;
  iamRole: string;
  path: string;
}>;

export type KinesisRecord = Wire<{
  streamName: string;
  region: string;
  useEnhancedFanOut: boolean;
  timestamp: number;
  iamRole: string;
}>;

export type PostgresRecord = Wire<{
  host: string;
  port: number;
  database: string;
  settings: Wire<{
    syncIntervalSeconds: number;
    pullBatchSize: number;
    publicationName: string;
    allowNullableColumns: boolean;
  }>;
  tableMappings: readonly Wire<{
    sourceSchemaName: string;
    sourceTable: string;
    targetTable: string;
    excludedColumns: readonly string[];
  }>[];
}>;

export type SourceRecord = Wire<{
  kafka: KafkaRecord;
  objectStorage: ObjectStorageRecord;
  kinesis: KinesisRecord;
  postgres: PostgresRecord;
}>;

export type DestinationRecord = Wire<{
  database: string;
  table: string;
  managedTable: boolean;
  tableDefinition: Wire<{
    engine: Wire<{ versionColumnId: string; columnIds: readonly string[] }>;
    sortingKey: readonly string[];
    partitionBy: string;
    primaryKey: string;
  }>;
  columns: readonly Wire<{ name: string; type: string }>[];
}>;

export type SettingsRecord = Wire<{
  streaming_max_insert_wait_ms: number;
  object_storage_concurrency: number;
  object_storage_polling_interval_ms: number;
  object_storage_max_insert_bytes: number;
  object_storage_max_file_count: number;
  object_storage_use_cluster_function: boolean;
  engine_max_threads: number;
  engine_max_insert_threads: number;
  engine_min_insert_block_size_bytes: number;
  engine_max_download_threads: number;
  engine_parallel_distributed_insert_select: number;
  engine_parallel_view_processing: boolean;
}>;

export type PipeRecord = Wire<{
  id: string;
  name: string;
  state: string;
  scaling: Wire<{
    replicas: number;
    concurrency: number;
    replicaCpuMillicores: number;
    replicaMemoryGb: number;
  }>;
  source: SourceRecord;
  destination: DestinationRecord;
  fieldMappings: readonly Wire<{ sourceField: string; destinationField: string }>[];
  settings: SettingsRecord;
  createdAt: string;
  updatedAt: string;
}>;

export type DashboardRecord = Wire<{
  id: string;
  name: string;
  tiles: readonly Wire<{ id: string; name: string }>[];
}>;

export type AlertRecord = Wire<{
  id: string;
  name: string;
  state: string;
  threshold: number;
  interval: string;
  dashboard: string;
}>;
