/** How old the answers are that one request had from memory. */
export interface Ages {
  /** Notes an answer of that age, which may have been fresh or not. */
  note(ageMs: number, state: 'fresh' | 'stale'): void;
  /** Whole seconds of the oldest of all; undefined where there is none. */
  readonly oldestSeconds: number | undefined;
  /** Whole seconds of the oldest that was not fresh any more; undefined where there is none. */
  readonly stalestSeconds: number | undefined;
}

const wholeSeconds = (ageMs: number): number => Math.floor(ageMs / 1000);

export const createAges = (): Ages => {
  let oldestSeconds: number | undefined;
  let stalestSeconds: number | undefined;
  return {
    note: (ageMs, state) => {
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
