import { randomBytes } from 'node:crypto';
import { type RedisConnection, RedisUnavailable } from './connection.ts';
import { marksKeptMs, uncertainMs } from './lifetimes.ts';
import { tellScript } from './memory-scripts.ts';

/** The marks to write, by their names in Redis: marks of changes, and marks of uncertain writes. */
export interface Telling {
  readonly marks: readonly string[];
  readonly uncertain: readonly string[];
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

/** How many names are remembered while Redis is down. */
const mostRemembered = 10_000;

/** @param lost the marks that stand for all changes: written when there were too many changes to remember */
export const createUntold = (
  connection: Pick<RedisConnection, 'run' | 'beforeUp' | 'onBeat'>,
  lost: readonly string[],
): Untold => {
  /** Names of marks; for an uncertain write also the time until which it is uncertain. */
  const remembered = new Map<string, { readonly until: number | undefined }>();
  /** Recent uncertain writes, with the time until which each is uncertain. They are written again in a new era. */
  const recent = new Map<string, number>();
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

  const remember = (marks: readonly string[], uncertain: ReadonlyMap<string, number>): void => {
    for (const name of marks) remembered.set(name, { until: undefined });
    for (const [name, until] of uncertain) remembered.set(name, { until });
    if (remembered.size <= mostRemembered) return;
    remembered.clear();
    for (const name of lost) remembered.set(name, { until: undefined });
  };

  const tellAll = async (run: RedisConnection['run']): Promise<void> => {
    while (remembered.size > 0) {
      const all = [...remembered];
      const marks = all.flatMap(([name, { until }]) => (until === undefined ? [name] : []));
      const uncertain = all.flatMap(([name, { until }]): [string, number][] =>
        until === undefined ? [] : [[name, until]],
      );
      await write(run, marks, new Map(uncertain));
      // A mark that was remembered again meanwhile is written again.
      for (const [name, entry] of all) {
        if (remembered.get(name) === entry) remembered.delete(name);
      }
    }
  };

  const forgetOld = (): void => {
    for (const [name, until] of recent) if (until <= performance.now()) recent.delete(name);
  };

  connection.beforeUp((run, { id }) => {
    forgetOld();
    if (id !== lastEra) remember([], recent);
    lastEra = id;
    return tellAll(run);
  });
  // A mark may be remembered while Redis comes back, after `beforeUp` has written the others.
  connection.onBeat(() => {
    forgetOld();
    return tellAll(connection.run);
  });

  return {
    tell: async ({ marks, uncertain: names }) => {
      const until = performance.now() + uncertainMs;
      const uncertain = new Map(names.map((name) => [name, until]));
      for (const name of names) recent.set(name, until);
      try {
        await write(connection.run, marks, uncertain);
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        remember(marks, uncertain);
      }
    },
    get isEmpty() {
      return remembered.size === 0;
    },
    tellAll,
  };
};
