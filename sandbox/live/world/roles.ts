import { liveWorld } from './ids.ts';

/** The roles that an organization has, by their names in the reference. */
export const liveRoles = {
  admin: { roleId: liveWorld.roles.admin, roleName: 'Admin', roleType: 'system' },
  developer: { roleId: liveWorld.roles.developer, roleName: 'Developer', roleType: 'system' },
} as const;
