import type { UpstreamName } from './error.ts';
import { management, observability, type RestInterface } from './interface.ts';
import type { ManagementOperations } from './management/operations.ts';
import { type ManagementProfileName, managementProfiles } from './management/profiles/index.ts';
import type { ObservabilityOperations } from './observability/operations.ts';
import {
  type ObservabilityProfileName,
  observabilityProfiles,
} from './observability/profiles/index.ts';
import type { Profile } from './profile.ts';

/** The names of the profiles; an absent name stands for the reference. */
export interface ProfileNames {
  readonly managementProfile?: ManagementProfileName | undefined;
  readonly observabilityProfile?: ObservabilityProfileName | undefined;
}

interface Profiles {
  readonly management: Profile<ManagementOperations>;
  readonly observability: Profile<ObservabilityOperations>;
}

/** How each interface is spoken with these profiles. */
export type Interfaces = Readonly<Record<UpstreamName, RestInterface>>;

/** Finds the profiles by their names. */
export const profilesOf = ({
  managementProfile = 'reference',
  observabilityProfile = 'reference',
}: ProfileNames): Profiles => ({
  management: managementProfiles[managementProfile],
  observability: observabilityProfiles[observabilityProfile],
});

export const interfacesOf = (names: ProfileNames): Interfaces => {
  const profiles = profilesOf(names);
  return {
    management: profiles.management.api ?? management,
    observability: profiles.observability.api ?? observability,
  };
};
