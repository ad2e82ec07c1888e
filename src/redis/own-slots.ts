import type { Era } from './connection.ts';
import type { SlotState, ToldSlot } from './slots-script.ts';

/** A slot that this process has, or has asked for. */
export interface OwnSlot {
  readonly id: string;
  /** `gone` where it is not in use after all, and Redis may believe otherwise. */
  phase: 'asked' | 'under way' | 'ended' | 'gone';
  /** When it ends to count, in milliseconds of the clock; undefined before its call has ended. */
  freeAt: number | undefined;
  /** As what Redis was up when it was told of it as it is now, and when that was. */
  toldIn: Era | undefined;
  toldAt: number;
}

/**
 * The slots of one credential that this process has. Whatever Redis was not told of them, or not with success, goes along with
 * the next message.
 *
 * @param renewMs how long after it was told of a slot under way Redis is told again, in milliseconds
 */
export const createOwnSlots = (now: () => number, renewMs: number) => {
  const all = new Map<string, OwnSlot>();

  const forgetFree = (): void => {
    for (const [id, { freeAt }] of all) if (freeAt !== undefined && freeAt <= now()) all.delete(id);
  };

  const stateOf = ({ phase, freeAt }: OwnSlot): SlotState =>
    phase === 'ended' && freeAt !== undefined
      ? freeAt - now()
      : phase === 'gone'
        ? 'gone'
        : 'under way';

  const untold = (era: Era): readonly OwnSlot[] => {
    forgetFree();
    return [...all.values()].filter(({ phase, toldIn, toldAt }) => {
      const isOld = phase === 'under way' && now() >= toldAt + renewMs;
      return phase !== 'asked' && (toldIn !== era || isOld);
    });
  };

  return {
    add: (id: string, phase: 'asked' | 'under way'): OwnSlot => {
      const slot: OwnSlot = { id, phase, freeAt: undefined, toldIn: undefined, toldAt: now() };
      all.set(id, slot);
      return slot;
    },
    /** It was asked for, and Redis has given it, or none is known to have. */
    begin: (slot: OwnSlot, toldIn: Era | undefined): void => {
      Object.assign(slot, { phase: 'under way', toldIn, toldAt: now() });
    },
    /** Its call has ended, or it is gone. Redis forgets it by itself by then. */
    end: (slot: OwnSlot, phase: 'ended' | 'gone', inMs: number): void => {
      Object.assign(slot, { phase, freeAt: now() + inMs, toldIn: undefined });
    },
    delete: ({ id }: OwnSlot): void => {
      all.delete(id);
    },
    /** The slot of that id, where Redis is right in counting it. */
    find: (id: string): OwnSlot | undefined => {
      const slot = all.get(id);
      return slot?.phase === 'gone' ? undefined : slot;
    },
    inUse: (): readonly OwnSlot[] => {
      forgetFree();
      return [...all.values()].filter(({ phase }) => phase !== 'gone');
    },
    get isEmpty() {
      forgetFree();
      return all.size === 0;
    },
    hasUntold: (era: Era): boolean => untold(era).length > 0,
    /** What Redis is to be told; `note` is to be called once it was. */
    toTell: (era: Era): { readonly told: readonly ToldSlot[]; note(): void } => {
      const slots = untold(era).map((slot) => ({ slot, phase: slot.phase }));
      return {
        told: slots.map(({ slot }) => ({ id: slot.id, state: stateOf(slot) })),
        note: () => {
          for (const { slot, phase } of slots) {
            // Something else may have become of it meanwhile.
            if (slot.phase !== phase) continue;
            if (phase === 'gone') all.delete(slot.id);
            slot.toldIn = era;
            slot.toldAt = now();
          }
        },
      };
    },
  };
};
