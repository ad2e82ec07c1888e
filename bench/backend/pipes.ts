import { pipeId, serviceId } from './ids.ts';
import type { PipeRecord, SourceRecord } from './records.ts';

const role = (name: string): string => `arn:aws:iam::000000000000:role/bench-${name}`;

/** One of the four kinds in turn; some members missing, some null, as upstreams send them. */
const source = (index: number): SourceRecord => {
  switch (index % 4) {
    case 0:
      return {
        kafka: {
          brokers: 'broker-1.kafka.bench.example:9092,broker-2.kafka.bench.example:9092',
          topics: `events.${index},events.${index}.late`,
          consumerGroup: `bench-group-${index}`,
          iamRole: null,
          offset: { timestamp: '2026-01-01T00:00' },
          schemaRegistry: { url: 'https://registry.kafka.bench.example' },
          reversePrivateEndpointIds: ['rpe-0d1f3b5a7c9e'],
        },
      };
    case 1:
      return {
        objectStorage: {
          url: `https://bench.s3.eu-central-1.amazonaws.example/pipe-${index}/**/*.csv.gz`,
          delimiter: ',',
          compression: 'gzip',
          isContinuous: true,
          queueUrl: `https://sqs.eu-central-1.amazonaws.example/000000000000/pipe-${index}`,
          iamRole: role('storage'),
        },
      };
    case 2:
      return {
        kinesis: {
          streamName: `stream-${index}`,
          region: 'eu-central-1',
          useEnhancedFanOut: index % 8 === 2,
          timestamp: 1_767_225_600,
          iamRole: role('kinesis'),
        },
      };
    default:
      return {
        postgres: {
          host: 'source.postgres.bench.example',
          port: 5432,
          database: `database_${index}`,
          settings: {
            syncIntervalSeconds: 10,
            pullBatchSize: 100_000,
            publicationName: `publication_${index}`,
            allowNullableColumns: true,
          },
          tableMappings: ['orders', 'customers'].map((table) => ({
            sourceSchemaName: 'public',
            sourceTable: table,
            targetTable: `public_${table}`,
            excludedColumns: ['note'],
          })),
        },
      };
  }
};

const columns = ['id', 'site', 'kind', 'created_at', 'received_at', 'payload'];
const types = ['UUID', 'String', 'UInt8', 'DateTime', "DateTime64(3, 'UTC')", 'String'];

/** A pipe as the management interface sends it. */
export const createPipe = (index: number): PipeRecord & { readonly serviceId: string } => ({
  id: pipeId(index),
  serviceId,
  name: `pipe ${index}: "événements" to table`,
  state: index % 5 === 0 ? 'Stopped' : 'Running',
  scaling: {
    replicas: 1 + (index % 4),
    concurrency: 2,
    replicaCpuMillicores: 500,
    replicaMemoryGb: 0.5 + (index % 3),
  },
  source: source(index),
  destination: {
    database: 'web',
    table: `events_${index}`,
    managedTable: true,
    tableDefinition: {
      engine: { versionColumnId: 'received_at', columnIds: ['id'] },
      sortingKey: ['site', 'created_at'],
      partitionBy: 'toYYYYMM(created_at)',
      primaryKey: 'site',
    },
    columns: columns.map((name, at) => ({ name, type: types[at] ?? null })),
  },
  fieldMappings: columns.map((name) => ({ sourceField: `$.${name}`, destinationField: name })),
  settings: {
    streaming_max_insert_wait_ms: 5000,
    object_storage_concurrency: 4,
    object_storage_max_insert_bytes: 53_687_091_200,
    object_storage_use_cluster_function: null,
    engine_max_threads: 8,
    engine_max_insert_threads: 4,
    engine_min_insert_block_size_bytes: 10_737_418_240,
    engine_parallel_view_processing: index % 2 === 0,
  },
  createdAt: '2025-02-20T11:02:19Z',
  updatedAt: '2026-10-07T06:55:03Z',
});
