/** How an interface counts calls. `fixed`: a window begins with the first call after the last one ended. */
export type WindowKind = 'fixed' | 'sliding';
export const windowKinds: readonly WindowKind[] = ['fixed', 'sliding'];

/** So many calls of a credential in so much time. */
export interface Limit {
  readonly calls: number;
  readonly milliseconds: number;
}

/** The limits of the two interfaces, for each credential. */
export const limits = {
  management: { calls: 10, milliseconds: 10_000 },
  observability: { calls: 100, milliseconds: 60_000 },
} as const satisfies Record<string, Limit>;

export type Interface = keyof typeof limits;

/** What an interface makes of a call. */
export interface Verdict {
  readonly accepted: boolean;
  /** Calls left in this window. */
  readonly remaining: number;
  /** Until the fixed window ends, or until the oldest call leaves the sliding one. */
  readonly resetMilliseconds: number;
}

/** Counts the calls of one credential. Times are milliseconds, and never go back. */
export interface Counter {
  count(now: number): Verdict;
  /** The most calls, refused ones too, that came within any span as long as a window. */
  most(): number;
}

/** The calls that count at a time. */
interface Window {
  size(now: number): number;
  add(now: number): void;
  /** Milliseconds until it has room again, where it is full. */
  reset(now: number): number;
}

const createFixed = (milliseconds: number): Window => {
  let end = Number.NEGATIVE_INFINITY;
  let size = 0;
  return {
    size: (now) => (now < end ? size : 0),
    add: (now) => {
      if (now >= end) {
        end = now + milliseconds;
        size = 0;
      }
      size += 1;
    },
    reset: (now) => end - now,
  };
};

const createSliding = (milliseconds: number): Window => {
  let times: number[] = [];
  return {
    size: (now) => {
      times = times.filter((time) => time > now - milliseconds);
      return times.length;
    },
    add: (now) => {
      times.push(now);
    },
    reset: (now) => (times[0] ?? now) + milliseconds - now,
  };
};

/** Refused calls count in neither kind of window. */
export const createCounter = (kind: WindowKind, { calls, milliseconds }: Limit): Counter => {
  const window = kind === 'fixed' ? createFixed(milliseconds) : createSliding(milliseconds);
  const arrived = createSliding(milliseconds);
  let most = 0;
  return {
    count: (now) => {
      arrived.add(now);
      most = Math.max(most, arrived.size(now));
      const accepted = window.size(now) < calls;
      if (accepted) window.add(now);
      return {
        accepted,
        remaining: calls - window.size(now),
        resetMilliseconds: window.reset(now),
      };
    },
    most: () => most,
  };
};
