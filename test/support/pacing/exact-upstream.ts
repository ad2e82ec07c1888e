import { setTimeout } from 'node:timers/promises';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type Answering, json, result } from '../harness.ts';

/** The largest number of calls in any window of this length. */
export const mostWithin = (windowMs: number, times: readonly number[]): number =>
  Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );

/**
 * A management interface that counts each credential's calls in a sliding window, and refuses those beyond the rate, if it
 * has one: no upstream that counts in fixed windows refuses more. Each call takes up to `jitterMs` until it is counted, and
 * the same again until its answer is sent.
 *
 * @param accepted answers calls within the limit
 * @param pass waits for some milliseconds, of a clock that stands still too
 */
export const createExactUpstream = (
  rate: Rate | undefined,
  jitterMs: number,
  accepted: Answering = () => result([]),
  pass: (milliseconds: number) => Promise<unknown> = setTimeout,
) => {
  /** The times at which the calls of each credential were counted, in milliseconds. */
  const counted = new Map<string, number[]>();
  const refused: string[] = [];
  const answering: Answering = async (call) => {
    const holder = call.headers.authorization?.toString() ?? '';
    await pass(Math.random() * jitterMs);
    const now = performance.now();
    const times = counted.get(holder) ?? [];
    const within = rate ? times.filter((at) => at >= now - rate.windowMs) : [];
    const isRefused = rate !== undefined && within.length >= rate.calls;
    if (isRefused) refused.push(call.path);
    else counted.set(holder, [...times, now]);
    const answer = isRefused
      ? json({ status: 429, error: 'Too many requests' }, 429)
      : await accepted(call);
    await pass(Math.random() * jitterMs);
    return answer;
  };
  return { answering, counted, refused };
};

const idOf = (number: number): string => `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`;
let services = 0;

/** A document with this number of different calls to management. */
export const documentOf = (calls: number): string => {
  const fields = Array.from({ length: calls }, (_, index) => {
    services += 1;
    const ids = `organizationId: "${idOf(0)}", serviceId: "${idOf(services)}"`;
    return `s${index}: service(${ids}) { pipes { id } }`;
  });
  return `{ ${fields.join(' ')} }`;
};
