import { randomBytes } from 'node:crypto';
import type { RedisConnection } from './connection.ts';
import { marksKeptMs, uncertainMs } from './lifetimes.ts';
import { RedisUnavailable } from './unavailable.ts';

/** The names in Redis that a change writes: marks of changes, and marks of uncertain writes. */
export interface ChangeNames {
  readonly marks: readonly string[];
  readonly uncertain: readonly string[];
  /** Whether an upstream has lately accepted the credential of the change. If not, the credential may be invented. */
  readonly isProven: boolean;
}

/** Announces changes to the other processes, and remembers those that could not be announced. */
export interface PendingChanges {
  /** Resolves once the change is announced, or remembered. */
  announce(change: ChangeNames): Promise<void>;
  /** Whether no change is remembered. */
  readonly isEmpty: boolean;
  /** Announces the remembered changes. Rejects with `RedisUnavailable`. */
  announceAll(): Promise<void>;
}

/** The most names of proven credentials, and of all others, that are remembered while Redis is down. */
const mostRemembered = 10_000;

/** The most names that are written with one command, which must not take long. */
const mostAtOnce = 1000;

/** Names of marks; for an uncertain write also until when it is uncertain. */
type Remembered = Map<string, { readonly until: number | undefined }>;

const forgetOldest = (names: Remembered): void => {
  for (const name of names.keys()) {
    if (names.size <= mostRemembered) return;
    names.delete(name);
  }
};

/**
 * @param lost marks that stand for all changes, written if proven credentials have made more changes than can be
 * remembered. Of other credentials the oldest changes are forgotten
 */
export const createPendingChanges = (
  connection: Pick<RedisConnection, 'run' | 'onBeat'>,
  lost: readonly string[],
): PendingChanges => {
  const proven: Remembered = new Map();
  const unproven: Remembered = new Map();
  /** Recent uncertain changes. A new era needs them too, since answers that are read in it may still become old. */
  const recent = new Map<ChangeNames, number>();
  let lastEra = '';

  const write = async (
    marks: readonly string[],
    uncertain: ReadonlyMap<string, number>,
  ): Promise<void> => {
    const left = [...uncertain.values()].map((each) => Math.ceil(each - performance.now()));
    const mark = randomBytes(16).toString('base64url');
    await connection.run(
      'announce',
      [...marks, ...uncertain.keys()],
      [marks.length, mark, marksKeptMs, ...left.map((each) => Math.max(1, each))],
    );
  };

  const remember = ({ marks, uncertain, isProven }: ChangeNames, until: number): void => {
    const names = isProven ? proven : unproven;
    for (const name of marks) names.set(name, { until: undefined });
    for (const name of uncertain) names.set(name, { until });
    forgetOldest(unproven);
    if (proven.size <= mostRemembered) return;
    proven.clear();
    for (const each of lost) proven.set(each, { until: undefined });
  };

  const announceAll = async (): Promise<void> => {
    while (proven.size + unproven.size > 0) {
      const all = [...unproven, ...proven].slice(0, mostAtOnce);
      const marks = all.flatMap(([name, { until }]) => (until === undefined ? [name] : []));
      const uncertain = all.flatMap(([name, { until }]): [string, number][] =>
        until === undefined ? [] : [[name, until]],
      );
      await write(marks, new Map(uncertain));
      // A mark that was remembered again meanwhile must be written again.
      for (const [name, entry] of all) {
        for (const names of [proven, unproven]) if (names.get(name) === entry) names.delete(name);
      }
    }
  };

  /** They are in the order of their times. */
  const forgetPast = (): void => {
    for (const [change, until] of recent) {
      if (until > performance.now()) return;
      recent.delete(change);
    }
  };

  connection.onBeat((_, { id }) => {
    forgetPast();
    if (id !== lastEra) for (const [change, until] of recent) remember(change, until);
    lastEra = id;
    return announceAll();
  });

  return {
    announce: async (change) => {
      const until = performance.now() + uncertainMs;
      forgetPast();
      if (change.uncertain.length > 0) recent.set(change, until);
      try {
        await write(change.marks, new Map(change.uncertain.map((name) => [name, until])));
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        remember(change, until);
      }
    },
    get isEmpty() {
      return proven.size + unproven.size === 0;
    },
    announceAll,
  };
};
