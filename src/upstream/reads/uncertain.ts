import type { Call } from '../call.ts';
import type { PathStart } from '../path.ts';
import { isAmong } from './changes.ts';

/** How long the reads are not kept that a write of unknown outcome changes, in milliseconds. */
const uncertainMs = 30_000;

/** The reads that recent writes of unknown outcome change, for the holder of the write alone. */
export interface Uncertain {
  note(holder: string, changed: readonly PathStart[]): void;
  has(call: Pick<Call, 'holder' | 'path'>): boolean;
}

export const createUncertain = (): Uncertain => {
  const holders = new Map<string, Set<readonly PathStart[]>>();
  return {
    note: (holder, changed) => {
      const all = holders.get(holder) ?? new Set<readonly PathStart[]>();
      holders.set(holder, all.add(changed));
      const end = (): void => {
        all.delete(changed);
        if (all.size === 0) holders.delete(holder);
      };
      setTimeout(end, uncertainMs).unref();
    },
    has: ({ holder, path }) =>
      [...(holders.get(holder) ?? [])].some((changed) => isAmong(changed, path)),
  };
};
