import type { CallerIds } from '../upstream/call.ts';
import type { UpstreamCaller } from '../upstream/index.ts';

/** The ids of a request under their names in the log. Tools that join logs and traces know `trace_id`. */
export const idsOf = ({ requestId, traceId }: CallerIds) => ({ requestId, trace_id: traceId });

/** What the log says about the upstream calls of an operation. */
interface CallFacts {
  /** The number of calls that were sent. */
  readonly upstreamCalls: number;
  /** The longest wait of a call for its slot, in milliseconds. */
  readonly waitedMilliseconds: number;
  /** The number of reads that were answered from memory. */
  readonly kept: Readonly<Record<'fresh' | 'stale', number>>;
}

/** The facts before any call. */
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

/** The facts of two operations combined. */
export const together = (one: CallFacts, other: CallFacts): CallFacts => ({
  upstreamCalls: one.upstreamCalls + other.upstreamCalls,
  waitedMilliseconds: Math.max(one.waitedMilliseconds, other.waitedMilliseconds),
  kept: {
    fresh: one.kept.fresh + other.kept.fresh,
    stale: one.kept.stale + other.kept.stale,
  },
});
