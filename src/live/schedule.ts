import type { Rate } from '../upstream/gate/slots.ts';
import { createQuota } from './quota.ts';

/** How a poll went: read, or another had read it; refused by the gateway itself, or failed for a reason that may pass. */
export type PollOutcome = 'read' | 'found' | 'refused' | 'failed';

/** A read that is polled. Times are in milliseconds of the schedule's clock. */
export interface Polled {
  /** When what is known of it was sent for, and when it was read, whoever asked. */
  readonly sentAt: number;
  readonly readAt: number;
  /** Whether nothing else is expected of it until a write changes it. */
  readonly isResting: boolean;
  /** Whether an event reads it for the first time: a poll would send the same call once more. */
  readonly isAwaited?: boolean;
  /** Whether all who watch it lack other reads, which come first: nothing is read twice before everything was read once. */
  readonly isPutOff?: boolean;
  poll(): Promise<PollOutcome>;
}

/** Polls the reads of one credential. */
export interface Schedule {
  readonly size: number;
  add(read: Polled): void;
  delete(read: Polled): void;
  /** It may have changed: it is polled at once, and so often again before the others, as soon as it may be. */
  hurry(read: Polled, again: number): void;
  /** To be called when somebody else has read it: it neither rests any more nor waits for having failed. */
  revive(read: Polled): void;
}

interface ScheduleOptions {
  /** How long after it was read it is polled at the earliest, in milliseconds. */
  readonly leastMs: number;
  /** What the upstream allows the credential; undefined where nothing is counted. */
  readonly rate: Rate | undefined;
  /** How many processes poll with the same credential; one if absent. */
  readonly sharers?: number | undefined;
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  readonly later: (callback: () => void, milliseconds: number) => () => void;
}

/** The longest wait after polls that failed, in milliseconds. */
const longestWaitMs = 30_000;

interface Entry {
  isUnderWay: boolean;
  /** Whether a write has changed it since its last poll began, and when. */
  isHurried: boolean;
  hurriedAt: number;
  /** How many of its next polls come before those of others. */
  again: number;
  /** Polls that failed since it was last read, and until when it is left alone on their account. */
  failures: number;
  failedAt: number;
  waitsUntil: number;
}

/**
 * Spreads polls evenly: that of the read that was read, or tried, longest ago comes next. Polls after writes come before, as soon as
 * the quota has room, and the others come later by as much.
 */
export const createSchedule = ({
  leastMs,
  rate,
  sharers,
  now,
  later,
}: ScheduleOptions): Schedule => {
  const quota = createQuota(rate, now, sharers);
  const reads = new Map<Polled, Entry>();
  let cancelTimer: (() => void) | undefined;
  let timerAt = Infinity;
  let isReviewDue = false;

  // What was sent since tells of the write.
  const isHurried = ({ sentAt }: Polled, entry: Entry): boolean =>
    entry.isHurried && sentAt <= entry.hurriedAt;

  const dueAt = (read: Polled, entry: Entry): number => {
    if (entry.isUnderWay || read.isResting) return Infinity;
    if (isHurried(read, entry)) return quota.roomAt;
    if (read.isAwaited || (read.isPutOff && entry.again === 0)) return Infinity;
    // Somebody else may have read it since it failed.
    const waitsUntil = read.readAt > entry.failedAt ? -Infinity : entry.waitsUntil;
    const turnAt = entry.again > 0 ? quota.roomAt : quota.turnAt;
    return Math.max(read.readAt + leastMs, turnAt, waitsUntil);
  };

  const rankOf = (read: Polled, entry: Entry): number =>
    isHurried(read, entry) ? 2 : entry.again > 0 ? 1 : 0;

  // By `readAt` alone, reads that keep failing would come before all others.
  const triedAt = ({ readAt }: Polled, { failedAt }: Entry): number => Math.max(readAt, failedAt);

  /** What is polled next, of all that is due: what a write has changed, then what was read, or tried, longest ago. */
  const findDue = (): readonly [Polled, Entry] | undefined => {
    const due = [...reads].filter((each) => dueAt(...each) <= now());
    const [first] = due.toSorted(
      (one, other) => rankOf(...other) - rankOf(...one) || triedAt(...one) - triedAt(...other),
    );
    return first;
  };

  const note = (read: Polled, entry: Entry, outcome: PollOutcome): void => {
    entry.isUnderWay = false;
    if (outcome === 'read' || outcome === 'found') {
      entry.failures = 0;
      return;
    }
    if (read.readAt > entry.failedAt) entry.failures = 0;
    if (outcome === 'failed') entry.failures += 1;
    entry.failedAt = now();
    entry.waitsUntil = now() + Math.min(longestWaitMs, leastMs * 2 ** entry.failures);
  };

  const start = async (read: Polled, entry: Entry): Promise<void> => {
    if (!isHurried(read, entry)) entry.again = Math.max(0, entry.again - 1);
    entry.isUnderWay = true;
    entry.isHurried = false;
    const noteAnswer = quota.take();
    let outcome: PollOutcome = 'failed';
    try {
      outcome = await read.poll();
    } finally {
      noteAnswer(outcome !== 'found');
      note(read, entry, outcome);
      review();
    }
  };

  const review = (): void => {
    isReviewDue = false;
    cancelTimer?.();
    cancelTimer = undefined;
    for (let due = findDue(); due; due = findDue()) void start(...due);
    timerAt = Infinity;
    for (const [read, entry] of reads) timerAt = Math.min(timerAt, dueAt(read, entry));
    if (timerAt < Infinity) cancelTimer = later(review, Math.max(1, Math.ceil(timerAt - now())));
  };

  /** Once for all that happens in one turn. */
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
      const entry = reads.get(read);
      if (!entry) return;
      entry.again = Math.max(entry.again, again);
      entry.isHurried = true;
      entry.hurriedAt = now();
      reviewSoon();
    },
    revive: (read) => {
      const entry = reads.get(read);
      if (entry && dueAt(read, entry) < timerAt) reviewSoon();
    },
  };
};
