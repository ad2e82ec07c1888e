import { figure, table } from './table.ts';

/** A figure and the bound that it has to keep: at most, or at least where `least` says so. */
export interface Target {
  readonly about: string;
  readonly bound: number;
  readonly least?: true;
  readonly figure: number;
  readonly unit: '' | ' %' | ' s';
  readonly digits: number;
}

/** A figure that is not there meets no bound. */
const isMet = ({ figure, bound, least }: Target): boolean =>
  least ? figure >= bound : figure <= bound;

const withUnit = (value: number, { unit, digits }: Target): string =>
  `${figure(value, digits)}${unit}`;

const boundOf = (target: Target): string =>
  `${target.least ? '≥' : '≤'} ${withUnit(target.bound, target)}`;

/** Which bounds are met, and which are missed by how much. */
export const conclusion = (targets: readonly Target[]): string => {
  const missed = targets.filter((target) => !isMet(target));
  if (missed.length === 0) return `**All ${targets.length} bounds are met.**`;
  return [
    `**${targets.length - missed.length} of ${targets.length} bounds are met.** Missed:`,
    '',
    ...missed.map(
      (target) => `- ${target.about}: ${withUnit(target.figure, target)}, bound ${boundOf(target)}`,
    ),
  ].join('\n');
};

export const targetTable = (heading: string, targets: readonly Target[]): string =>
  table(
    [heading, 'bound', 'measured', 'met'],
    targets.map((target) => [
      target.about,
      boundOf(target),
      withUnit(target.figure, target),
      isMet(target) ? 'yes' : '**no**',
    ]),
  );
