import { parseArgs } from 'node:util';
import { type SandboxProfile, sandboxProfiles } from './profile.ts';
import { MOST_SERVICES } from './world/fleet.ts';

/** What the command line asks for. */
export type Arguments = {
  readonly profile: SandboxProfile;
  /** Services of the fleet; 0 for none. */
  readonly fleetSize: number;
  readonly help: boolean;
};

const rule = `the arguments are none, or --profile live (or --profile live-2.13, or --profile reference), --services 120 (from 1 to ${MOST_SERVICES}), or both, or --help`;

/** What `--help` prints. */
export const help = (script: 'demo' | 'sandbox'): string => `npm run ${script} -- [arguments]

  --profile live       plays today's ClickHouse Cloud and HyperDX (live-2.13: HyperDX 2.13) instead of the documented interfaces
  --services 120       adds a fleet: a second organization of so many services, 1 to ${MOST_SERVICES}, some asleep, with a key of its own
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
 * @throws Error with one sentence where it asks for anything that there is not.
 */
export const readArguments = (args: readonly string[] = process.argv.slice(2)): Arguments => {
  const { profile: name, services, help } = given(args);
  const profile = sandboxProfiles.find((each) => each === name);
  const fleetSize = services === undefined ? 0 : Number(services);
  const isSize = services === undefined || (/^\d+$/.test(services) && fleetSize > 0);
  if (!profile || !isSize || fleetSize > MOST_SERVICES) throw new Error(rule);
  return { profile, fleetSize, help };
};
