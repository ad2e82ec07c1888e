import { failed } from '../../../src/upstream/call.ts';
import { type Claim, Claims, type Priority } from '../../../src/upstream/gate/claims.ts';
import { createQueue } from '../../../src/upstream/gate/pacing.ts';
import {
  createSlotLog,
  type LocalSlotLog,
  type Rate,
  type Slot,
  type SlotLog,
} from '../../../src/upstream/gate/slots.ts';
import { readOf, settled } from './calls.ts';

/**
 * A clock that moves when it is told to, and calls back on its way.
 *
 * @param tick how far it moves whenever somebody looks at it
 */
const createClock = (tick: number) => {
  let time = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => {
      time += tick;
      return time;
    },
    later: (callback: () => void, milliseconds: number) => {
      const timer = { at: time + milliseconds, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** How many callbacks are due some time. */
    get timers() {
      return timers.size;
    },
    pass: async (milliseconds: number): Promise<void> => {
      const end = time + milliseconds;
      for (;;) {
        await settled();
        const [next] = [...timers]
          .filter(({ at }) => at <= end)
          .sort((one, other) => one.at - other.at);
        if (!next) break;
        time = Math.max(time, next.at);
        timers.delete(next);
        next.callback();
      }
      time = Math.max(time, end);
    },
  };
};

export interface Asking {
  readonly priority?: Priority;
  readonly operation?: object;
  /** Until when it is worth waiting. */
  readonly latest?: number;
  readonly shownReadAt?: number;
}

/** One who waits for a call, alone or among others. */
export interface Waiter {
  readonly claim: Claim;
  /** What it was told, in whole seconds; undefined while it was not refused. */
  retryAfterSeconds: number | undefined;
  /** Whether it has neither left nor been refused. */
  isWaiting: boolean;
  /** Gives up waiting. */
  leave(): void;
}

/** A call that has asked for a slot. */
export interface AskedCall {
  readonly name: string;
  readonly waiters: Waiter[];
  readonly state: 'waiting' | 'granted' | 'dismissed' | 'gone';
  readonly slot: Slot | undefined;
  grantedAt: number | undefined;
  /** Slots that were free once it had its own. */
  leftThen: number | undefined;
  /** Joins another who waits for the same call. */
  join(asking?: Asking): Waiter;
}

interface QueueWorldOptions extends Partial<Rate> {
  readonly waitMs?: number;
  readonly reserve?: number;
  readonly tick?: number;
  /** Whether slots are given elsewhere, so that there are promises of them. */
  readonly isShared?: boolean;
  /** In place of one that decides by itself. */
  readonly log?: SlotLog;
}

/** The same log, which gives promises of its slots. */
const promising = (log: LocalSlotLog): SlotLog =>
  Object.create(log, {
    take: { value: async (): Promise<Slot | undefined> => log.take() },
  });

/** A queue with the limits of the management interface, on a clock of its own, and what became of all calls. */
export const createQueueWorld = (options: QueueWorldOptions = {}) => {
  const {
    calls = 10,
    windowMs = 10_000,
    waitMs = 25_000,
    reserve = Math.floor(calls / 5),
  } = options;
  const clock = createClock(options.tick ?? 0);
  const { now, later } = clock;
  const upstream = { isDown: false };
  const local = createSlotLog({ calls, windowMs }, now);
  const log = options.log ?? (options.isShared ? promising(local) : local);
  const isDown = (): boolean => upstream.isDown;
  const queue = createQueue({ log, windowMs, waitMs, reserve, isDown, now, later });
  /** The names of the calls that got slots, in order. */
  const granted: string[] = [];
  const slots = new Set<Slot>();

  const ask = (name: string, asking: Asking = {}): AskedCall => {
    const claims = new Claims();
    let state: AskedCall['state'] = 'waiting';
    let slot: Slot | undefined;
    const waiting = {
      claims,
      errorOf: (retryAfterSeconds: number) =>
        failed(readOf(), { reason: 'no-slot', retryAfterSeconds }),
      grant: (given: Slot) => {
        unwatch();
        state = 'granted';
        slot = given;
        call.grantedAt = now();
        call.leftThen = log.left;
        granted.push(name);
        slots.add(given);
      },
      dismiss: () => {
        unwatch();
        state = 'dismissed';
      },
    };
    const unwatch = claims.watch(() => queue.review());
    const leave = (waiter: Waiter): void => {
      waiter.isWaiting = false;
      const isLast = claims.list().every((claim) => claim === waiter.claim);
      if (isLast) unwatch();
      claims.delete(waiter.claim);
      if (!isLast || state !== 'waiting') return;
      state = 'gone';
      queue.leave(waiting);
    };
    const join = ({ priority = 'read', operation = {}, ...rest }: Asking = {}): Waiter => {
      const waiter: Waiter = {
        claim: {
          priority,
          operation,
          since: now(),
          latest: rest.latest ?? Infinity,
          shownReadAt: rest.shownReadAt,
          refuse: ({ failure }) => {
            if (!waiter.isWaiting || state === 'granted') throw new Error('refused too late');
            waiter.retryAfterSeconds = failure.retryAfterSeconds;
            leave(waiter);
          },
        },
        retryAfterSeconds: undefined,
        isWaiting: true,
        leave: () => leave(waiter),
      };
      call.waiters.push(waiter);
      claims.add(waiter.claim);
      return waiter;
    };
    const call: AskedCall = {
      name,
      waiters: [],
      get state() {
        return state;
      },
      get slot() {
        return slot;
      },
      grantedAt: undefined,
      leftThen: undefined,
      join,
    };
    join(asking);
    queue.enter(waiting);
    return call;
  };

  return {
    clock,
    log,
    queue,
    upstream,
    granted,
    ask,
    /** Answers all calls under way. */
    answer: (): void => {
      for (const slot of slots) slot.answered();
      slots.clear();
      queue.review();
    },
    /** Several calls of one operation. */
    askMany: (name: string, count: number, asking: Asking = {}): readonly AskedCall[] => {
      const operation = asking.operation ?? {};
      return Array.from({ length: count }, (_, index) =>
        ask(`${name}${index + 1}`, { ...asking, operation }),
      );
    },
  };
};

/** Seconds in which a call that was refused could be sent. */
export const refusalOf = ({ waiters: [waiter] }: AskedCall): number | undefined =>
  waiter?.retryAfterSeconds;

/** How many of the calls are in that state. */
export const having = (calls: readonly AskedCall[], state: AskedCall['state']): number =>
  calls.filter((call) => call.state === state).length;

/** So many calls that came and were answered before: their slots are free one window later. */
export const used = async (world: ReturnType<typeof createQueueWorld>, count: number) => {
  world.askMany('used', count);
  await world.clock.pass(0);
  world.answer();
  world.granted.length = 0;
};
