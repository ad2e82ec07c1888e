import type { Problem } from '../../error.ts';
import { filled } from '../../filled.ts';
import {
  del,
  get,
  type Identified,
  patch,
  post,
  type Wire,
  type WithIds,
} from '../../operation.ts';
import type { AssignedRole, IpAccessEntry } from '../parts.ts';
import { inCloud, inOrganization } from '../row-parts.ts';

export type ApiKeyRecord = Identified<{
  name: string;
  roles: readonly string[];
  keySuffix: string;
  createdAt: string;
  expireAt: string;
  usedAt: string;
  ipAccessList: readonly IpAccessEntry[];
  // not in the documented interface
  state: string;
  assignedRoles: readonly AssignedRole[];
}>;

export type ApiKeyWithIds = WithIds<ApiKeyRecord, 'organizationId'>;

/** Only this answer has `keyId` and `keySecret`. */
type CreatedApiKeyRecord = Wire<{ key: ApiKeyRecord; keyId: string; keySecret: string }>;

type CreateApiKeyRequest = Wire<{
  name: string;
  expiresAt: string;
  state: string;
  hashData: Wire<{ keyIdHash: string; keyIdSuffix: string; keySecretHash: string }>;
  roles: readonly string[];
  ipAccessList: readonly IpAccessEntry[];
  // not in the documented interface
  assignedRoleIds: readonly string[];
}>;

/** Not in the documented interface. */
type UpdateApiKeyRequest = Omit<CreateApiKeyRequest, 'hashData'>;

/** The body with the expiry's name on the wire. */
const withWireName = (body: UpdateApiKeyRequest): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name === 'expiresAt' ? 'expireAt' : name, value]),
  );

/** Documented rule 2: at least one role. */
const apiKeyRule = (body: CreateApiKeyRequest): Problem[] =>
  body.roles?.length
    ? []
    : [{ field: ['roles'], message: 'roles must hold at least one role, got none.' }];

/**
 * The rule of ClickHouse Cloud. The organization's own roles can be given instead. A key without addresses can be used from
 * nowhere.
 */
export const cloudApiKeyRule = (body: CreateApiKeyRequest): Problem[] => [
  ...(body.roles?.length || body.assignedRoleIds?.length
    ? []
    : [
        {
          field: ['roles'],
          message: 'roles or assignedRoleIds must hold at least one role, got none.',
        },
      ]),
  ...(body.ipAccessList?.length
    ? []
    : [
        {
          field: ['ipAccessList'],
          message:
            'ipAccessList must hold at least one address, got none: nobody could use the key.',
        },
      ]),
];

/**
 * Not in the documented interface. The service refuses an empty expiry. A key needs a role (documented rule 2), so an input
 * may clear the roles of one kind only if it gives roles of the other kind.
 */
const updateApiKeyRule = ({
  expiresAt,
  roles,
  assignedRoleIds,
}: UpdateApiKeyRequest): Problem[] => [
  ...((roles !== undefined || assignedRoleIds !== undefined) &&
  !roles?.length &&
  !assignedRoleIds?.length
    ? [
        {
          field: [roles === undefined ? 'assignedRoleIds' : 'roles'],
          message:
            'roles or assignedRoleIds must hold at least one role, got none. To switch a key off, give the state DISABLED.',
        },
      ]
    : []),
  ...(expiresAt === ''
    ? [
        {
          field: ['expiresAt'],
          message:
            'expiresAt must be an ISO 8601 date-time, or null for a key that never expires, got "".',
        },
      ]
    : []),
];

export const rows = {
  listApiKeys: inCloud(
    get('/v1/organizations/{organizationId}/keys', {
      permission: 'control-plane:organization:view-api-keys',
      freshSeconds: 30,
    }).list<ApiKeyWithIds>(inOrganization),
  ),

  /** Documented rule 2. */
  createApiKey: post('/v1/organizations/{organizationId}/keys', {
    permission: 'control-plane:organization:create-api-keys',
    changes: ['listApiKeys', 'listActivities'],
  })
    .body<CreateApiKeyRequest>({ rule: apiKeyRule, encode: withWireName })
    .one<CreatedApiKeyRecord>(),

  updateApiKey: inCloud(
    patch('/v1/organizations/{organizationId}/keys/{apiKeyId}', {
      permission: 'control-plane:organization:view-api-keys',
      changes: ['listApiKeys', 'getCaller', 'listActivities'],
    })
      .body<UpdateApiKeyRequest>({
        rule: filled(['name', 'state'], updateApiKeyRule),
        encode: withWireName,
      })
      .oneOrNone<ApiKeyWithIds>(inOrganization),
  ),

  deleteApiKey: inCloud(
    del('/v1/organizations/{organizationId}/keys/{apiKeyId}', {
      permission: 'control-plane:organization:view-api-keys',
      changes: ['listApiKeys', 'listActivities'],
    }).nothing(),
  ),
};
