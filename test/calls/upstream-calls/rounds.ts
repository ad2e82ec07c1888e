import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Answering, Call } from '../../support/harness.ts';

/** How long no call may arrive before those that wait are answered, in milliseconds. */
const quietMs = 30;
/**
 * Turns of the event loop that must pass without a call after that. The gateway runs in this process:
 * whatever held the loop up, so that the pause ran out, held its calls up too, and they come now.
 */
const quietTurns = 10;

/** Backends in step: the calls that need no other's answer are all held before one is answered. */
export interface Rounds {
  /** Makes a backend hold every answer until the gateway is quiet, and release all held ones together. */
  hold(answering: Answering): Answering;
  /** Calls since the last `restart`, each with the number of the release it belonged to, from 1. */
  of(calls: readonly Call[]): readonly { readonly call: Call; readonly round: number }[];
  /** Counts from 1 again. */
  restart(): void;
}

/**
 * Measures sequential rounds. Time decides only how long the backends wait, never what is asserted: a
 * round is one more than that of the calls whose answers had to come first.
 */
export const createRounds = (): Rounds => {
  let rounds = new Map<Call, number>();
  let round = 1;
  let arrivals = 0;
  let held: (() => void)[] = [];
  let waiting = false;

  const quiet = async (): Promise<void> => {
    let seen: number;
    do {
      seen = arrivals;
      await pause(quietMs);
      for (let turns = 0; turns < quietTurns && seen === arrivals; turns += 1) await turn();
    } while (seen !== arrivals);
  };

  const releaseWhenQuiet = async (): Promise<void> => {
    if (waiting) return;
    waiting = true;
    await quiet();
    waiting = false;
    round += 1;
    const released = held;
    held = [];
    for (const release of released) release();
  };

  return {
    hold: (answering) => async (call) => {
      arrivals += 1;
      rounds.set(call, round);
      await new Promise<void>((release) => {
        held.push(release);
        releaseWhenQuiet();
      });
      return answering(call);
    },
    of: (calls) => calls.map((call) => ({ call, round: rounds.get(call) ?? 0 })),
    restart: () => {
      rounds = new Map();
      round = 1;
    },
  };
};
