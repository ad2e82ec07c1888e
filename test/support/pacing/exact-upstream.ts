import { setTimeout } from 'node:timers/promises';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type Answering, json, result } from '../harness.ts';

/**
 * How an upstream counts a credential's calls: in a sliding window, in a window that begins with the first call after the
 * window before, or in a window aligned to the clock.
 */
export const windowKinds = ['sliding', 'from the first call', 'by the clock'] as const;
export type WindowKind = (typeof windowKinds)[number];

/** Whether a call at this time exceeds the rate, after calls at these times. */
const createCounter = ({ calls, windowMs }: Rate, kind: WindowKind) => {
  const accepted: number[] = [];
  let began = -Infinity;
  return (now: number): boolean => {
    if (kind === 'from the first call' && now >= began + windowMs) began = now;
    if (kind === 'by the clock') began = now - (now % windowMs);
    const since = kind === 'sliding' ? now - windowMs : began;
    const isAccepted = accepted.filter((at) => at >= since).length < calls;
    if (isAccepted) accepted.push(now);
    return isAccepted;
  };
};

/** The largest number of calls in any window of this length. */
export const mostWithin = (windowMs: number, times: readonly number[]): number =>
  Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );

/**
 * A management interface that enforces its rate limit exactly. Each call takes up to `jitterMs` until it is counted, and the
 * same again until its answer is sent. With `counting`, it also accepts calls beyond the limit.
 *
 * @param accepted answers calls within the limit
 */
export const createExactUpstream = (
  rate: Rate,
  kind: WindowKind | 'counting',
  jitterMs: number,
  accepted: Answering = () => result([]),
) => {
  const counters = new Map<string, ReturnType<typeof createCounter>>();
  /** The times at which the calls of each credential were counted, in milliseconds. */
  const counted = new Map<string, number[]>();
  const refused: string[] = [];
  const counterOf = (holder: string, windows: WindowKind) => {
    const counter = counters.get(holder) ?? createCounter(rate, windows);
    counters.set(holder, counter);
    return counter;
  };
  const answering: Answering = async (call) => {
    const { headers, path } = call;
    const holder = headers.authorization?.toString() ?? '';
    await setTimeout(Math.random() * jitterMs);
    const now = performance.now();
    counted.set(holder, [...(counted.get(holder) ?? []), now]);
    const isAccepted = kind === 'counting' || counterOf(holder, kind)(now);
    if (!isAccepted) refused.push(path);
    const answer = isAccepted && (await accepted(call));
    await setTimeout(Math.random() * jitterMs);
    return answer || json({ status: 429, error: 'Too many requests' }, 429);
  };
  return { answering, counted, refused };
};
