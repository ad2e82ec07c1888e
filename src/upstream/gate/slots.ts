/** How often a credential may call an upstream: so many calls in each window. */
export interface Rate {
  readonly calls: number;
  readonly windowMs: number;
}

/** How many slots calls of low rank leave free for others. */
export const reserveOf = (rate: Rate | undefined): number => Math.floor((rate?.calls ?? 0) / 5);

/** One call's share of a rate. Only the first of its methods that is called has an effect. */
export interface Slot {
  /** The call was answered. */
  answered(): void;
  /** The call was sent, and its answer is not waited for any longer. */
  givenUp(): void;
  /** The call was not sent after all. */
  giveBack(): void;
}

/**
 * The calls that one credential has made within a window. Replicas may share it: whoever decides who gets a slot asks
 * this log alone.
 */
export interface SlotLog {
  /** How many slots are free now. */
  readonly left: number;
  /** Whether the upstream has asked to be left alone, and still is to be. */
  readonly isHeld: boolean;
  /** Whether all that happened is over: a new log would do as well. */
  readonly isIdle: boolean;
  /**
   * When each slot is free, as far as that is known, earliest first, in milliseconds of the clock. The answer to a call
   * under way is expected at any moment.
   */
  freeTimes(): number[];
  /**
   * Until when nobody is to be refused, or kept waiting, without a refresh: others may have used the slots, or given them
   * back. For ever where nobody else does.
   */
  readonly knownUntil: number;
  /** Learns what others have done. It never rejects. */
  refresh(): Promise<void>;
  /**
   * Takes a slot, where more than so many are free; undefined where not. It is a promise, which never rejects, where
   * that is decided elsewhere; the slot counts as in use meanwhile.
   */
  take(reserve: number): Slot | undefined | Promise<Slot | undefined>;
  /** The upstream has asked to be left alone for that long. */
  holdFor(milliseconds: number): void;
  /** The upstream has counted: no more than so many calls are left for so long. Others may use the credential too. */
  learnLeft(calls: number, forMs: number): void;
}

/** A log that decides by itself. */
export interface LocalSlotLog extends SlotLog {
  take(): Slot | undefined;
  /** Takes a slot that was given elsewhere, be there one free here or not. */
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
 * When each of so many slots is free, earliest first: from the times at which those in use are, which may be more.
 *
 * @param heldUntil nothing is to be sent before
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
 * A log in this process's memory. A slot is free again one window after the call's answer came: counted from there, no
 * window of an upstream, fixed or sliding, holds more calls than the rate has, however long calls take to arrive.
 * A token bucket would let twice as many through.
 *
 * @param now milliseconds of a clock that never runs backwards
 */
export const createSlotLog = ({ calls, windowMs }: Rate, now: () => number): LocalSlotLog => {
  /** Slots in use, each with the time at which it is free; undefined while its call is under way. */
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
