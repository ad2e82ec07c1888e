import { LRUCache } from 'lru-cache';
import type { PathStart } from '../path.ts';
import { foldPath } from './changes.ts';

/**
 * What writes have changed, and when. Times are in milliseconds of `performance.now()`. What is forgotten for want of room
 * moves the horizon: whatever was sent before it counts as changed.
 */
export interface ChangeLog {
  /**
   * What one holder, or everybody where none is given, reads of these paths changes now.
   *
   * @param until of a write that may still be carried out: until when it may change them
   */
  note(starts: readonly PathStart[], holder?: string, until?: number): void;
  /** When the read that has these names changed last, of all changes up to that time. */
  lastOf(names: readonly string[], upTo: number): number;
}

interface Change {
  at: number;
  until: number;
}

/** Changes that are remembered, each by its path and holder. Some 200 bytes each. */
const mostKnown = 10_000;

const extend = (known: Change, { at, until }: Change): void => {
  known.at = Math.max(known.at, at);
  known.until = Math.max(known.until, until);
};

const everybody = '*';
const nameOf = (holder: string, { path, isWhole }: PathStart): string =>
  `${holder} ${isWhole ? 'whole' : 'start'} ${path}`;

/**
 * The names under which changes of a read are found: its path, all paths, and what of its path changes may name in place of
 * the whole.
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
  /** Stands for all changes that are forgotten, as if each had changed everything. */
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
