import type { RedisInfo } from './info.ts';

/** The most bytes of answers of one credential in Redis, if there is enough room. */
const largestShare = 16 * 1024 * 1024;

/**
 * Leaves a quarter of Redis' memory free of answers, since slots and marks always need room. Until a process next asks
 * Redis for its memory, it may use a tenth of the rest, so up to ten processes together cannot exceed it.
 */
export const createMemoryRoom = (infoOf: () => RedisInfo | undefined) => {
  let known: RedisInfo | undefined;
  let left = Infinity;
  const refresh = (): void => {
    const info = infoOf();
    if (info === known) return;
    known = info;
    left = info ? (info.memory.most * 0.75 - info.memory.used) / 10 : Infinity;
  };
  return {
    /** Takes some bytes; false if there is no room for them. */
    take: (bytes: number): boolean => {
      refresh();
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    /** The most bytes of answers of one credential. */
    get largestShare() {
      const { most = Infinity } = infoOf()?.memory ?? {};
      return Math.floor(Math.min(largestShare, most / 16));
    },
  };
};
