import type { SandboxProfile } from './profile.ts';
import type { Credentials } from './world/credentials.ts';
import { fleetServices } from './world/fleet.ts';

/** The names of the credentials that fail on purpose, in one line. */
export const failingNames = ({ failing }: Credentials): string =>
  Object.values(failing.observability)
    .map(({ token }) => token)
    .join(', ');

/** The limits of the credentials, in one line. */
export const limitsHint = (limits: boolean, profile: SandboxProfile): string => {
  if (!limits) return 'none, by SANDBOX_LIMITS=off';
  return profile === 'clickstack-cloud'
    ? '10 requests in 10 s for each key (SANDBOX_LIMITS=off lifts it)'
    : '10 requests in 10 s for each key, 100 a minute for each token (SANDBOX_LIMITS=off lifts both)';
};

/** The dialect of both interfaces, in one line. */
export const profileHint = (profile: SandboxProfile): string =>
  ({
    live: 'live (ClickHouse Cloud and HyperDX, as of August 2026)',
    'live-2.13': 'live-2.13 (ClickHouse Cloud as of August 2026, and HyperDX 2.13)',
    'clickstack-cloud': 'clickstack-cloud (ClickHouse Cloud with ClickStack below two services)',
    reference: "reference (--profile live: today's ClickHouse Cloud and HyperDX)",
  })[profile];

/** The fleet in one line, or how to create one. */
export const fleetHint = (size: number): string => {
  if (size === 0) return 'none (--services 120: an organization of 120 services)';
  const asleep = fleetServices(size).filter(({ isAsleep }) => isAsleep).length;
  return `${size} services, ${asleep} of them asleep`;
};
