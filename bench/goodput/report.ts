import { conclusion, type Target, targetTable } from '../bounds.ts';
import { mainClient } from '../clients.ts';
import { figure, table } from '../table.ts';
import type { Figures } from './figures.ts';
import type { Outcome } from './run.ts';
import { type Interface, limits } from './windows.ts';

const percent = (part: number, all: number): number => (100 * part) / all;

const interfaces = Object.keys(limits) as readonly Interface[];

/** The bounds of a scenario with the gateway's figures. */
const targetsOf = ({ scenario, windows, figures }: Outcome): readonly Target[] => {
  const sluice = figures.get('Sluice');
  if (!sluice) throw new Error(`${scenario.name} was not run with the gateway`);
  const { bounds, commands, within } = scenario;
  const targets: Target[] = [];
  const add = (
    about: string,
    bound: number | undefined,
    rest: Partial<Target> & { figure: number },
  ) => {
    if (bound === undefined) return;
    targets.push({
      about: `${scenario.name}, ${windows}: ${about}`,
      bound,
      unit: '',
      digits: 0,
      ...rest,
    });
  };
  const share = { least: true, unit: ' %', digits: 1 } as const;
  add(`whole within ${within / 1000} s`, bounds.whole, {
    figure: percent(sluice.whole, sluice.views),
    ...share,
  });
  add('whole within 1 s', bounds.prompt, {
    figure: percent(sluice.prompt, sluice.views),
    ...share,
  });
  add('answers of 429', bounds.refused, { figure: sluice.counts.refused });
  add('oldest part, 95th percentile', bounds.oldest, {
    figure: sluice.oldest,
    unit: ' s',
    digits: 1,
  });
  if (commands) {
    add('views with the state before an answered command', 0, { figure: sluice.earlier });
    add('failed commands', 0, { figure: sluice.failedCommands });
  }
  if (bounds.calls !== undefined) {
    add('upstream calls', bounds.calls, { figure: sluice.counts.calls, least: true });
    for (const name of interfaces.filter((each) => sluice.counts.most[each] > 0)) {
      add(`most calls in a window, ${name}`, limits[name].calls, {
        figure: sluice.counts.most[name],
      });
    }
  }
  return targets;
};

const mostCell = ({ counts }: Figures): string =>
  interfaces
    .filter((name) => counts.most[name] > 0)
    .map((name) => `${counts.most[name]} (of ${limits[name].calls})`)
    .join(', ');

const outcomeTable = ({ scenario, figures }: Outcome): string => {
  const { commands, within } = scenario;
  return table(
    [
      'server',
      `whole within ${within / 1000} s`,
      'within 1 s',
      'upstream calls',
      '429',
      'most in a window',
      'oldest part, s',
      ...(commands ? ['earlier state', 'failed commands'] : []),
    ],
    [...figures].map(([name, each]) => [
      name,
      `${each.whole} of ${each.views}`,
      `${figure(percent(each.prompt, each.views))} %`,
      String(each.counts.calls),
      String(each.counts.refused),
      mostCell(each),
      figure(each.oldest, 1),
      ...(commands ? [String(each.earlier), `${each.failedCommands} of ${each.commands}`] : []),
    ]),
  );
};

/** What was run, in Markdown: the conclusion first, then the figures beside each other, then the bounds. */
export const goodputReport = (outcomes: readonly Outcome[]): string => {
  const targets = outcomes.flatMap(targetsOf);
  return [
    '## Goodput',
    conclusion(targets),
    `Pages under the exact limits of both interfaces, 10 calls in 10 s for a key and 100 in a minute for a token. Each server runs before a backend of its own, all of them at the same time; a call takes 80 ms ± 30 %. The viewers send the headers of ${mainClient}. A viewer whose page is still under way at the time of a refresh leaves that refresh out and looks again at the next one. A view is whole when nothing is missing and everything in it is what the backend sent to this caller.`,
    ...outcomes.flatMap((outcome) => [
      `### ${outcome.scenario.name}, ${outcome.windows} windows: ${outcome.scenario.about}`,
      outcomeTable(outcome),
    ]),
    '### Bounds of goodput',
    targetTable('Sluice', targets),
  ].join('\n\n');
};
