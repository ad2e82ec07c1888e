import { parseArgs } from 'node:util';

/**
 * The dialects that the sandbox speaks: the reference's, that of ClickHouse Cloud and HyperDX as they are today, and the
 * latter with HyperDX 2.13.
 */
export const sandboxProfiles = ['reference', 'live', 'live-2.13'] as const;

/** One of `sandboxProfiles`. */
export type SandboxProfile = (typeof sandboxProfiles)[number];

const usage =
  'the arguments are none, or --profile live (or --profile live-2.13, or --profile reference)';

const given = (args: readonly string[]): string => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { profile: { type: 'string', default: 'reference' } },
    });
    return values.profile;
  } catch {
    throw new Error(usage);
  }
};

/**
 * The profile that the command line asks for.
 * @throws Error with one sentence where it asks for anything else.
 */
export const readProfile = (args: readonly string[] = process.argv.slice(2)): SandboxProfile => {
  const name = given(args);
  const found = sandboxProfiles.find((profile) => profile === name);
  if (!found) throw new Error(usage);
  return found;
};
