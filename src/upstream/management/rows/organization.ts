import { filled } from '../../filled.ts';
import { beyondReference, get, type Identified, patch, type Wire } from '../../operation.ts';
import type { Changes } from '../parts.ts';

export type PrivateEndpoint = Wire<{
  id: string;
  description: string;
  // not in the documented interface
  cloudProvider: string;
  region: string;
}>;

export type OrganizationRecord = Identified<{
  createdAt: string;
  name: string;
  privateEndpoints: readonly PrivateEndpoint[];
  byocConfig: readonly Wire<{
    id: string;
    accountName: string;
    // not in the documented interface
    state: string;
    displayName: string;
    cloudProvider: string;
    regionId: string;
  }>[];
  // not in the documented interface
  enableCoreDumps: boolean;
}>;

type UpdateOrganizationRequest = Wire<{
  name: string;
  privateEndpoints: Changes<PrivateEndpoint>;
  // not in the documented interface
  enableCoreDumps: boolean;
}>;

export const rows = {
  getOrganization: beyondReference(
    get('/v1/organizations/{organizationId}', {
      permission: 'control-plane:organization:view',
      freshSeconds: 10,
    }).one<OrganizationRecord>(),
  ),

  listOrganizations: beyondReference(
    get('/v1/organizations', { freshSeconds: 10 }).list<OrganizationRecord>(),
  ),

  /** Documented rule 1: needs a key with the admin role, which only the upstream can check. */
  updateOrganization: patch('/v1/organizations/{organizationId}', {
    permission: 'control-plane:organization:manage',
    changes: ['getOrganization', 'listOrganizations', 'listActivities'],
  })
    .body<UpdateOrganizationRequest>({ rule: filled(['name']) })
    .oneOrNone<OrganizationRecord>(),
};
