import { get, put, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

/** The settings by their wire names. */
export type PipeSettingsRecord = Wire<{
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
  // beyond the reference
  kafka_read_committed: boolean;
}>;

export const rows = {
  /** In ClickHouse Cloud, `updatePipe` does not change settings. The answer is not documented, and may be empty. */
  getPipeSettings: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings', {
      permission: 'control-plane:service:manage-clickpipes',
      freshSeconds: 3,
    }).oneOrNone<PipeSettingsRecord>(),
  ),

  replacePipeSettings: inCloud(
    put('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings', {
      permission: 'control-plane:service:manage-clickpipes',
      changes: ['getPipeSettings', 'getPipe', 'listPipes', 'listActivities'],
    })
      .body<PipeSettingsRecord>()
      .oneOrNone<PipeSettingsRecord>(),
  ),
};
