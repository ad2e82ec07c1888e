import { validMs } from './plan-id.ts';

/** Notes that replicas share: each is made by one process. The promises never reject. */
export interface SharedNotes {
  /** Whether this process has made the note; undefined while the others cannot be asked. */
  make(text: string, keptMs: number): Promise<boolean | undefined>;
  /** Takes a note of this process back. */
  remove(text: string): Promise<void>;
}

/** The plans that are being carried out, or were: each is valid once. */
export interface UsedPlans {
  /** Whether the caller may carry the plan out. From then on nobody else may. */
  take(planId: string): Promise<boolean>;
  /** For a plan that has changed nothing. */
  giveBack(planId: string): Promise<void>;
}

/** @param shared undefined for a gateway without replicas */
export const createUsedPlans = (shared: SharedNotes | undefined): UsedPlans => {
  /** Until when each id is known, in milliseconds of `performance.now()`. */
  const used = new Map<string, number>();
  return {
    take: async (planId) => {
      const now = performance.now();
      for (const [id, end] of used) {
        if (end > now) break;
        used.delete(id);
      }
      if (used.has(planId)) return false;
      used.set(planId, now + validMs);
      const isOurs = (await shared?.make(planId, validMs)) ?? true;
      if (!isOurs) used.delete(planId);
      return isOurs;
    },
    giveBack: async (planId) => {
      used.delete(planId);
      await shared?.remove(planId);
    },
  };
};
