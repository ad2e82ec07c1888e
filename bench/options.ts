/** How long and how carefully the benchmark measures. */
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

export interface Options {
  readonly settings: Settings;
  readonly write: boolean;
}

/** @throws Error for an argument it does not know. */
export const parseOptions = (args: readonly string[]): Options => {
  const known = ['--quick', '--write'];
  const unknown = args.filter((argument) => !known.includes(argument));
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(' ')}; known: ${known.join(' ')}`);
  return {
    settings: args.includes('--quick') ? quick : full,
    write: args.includes('--write'),
  };
};
