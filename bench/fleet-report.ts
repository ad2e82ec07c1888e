import { fleetMissesOf } from './bounds.ts';
import type { FleetScenario } from './fleet.ts';
import { type FleetFigures, fleetFiguresOf, type Waits } from './fleet-figures.ts';
import type { Goodput } from './goodput.ts';
import { table } from './report.ts';

type Outcome = Goodput<FleetScenario>;

const tenths = (seconds: number | undefined): string => seconds?.toFixed(1) ?? '–';

const nameOf = ({ server }: Outcome, replicas: number): string =>
  server === 'replicas' ? `Sluice × ${replicas}` : server;

const promptOf = ({ prompt, later }: FleetFigures): string =>
  later === 0 ? '–' : `${prompt} of ${later}, ${((100 * prompt) / later).toFixed(0)} %`;

const waitCell = (waits: Waits | undefined): string =>
  waits ? `${waits.longest.toFixed(1)}, ${waits.late} late` : '–';

const pageHeader = [
  ...['scenario', 'server', 'first whole, s', 'later within 1 s', 'fullest view', 'oldest part, s'],
  ...['calls', '429', 'earlier state', 'failed writes', 'small pages', 'longest wait of writes, s'],
  ...['of small pages, s', 'CPU, s', 'MB'],
];
const partHeader = ['server', 'services', 'moments', 'first, s', 'last, s', 'overtaken', 'held, s'];

/** The figures of each outcome, and a line about each server that has to meet the bounds. */
const judged = (outcomes: readonly Outcome[], replicas: number) => {
  const all = outcomes.map((outcome) => {
    const figures = fleetFiguresOf(outcome);
    const isOurs = outcome.server === 'Sluice' || outcome.server === 'replicas';
    const misses = isOurs ? fleetMissesOf(figures, outcome.scenario.bounds) : [];
    return { ...outcome, figures, isOurs, misses, name: nameOf(outcome, replicas) };
  });
  const lines = all
    .filter(({ isOurs }) => isOurs)
    .map(({ scenario, windows, name, misses }) => {
      const { services, sleeping, slow } = scenario.fleet;
      const fleet = `${services} services, ${sleeping} asleep, ${slow} slow`;
      const verdict = misses.length === 0 ? 'all bounds kept' : `MISSED: ${misses.join('; ')}`;
      return `- ${scenario.name}, ${windows} windows, ${name}, ${fleet}: ${verdict}.`;
    });
  return { all, lines, isMissed: all.some(({ misses }) => misses.length > 0) };
};

/** The report on the bounds, and all figures. */
export const fleetReport = (outcomes: readonly (readonly Outcome[])[], replicas: number) => {
  const { all, lines, isMissed } = judged(outcomes.flat(), replicas);
  const rows = all.map(({ scenario, name, figures, counts, use, writes }) => [
    ...[scenario.name, name, tenths(figures.first), promptOf(figures)],
    ...[`${figures.most.toFixed(0)} %`, tenths(figures.oldest), counts.calls, counts.refused],
    ...[figures.earlier, `${figures.failedWrites} of ${writes.length}`],
    ...[`${figures.wholePages} of ${figures.pages}`, waitCell(figures.writeWaits)],
    ...[waitCell(figures.pageWaits), tenths(use?.cpuSeconds), use?.megabytes.toFixed(0) ?? '–'],
  ]);
  const inParts = all.flatMap(({ name, scenario, figures: { parts } }) =>
    parts
      ? [
          [
            ...[name, `${parts.services} of ${scenario.fleet.services}`, parts.moments],
            ...[tenths(parts.first), tenths(parts.last), parts.overtaken, tenths(parts.held)],
          ],
        ]
      : [],
  );
  const texts = ['## Fleets', table(2, pageHeader, rows)];
  if (inParts.length > 0) texts.push('Parts of s8:', table(1, partHeader, inParts));
  return { isMissed, lines, text: texts.join('\n\n') };
};

/** Views within a second, by the size of the page. */
export const sizesReport = (outcomes: readonly Outcome[]) => {
  const { all, lines, isMissed } = judged(outcomes, 1);
  const rows = all.map(({ scenario, views, counts, figures }) => {
    const prompt = views.filter((view) => view.whole && view.milliseconds <= 1000).length;
    return [
      ...[scenario.fleet.services, views.length, `${((100 * prompt) / views.length).toFixed(0)} %`],
      ...[`${((100 * figures.whole) / views.length).toFixed(0)} %`, tenths(figures.first)],
      ...[promptOf(figures), tenths(figures.oldest), counts.calls, counts.refused],
    ];
  });
  const header = ['services', 'views', 'whole within 1 s', 'whole', 'first whole, s'];
  const further = ['later within 1 s', 'oldest part, s', 'calls', '429'];
  const text = `## Pages by size\n\n${table(0, [...header, ...further], rows)}`;
  return { isMissed, lines, text };
};
