import type { OrganizationResolvers } from '../generated/schema.ts';

export const Organization: OrganizationResolvers = {
  members: ({ id }, _, { upstream }) => upstream.management.listMembers({ organizationId: id }),
};
