import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { figuresOf } from './bounds.ts';
import type { FleetScenario } from './fleet.ts';
import { fleetFiguresOf } from './fleet-figures.ts';
import type { Goodput } from './goodput.ts';
import type { WindowKind } from './windows.ts';

interface Measured {
  readonly server: string;
  readonly windows: WindowKind;
  /** Day, Node and machine. */
  readonly measured: string;
}

/** A scenario on one server. */
export interface Share extends Measured {
  readonly scenario: string;
  readonly whole: number;
  readonly views: number;
}

/** A fleet on one server. */
export interface First extends Measured {
  readonly services: number;
  /** Seconds to the first whole view; null if none came. */
  readonly seconds: number | null;
}

interface Results {
  readonly shares: readonly Share[];
  readonly firsts: readonly First[];
}

const file = new URL('results.json', import.meta.url);

export const readResults = (): Results =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { shares: [], firsts: [] };

const here = (): string => {
  const cores = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node ${process.versions.node}, ${cores.length} cores of ${cores[0]?.model.trim()}`;
};

const serverOf = ({ server }: Pick<Goodput, 'server'>, replicas: number): string =>
  server === 'replicas' ? `Sluice × ${replicas}` : server;

/** Replaces earlier figures of the same measurement. */
const replace = <Figure>(
  old: readonly Figure[],
  fresh: readonly Figure[],
  nameOf: (figure: Figure) => string,
): readonly Figure[] => {
  const names = new Set(fresh.map(nameOf));
  return [...old.filter((figure) => !names.has(nameOf(figure))), ...fresh].toSorted((a, b) =>
    nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }),
  );
};

/** Stores the figures for the plots in `bench/results.json`. */
export const saveResults = (
  outcomes: readonly Goodput[],
  fleets: readonly Goodput<FleetScenario>[],
  replicas: number,
): void => {
  const measured = here();
  const shares = outcomes.map((outcome): Share => {
    const { whole, views } = figuresOf(outcome);
    const { scenario, windows } = outcome;
    return {
      ...{ scenario: scenario.name, windows, server: serverOf(outcome, replicas) },
      ...{ whole, views, measured },
    };
  });
  // Excludes pages in parts, whose time to the last part is not comparable.
  const whole = fleets.filter(({ scenario }) => !scenario.parts && scenario.fleet.slow === 0);
  const firsts = whole.map((outcome): First => {
    const { first } = fleetFiguresOf(outcome);
    const { scenario, windows } = outcome;
    const seconds = first === undefined ? null : Math.round(first);
    const server = serverOf(outcome, replicas);
    return { services: scenario.fleet.services, windows, server, seconds, measured };
  });
  const old = readResults();
  const results: Results = {
    shares: replace(
      old.shares,
      shares,
      (each) => `${each.windows} ${each.scenario} ${each.server}`,
    ),
    firsts: replace(
      old.firsts,
      firsts,
      (each) => `${each.windows} ${each.services} ${each.server}`,
    ),
  };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
};
