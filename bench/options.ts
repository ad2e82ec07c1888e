/** How long and how carefully is measured. */
export interface Settings {
  readonly name: 'full' | 'quick';
  /** CPU seconds that a server spends on each operation, with each kind of caller, in one pass. */
  readonly warmUpSeconds: number;
  readonly warmUpPasses: number;
  /** CPU seconds of a block, by which its number of requests is chosen once. */
  readonly blockSeconds: number;
  readonly rounds: number;
  /** How often all servers are started to be measured, each time for an equal part of the rounds. */
  readonly generations: number;
  /** The run is given up after so many seconds. */
  readonly limitSeconds: number;
  readonly starts: number;
}

const full: Settings = {
  name: 'full',
  warmUpSeconds: 2,
  warmUpPasses: 2,
  blockSeconds: 0.4,
  rounds: 21,
  generations: 3,
  limitSeconds: 1200,
  starts: 11,
};

const quick: Settings = {
  name: 'quick',
  warmUpSeconds: 0.3,
  warmUpPasses: 1,
  blockSeconds: 0.2,
  rounds: 1,
  generations: 1,
  limitSeconds: 60,
  starts: 1,
};

export interface Options {
  readonly settings: Settings;
  readonly growth: boolean;
  readonly write: boolean;
}

/** @throws Error for an argument it does not know. */
export const parseOptions = (args: readonly string[]): Options => {
  const known = ['--quick', '--growth', '--write'];
  const unknown = args.filter((argument) => !known.includes(argument));
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(' ')}; known: ${known.join(' ')}`);
  return {
    settings: args.includes('--quick') ? quick : full,
    growth: args.includes('--growth'),
    write: args.includes('--write'),
  };
};
