import type { Rate } from '../upstream/slots.ts';

/** How a poll went: refused by the gateway itself, or failed for a reason that may pass. */
export type PollOutcome = 'read' | 'refused' | 'failed';

/** A read that is polled. Times are in milliseconds of the schedule's clock. */
export interface Polled {
  /** When what is known of it was sent for, and when it was read, whoever asked. */
  readonly sentAt: number;
  readonly readAt: number;
  /** Whether nothing else is expected of it until a write changes it. */
  readonly isResting: boolean;
  poll(): Promise<PollOutcome>;
}

/** Polls the reads of one credential. */
export interface Schedule {
  readonly size: number;
  add(read: Polled): void;
  delete(read: Polled): void;
  /** A write has changed it: it is polled at once. */
  hurry(read: Polled): void;
  /** To be called when somebody else has read it: it neither rests any more nor waits for having failed. */
  revive(read: Polled): void;
}

interface ScheduleOptions {
  /** How long after it was read it is polled at the earliest, in milliseconds. */
  readonly leastMs: number;
  /** What the upstream allows the credential; undefined where nothing is counted. */
  readonly rate: Rate | undefined;
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  readonly later: (callback: () => void, milliseconds: number) => () => void;
}

/** The share of a credential's calls that its polls may take together. */
const share = 0.3;
/** The longest wait after polls that failed, in milliseconds. */
const longestWaitMs = 60_000;

interface Entry {
  isUnderWay: boolean;
  /** Whether a write has changed it since its last poll began, and when. */
  isHurried: boolean;
  hurriedAt: number;
  /** Polls that failed since it was last read, and until when it is left alone on their account. */
  failures: number;
  failedAt: number;
  waitsUntil: number;
}

/**
 * Spreads polls evenly: that of the read that was read longest ago comes next. Polls after writes come at once, up to a
 * window's share of them, and the others come later by as much.
 */
export const createSchedule = ({ leastMs, rate, now, later }: ScheduleOptions): Schedule => {
  const windowMs = rate?.windowMs ?? 0;
  const spacingMs = rate ? windowMs / Math.max(1, Math.floor(rate.calls * share)) : 0;
  const reads = new Map<Polled, Entry>();
  /** When the share has room for another poll. */
  let roomAt = -Infinity;
  let cancelTimer: (() => void) | undefined;
  let timerAt = Infinity;
  let isReviewDue = false;

  // What was sent since tells of the write.
  const isHurried = ({ sentAt }: Polled, entry: Entry): boolean =>
    entry.isHurried && sentAt <= entry.hurriedAt;

  const dueAt = (read: Polled, entry: Entry): number => {
    if (entry.isUnderWay || read.isResting) return Infinity;
    if (isHurried(read, entry)) return Math.floor(roomAt - (windowMs - spacingMs));
    // Somebody else may have read it since it failed.
    const waitsUntil = read.readAt > entry.failedAt ? -Infinity : entry.waitsUntil;
    return Math.max(read.readAt + leastMs, roomAt, waitsUntil);
  };

  /** What is polled next, of all that is due: what a write has changed, then what was read longest ago. */
  const findDue = (): readonly [Polled, Entry] | undefined => {
    let first: readonly [Polled, Entry] | undefined;
    const goesBefore = (
      read: Polled,
      entry: Entry,
      [other, otherEntry]: [Polled, Entry],
    ): boolean => {
      const isFirst = isHurried(read, entry);
      return isFirst === isHurried(other, otherEntry) ? read.readAt < other.readAt : isFirst;
    };
    for (const [read, entry] of reads) {
      if (dueAt(read, entry) > now()) continue;
      if (!first || goesBefore(read, entry, [...first])) first = [read, entry];
    }
    return first;
  };

  const note = (read: Polled, entry: Entry, outcome: PollOutcome): void => {
    entry.isUnderWay = false;
    if (outcome === 'read') {
      entry.failures = 0;
      return;
    }
    if (read.readAt > entry.failedAt) entry.failures = 0;
    if (outcome === 'failed') entry.failures += 1;
    entry.failedAt = now();
    entry.waitsUntil = now() + Math.min(longestWaitMs, leastMs * 2 ** entry.failures);
  };

  const start = async (read: Polled, entry: Entry): Promise<void> => {
    entry.isUnderWay = true;
    entry.isHurried = false;
    roomAt = Math.max(roomAt, now()) + spacingMs;
    note(read, entry, await read.poll());
    review();
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
      reads.set(read, { isUnderWay: false, isHurried: false, failures: 0, ...never });
      reviewSoon();
    },
    delete: (read) => {
      reads.delete(read);
      reviewSoon();
    },
    hurry: (read) => {
      const entry = reads.get(read);
      if (!entry) return;
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
