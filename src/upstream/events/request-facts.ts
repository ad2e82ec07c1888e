/** How many answers one request had from memory, and how old they are. */
export interface Ages {
  /** Notes an answer of that age, which may have been fresh or not. */
  note(ageMs: number, state: 'fresh' | 'stale'): void;
  /** How many were still fresh, and how many were not. */
  readonly kept: Readonly<Record<'fresh' | 'stale', number>>;
  /** Whole seconds of the oldest of all; undefined where there is none. */
  readonly oldestSeconds: number | undefined;
  /** Whole seconds of the oldest that was not fresh any more; undefined where there is none. */
  readonly stalestSeconds: number | undefined;
}

const wholeSeconds = (ageMs: number): number => Math.floor(ageMs / 1000);

export const createAges = (): Ages => {
  let oldestSeconds: number | undefined;
  let stalestSeconds: number | undefined;
  const kept = { fresh: 0, stale: 0 };
  return {
    kept,
    note: (ageMs, state) => {
      kept[state] += 1;
      oldestSeconds = Math.max(oldestSeconds ?? 0, wholeSeconds(ageMs));
      if (state === 'stale') stalestSeconds = Math.max(stalestSeconds ?? 0, wholeSeconds(ageMs));
    },
    get oldestSeconds() {
      return oldestSeconds;
    },
    get stalestSeconds() {
      return stalestSeconds;
    },
  };
};

/** How far the reads of one request are. */
export interface ProgressNow {
  /** Reads that are answered, or have failed for good. */
  readonly ready: number;
  /** All reads that the request has asked for. */
  readonly wanted: number;
  /** Whole seconds until the last of them is expected. */
  readonly completeInSeconds: number;
}

export interface Progress {
  /**
   * A read is asked for.
   *
   * @returns to be called when it has ended, with the seconds until it is read where it got no slot in time; `Infinity` where
   *   asking again does not make the response whole
   */
  begin(): (retryAfterSeconds?: number) => void;
  /** How many reads were asked for. */
  readonly wanted: number;
  /** Undefined where no read has ended that is going to be read later, or the response is never whole. */
  readonly now: ProgressNow | undefined;
}

/** @param now milliseconds of a clock that never runs backwards */
export const createProgress = (now: () => number = () => performance.now()): Progress => {
  let wanted = 0;
  let ready = 0;
  let completeAt = 0;
  return {
    begin: () => {
      wanted += 1;
      return (retryAfterSeconds) => {
        if (retryAfterSeconds === undefined) ready += 1;
        else completeAt = Math.max(completeAt, now() + retryAfterSeconds * 1000);
      };
    },
    get wanted() {
      return wanted;
    },
    get now() {
      if (completeAt === 0 || completeAt === Infinity) return undefined;
      const completeInSeconds = Math.max(1, Math.ceil((completeAt - now()) / 1000));
      return { ready, wanted, completeInSeconds };
    },
  };
};

/** How long the calls of one request waited for their turn. */
export interface Waits {
  /** Notes that a call has waited so long, whether it was sent then or not. */
  note(milliseconds: number): void;
  /** The longest wait of all calls so far, in milliseconds. */
  readonly longestMs: number;
}

export const createWaits = (): Waits => {
  let longestMs = 0;
  return {
    note: (milliseconds) => {
      longestMs = Math.max(longestMs, milliseconds);
    },
    get longestMs() {
      return longestMs;
    },
  };
};
