import { filled } from '../filled.ts';
import type { WithIds } from '../operation.ts';
import { addingIds, beyondReference, del, get, onlyIn, patch, post, put } from '../operation.ts';
import { createPipeRule, updatePipeRule } from './pipe-rules.ts';
import type {
  ActivityRecord,
  ApiKeyRecord,
  BackupConfigurationRecord,
  BackupRecord,
  CreatedApiKeyRecord,
  InvitationRecord,
  OrganizationRecord,
  PasswordRecord,
  PipeRecord,
  PipeSettingsRecord,
  ServiceRecord,
  UsageCostRecord,
} from './records.ts';
import type {
  ActivitiesQuery,
  CreateApiKeyRequest,
  CreatePipeRequest,
  PasswordRequest,
  PipeCommand,
  ScalePipeRequest,
  ScalingRequest,
  ServiceCommand,
  UpdateApiKeyRequest,
  UpdateOrganizationRequest,
  UpdatePipeRequest,
  UpdateServiceRequest,
  UsageCostQuery,
} from './requests.ts';
import {
  activitiesRule,
  apiKeyRule,
  backupConfigurationRule,
  passwordRule,
  updateApiKeyRule,
  usageCostRule,
} from './rules.ts';
import { replicaScaling, replicaScalingRule, scalingRule, totalScaling } from './scaling-rules.ts';

/** A service with the identifier of its organization. */
export type ServiceWithIds = WithIds<ServiceRecord, 'organizationId'>;
/** A pipe with the identifiers of its service. */
export type PipeWithIds = WithIds<PipeRecord, 'organizationId' | 'serviceId'>;

const inOrganization = addingIds('organizationId');
const inService = addingIds('organizationId', 'serviceId');

const inCloud = onlyIn('clickhouse-cloud');

const workers = ['replicas', 'replicaCpuMillicores', 'replicaMemoryGb'];

const between = { from: 'from_date', to: 'to_date' };

/**
 * The management interface, with a row for each operation.
 * `commandField` names the member that carries a pipe's state command, which the reference does not show.
 */
export const managementOperations = (commandField: string) => ({
  /** Rule 1: needs a key with the admin role; only the upstream can check this. */
  updateOrganization: patch('/v1/organizations/{organizationId}', {
    changes: ['getOrganization', 'listOrganizations', 'listActivities'],
  })
    .body<UpdateOrganizationRequest>({ rule: filled(['name']) })
    .oneOrNone<OrganizationRecord>(),

  listInvitations: get('/v1/organizations/{organizationId}/invitations', {
    freshSeconds: 30,
  }).list<InvitationRecord>(),

  /** Rule 2. */
  createApiKey: post('/v1/organizations/{organizationId}/keys', {
    changes: ['listApiKeys', 'listActivities'],
  })
    .body<CreateApiKeyRequest>({ rule: apiKeyRule })
    .one<CreatedApiKeyRecord>(),

  getService: get('/v1/organizations/{organizationId}/services/{serviceId}', {
    freshSeconds: 5,
  }).one<ServiceWithIds>(inOrganization),

  /** Rule 3. */
  updateServiceScaling: patch('/v1/organizations/{organizationId}/services/{serviceId}/scaling', {
    changes: ['getService', 'listServices', 'listActivities'],
  })
    .body<ScalingRequest>({ rule: scalingRule, encode: totalScaling })
    .oneOrNone<ServiceWithIds>(inOrganization),

  /** Rule 4 does not say what comes back if a hash was given; it may be nothing. */
  updateServicePassword: patch('/v1/organizations/{organizationId}/services/{serviceId}/password', {
    changes: ['listActivities'],
  })
    .body<PasswordRequest>({ rule: passwordRule })
    .oneOrNone<PasswordRecord>(),

  getBackupConfiguration: get(
    '/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration',
    { freshSeconds: 30 },
  ).one<BackupConfigurationRecord>(),

  listPipes: get('/v1/organizations/{organizationId}/services/{serviceId}/pipes', {
    freshSeconds: 3,
  }).list<PipeWithIds>(inService),

  /** Rule 6. */
  createPipe: post('/v1/organizations/{organizationId}/services/{serviceId}/pipes', {
    changes: ['listPipes', 'listActivities'],
  })
    .body<CreatePipeRequest>({ rule: createPipeRule })
    .one<PipeWithIds>(inService),

  /** Rule 7. */
  updatePipe: patch('/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}', {
    changes: ['getPipe', 'listPipes', 'listActivities'],
  })
    .body<UpdatePipeRequest>({ rule: updatePipeRule })
    .oneOrNone<PipeWithIds>(inService),

  /** Rule 5: only the upstream knows which state allows which command. */
  updatePipeState: patch(
    '/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}/state',
    { changes: ['getPipe', 'listPipes', 'listActivities'] },
  )
    .body<PipeCommand>({ encode: (command) => ({ [commandField]: command }) })
    .oneOrNone<PipeWithIds>(inService),

  listOrganizations: beyondReference(
    get('/v1/organizations', { freshSeconds: 10 }).list<OrganizationRecord>(),
  ),

  getOrganization: beyondReference(
    get('/v1/organizations/{organizationId}', { freshSeconds: 10 }).one<OrganizationRecord>(),
  ),

  listServices: beyondReference(
    get('/v1/organizations/{organizationId}/services', { freshSeconds: 5 }).list<ServiceWithIds>(
      inOrganization,
    ),
  ),

  getPipe: beyondReference(
    get('/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}', {
      freshSeconds: 3,
    }).one<PipeWithIds>(inService),
  ),

  /** Answers for the organization, and for each of its services and pipes. */
  getUsageCost: inCloud(
    get('/v1/organizations/{organizationId}/usageCost', { freshSeconds: 600 })
      .query<UsageCostQuery>({ rule: usageCostRule, names: between })
      .one<UsageCostRecord>(),
  ),

  listActivities: inCloud(
    get('/v1/organizations/{organizationId}/activities', { freshSeconds: 30 })
      .query<ActivitiesQuery>({ rule: activitiesRule, names: between })
      .list<ActivityRecord>(),
  ),

  listBackups: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/backups', {
      freshSeconds: 60,
    }).list<BackupRecord>(),
  ),

  deletePipe: inCloud(
    del('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}', {
      changes: ['getPipe', 'listPipes', 'getPipeSettings', 'listActivities'],
    }).nothing(),
  ),

  scalePipe: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/scaling', {
      changes: ['getPipe', 'listPipes', 'listActivities'],
    })
      .body<ScalePipeRequest>({ rule: filled(workers) })
      .oneOrNone<PipeWithIds>(inService),
  ),

  /** In the cloud, `updatePipe` does not change settings. What the answer holds is not documented; it may be nothing. */
  getPipeSettings: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings', {
      freshSeconds: 3,
    }).oneOrNone<PipeSettingsRecord>(),
  ),

  replacePipeSettings: inCloud(
    put('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings', {
      changes: ['getPipeSettings', 'getPipe', 'listPipes', 'listActivities'],
    })
      .body<PipeSettingsRecord>()
      .oneOrNone<PipeSettingsRecord>(),
  ),

  listApiKeys: inCloud(
    get('/v1/organizations/{organizationId}/keys', { freshSeconds: 30 }).list<ApiKeyRecord>(),
  ),

  updateApiKey: inCloud(
    patch('/v1/organizations/{organizationId}/keys/{apiKeyId}', {
      changes: ['listApiKeys', 'listActivities'],
    })
      .body<UpdateApiKeyRequest>({ rule: filled(['name', 'state'], updateApiKeyRule) })
      .oneOrNone<ApiKeyRecord>(),
  ),

  deleteApiKey: inCloud(
    del('/v1/organizations/{organizationId}/keys/{apiKeyId}', {
      changes: ['listApiKeys', 'listActivities'],
    }).nothing(),
  ),

  updateService: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}', {
      changes: ['getService', 'listServices', 'listActivities'],
    })
      .body<UpdateServiceRequest>({ rule: filled(['name']) })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),

  /** The successor of `updateServiceScaling`. */
  updateReplicaScaling: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/replicaScaling', {
      changes: ['getService', 'listServices', 'listActivities'],
    })
      .body<ScalingRequest>({ rule: replicaScalingRule, encode: replicaScaling })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),

  updateBackupConfiguration: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration', {
      changes: ['getBackupConfiguration', 'listActivities'],
    })
      .body<BackupConfigurationRecord>({ rule: backupConfigurationRule })
      .oneOrNone<BackupConfigurationRecord>(),
  ),

  /** Changes the reads of pipes too: they fail while a service does not run. */
  updateServiceState: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/state', {
      changes: [
        'getService',
        'listServices',
        'getPipe',
        'listPipes',
        'getPipeSettings',
        'listActivities',
      ],
    })
      .body<ServiceCommand>({ encode: (command) => ({ command }) })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),
});

export type ManagementOperations = ReturnType<typeof managementOperations>;
