import type { PipeSettingsInput, PipeSettingsResolvers } from '../generated/schema.ts';
import type { PipeSettingsRecord } from '../upstream/management/rows/pipe-settings.ts';

/** The settings: GraphQL name → wire name. */
const wireNames = {
  streamingMaxInsertWaitMs: 'streaming_max_insert_wait_ms',
  objectStorageConcurrency: 'object_storage_concurrency',
  objectStoragePollingIntervalMs: 'object_storage_polling_interval_ms',
  objectStorageMaxInsertBytes: 'object_storage_max_insert_bytes',
  objectStorageMaxFileCount: 'object_storage_max_file_count',
  engineMaxThreads: 'engine_max_threads',
  engineMaxInsertThreads: 'engine_max_insert_threads',
  engineMinInsertBlockSizeBytes: 'engine_min_insert_block_size_bytes',
  engineMaxDownloadThreads: 'engine_max_download_threads',
  engineParallelDistributedInsertSelect: 'engine_parallel_distributed_insert_select',
  objectStorageUseClusterFunction: 'object_storage_use_cluster_function',
  engineParallelViewProcessing: 'engine_parallel_view_processing',
  kafkaReadCommitted: 'kafka_read_committed',
} as const satisfies Record<keyof PipeSettingsInput, keyof PipeSettingsRecord>;

const names = Object.entries(wireNames) as [keyof typeof wireNames, keyof PipeSettingsRecord][];

/** Gives the settings their wire names. Absent members stay absent, and null stays null. */
export const toWireSettings = (input: PipeSettingsInput): PipeSettingsRecord =>
  Object.fromEntries(
    names.flatMap(([name, wireName]) =>
      input[name] === undefined ? [] : [[wireName, input[name]]],
    ),
  );

/** One resolver for each setting. The table above pairs each name with its type. */
export const PipeSettings = Object.fromEntries(
  names.map(([name, wireName]) => [name, (settings: PipeSettingsRecord) => settings[wireName]]),
) as PipeSettingsResolvers;
