import type { FleetBounds } from './fleet.ts';
import type { FleetFigures } from './fleet-figures.ts';
import type { Goodput } from './goodput.ts';
import type { Bounds } from './scenarios.ts';

/** Summary of the views of one server. */
export interface Figures {
  readonly views: number;
  /** Views that were whole within the scenario's time; the next two figures count only these. */
  readonly whole: number;
  /** Within one second. */
  readonly prompt: number;
  /**
   * The greatest age of the oldest part, in seconds, for 95 % of the views and for all views; undefined if no view is whole.
   */
  readonly oldest: number | undefined;
  readonly oldestOfAll: number | undefined;
  /** Calls that were answered with 429. */
  readonly refused: number;
  /** Views that show the state before a mutation that had already been answered. */
  readonly earlier: number;
  readonly failedWrites: number;
}

export const figuresOf = ({
  scenario,
  views,
  writes,
  counts,
}: Pick<Goodput, 'views' | 'writes'> & {
  readonly scenario: Pick<Goodput['scenario'], 'within'>;
  readonly counts: Pick<Goodput['counts'], 'refused'>;
}): Figures => {
  const whole = views.filter((view) => view.whole && view.milliseconds <= scenario.within);
  const ages = whole.map(({ oldest }) => oldest / 1000).toSorted((a, b) => a - b);
  return {
    views: views.length,
    whole: whole.length,
    prompt: whole.filter(({ milliseconds }) => milliseconds <= 1000).length,
    oldest: ages[Math.ceil(0.95 * ages.length) - 1],
    oldestOfAll: ages.at(-1),
    refused: counts.refused,
    earlier: views.filter(({ earlier }) => earlier).length,
    failedWrites: writes.filter(({ isDone }) => !isDone).length,
  };
};

/** The bounds that the figures miss, each as a sentence. */
export const missesOf = (figures: Figures, bounds: Bounds): readonly string[] => {
  const { views, oldest = 0, refused, earlier, failedWrites } = figures;
  const misses: string[] = [];
  const atLeast = (number: number, share: number, what: string): void => {
    const percent = (100 * number) / views;
    if (percent < share) misses.push(`${percent.toFixed(1)} % ${what}, not ${share} %`);
  };
  const none = (number: number, what: string): void => {
    if (number > 0) misses.push(`${number} ${what}`);
  };
  atLeast(figures.whole, bounds.whole, 'of the views whole');
  atLeast(figures.prompt, bounds.prompt, 'within a second');
  none(refused, 'calls answered with 429');
  none(earlier, 'views of an earlier state');
  none(failedWrites, 'writes failed');
  if (oldest > bounds.oldest) {
    misses.push(`an oldest part of ${oldest.toFixed(1)} s, not ${bounds.oldest} s`);
  }
  return misses;
};

/** The bounds that a fleet's figures miss, each as a sentence. */
export const fleetMissesOf = (figures: FleetFigures, bounds: FleetBounds): readonly string[] => {
  const { first, later, prompt, oldest, parts, pages, wholePages } = figures;
  const misses: string[] = [];
  const miss = (isMissed: boolean, words: string): void => {
    if (isMissed) misses.push(words);
  };
  const none = (number: number, what: string): void => miss(number > 0, `${number} ${what}`);
  const within = (seconds: number | undefined, bound: number, what: string): void =>
    miss(
      seconds !== undefined && seconds > bound,
      `${what} ${seconds?.toFixed(1)} s, not ${bound} s`,
    );
  const whole = parts ? 'whole in parts after' : 'a first whole view after';
  if (first === undefined) misses.push(`never whole: at most ${figures.most.toFixed(0)} %`);
  else within(first, bounds.whole, whole);
  const share = (100 * prompt) / later;
  if (later > 0) {
    const words = `${share.toFixed(1)} % of the later views whole within a second`;
    miss(share < bounds.prompt, `${words}, not ${bounds.prompt} %`);
  }
  within(oldest, bounds.oldest, 'an oldest part of');
  none(figures.refused, 'calls answered with 429');
  none(figures.earlier, 'views of an earlier state');
  none(figures.failedWrites, 'writes failed');
  none(pages - wholePages, 'small pages not whole');
  within(figures.writeWaits?.longest, 1, 'a write waited');
  within(figures.pageWaits?.longest, 1, 'a small page waited');
  none(parts?.overtaken ?? 0, 'parts overtaken');
  return misses;
};
