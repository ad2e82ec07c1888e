import { type Profile, reference } from '../../profile.ts';
import type { ManagementOperations } from '../operations.ts';
import { clickhouseCloud } from './clickhouse-cloud.ts';

/** The values of `MANAGEMENT_PROFILE`; the first is the default. */
export const managementProfileNames = ['reference', 'clickhouse-cloud'] as const;

export type ManagementProfileName = (typeof managementProfileNames)[number];

export const managementProfiles: Readonly<
  Record<ManagementProfileName, Profile<ManagementOperations>>
> = { reference, 'clickhouse-cloud': clickhouseCloud };
