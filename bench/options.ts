import { parseArgs } from 'node:util';
import { createScenarios, type Scenario, usualScenarios } from './goodput/scenarios.ts';
import { type WindowKind, windowKinds } from './goodput/windows.ts';

/** How long and how carefully CPU is measured. */
export interface Settings {
  readonly name: 'full' | 'quick';
  /** CPU seconds that a server spends on each operation before it is measured. */
  readonly warmUpSeconds: number;
  /** CPU seconds of a block of requests. */
  readonly blockSeconds: number;
  readonly rounds: number;
  /** How often all servers are started, each time for an equal part of the rounds. */
  readonly generations: number;
  /** The run is given up after so many seconds. */
  readonly limitSeconds: number;
}

/** Chosen to end within five minutes on two cores. */
const full: Settings = {
  name: 'full',
  warmUpSeconds: 1.5,
  blockSeconds: 0.2,
  rounds: 12,
  generations: 3,
  limitSeconds: 600,
};

/** A look, within a minute. */
const quick: Settings = {
  name: 'quick',
  warmUpSeconds: 0.5,
  blockSeconds: 0.15,
  rounds: 1,
  generations: 1,
  limitSeconds: 120,
};

/** One scenario with one kind of windows is given up after so many seconds. */
const scenarioSeconds = 240;

export interface Options {
  readonly settings: Settings;
  readonly cpu: boolean;
  /** What is run of goodput; nothing where there are no scenarios. */
  readonly scenarios: readonly Scenario[];
  readonly windows: readonly WindowKind[];
  /** Everything that a full run measures is in the report, as `docs/performance.md` wants it. */
  readonly whole: boolean;
  readonly write: boolean;
  readonly limitSeconds: number;
}

const windowsOf = (name: string): readonly WindowKind[] => {
  const chosen = windowKinds.filter((kind) => name === kind || name === 'both');
  if (chosen.length === 0) throw new Error(`--windows is ${windowKinds.join(', ')} or both`);
  return chosen;
};

/** @throws Error for an argument it does not know. */
export const parseOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      goodput: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      scenario: { type: 'string', multiple: true },
      windows: { type: 'string' },
      fleet: { type: 'string', default: '12' },
    },
  });
  const settings = values.quick ? quick : full;
  const fleet = Number(values.fleet);
  if (!(fleet >= 1 && fleet <= 50)) throw new Error('--fleet is a number from 1 to 50');
  const scenarios = createScenarios({ refreshes: values.quick ? 3 : 12, fleet });
  const named = values.scenario?.flatMap((each) => each.split(','));
  const names = named ?? (values.all ? scenarios.map(({ name }) => name) : usualScenarios);
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(', ')}`);
  const goodputAlone = values.goodput || named !== undefined;
  const chosen =
    values.quick && !goodputAlone && !values.all
      ? []
      : scenarios.filter(({ name }) => names.includes(name));
  const windows = windowsOf(values.windows ?? (values.all ? 'both' : 'sliding'));
  return {
    settings,
    cpu: !goodputAlone,
    scenarios: chosen,
    windows,
    whole: !values.quick && named === undefined,
    write: values.write,
    limitSeconds:
      (goodputAlone ? 0 : settings.limitSeconds) + scenarioSeconds * chosen.length * windows.length,
  };
};
