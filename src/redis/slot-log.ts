import {
  createSlotLog,
  freeTimesOf,
  lateMs,
  type Slot,
  type SlotLog,
} from '../upstream/gate/slots.ts';
import type { Era, RedisConnection, Run } from './connection.ts';
import type { OwnSlot } from './own-slots.ts';
import { createSharedSlots, knownMs, type SharedSlotsOptions } from './shared-slots.ts';
import { RedisUnavailable } from './unavailable.ts';

interface RedisSlotLogOptions extends SharedSlotsOptions {
  readonly connection: RedisConnection;
  /** The most calls of the rate for this process while Redis is down. */
  readonly part: number;
  /** Called whenever a slot is taken or asked for. */
  readonly onTake: (log: RedisSlotLog) => void;
  /** Called with each report for which no call waits. If it fails, the connection is down, and reports later. */
  readonly onReport: (reporting: Promise<unknown>) => void;
}

/** A slot log that replicas share. */
export interface RedisSlotLog extends SlotLog {
  /** Whether this log knows something that Redis may lack. */
  hasUnreported(era: Era): boolean;
  /** Reports to Redis all that it may lack. Rejects with `RedisUnavailable`. */
  report(run: Run, era: Era): Promise<void>;
}

const now = (): number => performance.now();

/**
 * The calls of one credential, counted by Redis for all replicas.
 *
 * While Redis is down, this process decides alone and keeps to its part of the limit; for that it always counts its own
 * calls too. It also decides alone at the beginning of an era, for one window and a second, since Redis may not know of
 * earlier calls.
 */
export const createRedisSlotLog = (options: RedisSlotLogOptions): RedisSlotLog => {
  const { connection, rate, part, onTake, onReport } = options;
  const { calls, windowMs } = rate;
  const local = createSlotLog({ calls: part, windowMs }, now);
  const shared = createSharedSlots(options, local.holdFor);
  const { own } = shared;
  let isReportDue = false;

  /** The era in which Redis decides; undefined while this process decides alone. */
  const sharedEra = (): Era | undefined => {
    const { era } = connection;
    return era && era.bornAt + windowMs + lateMs <= now() ? era : undefined;
  };
  const isHeld = (): boolean => shared.heldUntil > now();

  /** One report for all changes of one turn of the event loop. */
  const reportSoon = (): void => {
    if (isReportDue) return;
    isReportDue = true;
    queueMicrotask(() => {
      isReportDue = false;
      if (connection.era) onReport(shared.report(connection.run, connection.era));
    });
  };

  /** @param here the same slot in the local log of this process */
  const slotOf = (mine: OwnSlot, here: Slot): Slot => {
    const end = (phase: 'ended' | 'gone', inMs: number): void => {
      if (mine.phase !== 'under way') return;
      own.end(mine, phase, inMs);
      reportSoon();
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

  /** Calls of low rank may use at least one slot, even if this process's part is not larger than the reserve. */
  const takeLocal = (reserve: number): Slot | undefined =>
    local.left > Math.min(reserve, part - 1) ? local.take() : undefined;

  const takeHere = (reserve: number): Slot | undefined => {
    const here = takeLocal(reserve);
    if (!here) return undefined;
    const mine = own.add(options.nextId(), 'under way');
    reportSoon();
    return slotOf(mine, here);
  };

  const takeThere = async (era: Era, reserve: number): Promise<Slot | undefined> => {
    const { mine, isTaken } = shared.ask(connection.run, era, reserve);
    try {
      if (await isTaken) {
        own.begin(mine, era);
        return slotOf(mine, local.add());
      }
      own.delete(mine);
      return undefined;
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
      // Redis may have given the slot, or may still give it. The slot's state is reported when Redis is back.
      const here = takeLocal(reserve);
      if (here) own.begin(mine, undefined);
      else own.end(mine, 'gone', 0);
      return here && slotOf(mine, here);
    }
  };

  const log: RedisSlotLog = {
    get left() {
      if (!sharedEra()) return local.left;
      return isHeld() ? 0 : Math.max(0, calls - shared.inUse().length);
    },
    get isHeld() {
      return isHeld();
    },
    get isIdle() {
      return own.isEmpty && local.isIdle;
    },
    freeTimes: () =>
      sharedEra() ? freeTimesOf(calls, shared.inUse(), now(), shared.heldUntil) : local.freeTimes(),
    get knownUntil() {
      return sharedEra() ? shared.knownUntil : now() + knownMs;
    },
    refresh: async () => {
      const era = sharedEra();
      if (!era) return;
      const reporting = shared.report(connection.run, era);
      onReport(reporting);
      await reporting.catch(() => undefined);
    },
    take: (reserve) => {
      onTake(log);
      const era = sharedEra();
      return era ? takeThere(era, reserve) : takeHere(reserve);
    },
    holdFor: (milliseconds) => {
      shared.holdFor(milliseconds);
      reportSoon();
    },
    learnLeft: (remaining, forMs) => {
      local.learnLeft(remaining, forMs);
      shared.learnLeft(remaining, forMs);
      reportSoon();
    },
    hasUnreported: shared.hasUnreported,
    report: shared.report,
  };
  return log;
};
