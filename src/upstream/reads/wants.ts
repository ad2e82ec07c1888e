import { LRUCache } from 'lru-cache';

/** How long a read is wanted after it was asked for, in milliseconds: whoever asked may come back for it. */
export const wantedForMs = 60_000;
/** Credentials, and reads of each, that are known. A path takes some hundred bytes. */
const mostHolders = 10_000;
const mostReads = 5000;

/** Which reads each holder has asked for lately. */
export interface Wants {
  note(holder: string, path: string): void;
  /** How many reads the holder wants. */
  count(holder: string): number;
  /** For how much longer the read is wanted, in milliseconds; 0 where it is not. */
  leftMs(holder: string, path: string): number;
}

/** @param now milliseconds of a clock that never runs backwards */
export const createWants = (now: () => number = () => performance.now()): Wants => {
  /** When each path was asked for last, the one of longest ago first. */
  const holders = new LRUCache<string, Map<string, number>>({ max: mostHolders });
  const leftOf = (at: number): number => Math.max(0, at + wantedForMs - now());
  return {
    note: (holder, path) => {
      const reads = holders.get(holder) ?? new Map<string, number>();
      reads.delete(path);
      reads.set(path, now());
      if (reads.size > mostReads) reads.delete(reads.keys().next().value ?? '');
      holders.set(holder, reads);
    },
    count: (holder) => {
      const reads = holders.get(holder);
      if (!reads) return 0;
      for (const [path, at] of reads) {
        if (leftOf(at) > 0) break;
        reads.delete(path);
      }
      if (reads.size === 0) holders.delete(holder);
      return reads.size;
    },
    leftMs: (holder, path) => leftOf(holders.get(holder)?.get(path) ?? -Infinity),
  };
};
