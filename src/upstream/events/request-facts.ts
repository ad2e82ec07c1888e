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
