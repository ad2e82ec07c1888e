import { conclusion, targetTable } from './bounds.ts';
import { clientNames, mainClient } from './clients.ts';
import type { Comparison } from './compare.ts';
import type { Sample } from './measure.ts';
import { operations } from './operations.ts';
import { connections } from './subject.ts';
import { figure, table } from './table.ts';
import { sampleOf, targetsOf } from './targets.ts';

const clientTable = (comparison: Comparison): string =>
  table(
    ['headers of', 'CPU µs a request'],
    clientNames.map((client) => [
      client,
      figure(sampleOf(comparison, { table: 'clients', client }).cpu),
    ]),
  );

const sampleHeader = ['CPU µs', 'requests/s', 'p50 ms', 'p99 ms', 'upstream calls'];

const sampleCells = ({ cpu, perSecond, p50, p99, calls }: Sample): readonly string[] => [
  figure(cpu),
  figure(perSecond),
  figure(p50, 1),
  figure(p99, 1),
  figure(calls, 2),
];

const serverTables = ({ samples }: Comparison): readonly string[] =>
  operations.flatMap(({ name, about }) => {
    const found = [...samples].filter(
      ([series]) => series.table === 'servers' && series.operation === name,
    );
    const cells = found.map(([{ subject, mode }, sample]) => [
      mode === 'same' ? `${subject}, one credential` : subject,
      ...sampleCells(sample),
    ]);
    return [`#### ${name}: ${about}`, table(['server', ...sampleHeader], cells)];
  });

const processTable = ({ processes }: Comparison): string =>
  table(
    ['server', 'peak RSS MB', 'start-up ms'],
    [...processes].map(([name, { peakMegabytes, startMilliseconds }]) => [
      name,
      figure(peakMegabytes),
      figure(startMilliseconds),
    ]),
  );

/** The comparison of CPU in Markdown: the conclusion first, then the bounds, then all figures. */
export const report = (comparison: Comparison): string => {
  const { rounds, generations } = comparison;
  const targets = targetsOf(comparison);
  const medians =
    rounds === 1
      ? 'One round, which is a look only.'
      : `Medians of ${rounds} interleaved rounds. All servers were started ${generations} times.`;
  return [
    '## CPU',
    conclusion(targets),
    '### Bounds',
    targetTable('CPU a request', targets),
    '### Clients',
    'Q1 on Sluice, fifty credentials in turn. The last two clients send the same headers, so their difference is noise.',
    clientTable(comparison),
    '### Servers',
    `${medians} ${connections} requests at a time, with the headers of ${mainClient} and fifty credentials in turn unless a row says otherwise. CPU is user and system time of the server's processes.`,
    ...serverTables(comparison),
    '#### Processes',
    processTable(comparison),
  ].join('\n\n');
};
