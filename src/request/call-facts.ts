import type { UpstreamCaller } from '../upstream/index.ts';

/** What the log tells of the calls of an operation. */
interface CallFacts {
  /** How many were sent. */
  readonly upstreamCalls: number;
  /** How long the call waited for its turn that waited longest. */
  readonly waitedMilliseconds: number;
  /** How many reads were answered from memory. */
  readonly kept: Readonly<Record<'fresh' | 'stale', number>>;
}

/** What it tells before any call. */
export const noCalls: CallFacts = {
  upstreamCalls: 0,
  waitedMilliseconds: 0,
  kept: { fresh: 0, stale: 0 },
};

export const callFactsOf = ({ budget, waits, ages }: UpstreamCaller): CallFacts => ({
  upstreamCalls: budget.taken,
  waitedMilliseconds: Math.round(waits.longestMs),
  kept: { ...ages.kept },
});

/** The facts of two operations together. */
export const together = (one: CallFacts, other: CallFacts): CallFacts => ({
  upstreamCalls: one.upstreamCalls + other.upstreamCalls,
  waitedMilliseconds: Math.max(one.waitedMilliseconds, other.waitedMilliseconds),
  kept: {
    fresh: one.kept.fresh + other.kept.fresh,
    stale: one.kept.stale + other.kept.stale,
  },
});
