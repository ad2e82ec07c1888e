import { get, type Identified } from '../../operation.ts';
import type { AssignedRole } from '../parts.ts';
import { inCloud } from '../row-parts.ts';

export type MemberRecord = Identified<{
  name: string;
  email: string;
  joinedAt: string;
  assignedRoles: readonly AssignedRole[];
}>;

export const rows = {
  listMembers: inCloud(
    get('/v1/organizations/{organizationId}/members', {
      permission: 'control-plane:organization:view',
      freshSeconds: 30,
    }).listBy<MemberRecord>('userId'),
  ),
};
