import type { Invitation, Organization } from '../management/records.ts';
import { world } from './ids.ts';

const { main, second } = world.management;

/** The main organization. */
export const northwind: Organization = {
  id: main.organizationId,
  createdAt: '2025-02-11T09:14:07Z',
  name: 'Northwind Analytics',
  privateEndpoints: [
    { id: 'vpce-0a41c7d2e9b85f310', description: 'Ingestion network, Frankfurt' },
    { id: 'vpce-0f92b6a3c1d74e856', description: 'Reporting network, Dublin' },
  ],
  byocConfig: [{ id: 'byoc-eu-central-1', accountName: 'northwind-data-plane' }],
};

/** The main organization's invitations. */
export const northwindInvitations: readonly Invitation[] = [
  {
    id: main.invitations[0],
    email: 'mira.okafor@northwind.example',
    createdAt: '2026-11-16T08:30:00Z',
    expireAt: '2026-11-30T08:30:00Z',
  },
  {
    id: main.invitations[1],
    email: 'jonas.weber@contractor.example',
    createdAt: '2026-11-19T15:05:42Z',
    expireAt: '2026-12-03T15:05:42Z',
  },
];

/** The second organization, which has no invitations. */
export const harborlight: Organization = {
  id: second.organizationId,
  createdAt: '2026-04-02T12:00:31Z',
  name: 'Harborlight Energy',
  privateEndpoints: [],
  byocConfig: [],
};
