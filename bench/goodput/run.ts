import type { Progress } from '../progress.ts';
import { type Figures, figuresOf } from './figures.ts';
import type { Scenario } from './scenarios.ts';
import { type Contender, contenders, startPair } from './subjects.ts';
import { watch } from './viewers.ts';
import type { WindowKind } from './windows.ts';

/** One scenario before backends that count in one way. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly windows: WindowKind;
  readonly figures: ReadonlyMap<Contender, Figures>;
}

/** Servers side by side, since they wait most of the time; all of them new, so that they remember nothing. */
const play = async (
  scenario: Scenario,
  windows: WindowKind,
  progress: Progress,
): Promise<Outcome> => {
  const { alone, jitter = 0 } = scenario;
  const pairs = await Promise.all(
    contenders
      .filter((name) => !alone || name === 'Sluice')
      .map((name) => startPair(name, windows, jitter)),
  );
  const figures = await Promise.all(
    pairs.map(async (pair): Promise<[Contender, Figures]> => {
      const seen = await watch(pair.url, scenario);
      const complaint = seen.views.find((view) => !view.whole)?.complaint;
      if (complaint !== undefined) progress.say(`  ${pair.name} first fails with ${complaint}`);
      return [pair.name, figuresOf(scenario, seen, await pair.counts())];
    }),
  );
  await Promise.all(pairs.map((pair) => pair.stop()));
  return { scenario, windows, figures: new Map(figures) };
};

/** Runs the scenarios one after the other, with each kind of windows. */
export const runGoodput = async (
  scenarios: readonly Scenario[],
  kinds: readonly WindowKind[],
  progress: Progress,
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const windows of kinds) {
    for (const scenario of scenarios) {
      progress.say(`goodput, ${scenario.name}, ${windows} windows`);
      outcomes.push(await play(scenario, windows, progress));
    }
  }
  return outcomes;
};
