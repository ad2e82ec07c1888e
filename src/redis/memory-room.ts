import type { RedisInfo } from './info.ts';

/** How many bytes of answers one credential may have in Redis, if there is room. */
const largestShare = 16 * 1024 * 1024;

/**
 * Leaves a quarter of Redis' memory free of answers, since slots and marks always need room. Each process may use a tenth of
 * what is left until it next asks Redis for its memory: all processes together come close to the limit, and not over it.
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
    /** Takes that many bytes, unless there is no room. */
    take: (bytes: number): boolean => {
      refresh();
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    /** The bytes that one credential may have. */
    get largestShare() {
      const { most = Infinity } = infoOf()?.memory ?? {};
      return Math.floor(Math.min(largestShare, most / 16));
    },
  };
};
