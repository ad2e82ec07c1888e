/** How long and how carefully is measured. */
export interface Settings {
  readonly name: 'full' | 'quick';
  /** CPU seconds that a server spends before it is measured at an operation. */
  readonly warmUpSeconds: number;
  /** CPU seconds of a block, by which its number of requests is chosen once. */
  readonly blockSeconds: number;
  readonly rounds: number;
  /** Processes of each server that is compared with a bound; see `processesOf`. */
  readonly processes: number;
  /** No round beyond the third is begun after so many seconds. */
  readonly enoughSeconds: number;
  /** The run is given up after so many seconds. */
  readonly limitSeconds: number;
  readonly starts: number;
}

const full: Settings = {
  name: 'full',
  warmUpSeconds: 4,
  blockSeconds: 0.4,
  rounds: 20,
  processes: 4,
  enoughSeconds: 600,
  limitSeconds: 900,
  starts: 5,
};

const quick: Settings = {
  name: 'quick',
  warmUpSeconds: 0.3,
  blockSeconds: 0.2,
  rounds: 1,
  processes: 1,
  enoughSeconds: 40,
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
