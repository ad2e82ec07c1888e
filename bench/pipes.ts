/** Pipes as the management interface sends them: some members are missing, some are null. */

const kafka = (index: number) => ({
  brokers: 'broker-1.kafka.bench.example:9092,broker-2.kafka.bench.example:9092',
  topics: `events.${index},"événements".${index}`,
  consumerGroup: `bench-group-${index}`,
  iamRole: null,
  offset: { timestamp: '2026-01-01T00:00' },
});

const postgres = (index: number) => ({
  host: 'source.postgres.bench.example',
  port: 5432,
  database: `database_${index}`,
  tableMappings: ['orders', 'customers'].map((sourceTable) => {
    return { sourceTable, targetTable: `public_${sourceTable}`, excludedColumns: ['note'] };
  }),
});

export interface Source {
  readonly kafka?: ReturnType<typeof kafka>;
  readonly postgres?: ReturnType<typeof postgres>;
}

const columns = ['id', 'site', 'kind', 'created_at', 'received_at', 'payload'];

export const createPipe = (id: string, serviceId: string, index: number) => ({
  id,
  serviceId,
  scaling: { replicas: 1 + (index % 4), concurrency: 2, replicaMemoryGb: 0.5 + (index % 3) },
  source: (index % 2 === 0 ? { kafka: kafka(index) } : { postgres: postgres(index) }) as Source,
  destination: {
    database: 'web',
    table: `events_${index}`,
    managedTable: true,
    columns: columns.map((name) => ({ name, type: 'String' })),
  },
  fieldMappings: columns.map((name) => ({ sourceField: `$.${name}`, destinationField: name })),
  settings: { streaming_max_insert_wait_ms: 5000, engine_max_threads: 8 },
  createdAt: '2025-02-20T11:02:19Z',
});

export type Pipe = ReturnType<typeof createPipe> & {
  readonly name: string;
  readonly state: string;
};
