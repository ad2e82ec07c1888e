import type { Pipe } from '../management/pipe-shapes.ts';
import { world } from './ids.ts';

const { main } = world.management;

/** postgres, Snapshot, with two tables. */
export const orders: Pipe = {
  id: main.pipes.orders,
  serviceId: main.services.production,
  name: 'orders (change data capture)',
  state: 'Snapshot',
  scaling: { replicas: 1, concurrency: 1, replicaCpuMillicores: 1000, replicaMemoryGb: 4 },
  source: {
    postgres: {
      host: 'orders.pg.northwind.example',
      port: 5432,
      database: 'orders',
      settings: {
        syncIntervalSeconds: 60,
        pullBatchSize: 100_000,
        publicationName: 'northwind_orders',
        replicationSlotName: 'northwind_orders_slot',
        allowNullableColumns: true,
        initialLoadParallelism: 4,
        snapshotNumRowsPerPartition: 500_000,
        snapshotNumberOfParallelTables: 2,
        enableFailoverSlots: true,
      },
      tableMappings: [
        {
          sourceSchemaName: 'public',
          sourceTable: 'orders',
          targetTable: 'public_orders',
          excludedColumns: ['internal_note'],
          useCustomSortingKey: true,
          sortingKeys: ['customer_id', 'ordered_at'],
        },
        {
          sourceSchemaName: 'public',
          sourceTable: 'order_lines',
          targetTable: 'public_order_lines',
          excludedColumns: [],
          useCustomSortingKey: false,
          sortingKeys: [],
        },
      ],
    },
  },
  destination: { database: 'orders' },
  fieldMappings: [],
  settings: { engine_max_threads: 8 },
  createdAt: '2026-11-20T18:03:51Z',
  updatedAt: '2026-11-20T18:09:20Z',
};

/** objectStorage on S3, Completed: read once. */
export const archive: Pipe = {
  id: main.pipes.archive,
  serviceId: main.services.production,
  name: 'clicks archive 2024',
  state: 'Completed',
  scaling: { replicas: 1, concurrency: 4, replicaCpuMillicores: 500, replicaMemoryGb: 2 },
  source: {
    objectStorage: {
      url: 'https://northwind-archive.s3.eu-central-1.amazonaws.com/clicks/2024/**/*.csv.gz',
      delimiter: ';',
      compression: 'gzip',
      isContinuous: false,
      iamRole: 'arn:aws:iam::000000000000:role/demo-archive',
    },
  },
  destination: {
    database: 'web',
    table: 'clicks_2024',
    managedTable: true,
    tableDefinition: { sortingKey: ['clicked_at'], partitionBy: 'toYYYYMM(clicked_at)' },
    columns: [
      { name: 'site', type: 'String' },
      { name: 'clicked_at', type: 'DateTime' },
    ],
  },
  fieldMappings: [
    { sourceField: 'c1', destinationField: 'site' },
    { sourceField: 'c2', destinationField: 'clicked_at' },
  ],
  settings: {
    object_storage_concurrency: 8,
    object_storage_max_insert_bytes: 53_687_091_200,
    object_storage_max_file_count: 1000,
    object_storage_use_cluster_function: true,
    engine_max_download_threads: 8,
    engine_parallel_distributed_insert_select: 2,
  },
  createdAt: '2025-02-21T09:00:00Z',
  updatedAt: '2025-02-21T14:37:08Z',
};

/** objectStorage on Azure, Paused, with a queue of events. */
export const invoices: Pipe = {
  id: main.pipes.invoices,
  serviceId: main.services.staging,
  name: 'invoices',
  state: 'Paused',
  scaling: { replicas: 1, concurrency: 1, replicaCpuMillicores: 125, replicaMemoryGb: 0.5 },
  source: {
    objectStorage: {
      compression: 'none',
      isContinuous: true,
      queueUrl: 'https://northwinddemo.queue.core.windows.net/invoices',
      connectionString: 'AccountName=northwinddemo;AccountKey=not-a-real-key',
      path: 'invoices/*.json',
      azureContainerName: 'finance',
    },
  },
  destination: {
    database: 'finance',
    table: 'invoices',
    managedTable: true,
    columns: [
      { name: 'number', type: 'String' },
      { name: 'total', type: 'Decimal(18, 2)' },
    ],
  },
  fieldMappings: [
    { sourceField: 'invoice_number', destinationField: 'number' },
    { sourceField: 'total_amount', destinationField: 'total' },
  ],
  settings: { object_storage_polling_interval_ms: 30_000 },
  createdAt: '2026-05-12T10:45:00Z',
  updatedAt: '2026-09-01T07:00:00Z',
};

/** postgres, Stopped, with one table. */
export const crm: Pipe = {
  id: main.pipes.crm,
  serviceId: main.services.trial,
  name: 'crm',
  state: 'Stopped',
  scaling: { replicas: 1, concurrency: 1, replicaCpuMillicores: 250, replicaMemoryGb: 1 },
  source: {
    postgres: {
      host: 'crm.pg.northwind.example',
      port: 5432,
      database: 'crm',
      settings: { syncIntervalSeconds: 300, pullBatchSize: 10_000 },
      tableMappings: [
        {
          sourceSchemaName: 'sales',
          sourceTable: 'accounts',
          targetTable: 'sales_accounts',
        },
      ],
    },
  },
  destination: { database: 'crm' },
  fieldMappings: [],
  settings: {},
  createdAt: '2026-11-02T10:31:00Z',
  updatedAt: '2026-11-09T17:02:14Z',
};
