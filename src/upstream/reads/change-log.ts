import { LRUCache } from 'lru-cache';
import type { PathStart } from '../path.ts';
import { foldPath } from './changes.ts';

/**
 * The changes that writes have made, with their times in milliseconds of `performance.now()`. A change that is forgotten
 * for lack of room moves the horizon: every read that was sent before the horizon counts as changed.
 */
export interface ChangeLog {
  /**
   * Notes that the reads of these paths change now, for one holder, or for all if none is given.
   *
   * @param until for a write that may still be carried out: how long it may change them
   */
  note(starts: readonly PathStart[], holder?: string, until?: number): void;
  /** The last change up to that time of the read with these names. */
  lastOf(names: readonly string[], upTo: number): number;
}

interface Change {
  at: number;
  until: number;
}

/** How many changes are remembered, each by its path and holder, at some 200 bytes each. */
const mostKnown = 10_000;

const extend = (known: Change, { at, until }: Change): void => {
  known.at = Math.max(known.at, at);
  known.until = Math.max(known.until, until);
};

const everybody = '*';
const nameOf = (holder: string, { path, isWhole }: PathStart): string =>
  `${holder} ${isWhole ? 'whole' : 'start'} ${path}`;

/**
 * The names under which changes of a read are found: its path, the starts of its path that a change may name, and all
 * paths.
 */
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

export const createChangeLog = (): ChangeLog => {
  /** Stands for all forgotten changes, as if each had changed every read. */
  const horizon: Change = { at: -Infinity, until: -Infinity };
  const changes = new LRUCache<string, Change>({
    max: mostKnown,
    dispose: (change, _, reason) => {
      if (reason === 'evict') extend(horizon, change);
    },
  });
  const lastOf: ChangeLog['lastOf'] = (names, upTo) => {
    const latestOf = ({ at, until }: Change): number => (until <= upTo ? Math.max(at, until) : at);
    let last = latestOf(horizon);
    for (const name of names) {
      const change = changes.peek(name);
      if (change) last = Math.max(last, latestOf(change));
    }
    return last;
  };

  return {
    lastOf,
    note: (starts, holder = everybody, until = -Infinity) => {
      const at = performance.now();
      for (const start of starts) {
        const name = nameOf(holder, start);
        const known = changes.get(name);
        if (known) extend(known, { at, until });
        else changes.set(name, { at, until });
      }
    },
  };
};
