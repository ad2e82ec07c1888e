import { world } from '../../world/ids.ts';
import type { LivePipe } from '../management/pipe-shapes.ts';
import { liveWorld } from './ids.ts';

const { services } = world.management.main;
const { pipes } = liveWorld;

const small = { replicas: 1, concurrency: 1, replicaCpuMillicores: 250, replicaMemoryGb: 1 };

const copying = { scaling: small, fieldMappings: [], settings: {} };

/** mysql, Running. */
const shop: LivePipe = {
  ...copying,
  id: pipes.shop,
  serviceId: services.production,
  name: 'shop (MySQL)',
  state: 'Running',
  source: {
    mysql: {
      host: 'shop.mysql.northwind.example',
      port: 3306,
      type: 'auroramysql',
      authentication: 'basic',
      serverId: 4_101,
      disableTls: false,
      skipCertVerification: false,
      settings: {
        replicationMode: 'cdc',
        replicationMechanism: 'GTID',
        syncIntervalSeconds: 60,
        pullBatchSize: 100_000,
        useCompression: true,
      },
      tableMappings: [
        {
          sourceSchemaName: 'shop',
          sourceTable: 'carts',
          targetTable: 'shop_carts',
          excludedColumns: ['session_token'],
          tableEngine: 'ReplacingMergeTree',
          partitionByExpr: 'toYYYYMM(created_at)',
        },
      ],
    },
  },
  destination: { database: 'shop' },
  createdAt: '2026-07-01T08:00:00Z',
  updatedAt: '2026-11-18T16:20:31Z',
};

/** bigquery, Completed: a snapshot is read once. */
const warehouse: LivePipe = {
  ...copying,
  id: pipes.warehouse,
  serviceId: services.production,
  name: 'old warehouse (BigQuery)',
  state: 'Completed',
  source: {
    bigquery: {
      snapshotStagingPath: 'gs://northwind-staging/clickpipes',
      projectId: 'northwind-warehouse',
      authentication: 'SERVICE_ACCOUNT',
      settings: { replicationMode: 'snapshot' },
      tableMappings: [
        {
          sourceDatasetName: 'sales',
          sourceTable: 'invoices_2023',
          targetTable: 'sales_invoices_2023',
          tableEngine: 'MergeTree',
        },
      ],
    },
  },
  destination: { database: 'finance' },
  createdAt: '2026-08-11T12:30:00Z',
  updatedAt: '2026-08-11T13:02:45Z',
};

/** mongodb, Degraded: it still copies. */
const profiles: LivePipe = {
  ...copying,
  id: pipes.profiles,
  serviceId: services.staging,
  name: 'profiles (MongoDB)',
  state: 'Degraded',
  source: {
    mongodb: {
      uri: 'mongodb+srv://profiles.mongo.northwind.example/profiles',
      readPreference: 'secondaryPreferred',
      disableTls: false,
      settings: {
        replicationMode: 'cdc',
        syncIntervalSeconds: 30,
        pullBatchSize: 50_000,
        useJsonNativeFormat: true,
      },
      tableMappings: [
        {
          sourceDatabaseName: 'profiles',
          sourceCollection: 'people',
          targetTable: 'profiles_people',
          tableEngine: 'ReplacingMergeTree',
        },
      ],
    },
  },
  destination: { database: 'crm' },
  createdAt: '2026-09-14T09:00:00Z',
  updatedAt: '2026-11-20T04:11:09Z',
};

/** pubsub, Paused, with a managed table. */
const events: LivePipe = {
  id: pipes.events,
  serviceId: services.trial,
  name: 'events (Pub/Sub)',
  state: 'Paused',
  scaling: small,
  source: {
    pubsub: {
      format: 'JSONEachRow',
      projectId: 'northwind-trial',
      topic: 'events',
      authentication: 'SERVICE_ACCOUNT',
      seekType: 'timestamp',
      seekTimestamp: '2026-11-01T00:00:00Z',
      filter: 'attributes.kind = "order"',
      enableOrdering: true,
      ackDeadline: 60,
    },
  },
  destination: {
    database: 'crm',
    table: 'events',
    managedTable: true,
    tableDefinition: { engine: { type: 'MergeTree' }, sortingKey: ['received_at'] },
    columns: [
      { name: 'id', type: 'UUID' },
      { name: 'received_at', type: 'DateTime' },
    ],
  },
  fieldMappings: [
    { sourceField: 'id', destinationField: 'id' },
    { sourceField: 'publishTime', destinationField: 'received_at' },
  ],
  settings: { streaming_max_insert_wait_ms: 2000 },
  createdAt: '2026-11-04T15:45:00Z',
  updatedAt: '2026-11-12T10:00:00Z',
};

/** A pipe for each kind of source that is not in the documented interfaces. */
export const furtherPipes: readonly LivePipe[] = [shop, warehouse, profiles, events];
