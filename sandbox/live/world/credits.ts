import { world } from '../../world/ids.ts';

const mainCredits = [
  {
    id: 'c4ed0000-0000-4000-8000-000000000001',
    type: 'trial',
    remainingCredits: 112.5,
    totalAmount: 300,
    amountSpent: 187.5,
    startDate: '2026-01-15T00:00:00Z',
    expirationDate: '2027-01-15T00:00:00Z',
  },
  {
    id: 'c4ed0000-0000-4000-8000-000000000002',
    type: 'prepaid',
    remainingCredits: 8240.25,
    totalAmount: 12_000,
    amountSpent: 3759.75,
    startDate: '2026-03-01T00:00:00Z',
    expirationDate: '2027-03-01T00:00:00Z',
  },
];

/** The credits that each organization has left, by its identifier: the balance that expires first in front. */
export const liveCredits: Readonly<Record<string, typeof mainCredits>> = {
  [world.management.main.organizationId]: mainCredits,
};
