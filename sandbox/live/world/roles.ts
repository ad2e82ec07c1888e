import { liveWorld } from './ids.ts';

/** The roles of an organization, by their documented names. */
export const liveRoles = {
  admin: { roleId: liveWorld.roles.admin, roleName: 'Admin', roleType: 'system' },
  developer: { roleId: liveWorld.roles.developer, roleName: 'Developer', roleType: 'system' },
} as const;
