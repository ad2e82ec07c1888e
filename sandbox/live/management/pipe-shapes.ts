import {
  createPipeBody as createReferenceBody,
  destinationChange,
  fieldMappings,
  type Pipe,
  destination as referenceDestination,
  scaling as referenceScaling,
} from '../../management/pipe-shapes.ts';
import {
  anything,
  both,
  broken,
  flag,
  integer,
  integerBetween,
  list,
  type Of,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';
import { sourceChanges, sources } from './source-shapes.ts';

const destination = both(
  referenceDestination,
  object(
    {},
    {
      tableDefinition: object(
        {},
        {
          engine: object(
            { type: oneOf('MergeTree', 'ReplacingMergeTree', 'SummingMergeTree', 'Null') },
            { versionColumnId: text, columnIds: list(text) },
          ),
          sortingKey: list(text),
          partitionBy: text,
          primaryKey: text,
        },
      ),
    },
  ),
);

export const settings = object(
  {},
  {
    streaming_max_insert_wait_ms: integer,
    object_storage_concurrency: integer,
    object_storage_polling_interval_ms: integer,
    object_storage_max_insert_bytes: integerBetween(0, 53_687_091_200),
    object_storage_max_file_count: integer,
    object_storage_use_cluster_function: flag,
    clickhouse_max_threads: integer,
    clickhouse_max_insert_threads: integer,
    clickhouse_min_insert_block_size_bytes: integerBetween(0, 10_737_418_240),
    clickhouse_max_download_threads: integer,
    clickhouse_parallel_distributed_insert_select: integer,
    clickhouse_parallel_view_processing: flag,
    kafka_read_committed: flag,
  },
);

const memory: Reader<number> = (value, at) => {
  if (typeof value !== 'number' || value < 0.5 || value > 8) {
    throw broken(at, 'must be a number from 0.5 to 8');
  }
  return value;
};

/** The resources of a pipe. */
export const scaling = both(
  referenceScaling,
  object(
    {},
    {
      replicas: integerBetween(1, 40),
      replicaCpuMillicores: integerBetween(125, 2000),
      replicaMemoryGb: memory,
    },
  ),
);

/** The body that creates a pipe. Secrets, validateSamples and destination.roles are checked and dropped. */
export const createPipeBody = both(
  createReferenceBody,
  object(
    { source: object({}, sources, { validateSamples: flag }), destination },
    { scaling, settings },
  ),
);

const unchangeable: Reader<never> = (_, at) => {
  throw broken(at, 'cannot be changed');
};

/** The body that changes a pipe. Scaling and settings have separate routes, and are ignored here. */
export const updatePipeBody = object(
  {},
  {
    name: text,
    source: object(
      {},
      {
        ...sourceChanges,
        bigquery: unchangeable,
      },
      { validateSamples: anything },
    ),
    destination: destinationChange,
    fieldMappings,
  },
);

/** The members that a caller may give for a new pipe. */
export type NewLivePipe = Of<typeof createPipeBody>;

/** The members that a caller may change of a pipe. */
export type LivePipeChange = Of<typeof updatePipeBody>;

/** A pipe's source: exactly one member. */
export type LiveSource = NewLivePipe['source'];

/** A pipe in ClickHouse Cloud. */
export type LivePipe = Omit<Pipe, 'source' | 'destination' | 'settings'> & {
  readonly source: LiveSource;
  readonly destination: Of<typeof destination>;
  readonly settings: Of<typeof settings>;
};
