import type { Rate } from '../gate/slots.ts';
import { createQuota } from './quota.ts';

/**
 * How a poll ended. `read`: it was sent and answered. `found`: another request or process had read it. `refused`: the
 * gateway itself refused it. `failed`: it failed for a reason that may pass.
 */
export type PollEnd = 'read' | 'found' | 'refused' | 'failed';

/** A read that is polled. Times are in milliseconds of the schedule's clock. */
export interface Polled {
  /** When the call of the last answer was sent, and when that answer came, whether to a poll or to a request. */
  readonly sentAt: number;
  readonly readAt: number;
  /** How long that answer is good enough, in milliseconds; 0 if none counts. */
  readonly restMs: number;
  /** Whether it is not polled until a write changes it. */
  readonly isResting: boolean;
  /** Whether an event is reading it for the first time: a poll would send the same call once more. */
  readonly isAwaited?: boolean;
  /** Whether the newest events of all its watchers lack other reads: before these are read, no read is polled. */
  readonly isPutOff?: boolean;
  poll(): Promise<PollEnd>;
}

export interface Schedule {
  readonly size: number;
  add(read: Polled): void;
  delete(read: Polled): void;
  /** Polls a read at once, and then polls it `again` more times before other reads. */
  hurry(read: Polled, again: number): void;
  /** Must be called when the read may be due earlier: another request has read it, or it is no longer put off. */
  revive(read: Polled): void;
  /** Must be called when the upstream works again. Polls all reads without an answer since, as the quota allows. */
  recover(): void;
}

interface ScheduleOptions {
  /** The shortest time between a read's answer and its next poll, in milliseconds. */
  readonly leastMs: number;
  /** The rate of the credential; undefined if calls are not counted. */
  readonly rate: Rate | undefined;
  /** How many processes poll with the same credential; 1 if absent. */
  readonly sharers?: number | undefined;
  readonly now: () => number;
  /** Calls back after a time, unless the returned function is called before. */
  readonly later: (callback: () => void, milliseconds: number) => () => void;
}

/** The longest wait after failed polls, in milliseconds. */
const longestWaitMs = 30_000;

interface State {
  isUnderWay: boolean;
  /** Whether it must be polled at once, and since when: a write may have changed it, or it may no longer fail. */
  isHurried: boolean;
  hurriedAt: number;
  /** How many more polls of it come before those of other reads. */
  again: number;
  /**
   * How many polls have failed since the last answer, when the last of them failed, and until when no poll is tried.
   */
  failures: number;
  failedAt: number;
  waitsUntil: number;
}

/**
 * Spreads polls evenly: the read that was answered or tried longest ago comes next. Polls after writes come first, as
 * soon as the quota has room, and delay the others.
 */
export const createSchedule = ({
  leastMs,
  rate,
  sharers,
  now,
  later,
}: ScheduleOptions): Schedule => {
  const quota = createQuota(rate, now, sharers);
  const reads = new Map<Polled, State>();
  let cancelTimer: (() => void) | undefined;
  let timerAt = Infinity;
  let isReviewDue = false;

  // If the call of the last answer was sent after the write, the answer shows the write already.
  const isHurried = ({ sentAt }: Polled, state: State): boolean =>
    state.isHurried && sentAt <= state.hurriedAt;

  const dueAt = (read: Polled, state: State): number => {
    if (state.isUnderWay || read.isResting) return Infinity;
    if (isHurried(read, state)) return quota.roomAt;
    if (read.isAwaited || (read.isPutOff && state.again === 0)) return Infinity;
    // Another request may have read it since it failed.
    const waitsUntil = read.readAt > state.failedAt ? -Infinity : state.waitsUntil;
    const turnAt = state.again > 0 ? quota.roomAt : quota.turnAt;
    const isAgain = state.again > 0 || state.failures > 0;
    const restMs = isAgain ? leastMs : Math.max(leastMs, read.restMs);
    return Math.max(read.readAt + restMs, turnAt, waitsUntil);
  };

  const rankOf = (read: Polled, state: State): number =>
    isHurried(read, state) ? 2 : state.again > 0 ? 1 : 0;

  // With `readAt` alone, reads that keep failing would come before all others.
  const triedAt = ({ readAt }: Polled, { failedAt }: State): number => Math.max(readAt, failedAt);

  /** The read to poll next: one that a write has changed, or else the one that was answered or tried longest ago. */
  const findDue = (): readonly [Polled, State] | undefined => {
    const due = [...reads].filter((each) => dueAt(...each) <= now());
    const [first] = due.toSorted(
      (one, other) => rankOf(...other) - rankOf(...one) || triedAt(...one) - triedAt(...other),
    );
    return first;
  };

  /** Polls at once each read that was never answered, or failed after its last answer. */
  const hurryUnread = (): void => {
    for (const [read, state] of reads) {
      const isUnread = state.failedAt > read.readAt || read.sentAt === -Infinity;
      if (!isUnread || state.isUnderWay || read.isAwaited) continue;
      state.isHurried = true;
      state.hurriedAt = now();
    }
  };

  const note = (read: Polled, state: State, end: PollEnd): void => {
    state.isUnderWay = false;
    if (end === 'read' || end === 'found') {
      // The upstream may work again. The breaker cannot tell: failures of one credential alone do not open it.
      if (state.failures > 0) hurryUnread();
      state.failures = 0;
      return;
    }
    if (read.readAt > state.failedAt) state.failures = 0;
    state.failedAt = now();
    // A refusal by the gateway says nothing about the read.
    if (end === 'failed') state.failures += 1;
    const doublings = end === 'failed' ? state.failures : 0;
    state.waitsUntil = now() + Math.min(longestWaitMs, leastMs * 2 ** doublings);
  };

  const start = async (read: Polled, state: State): Promise<void> => {
    if (!isHurried(read, state)) state.again = Math.max(0, state.again - 1);
    state.isUnderWay = true;
    state.isHurried = false;
    const noteAnswer = quota.take();
    let end: PollEnd = 'failed';
    try {
      end = await read.poll();
    } finally {
      noteAnswer(end === 'read' || end === 'failed', end === 'refused');
      note(read, state, end);
      review();
    }
  };

  const review = (): void => {
    isReviewDue = false;
    cancelTimer?.();
    cancelTimer = undefined;
    for (let due = findDue(); due; due = findDue()) void start(...due);
    timerAt = Infinity;
    for (const [read, state] of reads) timerAt = Math.min(timerAt, dueAt(read, state));
    if (timerAt < Infinity) cancelTimer = later(review, Math.max(1, Math.ceil(timerAt - now())));
  };

  /** One review for all changes of one turn of the event loop. */
  const reviewSoon = (): void => {
    if (isReviewDue) return;
    isReviewDue = true;
    queueMicrotask(review);
  };

  return {
    get size() {
      return reads.size;
    },
    add: (read) => {
      const never = { hurriedAt: -Infinity, failedAt: -Infinity, waitsUntil: -Infinity };
      reads.set(read, { isUnderWay: false, isHurried: false, again: 0, failures: 0, ...never });
      reviewSoon();
    },
    delete: (read) => {
      reads.delete(read);
      reviewSoon();
    },
    hurry: (read, again) => {
      const state = reads.get(read);
      if (!state) return;
      state.again = Math.max(state.again, again);
      state.isHurried = true;
      state.hurriedAt = now();
      reviewSoon();
    },
    revive: (read) => {
      const state = reads.get(read);
      if (state && dueAt(read, state) < timerAt) reviewSoon();
    },
    recover: () => {
      for (const state of reads.values()) state.failures = 0;
      hurryUnread();
      reviewSoon();
    },
  };
};
