import type { ServiceResolvers, UpgradeWindowResolvers } from '../generated/schema.ts';
import { orNoPart } from './part.ts';

export const Service: ServiceResolvers = {
  upgradeWindow: ({ organizationId, id }, _, { upstream: { management } }) =>
    orNoPart(management.getUpgradeWindow({ organizationId, serviceId: id })),
};

export const UpgradeWindow: UpgradeWindowResolvers = {
  durationInHours: ({ duration }) => duration,
};
