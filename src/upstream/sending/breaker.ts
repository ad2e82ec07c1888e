import type { Call } from '../call.ts';

/**
 * What a call came to, as far as it tells of the upstream's health: it answered; it failed in a way that one caller may
 * have brought about; no connection could be made, which no caller can bring about; or nothing was learnt.
 */
export type CallOutcome = 'success' | 'failure' | 'cannot-connect' | 'unknown';

/** Tells the breaker what a call came to. */
export type Settle = (outcome: CallOutcome) => void;

export const breakerStates = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/**
 * Keeps calls from an upstream that is down. All callers share it, so that no caller may open it for the others: failures
 * of one credential alone never do, nor those of one path, which may be broken while all others work. Own code:
 * cockatiel 4 closes again when the one call that tries is given up by its caller, lets all others wait for that call
 * instead of failing them at once, and knows no callers.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Whole seconds until a call may try again, at least 1. */
  readonly retryAfterSeconds: number;
  /** Lets a call be sent, whose outcome is then to be told; undefined where it must not be. */
  allow(call: BreakerCall): Settle | undefined;
}

/** Whose call it is, and what it asks for. */
type BreakerCall = Pick<Call, 'holder' | 'path'>;

interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open before one call may try, in milliseconds. */
  readonly halfOpenMs: number;
  readonly onChange: (state: BreakerState) => void;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now?: () => number;
}

/** The failures since the last success. */
interface Failures {
  count: number;
  /** How many of them were of connecting. */
  unconnected: number;
  first: BreakerCall | undefined;
  ofSeveralHolders: boolean;
  ofSeveralPaths: boolean;
}

const none = (): Failures => ({
  ...{ count: 0, unconnected: 0, first: undefined },
  ...{ ofSeveralHolders: false, ofSeveralPaths: false },
});

export const createBreaker = ({
  failures: most,
  halfOpenMs,
  onChange,
  now = () => performance.now(),
}: BreakerOptions): Breaker => {
  let state: BreakerState = 'closed';
  let failures = none();
  let openedAt = 0;
  /** The call that tries, while the breaker is half open. */
  let trying: Settle | undefined;
  /** Whose try has failed last, and when: another may try before that one may again. */
  let lastTry: { readonly by: string; readonly at: number } | undefined;

  const change = (next: BreakerState): void => {
    if (next === state) return;
    state = next;
    onChange(next);
  };
  const open = (): void => {
    openedAt = now();
    failures = none();
    lastTry = undefined;
    change('open');
  };
  const isOver = (since: number): boolean => now() - since >= halfOpenMs;

  const count = (outcome: CallOutcome, call: BreakerCall): void => {
    failures.count += 1;
    if (outcome === 'cannot-connect') failures.unconnected += 1;
    failures.first ??= call;
    if (failures.first.holder !== call.holder) failures.ofSeveralHolders = true;
    if (failures.first.path !== call.path) failures.ofSeveralPaths = true;
    const ofSeveral = failures.ofSeveralHolders && failures.ofSeveralPaths;
    if (failures.unconnected >= most || (ofSeveral && failures.count >= most)) open();
  };

  /** A try that fails keeps the breaker open for all only when connecting fails, or when those of two callers have failed. */
  const failTry = (outcome: CallOutcome, by: string): void => {
    if (outcome === 'cannot-connect' || (lastTry && lastTry.by !== by)) open();
    else {
      lastTry = { by, at: now() };
      change('open');
    }
  };

  const learn = (outcome: CallOutcome, call: BreakerCall, isTry: boolean): void => {
    if (isTry) trying = undefined;
    if (outcome === 'success') {
      failures = none();
      lastTry = undefined;
      trying = undefined;
      change('closed');
    } else if (isTry) {
      // Where nothing was learnt, the next call tries.
      if (outcome === 'unknown') change('open');
      else failTry(outcome, call.holder);
    } else if (state === 'closed' && outcome !== 'unknown') count(outcome, call);
    // Calls that were sent before it opened tell nothing new.
  };

  return {
    get state() {
      return state;
    },
    get retryAfterSeconds() {
      const since = lastTry?.at ?? openedAt;
      return Math.max(1, Math.ceil((since + halfOpenMs - now()) / 1000));
    },
    allow: ({ holder, path }) => {
      const settle: Settle = (outcome) => learn(outcome, { holder, path }, trying === settle);
      if (state === 'closed') return settle;
      // While one call tries, all others wait for what it tells.
      if (state === 'half-open' || !isOver(openedAt)) return undefined;
      if (lastTry && lastTry.by === holder && !isOver(lastTry.at)) return undefined;
      trying = settle;
      change('half-open');
      return settle;
    },
  };
};
