/** What a call came to, as far as it tells of the upstream's health. */
export type CallOutcome = 'success' | 'failure' | 'unknown';

export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * Keeps calls from an upstream that is down. Own code: cockatiel 4 closes again when the one call that tries
 * is given up by its caller, and lets all others wait for that call instead of failing them at once.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Whether a call may be sent; where it is, its outcome must be told. */
  allow(): boolean;
  settle(outcome: CallOutcome): void;
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open before one call may try, in milliseconds. */
  readonly halfOpenMs: number;
  readonly onChange: (state: BreakerState) => void;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now?: () => number;
}

export const createBreaker = ({
  failures,
  halfOpenMs,
  onChange,
  now = () => performance.now(),
}: BreakerOptions): Breaker => {
  let state: BreakerState = 'closed';
  let inARow = 0;
  let openedAt = 0;

  const change = (next: BreakerState): void => {
    if (next === state) return;
    state = next;
    onChange(next);
  };
  const open = (): void => {
    openedAt = now();
    change('open');
  };

  return {
    get state() {
      return state;
    },
    allow: () => {
      if (state === 'closed') return true;
      // While one call tries, all others wait for what it tells.
      if (state === 'half-open' || now() - openedAt < halfOpenMs) return false;
      change('half-open');
      return true;
    },
    settle: (outcome) => {
      if (outcome === 'success') {
        inARow = 0;
        change('closed');
      } else if (outcome === 'failure') {
        inARow += 1;
        if (state === 'half-open' || inARow >= failures) open();
      } else if (state === 'half-open') {
        // Nothing was learnt; the next call tries.
        change('open');
      }
    },
  };
};
