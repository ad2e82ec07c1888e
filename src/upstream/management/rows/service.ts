import { filled } from '../../filled.ts';
import {
  beyondReference,
  get,
  type Identified,
  patch,
  type Wire,
  type WithIds,
} from '../../operation.ts';
import type { Changes, IpAccessEntry } from '../parts.ts';
import { inCloud, inOrganization } from '../row-parts.ts';
import type { CurrentScalingRecord, ScalingScheduleRecord } from './scaling-schedule.ts';

/** Not in the documented interface. */
export type ServiceTag = Wire<{ key: string; value: string }>;

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
  // not in the documented interface
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
  currentScaling: CurrentScalingRecord;
  scalingSchedule: ScalingScheduleRecord;
}>;

/** A service with the identifier of its organization. */
export type ServiceWithIds = WithIds<ServiceRecord, 'organizationId'>;

/** Not in the documented interface. */
type UpdateServiceRequest = Wire<{
  name: string;
  ipAccessList: Changes<IpAccessEntry>;
  tags: Changes<ServiceTag>;
  releaseChannel: string;
  privateEndpointIds: Changes<string>;
  endpoints: readonly Wire<{ protocol: string; enabled: boolean }>[];
  transparentDataEncryptionKeyId: string;
  enableCoreDumps: boolean;
}>;

/** Not in the documented interface. */
export type ServiceCommand = 'start' | 'stop' | 'awake';

export const rows = {
  getService: get('/v1/organizations/{organizationId}/services/{serviceId}', {
    permission: 'control-plane:service:view',
    freshSeconds: 5,
  }).one<ServiceWithIds>(inOrganization),

  listServices: beyondReference(
    get('/v1/organizations/{organizationId}/services', { freshSeconds: 5 }).list<ServiceWithIds>(
      inOrganization,
    ),
  ),

  updateService: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}', {
      permission: 'control-plane:service:manage',
      changes: ['getService', 'listServices', 'listActivities'],
    })
      .body<UpdateServiceRequest>({ rule: filled(['name']) })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),

  /** `changes` has the reads of pipes and of ClickStack too, since they fail while a service does not run. */
  updateServiceState: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/state', {
      permission: 'control-plane:service:manage',
      changes: [
        'getService',
        'listServices',
        'getPipe',
        'listPipes',
        'getPipeSettings',
        'getCdcScaling',
        'listReversePrivateEndpoints',
        'listActivities',
        'getDashboard',
        'listDashboards',
        'getAlert',
        'listAlerts',
        'listDataSources',
        'listSavedSearches',
        'listWebhooks',
      ],
    })
      .body<ServiceCommand>({ encode: (command) => ({ command }) })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),
};
