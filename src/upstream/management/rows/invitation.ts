import { get, type Identified } from '../../operation.ts';
import type { AssignedRole } from '../parts.ts';

export type InvitationRecord = Identified<{
  email: string;
  createdAt: string;
  expireAt: string;
  // not in the documented interface
  assignedRoles: readonly AssignedRole[];
}>;

export const rows = {
  listInvitations: get('/v1/organizations/{organizationId}/invitations', {
    permission: 'control-plane:organization:view',
    freshSeconds: 30,
  }).list<InvitationRecord>(),
};
