import { world } from '../../world/ids.ts';

/** The limits of each organization, by its identifier. */
export const liveQuotas: Readonly<Record<string, readonly object[]>> = {
  [world.management.main.organizationId]: [
    {
      quotaCode: 'services-per-organization',
      name: 'Services',
      description: 'The most services that the organization can have.',
      scope: 'organization',
      value: 20,
      usage: 4,
      adjustable: true,
    },
    {
      quotaCode: 'replicas-per-warehouse',
      name: 'Replicas',
      description: 'The most replicas that a warehouse can have.',
      scope: 'warehouse',
      value: 20,
      usage: null,
      adjustable: false,
    },
  ],
};
