import type { Goodput } from './goodput.ts';
import type { Bounds } from './scenarios.ts';

/** What the views of one server come to. */
export interface Figures {
  readonly views: number;
  /** Whole, and within the scenario's time; the following ones are of these. */
  readonly whole: number;
  /** Within one second. */
  readonly prompt: number;
  /** Age of the oldest part, in seconds, that 95 % of the views do not exceed, and of all of them; undefined where none is whole. */
  readonly oldest: number | undefined;
  readonly oldestOfAll: number | undefined;
  /** Calls that were answered with 429. */
  readonly refused: number;
  /** Views that show the state before a mutation that had been answered. */
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
    failedWrites: writes.filter((done) => !done).length,
  };
};

/** What of the figures is out of bounds, each in words. */
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
