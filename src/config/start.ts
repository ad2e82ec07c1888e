import { type Config, readConfig } from '../config.ts';
import type { Log } from '../log.ts';
import { describeIdle, findIdle, type Idle } from './idle.ts';
import { describeShortage, fitToOpenFiles, openFilesLimit, type Shortage } from './open-files.ts';
import { describeSlip, findSlips, type Slip } from './slips.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What does not stop a gateway from starting, but is probably a mistake. */
interface Warnings {
  readonly slips: readonly Slip[];
  readonly idle: readonly Idle[];
  readonly shortage: Shortage | undefined;
}

/**
 * Reads the settings that a gateway starts with.
 *
 * @param given the variables that were set on purpose, if these are not the whole environment
 * @throws ConfigError with a sentence for every faulty variable.
 */
export const readStart = (
  environment: Environment,
  given: Environment = environment,
): { readonly config: Config; readonly warnings: Warnings } => {
  const { config, shortage } = fitToOpenFiles(readConfig(environment), openFilesLimit());
  return { config, warnings: { slips: findSlips(given), idle: findIdle(given, config), shortage } };
};

export const logWarnings = ({ slips, idle, shortage }: Warnings, log: Log): void => {
  for (const slip of slips) log.warn(slip, 'unknown setting, similar to a known one');
  for (const each of idle) log.warn(each, 'a setting does not do what it says beside another');
  if (shortage) log.warn(shortage, 'too few open files are allowed, so fewer connections are used');
};

export const describeWarnings = ({ slips, idle, shortage }: Warnings): readonly string[] => [
  ...slips.map(describeSlip),
  ...idle.map(describeIdle),
  ...(shortage ? [describeShortage(shortage)] : []),
];
