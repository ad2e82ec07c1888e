import { parseArgs } from 'node:util';
import { type SandboxProfile, sandboxProfiles } from './profile.ts';
import { MOST_SERVICES } from './world/fleet.ts';

/** The parsed command line. */
export type Arguments = {
  readonly profile: SandboxProfile;
  /** Services of the fleet; 0 for none. */
  readonly fleetSize: number;
  readonly help: boolean;
};

const rule = `invalid arguments: the options are --profile live (or live-2.13, clickstack-cloud, or reference), --services 120 (from 1 to ${MOST_SERVICES}) and --help`;

/** The text of `--help`. */
export const help = (
  script: 'demo' | 'sandbox' | 'console',
): string => `${script === 'demo' ? 'sluice demo [arguments]     in a clone: ' : ''}npm run ${script} -- [arguments]

  --profile live       acts as today's ClickHouse Cloud and HyperDX (live-2.13: HyperDX 2.13) instead of the documented interfaces;
                       clickstack-cloud: as ClickHouse Cloud with ClickStack below its services
  --services 120       adds a fleet: an organization with this number of services, 1 to ${MOST_SERVICES}, some asleep, and its own key
  --help               prints this

Environment: SANDBOX_LIMITS=off lifts the limits.`;

const options = {
  profile: { type: 'string', default: 'reference' },
  services: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const given = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    throw new Error(rule);
  }
};

/**
 * Reads the command line.
 * @throws Error with one sentence for an invalid argument.
 */
export const readArguments = (args: readonly string[] = process.argv.slice(2)): Arguments => {
  const { profile: name, services, help } = given(args);
  const profile = sandboxProfiles.find((each) => each === name);
  const fleetSize = services === undefined ? 0 : Number(services);
  const isSize = services === undefined || (/^\d+$/.test(services) && fleetSize > 0);
  if (!profile || !isSize || fleetSize > MOST_SERVICES) throw new Error(rule);
  return { profile, fleetSize, help };
};
