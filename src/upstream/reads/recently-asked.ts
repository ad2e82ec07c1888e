import { LRUCache } from 'lru-cache';

/** How long a read counts as recently asked, in milliseconds: the client may come back for it. */
export const recentMs = 60_000;
/** The most reads that one request may ask for. With 10 000 reads each view costs seconds of CPU. */
export const mostReadsOfRequest = 2000;
/** The most credentials that are remembered, and the most reads of each. */
const mostHolders = 10_000;
const mostReads = 5000;
/** The most reads of all proven credentials, and of all unproven ones. A path takes some 100 bytes. */
const mostOfProven = 200_000;
const mostOfUnproven = 20_000;

/** Which reads each holder has asked for lately. */
export interface RecentlyAsked {
  note(holder: string, path: string): void;
  /** How many reads the holder has asked for lately. */
  count(holder: string): number;
  /** How much longer the read counts as recently asked, in milliseconds; 0 if it does not. */
  leftMs(holder: string, path: string): number;
  readonly size: number;
}

/** When each path was last asked for, oldest first. */
type Reads = Map<string, number>;

/** The reads of some holders, at most `most` in all. Beyond that, the holder that was idle longest is forgotten. */
const createReadsOfHolders = (most: number) => {
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

interface RecentlyAskedOptions {
  /** Whether the upstream has lately accepted a holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now?: () => number;
}

export const createRecentlyAsked = ({
  isProven,
  now = () => performance.now(),
}: RecentlyAskedOptions): RecentlyAsked => {
  const proven = createReadsOfHolders(mostOfProven);
  // Kept apart, so that invented credentials displace no proven ones.
  const unproven = createReadsOfHolders(mostOfUnproven);
  const leftOf = (at: number): number => Math.max(0, at + recentMs - now());
  const readsOf = (holder: string): Reads | undefined => proven.get(holder) ?? unproven.get(holder);

  /** Removes the reads of the holder, and returns those that are still recent. */
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
