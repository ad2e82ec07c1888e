import type { Rate } from '../gate/slots.ts';
import { createQuota } from './quota.ts';

/**
 * How a poll ended. `read`: it was sent and answered. `found`: another request or process had read it. `refused`: by the
 * gateway itself. `failed`: for a reason that may pass.
 */
export type PollOutcome = 'read' | 'found' | 'refused' | 'failed';

/** A read that is polled. Times are in milliseconds of the schedule's clock. */
export interface Polled {
  /** When its last answer was sent for, and when that answer came, whoever asked. */
  readonly sentAt: number;
  readonly readAt: number;
  /** How long that answer is good enough, in milliseconds; 0 if there is none that counts. */
  readonly restMs: number;
  /** Whether it is not polled until a write changes it. */
  readonly isResting: boolean;
  /** Whether an event is reading it for the first time: a poll would send the same call once more. */
  readonly isAwaited?: boolean;
  /** Whether all its watchers still lack other reads: nothing is read twice before everything was read once. */
  readonly isPutOff?: boolean;
  poll(): Promise<PollOutcome>;
}

export interface Schedule {
  readonly size: number;
  add(read: Polled): void;
  delete(read: Polled): void;
  /** Polls a read that may have changed at once, and then `again` more times before other reads. */
  hurry(read: Polled, again: number): void;
  /** Must be called when another request has read it: it no longer rests, nor waits after a failure. */
  revive(read: Polled): void;
  /** Must be called when an upstream that was down is up: polls all reads that lack an answer since, as the quota allows. */
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
  /** Calls back after that time, unless the returned function is called before. */
  readonly later: (callback: () => void, milliseconds: number) => () => void;
}

/** The longest wait after failed polls, in milliseconds. */
const longestWaitMs = 30_000;

interface Entry {
  isUnderWay: boolean;
  /** Whether a write has changed it since its last poll began, and when. */
  isHurried: boolean;
  hurriedAt: number;
  /** How many of its next polls come before those of other reads. */
  again: number;
  /** How many polls failed since it was last read, when the last one failed, and until when it is not polled. */
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
  const reads = new Map<Polled, Entry>();
  let cancelTimer: (() => void) | undefined;
  let timerAt = Infinity;
  let isReviewDue = false;

  // An answer that was sent for after the write shows the write already.
  const isHurried = ({ sentAt }: Polled, entry: Entry): boolean =>
    entry.isHurried && sentAt <= entry.hurriedAt;

  const dueAt = (read: Polled, entry: Entry): number => {
    if (entry.isUnderWay || read.isResting) return Infinity;
    if (isHurried(read, entry)) return quota.roomAt;
    if (read.isAwaited || (read.isPutOff && entry.again === 0)) return Infinity;
    // Another request may have read it since it failed.
    const waitsUntil = read.readAt > entry.failedAt ? -Infinity : entry.waitsUntil;
    const turnAt = entry.again > 0 ? quota.roomAt : quota.turnAt;
    const isAgain = entry.again > 0 || entry.failures > 0;
    const restMs = isAgain ? leastMs : Math.max(leastMs, read.restMs);
    return Math.max(read.readAt + restMs, turnAt, waitsUntil);
  };

  const rankOf = (read: Polled, entry: Entry): number =>
    isHurried(read, entry) ? 2 : entry.again > 0 ? 1 : 0;

  // With `readAt` alone, reads that keep failing would come before all others.
  const triedAt = ({ readAt }: Polled, { failedAt }: Entry): number => Math.max(readAt, failedAt);

  /** The next read to poll of all that are due: one that a write has changed, or else the one answered or tried longest ago. */
  const findDue = (): readonly [Polled, Entry] | undefined => {
    const due = [...reads].filter((each) => dueAt(...each) <= now());
    const [first] = due.toSorted(
      (one, other) => rankOf(...other) - rankOf(...one) || triedAt(...one) - triedAt(...other),
    );
    return first;
  };

  /** Polls what lacks an answer since it failed, or has never had one, at once. */
  const hurryUnread = (): void => {
    for (const [read, entry] of reads) {
      const isUnread = entry.failedAt > read.readAt || read.sentAt === -Infinity;
      if (!isUnread || entry.isUnderWay || read.isAwaited) continue;
      entry.isHurried = true;
      entry.hurriedAt = now();
    }
  };

  const note = (read: Polled, entry: Entry, outcome: PollOutcome): void => {
    entry.isUnderWay = false;
    if (outcome === 'read' || outcome === 'found') {
      // The upstream may be up again: failures of one credential alone open no breaker.
      if (entry.failures > 0) hurryUnread();
      entry.failures = 0;
      return;
    }
    if (read.readAt > entry.failedAt) entry.failures = 0;
    entry.failedAt = now();
    // A refusal says nothing about the read.
    if (outcome === 'failed') entry.failures += 1;
    const doublings = outcome === 'failed' ? entry.failures : 0;
    entry.waitsUntil = now() + Math.min(longestWaitMs, leastMs * 2 ** doublings);
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
      noteAnswer(outcome === 'read' || outcome === 'failed', outcome === 'refused');
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

  /** One review serves all changes in one turn of the event loop. */
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
    recover: () => {
      for (const entry of reads.values()) entry.failures = 0;
      hurryUnread();
      reviewSoon();
    },
  };
};
