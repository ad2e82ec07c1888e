import type { OrganizationResolvers, QuotaResolvers } from '../generated/schema.ts';

export const Organization: OrganizationResolvers = {
  quotas: ({ id }, _, { upstream }) => upstream.management.listQuotas({ organizationId: id }),
};

export const Quota: QuotaResolvers = {
  code: ({ id }) => id,
  isAdjustable: ({ adjustable }) => adjustable,
};
