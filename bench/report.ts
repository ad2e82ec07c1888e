import { delayMilliseconds } from './alone.ts';
import type { Comparison } from './compare.ts';
import type { Curve, Growth } from './growth.ts';
import type { Sample } from './measure.ts';
import { operations } from './operations.ts';
import { installedSize } from './size.ts';
import { connections } from './subject.ts';
import { figure, table } from './table.ts';
import { targetsOf } from './targets.ts';

const sampleHeader = ['CPU µs', 'requests/s', 'p50 ms', 'p99 ms', 'upstream calls'];

const sampleCells = ({ cpu, perSecond, p50, p99, calls }: Sample): readonly string[] => [
  figure(cpu),
  figure(perSecond),
  figure(p50, 1),
  figure(p99, 1),
  figure(calls, 2),
];

const loadTables = ({ subjects }: Comparison): readonly string[] =>
  operations.flatMap(({ name, about }) => {
    const rows = [...subjects].flatMap(([subject, { operations: figures }]) => {
      const found = figures.get(name);
      if (!found) return [];
      const { pool, same, alone } = found;
      const delayed = [figure(alone.calls), figure(alone.rounds), figure(alone.milliseconds)];
      return [
        [subject, ...sampleCells(pool), ...delayed],
        ...(same ? [[`${subject}, same credential`, ...sampleCells(same), '', '', '']] : []),
      ];
    });
    const header = ['server', ...sampleHeader, 'calls alone', 'rounds', 'ms alone'];
    return [`### ${name}: ${about}`, table(header, rows)];
  });

const processTable = ({ subjects }: Comparison): string =>
  table(
    ['server', 'peak RSS MB', 'start-up ms'],
    [...subjects].map(([name, { peakMegabytes, startMilliseconds }]) => [
      name,
      figure(peakMegabytes),
      figure(startMilliseconds),
    ]),
  );

const targetTable = (comparison: Comparison): string =>
  table(
    ['target', 'bound', 'measured', 'met'],
    targetsOf(comparison).map(({ about, bound, figure: value, digits, met }) => [
      about,
      bound,
      figure(value, digits),
      met ? 'yes' : 'no',
    ]),
  );

/** The comparison in Markdown: targets first, then every server at every operation. */
export const reportComparison = (comparison: Comparison): string => {
  const { production, packages } = installedSize();
  const { rounds, generations } = comparison;
  const medians =
    rounds === 1
      ? 'One round: a look only'
      : `Medians of ${rounds} interleaved rounds, for which all servers were started ${generations} times`;
  return [
    '## Targets',
    targetTable(comparison),
    `Installed production tree of Sluice: ${figure(production, 1)} MB, ${packages} packages.`,
    '## Figures',
    `${medians}; ${connections} requests under way at a time. CPU is user and system time of the server's processes a request. Credentials come from a pool of 50 unless a row says otherwise; the three peers share nothing between requests, so they are not measured with one credential. Calls alone, rounds and milliseconds alone: one request at a time, upstreams that take ${delayMilliseconds} ms.`,
    ...loadTables(comparison),
    processTable(comparison),
  ].join('\n\n');
};

const curveTable = ({ sizes, costs }: Curve, digits: number): string =>
  table(
    ['server', ...sizes.map(String), 'last : first'],
    [...costs].map(([name, values]) => [
      name,
      ...values.map((value) => figure(value, digits)),
      figure((values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN), 2),
    ]),
  );

/** The growth of costs in Markdown. */
export const reportGrowth = ({ alerts, operations: distinct }: Growth): string =>
  [
    '## CPU µs an alert of Q3, by the number of alerts',
    curveTable(alerts, 1),
    '## CPU µs a request of Q1, by the number of distinct operations in turn',
    curveTable(distinct, 0),
  ].join('\n\n');
