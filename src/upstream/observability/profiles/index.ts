import { type Profile, reference } from '../../profile.ts';
import type { ObservabilityOperations } from '../operations.ts';
import { clickstackCloud } from './clickstack-cloud.ts';
import { hyperdx } from './hyperdx/index.ts';

/** The values of `OBSERVABILITY_PROFILE`; the first is the default. */
export const observabilityProfileNames = ['reference', 'hyperdx', 'clickstack-cloud'] as const;

export type ObservabilityProfileName = (typeof observabilityProfileNames)[number];

export const observabilityProfiles: Readonly<
  Record<ObservabilityProfileName, Profile<ObservabilityOperations>>
> = { reference, hyperdx, 'clickstack-cloud': clickstackCloud };
