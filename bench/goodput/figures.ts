import { quantile } from '../statistics.ts';
import type { Counts } from './counters.ts';
import type { Scenario } from './scenarios.ts';
import type { Seen } from './viewers.ts';

/** What came out of a scenario for one server. */
export interface Figures {
  readonly views: number;
  /** Views that were answered whole within the scenario's time. */
  readonly whole: number;
  /** Those of them that took a second at most. */
  readonly prompt: number;
  readonly counts: Counts;
  /** Seconds that the oldest part of a whole view was old when it arrived, at the 95th percentile. */
  readonly oldest: number;
  /** Views, whole or not, with the state before a command that had been answered when they were sent. */
  readonly earlier: number;
  readonly commands: number;
  readonly failedCommands: number;
}

const promptMilliseconds = 1000;

export const figuresOf = ({ within }: Scenario, seen: Seen, counts: Counts): Figures => {
  const whole = seen.views.filter((view) => view.whole && view.milliseconds <= within);
  const ages = whole.flatMap(({ oldest }) => (oldest === undefined ? [] : [oldest]));
  return {
    views: seen.views.length,
    whole: whole.length,
    prompt: whole.filter(({ milliseconds }) => milliseconds <= promptMilliseconds).length,
    counts,
    oldest: quantile(ages, 0.95) / 1000,
    earlier: seen.views.filter(({ earlier }) => earlier).length,
    commands: seen.commands,
    failedCommands: seen.failedCommands,
  };
};
