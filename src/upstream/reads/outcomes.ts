import type { Answer, Asked, Call, SoughtRead } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { ChangeLog } from './change-log.ts';
import type { Entries, Entry, Outcome } from './entries.ts';

/** For how long any outcome may be shown once it is no longer fresh, in milliseconds. It is longer for a holder with many reads. */
export const staleMs = 60_000;
/** The age up to which an outcome may be shown while replicas are out of reach, in milliseconds. */
const aloneMs = 3000;

/** The outcome of a read, and whether it is fresh. */
export interface Found {
  readonly outcome: Outcome;
  readonly state: 'fresh' | 'stale';
}

/** Failures that the next read would have as well: not allowed, not found, or asleep. */
const lasting = new Set<number | undefined>([403, 404, 424]);

/** For how long a read's outcome is fresh, in milliseconds. */
export const freshMsOf = ({ freshMs, row }: SoughtRead): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

interface OutcomesOptions {
  readonly entries: Entries;
  readonly log: ChangeLog;
  /** Whether the answer fits its row. */
  readonly isUsable: (call: Call, answer: Answer) => boolean;
  /** Whether the upstream has lately accepted the holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** How many reads the holder has asked for lately. */
  readonly wantedBy: (holder: string) => number;
  /** The time between two reads in the background while nothing else is sent, in milliseconds; 0 if calls are not counted. */
  readonly paceMs: number;
  /** The age up to which any outcome may ever be shown, in milliseconds. */
  readonly maxStaleMs: number;
}

/** The facts of a read under way that its outcome needs. */
interface Reading {
  readonly call: Call;
  readonly asked: Asked | undefined;
  /** When it was sent; undefined if it was not. */
  readonly sentAt: number | undefined;
}

/** The outcomes of reads, and the rule that decides which of them count. */
export interface Outcomes {
  /**
   * The rule: whether a read that was sent at that time was sent after its last change.
   *
   * @param upTo leaves out later changes. A read that an uncertain write may still change is not kept, but may be joined
   */
  isCurrent(entry: Entry, sentAt: number, upTo?: number): boolean;
  /**
   * Finds the outcome that answers a read; undefined if there is none.
   *
   * @param asked what replicas know; absent if they are not asked
   * @param readAfter the earliest time of sending that counts
   */
  find(read: SoughtRead, asked?: Asked, readAfter?: number): Found | undefined;
  /** Keeps an answer if it counts, and returns whether it does. */
  keep(entry: Entry, reading: Reading, answer: Answer): boolean;
  /** Keeps the failure of a read, if the next read would fail in the same way. */
  keepFailure(entry: Entry, reading: Reading, error: unknown): void;
}

export const createOutcomes = (options: OutcomesOptions): Outcomes => {
  const { entries, log, isUsable, isProven, wantedBy, paceMs, maxStaleMs } = options;

  /** The age up to which an outcome may be shown: a minute after it was fresh, or twice the time to read all that the holder wants. */
  const staleMsOf = (read: SoughtRead): number =>
    Math.min(maxStaleMs, Math.max(freshMsOf(read) + staleMs, 2 * wantedBy(read.holder) * paceMs));

  const isCurrent: Outcomes['isCurrent'] = (entry, sentAt, upTo = Infinity) =>
    sentAt > log.lastOf(entry, upTo);

  const isUncertain = (asked: Asked | undefined): boolean => (asked?.look?.uncertainMs ?? 0) > 0;

  /** Whether nothing has changed since. The times of other processes are not exact, so marks decide if they are known. */
  const counts = (entry: Entry, { sentAt, marks }: Outcome, asked: Asked | undefined): boolean => {
    return asked?.look ? marks === asked.look.marks : isCurrent(entry, sentAt);
  };

  const stateOf = (
    { readAt, came }: Outcome,
    read: SoughtRead,
    asked: Asked | undefined,
  ): Found['state'] | undefined => {
    const ageMs = performance.now() - readAt;
    // The changes of other processes are not known.
    if (asked && !asked.look && ageMs > aloneMs) return undefined;
    if (ageMs <= freshMsOf(read)) return 'fresh';
    // A missing object may have been created since.
    const isMissing = came instanceof Error && came.failure.status === 404;
    return ageMs <= staleMsOf(read) && !isMissing && (!asked || asked.look) ? 'stale' : undefined;
  };

  const keepOutcome = (
    entry: Entry,
    { asked }: Reading,
    came: Outcome['came'],
    sentAt: number,
  ): boolean => {
    const marks = asked?.look?.marks;
    const known = entries.outcomeOf(entry);
    const isOlder = known !== undefined && known.sentAt > sentAt && known.marks === marks;
    if (isOlder || isUncertain(asked) || !isCurrent(entry, sentAt)) return false;
    entries.keep(entry, { came, sentAt, marks, readAt: performance.now() });
    return true;
  };

  return {
    isCurrent,
    find: (read, asked, readAfter = read.caller.readAfter) => {
      const entry = entries.find(read.row.api.name, read.holder, read.path);
      const outcome = entry && entries.outcomeOf(entry);
      if (!outcome || isUncertain(asked)) return undefined;
      if (!counts(entry, outcome, asked)) {
        entries.drop(entry);
        return undefined;
      }
      if (outcome.sentAt < readAfter) return undefined;
      const state = stateOf(outcome, read, asked);
      return state && { outcome, state };
    },
    keep: (entry, reading, answer) =>
      isUsable(reading.call, answer) && keepOutcome(entry, reading, answer, answer.sentAt),
    keepFailure: (entry, reading, error) => {
      const { sentAt } = reading;
      if (!(error instanceof UpstreamError) || sentAt === undefined) return;
      // Invented credentials must not displace answers.
      if (lasting.has(error.failure.status) && isProven(entry.holder))
        keepOutcome(entry, reading, error, sentAt);
    },
  };
};
