/** How many calls a credential may make to an upstream in each window. */
export interface Rate {
  readonly calls: number;
  readonly windowMs: number;
}

/** How many slots calls of low rank leave free. */
export const reserveOf = (rate: Rate | undefined): number => Math.floor((rate?.calls ?? 0) / 5);

/** The right to send one call. Only the first method that is called has an effect. */
export interface Slot {
  answered(): void;
  /** The call was sent, but the gateway no longer waits for the answer. */
  givenUp(): void;
  giveBack(): void;
}

/** The slots of one credential, which replicas may share. All decisions about slots go through this log. */
export interface SlotLog {
  /** How many slots are free now. */
  readonly left: number;
  /** Whether the upstream has asked for a pause that is not over yet. */
  readonly isHeld: boolean;
  /** Whether the log could be replaced by a new one: no slot is in use and no pause goes on. */
  readonly isIdle: boolean;
  /**
   * When each slot is free, earliest first, in milliseconds of the log's clock, as if calls under way were answered
   * now.
   */
  freeTimes(): number[];
  /**
   * Until when `freeTimes` holds. After that, no call may be refused or kept waiting without a refresh, since other
   * processes may have taken slots or given some back. `Infinity` if no other process shares the slots.
   */
  readonly knownUntil: number;
  /** Learns what other processes have done. Never rejects. */
  refresh(): Promise<void>;
  /**
   * Takes a slot if more than `reserve` slots are free, else returns undefined. If Redis decides, it returns a promise
   * that never rejects, and the slot counts as in use until then.
   */
  take(reserve: number): Slot | undefined | Promise<Slot | undefined>;
  /** Notes that the upstream has asked for a pause. */
  holdFor(milliseconds: number): void;
  /** Notes the upstream's own count: how many calls are left, and for how long. Other programs may use it too. */
  learnLeft(calls: number, forMs: number): void;
}

/** A log in this process, which decides at once. */
export interface LocalSlotLog extends SlotLog {
  take(): Slot | undefined;
  /** Adds a slot that Redis has given, even if none is free here. */
  add(): Slot;
}

/** For an upstream whose calls are not counted. */
export const unlimited: SlotLog = {
  ...{ left: Infinity, isHeld: false, isIdle: true, knownUntil: Infinity },
  freeTimes: () => [0],
  refresh: async () => undefined,
  take: () => ({ answered: () => undefined, givenUp: () => undefined, giveBack: () => undefined }),
  holdFor: () => undefined,
  learnLeft: () => undefined,
};

/** A call that was given up may reach the upstream a moment later. */
export const lateMs = 1000;

/**
 * When each slot of a rate is free, earliest first.
 *
 * @param inUse when each slot in use is free; they may be more than `calls`
 * @param heldUntil the time before which no call may be sent
 */
export const freeTimesOf = (
  calls: number,
  inUse: readonly number[],
  time: number,
  heldUntil: number,
): number[] => {
  const unused = Array.from({ length: Math.max(0, calls - inUse.length) }, () => time);
  const times = inUse.toSorted((one, other) => one - other);
  return [...unused, ...times].slice(-calls).map((each) => Math.max(each, heldUntil));
};

/**
 * A log in this process's memory. A slot is free again one window after the call's answer came. So no window of an
 * upstream, fixed or sliding, holds more calls than the rate allows, however long a call takes to arrive. A token
 * bucket would let twice as many through.
 *
 * @param now milliseconds of a clock that never runs backwards
 */
export const createSlotLog = ({ calls, windowMs }: Rate, now: () => number): LocalSlotLog => {
  /** Slots in use, with the times when they are free; undefined while the call is under way. */
  const used = new Set<{ freeAt: number | undefined }>();
  let heldUntil = 0;

  const forgetFree = (): void => {
    for (const slot of used) {
      if (slot.freeAt !== undefined && slot.freeAt <= now()) used.delete(slot);
    }
  };
  const isHeld = (): boolean => heldUntil > now();
  const left = (): number => {
    forgetFree();
    return isHeld() ? 0 : Math.max(0, calls - used.size);
  };
  const add = (): Slot => {
    const slot: { freeAt: number | undefined } = { freeAt: undefined };
    used.add(slot);
    const free = (inMs: number): void => {
      slot.freeAt ??= now() + inMs;
    };
    return {
      answered: () => free(windowMs),
      givenUp: () => free(windowMs + lateMs),
      giveBack: () => free(0),
    };
  };

  return {
    get left() {
      return left();
    },
    get isHeld() {
      return isHeld();
    },
    get isIdle() {
      forgetFree();
      return used.size === 0 && !isHeld();
    },
    freeTimes: () => {
      forgetFree();
      const times = [...used].map(({ freeAt }) => freeAt ?? now() + windowMs);
      return freeTimesOf(calls, times, now(), heldUntil);
    },
    knownUntil: Infinity,
    refresh: async () => undefined,
    take: () => (left() === 0 ? undefined : add()),
    add,
    holdFor: (milliseconds) => {
      heldUntil = Math.max(heldUntil, now() + milliseconds);
    },
    learnLeft: (remaining, forMs) => {
      forgetFree();
      for (let more = calls - used.size - remaining; more > 0; more -= 1) {
        used.add({ freeAt: now() + forMs });
      }
    },
  };
};
