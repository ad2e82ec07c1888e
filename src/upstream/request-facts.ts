/** How many answers one request had from memory, and how old they are. */
export interface Ages {
  /** Notes the age of an answer from memory. */
  note(ageMs: number, state: 'fresh' | 'stale'): void;
  /** The number of fresh and of stale answers. */
  readonly kept: Readonly<Record<'fresh' | 'stale', number>>;
  /** The age of the oldest answer in whole seconds; undefined without answers. */
  readonly oldestSeconds: number | undefined;
  /** The age of the oldest stale answer in whole seconds; undefined without stale answers. */
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

/** The progress of one request's reads. */
export interface ProgressNow {
  /** Reads that are answered, or have failed and will not be tried later. */
  readonly ready: number;
  /** All reads that the request has asked for. */
  readonly wanted: number;
  /** Whole seconds until the last read is expected. */
  readonly completeInSeconds: number;
}

export interface Progress {
  /**
   * Notes that a read begins.
   *
   * @returns a function to call when the read has ended; if the read goes on without its request, with the seconds
   * until it is expected
   */
  begin(): (retryAfterSeconds?: number) => void;
  /** How many reads have begun. */
  readonly wanted: number;
  /** Undefined if no read goes on without its request. */
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
      if (completeAt === 0) return undefined;
      const completeInSeconds = Math.max(1, Math.ceil((completeAt - now()) / 1000));
      return { ready, wanted, completeInSeconds };
    },
  };
};

/** How long the calls of one request waited for their turn. */
export interface Waits {
  /** Notes how long a call has waited, whether or not it was sent then. */
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
