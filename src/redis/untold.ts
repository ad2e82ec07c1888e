import { randomBytes } from 'node:crypto';
import { type RedisConnection, RedisUnavailable } from './connection.ts';
import { marksKeptMs, uncertainMs } from './lifetimes.ts';
import { tellScript } from './memory-scripts.ts';

/** The marks to write, by their names in Redis: marks of changes, and marks of uncertain writes. */
export interface Telling {
  readonly marks: readonly string[];
  readonly uncertain: readonly string[];
  /** Whether an upstream has lately accepted the credential of the change: any other may be invented. */
  readonly isProven: boolean;
}

/** Writes marks into Redis, and remembers those that could not be written. */
export interface Untold {
  /** Resolves once the marks are written, or remembered. */
  tell(telling: Telling): Promise<void>;
  /** Whether no mark is remembered. */
  readonly isEmpty: boolean;
  /** Writes the remembered marks. Rejects as `run` does. */
  tellAll(run: RedisConnection['run']): Promise<void>;
}

/** How many names of proven credentials are remembered while Redis is down, and how many of others. */
const mostRemembered = 10_000;

/** How many names are written with one command, which must not take long. */
const mostAtOnce = 1000;

/** Names of marks; for an uncertain write also the time until which it is uncertain. */
type Remembered = Map<string, { readonly until: number | undefined }>;

const forgetOldest = (names: Remembered): void => {
  for (const name of names.keys()) {
    if (names.size <= mostRemembered) return;
    names.delete(name);
  }
};

/**
 * @param lost the marks that stand for all changes: written when proven credentials have made too many changes to remember.
 * Of others the oldest are forgotten
 */
export const createUntold = (
  connection: Pick<RedisConnection, 'run' | 'beforeUp' | 'onBeat'>,
  lost: readonly string[],
): Untold => {
  const proven: Remembered = new Map();
  const unproven: Remembered = new Map();
  /** Recent uncertain writes, which are written again in a new era. */
  const recent = new Map<string, { readonly until: number; readonly isProven: boolean }>();
  let lastEra = '';

  const write = async (
    run: RedisConnection['run'],
    marks: readonly string[],
    uncertain: ReadonlyMap<string, number>,
  ): Promise<void> => {
    const left = [...uncertain.values()].map((each) => Math.ceil(each - performance.now()));
    const mark = randomBytes(16).toString('base64url');
    await run(
      tellScript,
      [...marks, ...uncertain.keys()],
      [marks.length, mark, marksKeptMs, ...left.map((each) => Math.max(1, each))],
    );
  };

  const remember = (isProven: boolean, name: string, until?: number): void => {
    (isProven ? proven : unproven).set(name, { until });
    forgetOldest(unproven);
    if (proven.size <= mostRemembered) return;
    proven.clear();
    for (const each of lost) proven.set(each, { until: undefined });
  };

  const tellAll = async (run: RedisConnection['run']): Promise<void> => {
    while (proven.size + unproven.size > 0) {
      const all = [...unproven, ...proven].slice(0, mostAtOnce);
      const marks = all.flatMap(([name, { until }]) => (until === undefined ? [name] : []));
      const uncertain = all.flatMap(([name, { until }]): [string, number][] =>
        until === undefined ? [] : [[name, until]],
      );
      await write(run, marks, new Map(uncertain));
      // A mark that was remembered again meanwhile is written again.
      for (const [name, entry] of all) {
        for (const names of [proven, unproven]) if (names.get(name) === entry) names.delete(name);
      }
    }
  };

  const forgetOld = (): void => {
    for (const [name, { until }] of recent) if (until <= performance.now()) recent.delete(name);
  };

  connection.beforeUp((run, { id }) => {
    forgetOld();
    if (id !== lastEra) {
      for (const [name, { until, isProven }] of recent) remember(isProven, name, until);
    }
    lastEra = id;
    return tellAll(run);
  });
  // A mark may be remembered while Redis comes back, after `beforeUp` has written the others.
  connection.onBeat(() => {
    forgetOld();
    return tellAll(connection.run);
  });

  return {
    tell: async ({ marks, uncertain: names, isProven }) => {
      const until = performance.now() + uncertainMs;
      const uncertain = new Map(names.map((name) => [name, until]));
      for (const name of names) recent.set(name, { until, isProven });
      try {
        await write(connection.run, marks, uncertain);
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        for (const name of marks) remember(isProven, name);
        for (const name of names) remember(isProven, name, until);
      }
    },
    get isEmpty() {
      return proven.size + unproven.size === 0;
    },
    tellAll,
  };
};
