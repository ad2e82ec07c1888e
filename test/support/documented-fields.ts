/**
 * The documented tables of resources as data: every field in its order, its documented type, and a sample. Written from the
 * documentation, not from src/.
 */

export type Scalar = 'string' | 'integer' | 'number' | 'boolean' | 'date-time' | 'enum';

export interface Documented {
  /** `identifier` is a string that identifies something. */
  readonly type:
    | Scalar
    | 'identifier'
    | 'object'
    | readonly ['array of', Scalar | 'identifier' | 'object'];
  /** The value on the wire. */
  readonly sample?: unknown;
  /** The value in a GraphQL answer, if it differs. */
  readonly answered?: unknown;
  /** The name in the schema, if it differs from the wire. */
  readonly name?: string;
  /** Members of an object, or of each object of an array. */
  readonly members?: Resource;
  readonly deprecated?: true;
}

export type Resource = Readonly<Record<string, Documented>>;

const string = (sample: string): Documented => ({ type: 'string', sample });
const identifier = (sample: string): Documented => ({ type: 'identifier', sample });
const integer = (sample: number): Documented => ({ type: 'integer', sample });
const number = (sample: number): Documented => ({ type: 'number', sample });
const boolean = (sample: boolean): Documented => ({ type: 'boolean', sample });
const dateTime = (sample: string): Documented => ({ type: 'date-time', sample });
const enumeration = (sample: string, answered: string): Documented => ({
  type: 'enum',
  sample,
  answered,
});
const strings = (...sample: string[]): Documented => ({ type: ['array of', 'string'], sample });
const identifiers = (...sample: string[]): Documented => ({
  type: ['array of', 'identifier'],
  sample,
});
const object = (members: Resource): Documented => ({ type: 'object', members });
const arrayOf = (members: Resource): Documented => ({ type: ['array of', 'object'], members });
const as = (name: string, field: Documented): Documented => ({ ...field, name });
const deprecated = (field: Documented): Documented => ({ ...field, deprecated: true });

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const pipeId = '919e0000-0000-4000-8000-000000000001';

const ipAccessList = arrayOf({ source: string('203.0.113.0/24'), description: string('Office') });

const Service: Resource = {
  id: identifier(serviceId),
  name: string('production'),
  engineVersion: string('26.8'),
  endpoints: arrayOf({
    protocol: string('https'),
    host: string('db.example'),
    port: integer(8443),
    username: string('default'),
  }),
  minTotalMemoryGb: deprecated(integer(48)),
  maxTotalMemoryGb: deprecated(integer(360)),
  minReplicaMemoryGb: integer(16),
  maxReplicaMemoryGb: integer(120),
  numReplicas: integer(3),
  idleScaling: boolean(true),
  idleTimeoutMinutes: integer(15),
  ipAccessList,
  createdAt: dateTime('2025-02-11T09:31:55Z'),
  encryptionKey: string('arn:key'),
  encryptionAssumedRoleIdentifier: string('arn:assumed-role'),
  iamRole: string('arn:role'),
  privateEndpointIds: identifiers('vpce-1', 'vpce-2'),
  availablePrivateEndpointIds: identifiers('vpce-3'),
  dataWarehouseId: identifier('3a7e0000-0000-4000-8000-000000000001'),
  isPrimary: boolean(true),
  isReadonly: boolean(false),
  byocId: identifier('byoc-1'),
  hasTransparentDataEncryption: boolean(true),
  transparentDataEncryptionKeyId: string('tde-1'),
  encryptionRoleId: string('role-1'),
};

const Organization: Resource = {
  id: identifier(organizationId),
  createdAt: dateTime('2024-01-02T03:04:05.678Z'),
  name: string('Northwind'),
  privateEndpoints: arrayOf({ id: identifier('vpce-1'), description: string('Hamburg') }),
  byocConfig: arrayOf({ id: identifier('byoc-1'), accountName: string('northwind-cloud') }),
};

const Invitation: Resource = {
  id: identifier('19f10000-0000-4000-8000-000000000001'),
  email: string('ada@northwind.example'),
  createdAt: dateTime('2026-11-01T00:00:00Z'),
  expireAt: dateTime('2026-12-01T00:00:00+01:00'),
};

const BackupConfiguration: Resource = {
  backupPeriodInHours: integer(24),
  backupRetentionPeriodInHours: integer(168),
  backupStartTime: string('02:00'),
};

const ApiKey: Resource = {
  id: identifier('4e1f0000-0000-4000-8000-000000000001'),
  name: string('deploy'),
  roles: {
    type: ['array of', 'enum'],
    sample: ['admin', 'developer', 'query_endpoints'],
    answered: ['ADMIN', 'DEVELOPER', 'QUERY_ENDPOINTS'],
  },
  keySuffix: string('wxyz'),
  createdAt: dateTime('2026-11-01T00:00:00Z'),
  expireAt: dateTime('2027-11-01T00:00:00Z'),
  usedAt: dateTime('2026-11-02T00:00:00Z'),
  ipAccessList,
};

/** Members of `source`; a pipe has one of them. */
export const sources = {
  kafka: {
    brokers: string('b1:9092,b2:9092'),
    topics: string('clicks'),
    consumerGroup: string('sluice'),
    iamRole: string('arn:kafka'),
    offset: object({ timestamp: string('2026-01-01T00:00') }),
    schemaRegistry: object({
      url: string('https://registry.example'),
      caCertificate: string('registry certificate'),
    }),
    caCertificate: string('broker certificate'),
    reversePrivateEndpointIds: identifiers('rpe-1'),
  },
  objectStorage: {
    url: string('https://bucket.example/*.csv'),
    delimiter: string(';'),
    compression: string('gzip'),
    isContinuous: boolean(true),
    queueUrl: string('https://queue.example'),
    iamRole: string('arn:s3'),
    connectionString: string('AccountKey=x'),
    path: string('in/'),
    azureContainerName: string('invoices'),
  },
  kinesis: {
    streamName: string('telemetry'),
    region: string('eu-central-1'),
    useEnhancedFanOut: boolean(true),
    timestamp: integer(1_767_225_600),
    iamRole: string('arn:kinesis'),
  },
  postgres: {
    host: string('pg.example'),
    port: integer(5432),
    database: string('shop'),
    settings: object({
      syncIntervalSeconds: integer(60),
      pullBatchSize: integer(100_000),
      publicationName: string('publication'),
      replicationSlotName: string('slot'),
      allowNullableColumns: boolean(true),
      initialLoadParallelism: integer(4),
      snapshotNumRowsPerPartition: integer(500_000),
      snapshotNumberOfParallelTables: integer(2),
      enableFailoverSlots: boolean(true),
    }),
    tableMappings: arrayOf({
      sourceSchemaName: string('public'),
      sourceTable: string('orders'),
      targetTable: string('shop_orders'),
      excludedColumns: strings('card_number', 'notes'),
      useCustomSortingKey: boolean(true),
      sortingKeys: strings('id', 'day'),
    }),
  },
} as const satisfies Record<string, Resource>;

const Pipe: Resource = {
  id: identifier(pipeId),
  serviceId: identifier(serviceId),
  name: string('clickstream'),
  state: string('Running'),
  scaling: object({
    replicas: integer(2),
    concurrency: integer(1),
    replicaCpuMillicores: integer(250),
    replicaMemoryGb: number(0.5),
  }),
  source: object({}),
  destination: object({
    database: string('default'),
    table: string('clicks'),
    managedTable: boolean(true),
    tableDefinition: object({
      engine: object({ versionColumnId: string('version'), columnIds: strings('a', 'b') }),
      sortingKey: strings('day', 'id'),
      partitionBy: string('toYYYYMM(day)'),
      primaryKey: string('day'),
    }),
    columns: arrayOf({ name: string('id'), type: string('UInt64') }),
  }),
  fieldMappings: arrayOf({ sourceField: string('ID'), destinationField: string('id') }),
  settings: object({
    streaming_max_insert_wait_ms: as('streamingMaxInsertWaitMs', integer(5000)),
    object_storage_concurrency: as('objectStorageConcurrency', integer(4)),
    object_storage_polling_interval_ms: as('objectStoragePollingIntervalMs', integer(30_000)),
    object_storage_max_insert_bytes: as('objectStorageMaxInsertBytes', integer(53_687_091_200)),
    object_storage_max_file_count: as('objectStorageMaxFileCount', integer(100)),
    engine_max_threads: as('engineMaxThreads', integer(8)),
    engine_max_insert_threads: as('engineMaxInsertThreads', integer(2)),
    engine_min_insert_block_size_bytes: as(
      'engineMinInsertBlockSizeBytes',
      integer(10_737_418_240),
    ),
    engine_max_download_threads: as('engineMaxDownloadThreads', integer(3)),
    engine_parallel_distributed_insert_select: as(
      'engineParallelDistributedInsertSelect',
      integer(2),
    ),
    object_storage_use_cluster_function: as('objectStorageUseClusterFunction', boolean(true)),
    engine_parallel_view_processing: as('engineParallelViewProcessing', boolean(true)),
  }),
  createdAt: string('2026-05-06'),
  updatedAt: string('last week'),
};

const Dashboard: Resource = {
  id: identifier('da5b00000000000000000001'),
  name: string('API health'),
  tiles: arrayOf({
    id: identifier('api-errors'),
    name: string('Error rate'),
    x: integer(1),
    y: integer(2),
    w: integer(3),
    h: integer(4),
    asRatio: boolean(true),
    series: arrayOf({
      type: string('time'),
      dataSource: string('events'),
      aggFn: string('count'),
      where: string('level:error'),
      groupBy: strings('service', 'route'),
    }),
  }),
  tags: strings('api', 'on-call'),
};

const Alert: Resource = {
  id: identifier('a1e400000000000000000001'),
  name: string('API error rate'),
  message: string('Too many requests fail.'),
  threshold: number(0.02),
  interval: string('5m'),
  thresholdType: enumeration('above', 'ABOVE'),
  source: enumeration('search', 'SEARCH'),
  state: string('active'),
  channel: object({ type: string('webhook'), webhookId: identifier('3eb000000000000000000001') }),
  team: as('teamId', identifier('7ea300000000000000000001')),
  tileId: identifier('api-errors'),
  dashboard: as('dashboardId', identifier('da5b00000000000000000001')),
  savedSearch: as('savedSearchId', identifier('5ea400000000000000000001')),
  groupBy: string('service'),
  silenced: boolean(true),
  createdAt: dateTime('2026-03-10T10:00:00Z'),
  updatedAt: dateTime('2026-10-28T14:21:09Z'),
};

export const resources = {
  Service,
  Organization,
  Invitation,
  BackupConfiguration,
  ApiKey,
  Pipe,
  Dashboard,
  Alert,
} as const;
