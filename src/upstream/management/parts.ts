import type { Wire } from '../operation.ts';

export type IpAccessEntry = Wire<{ source: string; description: string }>;

/** Beyond the reference. */
export type AssignedRole = Wire<{ roleId: string; roleName: string; roleType: string }>;

export type Changes<Item> = Wire<{ add: readonly Item[]; remove: readonly Item[] }>;
