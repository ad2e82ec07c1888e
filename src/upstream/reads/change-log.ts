import { LRUCache } from 'lru-cache';
import type { PathStart } from '../path.ts';
import { foldPath } from './changes.ts';

/**
 * The changes that writes have made, with their times in milliseconds of `performance.now()`. A change that is
 * forgotten for lack of room moves a horizon: every read that was sent before the horizon counts as changed. Unproven
 * credentials, which may be invented, have a separate room and horizon, so that they cannot displace other changes.
 */
export interface ChangeLog {
  /**
   * Notes that the reads of these paths change now, for one holder, or for all if none is given.
   *
   * @param until for a write that may still be carried out: the last time at which it may change them
   */
  note(starts: readonly PathStart[], holder?: string, until?: number): void;
  /** Notes that another process has changed this read. It takes no room from other changes, and ends with the read's entry. */
  noteRead(read: ChangedRead, until?: number): void;
  /**
   * When the read was last changed.
   *
   * @param upTo the end of an uncertain write counts as a change only if it is not after this time
   */
  lastOf(read: ChangedRead, upTo: number): number;
}

/** A read as its changes see it; see `changeNamesOf`. */
interface ChangedRead {
  readonly holder: string;
  readonly changeNames: readonly string[];
  /** The last change by another process; see `noteRead`. */
  readonly changed: Change;
}

export interface Change {
  at: number;
  until: number;
}

/** A change that is before all others. */
export const noChange = (): Change => ({ at: -Infinity, until: -Infinity });

/** How long a write of unknown outcome may still change reads, in milliseconds. */
export const uncertainMs = 30_000;

/** The most changes in each of the two rooms. A change takes some 200 bytes. */
const mostKnown = 10_000;

const extend = (known: Change, { at, until }: Change): void => {
  known.at = Math.max(known.at, at);
  known.until = Math.max(known.until, until);
};

const everybody = '*';
const nameOf = (holder: string, { path, isWhole }: PathStart): string =>
  `${holder} ${isWhole ? 'whole' : 'start'} ${path}`;

/** The names under which changes of a read are found: its path, some starts of its path, and all paths. */
export const changeNamesOf = (
  holder: string,
  path: string,
  starts: readonly string[],
): readonly string[] => {
  const parts: readonly PathStart[] = [
    { path: foldPath(path), isWhole: true },
    ...['', ...starts].map((start) => ({ path: start, isWhole: false })),
  ];
  return [holder, everybody].flatMap((each) => parts.map((part) => nameOf(each, part)));
};

/** Some changes, and the horizon: forgotten changes count as if each had changed every read. */
const createRoom = () => {
  const horizon = noChange();
  const changes = new LRUCache<string, Change>({
    max: mostKnown,
    dispose: (change, _, reason) => {
      if (reason === 'evict') extend(horizon, change);
    },
  });
  return { horizon, changes };
};

/** @param provenSince since when an upstream has accepted a holder's credential; `Infinity` if it has not lately */
export const createChangeLog = (provenSince: (holder: string) => number): ChangeLog => {
  const proven = createRoom();
  const unproven = createRoom();

  /** The unproven horizon for one holder: its changes were noted there only before its credential was proven. */
  const unprovenHorizonOf = (holder: string): Change => {
    const { at, until } = unproven.horizon;
    const since = provenSince(holder);
    return { at: Math.min(at, since), until: Math.min(until, since + uncertainMs) };
  };

  return {
    lastOf: ({ holder, changeNames, changed }, upTo) => {
      const latestOf = ({ at, until }: Change): number =>
        until <= upTo ? Math.max(at, until) : at;
      const unprovenHorizon = unprovenHorizonOf(holder);
      let last = Math.max(latestOf(proven.horizon), latestOf(unprovenHorizon), latestOf(changed));
      for (const name of changeNames) {
        for (const { changes } of [proven, unproven]) {
          const change = changes.peek(name);
          if (change) last = Math.max(last, latestOf(change));
        }
      }
      return last;
    },
    note: (starts, holder = everybody, until = -Infinity) => {
      const at = performance.now();
      const isProven = holder === everybody || provenSince(holder) <= at;
      const { changes } = isProven ? proven : unproven;
      for (const start of starts) {
        const name = nameOf(holder, start);
        const known = changes.get(name);
        if (known) extend(known, { at, until });
        else changes.set(name, { at, until });
      }
    },
    noteRead: ({ changed }, until = -Infinity) => extend(changed, { at: performance.now(), until }),
  };
};
