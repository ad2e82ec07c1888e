import type { Comparison } from './compare.ts';
import type { Sample } from './measure.ts';
import type { OperationName } from './operations.ts';
import type { SubjectName } from './subject.ts';

/** A figure with the bound that it has to keep. */
export interface Target {
  readonly about: string;
  readonly bound: string;
  readonly figure: number;
  readonly met: boolean;
  readonly digits: number;
}

type Bounds = Readonly<Record<OperationName, number>>;

/** CPU a request, Sluice by the other: medians with fifty callers. */
const ratios: readonly (readonly [SubjectName, Bounds])[] = [
  ['LIMIT', { Q1: 1.4, Q2: 1.1, Q3: 0.75, Q4: 0.9 }],
  ['Mercurius', { Q1: 0.85, Q2: 0.75, Q3: 0.35, Q4: 0.5 }],
];

/** The same by LIMIT, all requests being one caller's. */
const sameCaller: Bounds = { Q1: 0.6, Q2: 0.5, Q3: 0.4, Q4: 0.3 };

const rounds: Bounds = { Q1: 1, Q2: 1, Q3: 2, Q4: 1 };

const atMost = (about: string, figure: number, bound: number, digits: number): Target => ({
  about,
  figure,
  digits,
  bound: `≤ ${bound}`,
  met: figure <= bound,
});

/** Every target beside what came out. */
export const targetsOf = ({ subjects }: Comparison): readonly Target[] => {
  const figures = (subject: SubjectName) => {
    const found = subjects.get(subject);
    if (!found) throw new Error(`${subject} was not measured`);
    return found;
  };
  const sample = (subject: SubjectName, mode: 'pool' | 'same', name: OperationName): Sample => {
    const found = figures(subject).operations.get(name)?.[mode];
    if (!found) throw new Error(`${subject} was not measured at ${name}`);
    return found;
  };
  const ratio = (other: SubjectName, mode: 'pool' | 'same', name: OperationName): number =>
    sample('Sluice', mode, name).cpu / sample(other, mode, name).cpu;
  const each = (bounds: Bounds): readonly (readonly [OperationName, number])[] =>
    Object.entries(bounds) as [OperationName, number][];

  return [
    ...ratios.flatMap(([other, bounds]) =>
      each(bounds).map(([name, bound]) =>
        atMost(`${name}: CPU, Sluice : ${other}`, ratio(other, 'pool', name), bound, 2),
      ),
    ),
    ...each(sameCaller).map(([name, bound]) =>
      atMost(
        `${name}: CPU, Sluice : LIMIT, same credential`,
        ratio('LIMIT', 'same', name),
        bound,
        2,
      ),
    ),
    ...each(rounds).map(([name, bound]) => {
      const alone = figures('Sluice').operations.get(name)?.alone;
      return atMost(`${name}: sequential rounds`, alone?.rounds ?? Number.NaN, bound, 0);
    }),
    {
      about: 'peak RSS in MB',
      bound: `< ${figures('Mercurius').peakMegabytes.toFixed(0)} (Mercurius)`,
      figure: figures('Sluice').peakMegabytes,
      digits: 0,
      met: figures('Sluice').peakMegabytes < figures('Mercurius').peakMegabytes,
    },
    {
      about: 'start-up to first answer in ms',
      bound: '< 500',
      figure: figures('Sluice').startMilliseconds,
      digits: 0,
      met: figures('Sluice').startMilliseconds < 500,
    },
  ];
};
