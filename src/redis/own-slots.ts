import type { Era } from './connection.ts';

/** A slot that this process has, or has asked Redis for. */
export interface OwnSlot {
  readonly id: string;
  /** `gone`: no longer in use, though Redis may still count it. */
  phase: 'asked' | 'under way' | 'ended' | 'gone';
  /** When the slot is free, in milliseconds of the log's clock; undefined before its call has ended. */
  freeAt: number | undefined;
  /** When Redis has forgotten the slot even without a further report, in milliseconds of the log's clock. */
  forgottenAt: number;
  /** The era in which the slot's present state was reported to Redis, and when. */
  reportedIn: Era | undefined;
  reportedAt: number;
}

/**
 * The slots of one credential in this process. Each message to Redis has all that Redis has not confirmed.
 *
 * @param renewMs how often a slot under way is reported again, in milliseconds
 * @param longestMs how long Redis counts a slot under way without a further report, in milliseconds
 */
export const createOwnSlots = (now: () => number, renewMs: number, longestMs: number) => {
  const all = new Map<string, OwnSlot>();

  const isFree = ({ freeAt = Infinity }: OwnSlot): boolean => freeAt <= now();

  /** Keeps a free slot until its end is reported, or Redis would count it as under way. */
  const forgetFree = (): void => {
    for (const slot of all.values()) {
      const isForgotten = slot.reportedIn !== undefined || slot.forgottenAt <= now();
      if (isFree(slot) && isForgotten) all.delete(slot.id);
    }
  };

  const stateOf = (slot: OwnSlot): 'under way' | 'gone' | number => {
    if (slot.freeAt === undefined) return 'under way';
    return isFree(slot) ? 'gone' : Math.ceil(slot.freeAt - now());
  };

  const unreported = (era: Era): readonly OwnSlot[] => {
    forgetFree();
    return [...all.values()].filter(({ phase, reportedIn, reportedAt }) => {
      const isOld = phase === 'under way' && now() >= reportedAt + renewMs;
      return phase !== 'asked' && (reportedIn !== era || isOld);
    });
  };

  return {
    add: (id: string, phase: 'asked' | 'under way'): OwnSlot => {
      const slot: OwnSlot = {
        ...{ id, phase, freeAt: undefined, forgottenAt: Infinity },
        ...{ reportedIn: undefined, reportedAt: now() },
      };
      all.set(id, slot);
      return slot;
    },
    /** The call begins. `reportedIn` is undefined if Redis has not confirmed the slot. */
    begin: (slot: OwnSlot, reportedIn: Era | undefined): void => {
      Object.assign(slot, { phase: 'under way', reportedIn, reportedAt: now() });
    },
    /** The call has ended, or the slot is gone. The slot is free after `inMs` milliseconds. */
    end: (slot: OwnSlot, phase: 'ended' | 'gone', inMs: number): void => {
      const forgottenAt = now() + longestMs;
      Object.assign(slot, { phase, freeAt: now() + inMs, forgottenAt, reportedIn: undefined });
    },
    delete: ({ id }: OwnSlot): void => {
      all.delete(id);
    },
    /** The slot with this id, unless it is gone. */
    find: (id: string): OwnSlot | undefined => {
      const slot = all.get(id);
      return slot?.phase === 'gone' ? undefined : slot;
    },
    inUse: (): readonly OwnSlot[] => {
      forgetFree();
      return [...all.values()].filter((slot) => !isFree(slot));
    },
    get isEmpty() {
      forgetFree();
      return all.size === 0;
    },
    hasUnreported: (era: Era): boolean => unreported(era).length > 0,
    /** The ids and states of the slots to report. `note` must be called once Redis has confirmed them. */
    toReport: (era: Era): { readonly reported: readonly (string | number)[]; note(): void } => {
      const slots = unreported(era).map((slot) => ({ slot, phase: slot.phase }));
      return {
        reported: slots.flatMap(({ slot }) => [slot.id, stateOf(slot)]),
        note: () => {
          for (const { slot, phase } of slots) {
            // The slot's state may have changed meanwhile.
            if (slot.phase !== phase) continue;
            slot.reportedIn = era;
            slot.reportedAt = now();
          }
        },
      };
    },
  };
};
