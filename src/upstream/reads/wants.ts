import { LRUCache } from 'lru-cache';

/** How long a read is wanted after it was asked for, in milliseconds: whoever asked may come back for it. */
export const wantedForMs = 60_000;
/** Credentials that are known, and reads of each. */
const mostHolders = 10_000;
const mostReads = 5000;
/**
 * Reads of all credentials that have had a success, and of the others, which may be invented. A path takes some hundred bytes.
 */
const mostOfProven = 200_000;
const mostOfUnproven = 20_000;

/** Which reads each holder has asked for lately. */
export interface Wants {
  note(holder: string, path: string): void;
  /** How many reads the holder wants. */
  count(holder: string): number;
  /** For how much longer the read is wanted, in milliseconds; 0 where it is not. */
  leftMs(holder: string, path: string): number;
  /** How many reads are known. */
  readonly size: number;
}

/** When each path was asked for last, the one of longest ago first. */
type Reads = Map<string, number>;

/** The reads of some holders, `most` at a time. Where there are more, the holder is forgotten that has asked for nothing for the longest time. */
const createShelf = (most: number) => {
  let size = 0;
  const holders = new LRUCache<string, Reads>({
    max: mostHolders,
    dispose: (reads) => {
      size -= reads.size;
    },
  });
  return {
    get size() {
      return size;
    },
    get: (holder: string): Reads | undefined => holders.get(holder),
    /** Takes them out. */
    take: (holder: string): Reads | undefined => {
      const reads = holders.peek(holder);
      holders.delete(holder);
      return reads;
    },
    put: (holder: string, reads: Reads): void => {
      holders.set(holder, reads);
      size += reads.size;
      while (size > most) holders.pop();
    },
  };
};

interface WantsOptions {
  /** Whether the upstream has lately accepted a holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now?: () => number;
}

export const createWants = ({ isProven, now = () => performance.now() }: WantsOptions): Wants => {
  const proven = createShelf(mostOfProven);
  // Invented credentials displace no proven one.
  const unproven = createShelf(mostOfUnproven);
  const leftOf = (at: number): number => Math.max(0, at + wantedForMs - now());
  const readsOf = (holder: string): Reads | undefined => proven.get(holder) ?? unproven.get(holder);

  /** Takes out what is known of the holder, but for what it wants no longer. */
  const takeOf = (holder: string): Reads => {
    const reads = proven.take(holder) ?? unproven.take(holder) ?? new Map<string, number>();
    for (const [path, at] of reads) {
      if (leftOf(at) > 0) break;
      reads.delete(path);
    }
    return reads;
  };
  const put = (holder: string, reads: Reads): void => {
    if (reads.size > 0) (isProven(holder) ? proven : unproven).put(holder, reads);
  };

  return {
    note: (holder, path) => {
      const reads = takeOf(holder);
      reads.delete(path);
      reads.set(path, now());
      if (reads.size > mostReads) reads.delete(reads.keys().next().value ?? '');
      put(holder, reads);
    },
    count: (holder) => {
      const reads = takeOf(holder);
      put(holder, reads);
      return reads.size;
    },
    leftMs: (holder, path) => leftOf(readsOf(holder)?.get(path) ?? -Infinity),
    get size() {
      return proven.size + unproven.size;
    },
  };
};
