import type { Call } from '../call.ts';

/**
 * What a call tells about the upstream's health. `success`: the upstream answered. `failure`: the call failed, perhaps
 * because of its caller. `cannot-connect`: it failed, and its caller cannot be the reason. `unknown`: nothing.
 */
export type HealthSign = 'success' | 'failure' | 'cannot-connect' | 'unknown';

/** Tells the breaker what a call says about the upstream's health. */
export type Settle = (sign: HealthSign) => void;

export const breakerStates = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/**
 * Keeps calls from an upstream that is down. All callers share it, so no caller may open it for the others: failures of
 * a single credential never open it, nor failures of a single path, which may be broken while all others work. No
 * library does this: cockatiel 4 closes again when the caller of the one trying call gives up, lets all other calls
 * wait for that call instead of failing them at once, and does not know callers.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Whole seconds until a call may try the upstream again, at least 1. */
  readonly retryAfterSeconds: number;
  /** Returns the function that must be told the call's sign; undefined if the call must not be sent. */
  allow(call: BreakerCall): Settle | undefined;
}

type BreakerCall = Pick<Call, 'holder' | 'path'>;

interface BreakerOptions {
  /** How many failures in a row open the breaker. */
  readonly failures: number;
  /** How long the breaker stays open before one call may try, in milliseconds. */
  readonly halfOpenMs: number;
  readonly onChange: (state: BreakerState) => void;
  /** Milliseconds of a clock that never runs backwards. */
  readonly now?: () => number;
}

/** The failures since the last success. */
interface Failures {
  count: number;
  /** How many of them were failures to connect. */
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
  /** The one call that tries the upstream while the breaker is half open. */
  let trying: Settle | undefined;
  /** Which holder's try failed last, and when. Another holder may try before this one may again. */
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

  const count = (sign: HealthSign, call: BreakerCall): void => {
    failures.count += 1;
    if (sign === 'cannot-connect') failures.unconnected += 1;
    failures.first ??= call;
    if (failures.first.holder !== call.holder) failures.ofSeveralHolders = true;
    if (failures.first.path !== call.path) failures.ofSeveralPaths = true;
    const ofSeveral = failures.ofSeveralHolders && failures.ofSeveralPaths;
    if (failures.unconnected >= most || (ofSeveral && failures.count >= most)) open();
  };

  /** A failed try keeps the breaker open for all only if connecting failed, or if tries of two callers failed. */
  const failTry = (sign: HealthSign, by: string): void => {
    if (sign === 'cannot-connect' || (lastTry && lastTry.by !== by)) open();
    else {
      lastTry = { by, at: now() };
      change('open');
    }
  };

  const learn = (sign: HealthSign, call: BreakerCall, isTry: boolean): void => {
    if (isTry) trying = undefined;
    if (sign === 'success') {
      failures = none();
      lastTry = undefined;
      trying = undefined;
      change('closed');
    } else if (isTry) {
      // A try that tells nothing leaves the next try to the next call.
      if (sign === 'unknown') change('open');
      else failTry(sign, call.holder);
    } else if (state === 'closed' && sign !== 'unknown') count(sign, call);
    // While the breaker is open, failures of calls that were sent before tell nothing new.
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
      const settle: Settle = (sign) => learn(sign, { holder, path }, trying === settle);
      if (state === 'closed') return settle;
      // While one call tries, all others are refused.
      if (state === 'half-open' || !isOver(openedAt)) return undefined;
      if (lastTry && lastTry.by === holder && !isOver(lastTry.at)) return undefined;
      trying = settle;
      change('half-open');
      return settle;
    },
  };
};
