import type { Identified, Wire } from '../operation.ts';
import type { SourceRecord } from './source-records.ts';

/**
 * Wire shapes of the management interface, as the reference's section "Resources and their fields" lists them. Members
 * below "beyond the reference" exist only in ClickHouse Cloud.
 */

export type IpAccessEntry = Wire<{ source: string; description: string }>;

export type ServiceRecord = Identified<{
  name: string;
  engineVersion: string;
  endpoints: readonly Wire<{ protocol: string; host: string; port: number; username: string }>[];
  minTotalMemoryGb: number;
  maxTotalMemoryGb: number;
  minReplicaMemoryGb: number;
  maxReplicaMemoryGb: number;
  numReplicas: number;
  idleScaling: boolean;
  idleTimeoutMinutes: number;
  ipAccessList: readonly IpAccessEntry[];
  createdAt: string;
  encryptionKey: string;
  encryptionAssumedRoleIdentifier: string;
  iamRole: string;
  privateEndpointIds: readonly string[];
  availablePrivateEndpointIds: readonly string[];
  dataWarehouseId: string;
  isPrimary: boolean;
  isReadonly: boolean;
  byocId: string;
  hasTransparentDataEncryption: boolean;
  transparentDataEncryptionKeyId: string;
  encryptionRoleId: string;
  // beyond the reference
  state: string;
  provider: string;
  region: string;
  releaseChannel: string;
  autoscalingMode: string;
  minReplicas: number;
  maxReplicas: number;
  replicaMemoryGb: number;
  profile: string;
  complianceType: string;
  enableCoreDumps: boolean;
  tags: readonly ServiceTag[];
}>;

/** Beyond the reference. */
export type ServiceTag = Wire<{ key: string; value: string }>;

export type PrivateEndpoint = Wire<{
  id: string;
  description: string;
  // beyond the reference
  cloudProvider: string;
  region: string;
}>;

/** Beyond the reference. */
type AssignedRole = Wire<{ roleId: string; roleName: string; roleType: string }>;

export type OrganizationRecord = Identified<{
  createdAt: string;
  name: string;
  privateEndpoints: readonly PrivateEndpoint[];
  byocConfig: readonly Wire<{
    id: string;
    accountName: string;
    // beyond the reference
    state: string;
    displayName: string;
    cloudProvider: string;
    regionId: string;
  }>[];
  // beyond the reference
  enableCoreDumps: boolean;
}>;

export type InvitationRecord = Identified<{
  email: string;
  createdAt: string;
  expireAt: string;
  // beyond the reference
  assignedRoles: readonly AssignedRole[];
}>;

export type BackupConfigurationRecord = Wire<{
  backupPeriodInHours: number;
  backupRetentionPeriodInHours: number;
  backupStartTime: string;
}>;

export type BackupRecord = Identified<{
  status: string;
  startedAt: string;
  finishedAt: string;
  sizeInBytes: number;
  durationInSeconds: number;
  type: string;
  backupName: string;
  bucket: Wire<{ bucketProvider: string }>;
}>;

export type ActivityRecord = Identified<{
  createdAt: string;
  type: string;
  actorType: string;
  actorId: string;
  actorDetails: string;
  actorIpAddress: string;
  serviceId: string;
  userAgent: string;
  targetKeyId: string;
  keyUpdateType: string;
}>;

/** The cost of one entity on one day, in ClickHouse credits. */
export type CostRecord = Wire<{
  dataWarehouseId: string;
  serviceId: string;
  date: string;
  entityType: string;
  entityId: string;
  entityName: string;
  metrics: Wire<Readonly<Record<string, number>>>;
  totalCHC: number;
}>;

export type UsageCostRecord = Wire<{ grandTotalCHC: number; costs: readonly CostRecord[] }>;

export type ApiKeyRecord = Identified<{
  name: string;
  roles: readonly string[];
  keySuffix: string;
  createdAt: string;
  expireAt: string;
  usedAt: string;
  ipAccessList: readonly IpAccessEntry[];
  // beyond the reference
  state: string;
  assignedRoles: readonly AssignedRole[];
}>;

/** `keyId` and `keySecret` come only in this answer, and never again. */
export type CreatedApiKeyRecord = Wire<{ key: ApiKeyRecord; keyId: string; keySecret: string }>;

export type PasswordRecord = Wire<{ password: string }>;

/** The twelve tuning values, by their wire names. */
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
}>;

export type FieldMapping = Wire<{ sourceField: string; destinationField: string }>;

export type PipeDestinationRecord = Wire<{
  database: string;
  table: string;
  managedTable: boolean;
  tableDefinition: Wire<{
    engine: Wire<{
      versionColumnId: string;
      columnIds: readonly string[];
      // beyond the reference
      type: string;
    }>;
    sortingKey: readonly string[];
    partitionBy: string;
    primaryKey: string;
  }>;
  columns: readonly Wire<{ name: string; type: string }>[];
}>;

export type PipeRecord = Identified<{
  serviceId: string;
  name: string;
  state: string;
  scaling: Wire<{
    replicas: number;
    concurrency: number;
    replicaCpuMillicores: number;
    replicaMemoryGb: number;
  }>;
  source: SourceRecord;
  destination: PipeDestinationRecord;
  fieldMappings: readonly FieldMapping[];
  settings: PipeSettingsRecord;
  createdAt: string;
  updatedAt: string;
}>;
