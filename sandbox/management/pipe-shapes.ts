import { decimal, flag, integer, list, type Of, object, text } from '../rules.ts';

const accessKey = object({}, { accessKeyId: text, secretKey: text });
const credentials = object({}, { username: text, password: text });

/** A Kafka source. */
export const kafka = object(
  {},
  {
    brokers: text,
    topics: text,
    consumerGroup: text,
    iamRole: text,
    offset: object({}, { timestamp: text }),
    schemaRegistry: object({}, { url: text, caCertificate: text }, { credentials }),
    caCertificate: text,
    reversePrivateEndpointIds: list(text),
  },
  { credentials },
);

/** A source of files in an object store. */
export const objectStorage = object(
  {},
  {
    url: text,
    delimiter: text,
    compression: text,
    isContinuous: flag,
    queueUrl: text,
    iamRole: text,
    connectionString: text,
    path: text,
    azureContainerName: text,
  },
  { accessKey },
);

/** A Kinesis source. */
export const kinesis = object(
  {},
  {
    streamName: text,
    region: text,
    useEnhancedFanOut: flag,
    timestamp: integer,
    iamRole: text,
  },
  { accessKey },
);

/** A table that a Postgres source copies. */
export const tableMapping = object(
  { sourceSchemaName: text, sourceTable: text, targetTable: text },
  { excludedColumns: list(text), useCustomSortingKey: flag, sortingKeys: list(text) },
);

/** How a Postgres source copies. */
export const postgresSettings = object(
  {},
  {
    syncIntervalSeconds: integer,
    pullBatchSize: integer,
    publicationName: text,
    replicationSlotName: text,
    allowNullableColumns: flag,
    initialLoadParallelism: integer,
    snapshotNumRowsPerPartition: integer,
    snapshotNumberOfParallelTables: integer,
    enableFailoverSlots: flag,
  },
);

/** A Postgres source. */
export const postgres = object(
  {},
  {
    host: text,
    port: integer,
    database: text,
    settings: postgresSettings,
    tableMappings: list(tableMapping),
  },
  { credentials },
);

const column = object({ name: text, type: text }, {});

/** The table that a pipe writes to. */
export const destination = object(
  {},
  {
    database: text,
    table: text,
    managedTable: flag,
    tableDefinition: object(
      {},
      {
        engine: object({}, { versionColumnId: text, columnIds: list(text) }),
        sortingKey: list(text),
        partitionBy: text,
        primaryKey: text,
      },
    ),
    columns: list(column),
  },
  { roles: list(text) },
);

/** The column for each field of the source. */
export const fieldMappings = list(object({ sourceField: text, destinationField: text }, {}));

/** The resources of a pipe. */
export const scaling = object(
  {},
  {
    replicas: integer,
    concurrency: integer,
    replicaCpuMillicores: integer,
    replicaMemoryGb: decimal,
  },
);

/** A pipe's tuning values. */
export const settings = object(
  {},
  {
    streaming_max_insert_wait_ms: integer,
    object_storage_concurrency: integer,
    object_storage_polling_interval_ms: integer,
    object_storage_max_insert_bytes: integer,
    object_storage_max_file_count: integer,
    object_storage_use_cluster_function: flag,
    engine_max_threads: integer,
    engine_max_insert_threads: integer,
    engine_min_insert_block_size_bytes: integer,
    engine_max_download_threads: integer,
    engine_parallel_distributed_insert_select: integer,
    engine_parallel_view_processing: flag,
  },
);

/**
 * The body of Create pipe (documented rule 6). Credentials, validateSamples and destination.roles are checked and dropped.
 */
export const createPipeBody = object(
  {
    name: text,
    source: object({}, { kafka, objectStorage, kinesis, postgres }, { validateSamples: flag }),
    destination,
  },
  { fieldMappings, scaling, settings },
);

/** The changes for each kind of source (documented rule 7). */
export const sourceChanges = {
  kafka: object(
    {},
    { iamRole: text, caCertificate: text, reversePrivateEndpointIds: list(text) },
    { credentials },
  ),
  objectStorage: object(
    {},
    { iamRole: text, connectionString: text, path: text, azureContainerName: text },
    { accessKey },
  ),
  kinesis: object({}, { iamRole: text }, { accessKey }),
  postgres: object(
    {},
    {
      host: text,
      port: integer,
      database: text,
      settings: object({}, { syncIntervalSeconds: integer, pullBatchSize: integer }),
      tableMappingsToAdd: list(tableMapping),
      tableMappingsToRemove: list(
        object({ sourceSchemaName: text, sourceTable: text, targetTable: text }, {}),
      ),
    },
    { credentials },
  ),
};

/** The changes for a destination (documented rule 7). */
export const destinationChange = object({}, { columns: list(column) });

/** The body of Update pipe (documented rule 7): only members that may change. */
export const updatePipeBody = object(
  {},
  {
    name: text,
    source: object({}, sourceChanges, { validateSamples: flag }),
    destination: destinationChange,
    fieldMappings,
    settings,
  },
);

/** The members that a caller may give for a new pipe. */
export type NewPipe = Of<typeof createPipeBody>;

/** The members that a caller may change of a pipe. */
export type PipeChange = Of<typeof updatePipeBody>;

/** A pipe's source: exactly one member. */
export type Source = NewPipe['source'];

/** One table of a Postgres source. */
export type TableMapping = Of<typeof tableMapping>;

/** A Pipe on the wire. Its types come from the input shapes, so they cannot contain secrets. */
export type Pipe = {
  readonly id: string;
  readonly serviceId: string;
  readonly name: string;
  readonly state: string;
  readonly scaling: Of<typeof scaling>;
  readonly source: Source;
  readonly destination: Of<typeof destination>;
  readonly fieldMappings: Of<typeof fieldMappings>;
  readonly settings: Of<typeof settings>;
  readonly createdAt: string;
  readonly updatedAt: string;
};
