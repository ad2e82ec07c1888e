import type { Pipe } from '../management/pipe-shapes.ts';
import { world } from './ids.ts';

const { main, second } = world.management;

/** kafka, Running, with a schema registry and a managed table. */
export const clickstream: Pipe = {
  id: main.pipes.clickstream,
  serviceId: main.services.production,
  name: 'clickstream',
  state: 'Running',
  scaling: { replicas: 4, concurrency: 2, replicaCpuMillicores: 500, replicaMemoryGb: 2 },
  source: {
    kafka: {
      brokers: 'broker-1.kafka.northwind.example:9092,broker-2.kafka.northwind.example:9092',
      topics: 'web.clicks,app.clicks',
      consumerGroup: 'northwind-clickstream',
      offset: { timestamp: '2026-01-01T00:00' },
      schemaRegistry: { url: 'https://registry.kafka.northwind.example' },
      reversePrivateEndpointIds: ['rpe-0d1f3b5a7c9e'],
    },
  },
  destination: {
    database: 'web',
    table: 'clicks',
    managedTable: true,
    tableDefinition: {
      engine: { versionColumnId: 'received_at', columnIds: ['click_id'] },
      sortingKey: ['site', 'clicked_at'],
      partitionBy: 'toYYYYMM(clicked_at)',
      primaryKey: 'site',
    },
    columns: [
      { name: 'click_id', type: 'UUID' },
      { name: 'site', type: 'LowCardinality(String)' },
      { name: 'clicked_at', type: "DateTime64(3, 'UTC')" },
      { name: 'received_at', type: "DateTime64(3, 'UTC')" },
    ],
  },
  fieldMappings: [
    { sourceField: 'id', destinationField: 'click_id' },
    { sourceField: 'site', destinationField: 'site' },
    { sourceField: 'ts', destinationField: 'clicked_at' },
    { sourceField: '_timestamp', destinationField: 'received_at' },
  ],
  settings: {
    streaming_max_insert_wait_ms: 5000,
    engine_max_insert_threads: 4,
    engine_parallel_view_processing: true,
  },
  createdAt: '2025-02-20T11:02:19Z',
  updatedAt: '2026-10-07T06:55:03Z',
};

/** kinesis, Running, with enhanced fan-out. */
export const telemetry: Pipe = {
  id: main.pipes.telemetry,
  serviceId: main.services.production,
  name: 'device telemetry',
  state: 'Running',
  scaling: { replicas: 2, concurrency: 1, replicaCpuMillicores: 250, replicaMemoryGb: 1.5 },
  source: {
    kinesis: {
      streamName: 'device-telemetry',
      region: 'eu-central-1',
      useEnhancedFanOut: true,
      timestamp: 1767225600,
      iamRole: 'arn:aws:iam::000000000000:role/demo-telemetry',
    },
  },
  destination: {
    database: 'devices',
    table: 'telemetry',
    managedTable: true,
    tableDefinition: { sortingKey: ['device_id', 'measured_at'] },
    columns: [
      { name: 'device_id', type: 'UInt64' },
      { name: 'measured_at', type: 'DateTime' },
      { name: 'celsius', type: 'Float32' },
    ],
  },
  fieldMappings: [
    { sourceField: 'device', destinationField: 'device_id' },
    { sourceField: 'at', destinationField: 'measured_at' },
    { sourceField: 'temperature', destinationField: 'celsius' },
  ],
  settings: {
    streaming_max_insert_wait_ms: 1000,
    engine_min_insert_block_size_bytes: 10_737_418_240,
  },
  createdAt: '2025-06-30T16:40:00Z',
  updatedAt: '2026-08-15T09:12:44Z',
};

/** kafka, Failed. */
export const stagingClickstream: Pipe = {
  id: main.pipes.stagingClickstream,
  serviceId: main.services.staging,
  name: 'clickstream (staging)',
  state: 'Failed',
  scaling: { replicas: 1, concurrency: 1, replicaCpuMillicores: 125, replicaMemoryGb: 0.5 },
  source: {
    kafka: {
      brokers: 'broker-1.kafka-staging.northwind.example:9092',
      topics: 'web.clicks',
      consumerGroup: 'northwind-clickstream-staging',
      iamRole: 'arn:aws:iam::000000000000:role/demo-kafka-staging',
      reversePrivateEndpointIds: ['rpe-2e4a6c8e0b1d'],
    },
  },
  destination: {
    database: 'web',
    table: 'clicks',
    managedTable: false,
    columns: [{ name: 'click_id', type: 'UUID' }],
  },
  fieldMappings: [{ sourceField: 'id', destinationField: 'click_id' }],
  settings: {},
  createdAt: '2025-03-05T08:00:27Z',
  updatedAt: '2026-11-20T22:17:36Z',
};

/** The second organization's only pipe: kinesis, Running. */
export const readings: Pipe = {
  ...telemetry,
  id: second.pipes.readings,
  serviceId: second.services.production,
  name: 'meter readings',
  source: {
    kinesis: {
      streamName: 'meter-readings',
      region: 'eu-west-1',
      useEnhancedFanOut: false,
      iamRole: 'arn:aws:iam::000000000000:role/demo-readings',
    },
  },
  createdAt: '2026-04-03T07:30:00Z',
  updatedAt: '2026-04-03T07:30:00Z',
};
