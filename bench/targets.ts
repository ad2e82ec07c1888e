import type { Target } from './bounds.ts';
import { clientNames } from './clients.ts';
import type { Comparison } from './compare.ts';
import type { CallerMode } from './credentials.ts';
import type { Sample } from './measure.ts';
import { type OperationName, operations } from './operations.ts';
import type { Series } from './series.ts';
import type { SubjectName } from './subject.ts';

interface Ratio {
  readonly other: SubjectName;
  readonly mode: CallerMode;
  readonly about: string;
  readonly bounds: Readonly<Record<OperationName, number>>;
}

/** CPU a request: Sluice divided by the other server. */
const ratios: readonly Ratio[] = [
  {
    other: 'Mercurius',
    mode: 'pool',
    about: 'Sluice / Mercurius',
    bounds: { Q1: 1.5, Q2: 1.3, Q3: 0.7, Q4: 0.8 },
  },
  {
    other: 'Mercurius',
    mode: 'same',
    about: 'Sluice / Mercurius, one credential',
    bounds: { Q1: 0.9, Q2: 0.8, Q3: 0.4, Q4: 0.5 },
  },
  {
    other: 'Yoga',
    mode: 'pool',
    about: 'Sluice / Yoga',
    bounds: { Q1: 0.6, Q2: 0.6, Q3: 0.6, Q4: 0.6 },
  },
];

/** How much more the dearest client costs than the cheapest, in percent. */
const clientBound = 15;

/** The sample of the one series that has all of `wanted`. */
export const sampleOf = ({ samples }: Comparison, wanted: Partial<Series>): Sample => {
  const parts = Object.entries(wanted) as [keyof Series, string][];
  for (const [series, sample] of samples) {
    if (parts.every(([name, value]) => series[name] === value)) return sample;
  }
  throw new Error(`there is no series ${JSON.stringify(wanted)}`);
};

/** Every bound with the figure that was measured. */
export const targetsOf = (comparison: Comparison): readonly Target[] => {
  const cpu = (subject: SubjectName, mode: CallerMode, operation: OperationName): number =>
    sampleOf(comparison, { table: 'servers', subject, mode, operation }).cpu;
  const costs = clientNames.map((client) => sampleOf(comparison, { table: 'clients', client }).cpu);
  return [
    ...ratios.flatMap(({ other, mode, about, bounds }) =>
      operations.map(
        ({ name }): Target => ({
          about: `${name}: ${about}`,
          bound: bounds[name],
          figure: cpu('Sluice', mode, name) / cpu(other, mode, name),
          unit: '',
          digits: 2,
        }),
      ),
    ),
    {
      about: 'Q1: largest difference between clients',
      bound: clientBound,
      figure: (Math.max(...costs) / Math.min(...costs) - 1) * 100,
      unit: ' %',
      digits: 0,
    },
  ];
};
