import { settings } from './settings.ts';

const names: readonly string[] = Object.values(settings).map(({ name }) => name);

/** Whether two names differ only by one added, missing or wrong letter, or by two swapped letters. */
const isOneSlipAway = (written: string, meant: string): boolean => {
  let start = 0;
  while (start < meant.length && written[start] === meant[start]) start += 1;
  const [rest, expected] = [written.slice(start), meant.slice(start)];
  return (
    rest.slice(1) === expected ||
    rest === expected.slice(1) ||
    rest.slice(1) === expected.slice(1) ||
    (rest.slice(2) === expected.slice(2) && rest[0] === expected[1] && rest[1] === expected[0])
  );
};

/** Former settings, each with the setting to use instead. */
const former: Readonly<Record<string, string>> = {
  READ_CACHE: 'READ_CACHE_MB',
  MAX_ALIASES: 'MAX_COST',
  MAX_DEPTH: 'MAX_COST',
  MAX_DIRECTIVES: 'MAX_TOKENS',
  MAX_ROOT_FIELDS: 'MAX_COST',
  MAX_STREAMS: 'MAX_CONNECTIONS',
};

/** An unknown variable, and the setting that was probably meant. */
export interface Slip {
  readonly variable: string;
  readonly meant: string;
}

/** Finds variables with the name of a former setting, or a name similar to a setting. Does not look at values. */
export const findSlips = (environment: Readonly<Record<string, unknown>>): readonly Slip[] =>
  Object.keys(environment)
    .filter((variable) => /^\w+$/.test(variable) && !names.includes(variable))
    .flatMap((variable) => {
      const meant =
        names.find((name) => isOneSlipAway(variable.toUpperCase(), name)) ?? former[variable];
      return meant === undefined ? [] : [{ variable, meant }];
    });

export const describeSlip = ({ variable, meant }: Slip): string =>
  `${variable} is not a setting. Did you mean ${meant}?`;
