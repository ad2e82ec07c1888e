import type { Era } from './connection.ts';
import type { SlotState, ToldSlot } from './slots-script.ts';

/** A slot that this process holds, or has asked for. */
export interface OwnSlot {
  readonly id: string;
  /** `gone`: not in use after all, though Redis may still count it. */
  phase: 'asked' | 'under way' | 'ended' | 'gone';
  /** When it stops counting, in milliseconds of the clock; undefined before its call has ended. */
  freeAt: number | undefined;
  /** When Redis has forgotten it even if nothing more is told of it, in milliseconds of the clock. */
  forgottenAt: number;
  /** In which era Redis was told the current state of the slot, and when. */
  toldIn: Era | undefined;
  toldAt: number;
}

/**
 * The slots of one credential in this process. Whatever Redis has not confirmed goes along with the next message.
 *
 * @param renewMs how often Redis is told again of a slot under way, in milliseconds
 * @param longestMs how long Redis counts a slot under way of which it is told nothing more, in milliseconds
 */
export const createOwnSlots = (now: () => number, renewMs: number, longestMs: number) => {
  const all = new Map<string, OwnSlot>();

  const isFree = ({ freeAt = Infinity }: OwnSlot): boolean => freeAt <= now();

  /** Until Redis is told of its end, it may count a free slot as under way. */
  const forgetFree = (): void => {
    for (const slot of all.values()) {
      const isForgotten = slot.toldIn !== undefined || slot.forgottenAt <= now();
      if (isFree(slot) && isForgotten) all.delete(slot.id);
    }
  };

  const stateOf = (slot: OwnSlot): SlotState => {
    if (slot.freeAt === undefined) return 'under way';
    return isFree(slot) ? 'gone' : slot.freeAt - now();
  };

  const untold = (era: Era): readonly OwnSlot[] => {
    forgetFree();
    return [...all.values()].filter(({ phase, toldIn, toldAt }) => {
      const isOld = phase === 'under way' && now() >= toldAt + renewMs;
      return phase !== 'asked' && (toldIn !== era || isOld);
    });
  };

  return {
    add: (id: string, phase: 'asked' | 'under way'): OwnSlot => {
      const slot: OwnSlot = {
        ...{ id, phase, freeAt: undefined, forgottenAt: Infinity },
        ...{ toldIn: undefined, toldAt: now() },
      };
      all.set(id, slot);
      return slot;
    },
    /** The call begins. `toldIn` is undefined if Redis has not confirmed the slot. */
    begin: (slot: OwnSlot, toldIn: Era | undefined): void => {
      Object.assign(slot, { phase: 'under way', toldIn, toldAt: now() });
    },
    /** The call has ended, or the slot is gone. It is free after `inMs`. */
    end: (slot: OwnSlot, phase: 'ended' | 'gone', inMs: number): void => {
      const forgottenAt = now() + longestMs;
      Object.assign(slot, { phase, freeAt: now() + inMs, forgottenAt, toldIn: undefined });
    },
    delete: ({ id }: OwnSlot): void => {
      all.delete(id);
    },
    /** The slot with that id, unless it is gone. */
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
    hasUntold: (era: Era): boolean => untold(era).length > 0,
    /** The slots to tell Redis of. `note` must be called once Redis has confirmed them. */
    toTell: (era: Era): { readonly told: readonly ToldSlot[]; note(): void } => {
      const slots = untold(era).map((slot) => ({ slot, phase: slot.phase }));
      return {
        told: slots.map(({ slot }) => ({ id: slot.id, state: stateOf(slot) })),
        note: () => {
          for (const { slot, phase } of slots) {
            // Its state may have changed meanwhile.
            if (slot.phase !== phase) continue;
            slot.toldIn = era;
            slot.toldAt = now();
          }
        },
      };
    },
  };
};
