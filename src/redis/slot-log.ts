import {
  createSlotLog,
  freeTimesOf,
  lateMs,
  type Rate,
  type Slot,
  type SlotLog,
} from '../upstream/gate/slots.ts';
import { type Era, type RedisConnection, RedisUnavailable } from './connection.ts';
import { createOwnSlots, type OwnSlot } from './own-slots.ts';
import { askForSlots, type SlotTimes } from './slots-script.ts';

/** How long the slots in Redis' last reply count as known while calls wait, in milliseconds. */
const knownMs = 1000;

interface RedisSlotLogOptions {
  readonly connection: RedisConnection;
  /** The names of the credential's slots and of its hold, one of each for each secret. */
  readonly slots: readonly string[];
  readonly holds: readonly string[];
  readonly rate: Rate;
  /** How many calls of the rate this process may make while Redis is down. */
  readonly part: number;
  /** The longest time of a call, in milliseconds. */
  readonly longestCallMs: number;
  /** Makes an id that is unique among all processes. */
  readonly nextId: () => string;
  /** Called whenever a slot is taken or asked for. */
  readonly onTake: (log: RedisSlotLog) => void;
  /** Called with each report to Redis that no call waits for. After a failure the connection is down, and reports again once it is up. */
  readonly onTelling: (telling: Promise<unknown>) => void;
}

/** A slot log that replicas share. */
export interface RedisSlotLog extends SlotLog {
  /** Whether Redis may lack something that this log knows. */
  hasUntold(era: Era): boolean;
  /** Tells Redis all that it may lack. Rejects with `RedisUnavailable`. */
  tell(run: RedisConnection['run'], era: Era): Promise<void>;
}

const now = (): number => performance.now();

/**
 * The calls of one credential, counted by Redis for all replicas. Redis' last reply is kept, so that Redis is only asked
 * for slots, and not for how long each call has to wait.
 *
 * While Redis is down, this process decides alone and keeps to its part of the limit; all its calls count there. It does
 * the same for one window after Redis was flushed or restarted, since Redis does not know of earlier calls then.
 */
export const createRedisSlotLog = (options: RedisSlotLogOptions): RedisSlotLog => {
  const { connection, rate, part, longestCallMs, nextId, onTake, onTelling } = options;
  const { calls, windowMs } = rate;
  const longestMs = longestCallMs + windowMs + lateMs;
  const local = createSlotLog({ calls: part, windowMs }, now);
  const own = createOwnSlots(now, longestCallMs / 3, longestMs);
  /** When the slots of other processes are free. A call under way counts as answered when Redis replied. */
  let others: readonly number[] = [];
  let knownUntil = 0;
  let heldUntil = 0;
  /** The era in which Redis was told of the hold. In a new era it is told again, since it may have lost the hold. */
  let heldIn: Era | undefined;
  let learnt: { readonly calls: number; readonly until: number } | undefined;
  let isTellingDue = false;

  /** No slot is taken while processes report theirs to Redis again. */
  const isSettling = (): boolean => connection.settledAt > now();

  const isShared = (): boolean => {
    const { era } = connection;
    return era !== undefined && era.bornAt + windowMs + lateMs <= now();
  };

  const hold = (milliseconds: number): void => {
    heldUntil = Math.max(heldUntil, now() + milliseconds);
    local.holdFor(milliseconds);
  };

  /** Takes over the slots in Redis' reply, with the times at which Redis will count each as free. */
  const mirror = (slots: SlotTimes): void => {
    const came = now();
    const found: number[] = [];
    for (const [id, freeMs] of slots) {
      const mine = own.find(id);
      const freeAt = came + (freeMs ?? windowMs);
      if (!mine) found.push(freeAt);
      else if (mine.freeAt && freeMs) mine.freeAt = Math.max(mine.freeAt, freeAt);
    }
    others = found;
    knownUntil = came + knownMs;
  };

  /** Tells Redis all that it may lack, and asks for a slot if `reserve` is given. */
  const ask = async (
    run: RedisConnection['run'],
    era: Era,
    slot: { readonly id: string; readonly reserve: number | undefined },
  ): Promise<boolean> => {
    const { told, note } = own.toTell(era);
    const left = learnt && { calls: learnt.calls, forMs: Math.max(0, learnt.until - now()) };
    learnt = undefined;
    const heldThen = heldUntil;
    const holdMs = heldIn === era ? 0 : Math.max(0, heldUntil - now());
    // Slots of an era whose clock has jumped would be free too early, or far too late.
    const inEra = (names: readonly string[]) => names.map((name) => `${name}:${era.id}`);
    const { isTaken, heldMs, slots } = await askForSlots(run, {
      ...{ slots: inEra(options.slots), holds: inEra(options.holds) },
      ...{ calls, longestMs, holdMs, left, told },
      ...slot,
    });
    note();
    if (heldUntil === heldThen) heldIn = era;
    hold(heldMs);
    mirror(slots);
    return isTaken;
  };
  const tell = async (run: RedisConnection['run'], era: Era): Promise<void> => {
    await ask(run, era, { id: nextId(), reserve: undefined });
  };

  /** One report serves all changes in one turn of the event loop. */
  const tellSoon = (): void => {
    if (isTellingDue) return;
    isTellingDue = true;
    queueMicrotask(() => {
      isTellingDue = false;
      if (connection.era) onTelling(tell(connection.run, connection.era));
    });
  };

  /** @param here the same slot in the local log of this process */
  const slotOf = (mine: OwnSlot, here: Slot): Slot => {
    const end = (phase: 'ended' | 'gone', inMs: number): void => {
      if (mine.phase !== 'under way') return;
      own.end(mine, phase, inMs);
      tellSoon();
    };
    return {
      answered: () => {
        end('ended', windowMs);
        here.answered();
      },
      givenUp: () => {
        end('ended', windowMs + lateMs);
        here.givenUp();
      },
      giveBack: () => {
        end('gone', 0);
        here.giveBack();
      },
    };
  };

  /** At least one slot of this process's own part is open to calls of low rank. */
  const takeLocal = (reserve: number): Slot | undefined =>
    !isSettling() && local.left > Math.min(reserve, part - 1) ? local.take() : undefined;

  const takeHere = (reserve: number): Slot | undefined => {
    const here = takeLocal(reserve);
    if (!here) return undefined;
    const mine = own.add(nextId(), 'under way');
    tellSoon();
    return slotOf(mine, here);
  };

  const takeThere = async (era: Era, reserve: number): Promise<Slot | undefined> => {
    const mine = own.add(nextId(), 'asked');
    try {
      const isTaken = await ask(connection.run, era, { id: mine.id, reserve });
      if (isTaken) own.begin(mine, era);
      else own.delete(mine);
      return isTaken ? slotOf(mine, local.add()) : undefined;
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      // Redis may have given the slot, or may still do so. It is told the slot's state when it is back.
      const here = takeLocal(reserve);
      if (here) own.begin(mine, undefined);
      else own.end(mine, 'gone', 0);
      return here && slotOf(mine, here);
    }
  };

  /** When each slot in use is free. */
  const inUse = (): readonly number[] => [
    ...own.inUse().map(({ freeAt }) => freeAt ?? now() + windowMs),
    ...others.filter((freeAt) => freeAt > now()),
  ];
  const isHeld = (): boolean => heldUntil > now();

  const log: RedisSlotLog = {
    get left() {
      if (isSettling()) return 0;
      if (!isShared()) return local.left;
      return isHeld() ? 0 : Math.max(0, calls - inUse().length);
    },
    get isHeld() {
      return isHeld();
    },
    get isIdle() {
      return own.isEmpty && local.isIdle;
    },
    freeTimes: () => {
      const { settledAt } = connection;
      if (!isShared()) return local.freeTimes().map((each) => Math.max(each, settledAt));
      return freeTimesOf(calls, inUse(), now(), Math.max(heldUntil, settledAt));
    },
    get knownUntil() {
      return isShared() ? knownUntil : now() + knownMs;
    },
    refresh: async () => {
      const { era } = connection;
      if (!era || !isShared()) return;
      const telling = tell(connection.run, era);
      onTelling(telling);
      await telling.catch(() => undefined);
    },
    take: (reserve) => {
      onTake(log);
      if (isSettling()) return undefined;
      const { era } = connection;
      return era && isShared() ? takeThere(era, reserve) : takeHere(reserve);
    },
    holdFor: (milliseconds) => {
      heldIn = undefined;
      hold(milliseconds);
      tellSoon();
    },
    learnLeft: (remaining, forMs) => {
      local.learnLeft(remaining, forMs);
      learnt = { calls: remaining, until: now() + forMs };
      tellSoon();
    },
    hasUntold: (era) => own.hasUntold(era) || (isHeld() && heldIn !== era),
    tell,
  };
  return log;
};
