import { lateMs, type Rate } from '../upstream/gate/slots.ts';
import type { Era, Run } from './connection.ts';
import { ofEra } from './names.ts';
import { createOwnSlots, type OwnSlot } from './own-slots.ts';

/** How long Redis' last reply is relied on while calls wait, in milliseconds. */
export const knownMs = 1000;

export interface SharedSlotsOptions {
  /**
   * The names of the credential's slots, and of the pause that the upstream has asked for: one of each for each secret.
   */
  readonly slots: readonly string[];
  readonly holds: readonly string[];
  readonly rate: Rate;
  /** The longest time of a call, in milliseconds. */
  readonly longestCallMs: number;
  /** Makes an id that no other process makes. */
  readonly nextId: () => string;
}

/** The longest pause that an upstream can ask for, in milliseconds. */
const longestHoldMs = 300_000;

const now = (): number => performance.now();

const listOf = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : []);

/** Slots in use, by their ids, with the milliseconds until each is free; undefined while its call is under way. */
const slotsIn = (reply: unknown): ReadonlyMap<string, number | undefined> => {
  const slots = new Map<string, number | undefined>();
  const items = listOf(reply).map(String);
  for (let index = 0; index < items.length; index += 2) {
    const [name = '', freeMs] = items.slice(index, index + 2);
    if (name.startsWith('u')) slots.set(name.slice(1), undefined);
    else slots.set(name, Number(freeMs));
  }
  return slots;
};

/**
 * What this process knows of one credential's slots in Redis. The last reply is kept, so Redis is asked for slots only,
 * and not for how long each call has to wait.
 *
 * @param onHold called with the length of each pause that the upstream has asked for, in milliseconds
 */
export const createSharedSlots = (
  { slots, holds, rate, longestCallMs, nextId }: SharedSlotsOptions,
  onHold: (milliseconds: number) => void,
) => {
  const { calls, windowMs } = rate;
  const longestMs = longestCallMs + windowMs + lateMs;
  const own = createOwnSlots(now, longestCallMs / 3, longestMs);
  /** When the slots of other processes are free, as if the calls under way were answered when Redis replied. */
  let others: readonly number[] = [];
  let knownUntil = 0;
  let heldUntil = 0;
  /** The era in which the pause was reported. It is reported again in a new era, since Redis may have lost it. */
  let heldIn: Era | undefined;
  let learnt: { readonly calls: number; readonly until: number } | undefined;

  const hold = (milliseconds: number): void => {
    heldUntil = Math.max(heldUntil, now() + milliseconds);
    onHold(milliseconds);
  };

  /** Takes over the slots in Redis' reply, with the times at which Redis counts each as free. */
  const mirror = (found: ReturnType<typeof slotsIn>): void => {
    const came = now();
    const ofOthers: number[] = [];
    for (const [id, freeMs] of found) {
      const mine = own.find(id);
      const freeAt = came + (freeMs ?? windowMs);
      if (!mine) ofOthers.push(freeAt);
      else if (mine.freeAt && freeMs) mine.freeAt = Math.max(mine.freeAt, freeAt);
    }
    others = ofOthers;
    knownUntil = came + knownMs;
  };

  /**
   * Reports all that Redis may lack. If `reserve` is given, also asks for a slot, and returns whether Redis gave it.
   */
  const send = async (run: Run, era: Era, id: string, reserve?: number): Promise<boolean> => {
    const { reported, note } = own.toReport(era);
    const left = learnt ? [learnt.calls, Math.max(0, Math.ceil(learnt.until - now()))] : ['', 0];
    learnt = undefined;
    const heldThen = heldUntil;
    const holdMs = heldIn === era ? 0 : Math.max(0, Math.ceil(heldUntil - now()));
    const reply = await run(
      'slots',
      [...ofEra(slots, era), ...ofEra(holds, era)],
      [calls, longestMs, longestHoldMs, id, reserve ?? '', holdMs, ...left, ...reported],
    );
    const [isTaken, heldMs, all] = listOf(reply);
    note();
    if (heldUntil === heldThen) heldIn = era;
    hold(Number(heldMs));
    mirror(slotsIn(all));
    return Number(isTaken) === 1;
  };

  return {
    own,
    /** Notes a slot that Redis is asked for. */
    ask: (run: Run, era: Era, reserve: number): { mine: OwnSlot; isTaken: Promise<boolean> } => {
      const mine = own.add(nextId(), 'asked');
      return { mine, isTaken: send(run, era, mine.id, reserve) };
    },
    /** Reports all that Redis may lack. Rejects with `RedisUnavailable`. */
    report: async (run: Run, era: Era): Promise<void> => {
      await send(run, era, nextId());
    },
    hasUnreported: (era: Era): boolean =>
      own.hasUnreported(era) || (heldUntil > now() && heldIn !== era),
    holdFor: (milliseconds: number): void => {
      heldIn = undefined;
      hold(milliseconds);
    },
    learnLeft: (remaining: number, forMs: number): void => {
      learnt = { calls: remaining, until: now() + forMs };
    },
    /** When each slot in use is free. */
    inUse: (): readonly number[] => [
      ...own.inUse().map(({ freeAt }) => freeAt ?? now() + windowMs),
      ...others.filter((freeAt) => freeAt > now()),
    ],
    get heldUntil() {
      return heldUntil;
    },
    get knownUntil() {
      return knownUntil;
    },
  };
};
