import type { Wire } from '../operation.ts';
import type {
  FieldMapping,
  IpAccessEntry,
  PipeDestinationRecord,
  PipeRecord,
  PipeSettingsRecord,
  PrivateEndpoint,
  ServiceTag,
} from './records.ts';
import type { Encryption, TableMapping } from './source-parts.ts';
import type { SourceRecord } from './source-records.ts';

/**
 * Bodies of the management interface. An absent member is not sent; null is sent as null. The reference does not say
 * which members are required, so none is.
 */

type Changes<Item> = Wire<{ add: readonly Item[]; remove: readonly Item[] }>;

export type UpdateOrganizationRequest = Wire<{
  name: string;
  privateEndpoints: Changes<PrivateEndpoint>;
  // beyond the reference
  enableCoreDumps: boolean;
}>;

export type CreateApiKeyRequest = Wire<{
  name: string;
  expireAt: string;
  state: string;
  hashData: Wire<{ keyIdHash: string; keyIdSuffix: string; keySecretHash: string }>;
  roles: readonly string[];
  ipAccessList: readonly IpAccessEntry[];
  // beyond the reference
  assignedRoleIds: readonly string[];
}>;

/** Beyond the reference. */
export type UpdateApiKeyRequest = Omit<CreateApiKeyRequest, 'hashData'>;

/** Beyond the reference. */
export type UpdateServiceRequest = Wire<{
  name: string;
  ipAccessList: Changes<IpAccessEntry>;
  tags: Changes<ServiceTag>;
  releaseChannel: string;
}>;

export type ScalingRequest = Wire<{
  minTotalMemoryGb: number;
  maxTotalMemoryGb: number;
  numReplicas: number;
  idleScaling: boolean;
  idleTimeoutMinutes: number;
  // beyond the reference, at a path of their own
  minReplicaMemoryGb: number;
  maxReplicaMemoryGb: number;
  autoscalingMode: string;
  minReplicas: number;
  maxReplicas: number;
}>;

export type PasswordRequest = Wire<{ newPasswordHash: string; newDoubleSha1Hash: string }>;

type UsernamePassword = Wire<{ username: string; password: string }>;
type AccessKey = Wire<{ accessKeyId: string; secretKey: string }>;

/** The reference has only the first kind. A source takes one kind. */
export type KafkaCredentials = UsernamePassword &
  AccessKey &
  Wire<{ connectionString: string; certificate: string; privateKey: string }>;

/** Beyond the reference. */
type ServiceAccount = Wire<{ serviceAccountKey: string }>;

type Sources = Required<{ [Kind in keyof SourceRecord]: NonNullable<SourceRecord[Kind]> }>;

/** Rule 6; credentials travel in this direction only. */
export type CreatePipeRequest = Wire<{
  name: string;
  source: Wire<{
    kafka: Omit<Sources['kafka'], 'schemaRegistry'> &
      Wire<{
        schemaRegistry: Sources['kafka']['schemaRegistry'] &
          Wire<{ credentials: UsernamePassword }>;
        credentials: KafkaCredentials;
      }>;
    objectStorage: Sources['objectStorage'] & Wire<{ accessKey: AccessKey }> & ServiceAccount;
    kinesis: Sources['kinesis'] & Wire<{ accessKey: AccessKey }>;
    postgres: Sources['postgres'] & Wire<{ credentials: UsernamePassword }>;
    validateSamples: boolean;
  }>;
  destination: PipeDestinationRecord & Wire<{ roles: readonly string[] }>;
  fieldMappings: readonly FieldMapping[];
  scaling: PipeRecord['scaling'];
  settings: PipeSettingsRecord;
}>;

/** Rule 7. */
export type UpdatePipeRequest = Wire<{
  name: string;
  source: Wire<{
    kafka: Pick<
      Sources['kafka'],
      'iamRole' | 'caCertificate' | 'reversePrivateEndpointIds' | 'authentication'
    > &
      Wire<{ credentials: KafkaCredentials }>;
    objectStorage: Pick<
      Sources['objectStorage'],
      | 'iamRole'
      | 'connectionString'
      | 'path'
      | 'azureContainerName'
      | 'authentication'
      | 'skipInitialLoad'
      | 'startAfter'
    > &
      Wire<{ accessKey: AccessKey }> &
      ServiceAccount;
    kinesis: Pick<Sources['kinesis'], 'iamRole' | 'authentication'> &
      Wire<{ accessKey: AccessKey }>;
    postgres: Pick<Sources['postgres'], 'host' | 'port' | 'database'> &
      Encryption &
      Wire<{
        credentials: UsernamePassword;
        settings: Wire<{ syncIntervalSeconds: number; pullBatchSize: number }>;
        tableMappingsToAdd: readonly TableMapping[];
        tableMappingsToRemove: readonly Pick<
          TableMapping,
          'sourceSchemaName' | 'sourceTable' | 'targetTable'
        >[];
      }>;
    validateSamples: boolean;
  }>;
  destination: Pick<PipeDestinationRecord, 'columns'>;
  fieldMappings: readonly FieldMapping[];
  settings: PipeSettingsRecord;
}>;

/** Rule 5. */
export type PipeCommand = 'start' | 'stop' | 'resync';

/** Beyond the reference. */
export type ScalePipeRequest = Omit<NonNullable<PipeRecord['scaling']>, 'concurrency'>;

/** Beyond the reference. */
export type ServiceCommand = 'start' | 'stop' | 'awake';

/** Two days, as `YYYY-MM-DD`. */
export type UsageCostQuery = { readonly from: string; readonly to: string };

/** Two times; without one of them there is no limit on that side. */
export type ActivitiesQuery = {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
};
