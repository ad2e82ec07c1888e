import { world } from '../../world/ids.ts';
import { liveWorld } from './ids.ts';
import { liveRoles } from './roles.ts';

const { mira, jonas } = liveWorld.members;

/** The people of each organization, by its identifier. */
export const liveMembers: Readonly<Record<string, readonly object[]>> = {
  [world.management.main.organizationId]: [
    {
      userId: mira,
      name: 'Mira Okafor',
      email: 'mira.okafor@northwind.example',
      role: 'admin',
      joinedAt: '2025-02-11T09:20:40Z',
      assignedRoles: [liveRoles.admin],
    },
    {
      userId: jonas,
      name: 'Jonas Weber',
      email: 'jonas.weber@contractor.example',
      role: 'developer',
      joinedAt: '2026-03-02T13:05:11Z',
      assignedRoles: [liveRoles.developer],
    },
  ],
};
