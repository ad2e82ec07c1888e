import { managementProfileNames } from '../upstream/management/profiles/index.ts';
import { observabilityProfileNames } from '../upstream/observability/profiles/index.ts';

type Command = 'serve' | 'check' | 'schema' | 'help' | 'version';

interface Asked {
  readonly command: Command;
  /** The profiles of `schema`; none for the whole schema. */
  readonly profiles: readonly string[];
}

/** Arguments that the gateway does not take; the message is one line. */
export class ArgumentError extends Error {}

const commands: ReadonlyMap<string, Command> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['check', 'check'],
  ['--check', 'check'],
  ['schema', 'schema'],
]);

/** The name of an option without its value, which may be a secret. Any other argument is hidden. */
const shown = (argument: string): string => {
  const [option] = /^--?[a-z][\w-]{0,40}(?==|$)/i.exec(argument) ?? [];
  return option === undefined ? 'one of the arguments' : `the argument ${option}`;
};

export const profileNames = [
  ...new Set<string>([...managementProfileNames, ...observabilityProfileNames]),
];

/** The profiles that are given, as `--profile NAME` or `--profile=NAME`. ClickStack in Cloud is always beside ClickHouse Cloud. */
const readProfiles = (names: readonly string[]): readonly string[] => {
  if (!names.every((name) => profileNames.includes(name))) {
    throw new ArgumentError(`--profile takes one of these names: ${profileNames.join(', ')}.`);
  }
  if (names.includes('hyperdx') && names.includes('clickstack-cloud')) {
    throw new ArgumentError('hyperdx and clickstack-cloud are of one interface: give one of them.');
  }
  return names.includes('clickstack-cloud') ? [...names, 'clickhouse-cloud'] : names;
};

/** @throws ArgumentError */
export const readCommand = (given: readonly string[]): Asked => {
  const [profiles, others]: [string[], string[]] = [[], []];
  for (const [index, argument] of given.entries()) {
    if (given[index - 1] === '--profile') profiles.push(argument);
    else if (argument.startsWith('--profile=')) profiles.push(argument.slice('--profile='.length));
    else if (argument !== '--profile') others.push(argument);
    else if (index === given.length - 1) profiles.push('');
  }
  const unknown = others.find((argument) => !commands.has(argument));
  if (unknown !== undefined) {
    throw new ArgumentError(
      `Sluice does not know ${shown(unknown)}. --help lists what it takes; settings are environment variables.`,
    );
  }
  const asked = others.map((argument) => commands.get(argument));
  const command =
    (['help', 'version', 'check', 'schema'] as const).find((each) => asked.includes(each)) ??
    'serve';
  if (profiles.length > 0 && (command === 'serve' || command === 'check')) {
    throw new ArgumentError(
      '--profile is only for `sluice schema`: the gateway reads its profiles from MANAGEMENT_PROFILE and OBSERVABILITY_PROFILE.',
    );
  }
  return { command, profiles: command === 'schema' ? readProfiles(profiles) : [] };
};
