import type { Answer } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { ChangeLog } from './change-log.ts';
import type { Entries, Entry, Outcome } from './entries.ts';
import type { ReadCall, SoughtRead } from './read-call.ts';

/** How long any outcome may be shown after it was fresh, in milliseconds; longer for a holder with many reads. */
const staleMs = 60_000;
/** The greatest age of an outcome that is shown while replicas may have unknown changes, in milliseconds. */
const aloneMs = 3000;

export interface Found {
  readonly outcome: Outcome;
  readonly state: 'fresh' | 'stale';
}

/** Statuses of failures that the next read would meet too: not allowed, not found, or asleep. */
const lastingStatuses = new Set<number | undefined>([403, 404, 424]);

/** For how long a read's outcome is fresh, in milliseconds. */
export const freshMsOf = ({ freshMs, row }: SoughtRead): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

/** For how long a failure is kept that does not pass soon, in milliseconds. */
const keptMsOf = (result: Outcome['result'], { row }: SoughtRead): number =>
  result instanceof Error && result.failure.reason === 'no-such-route'
    ? (row.api.missingRoute?.keptMs ?? 0)
    : 0;

interface OutcomesOptions {
  readonly entries: Entries;
  readonly log: ChangeLog;
  /** Whether the answer fits its row. */
  readonly isUsable: (call: ReadCall, answer: Answer) => boolean;
  /** Whether the upstream has lately accepted the holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** How many reads the holder has asked for lately. */
  readonly askedBy: (holder: string) => number;
  /** The time between two background reads if nothing else is sent, in milliseconds; 0 if calls are not counted. */
  readonly paceMs: number;
  /** The age up to which any outcome may ever be shown, in milliseconds. */
  readonly maxStaleMs: number;
}

/** The facts of a read under way that its outcome needs. */
interface Reading {
  readonly call: ReadCall;
  /** When it was sent; undefined if it was not. */
  readonly sentAt: number | undefined;
}

/** Further conditions for the outcome that answers a read. */
interface Limits {
  /** Whether other processes may have made changes that are not known here; false if absent. */
  readonly isAlone?: boolean;
  /** The outcome must have been sent at this time or later; `caller.readAfter` if absent. */
  readonly readAfter?: number;
}

/** The outcomes of reads, and the rule that decides which of them count. */
export interface Outcomes {
  /**
   * The rule: whether a read was sent after its last change, or was found to be current after it.
   *
   * @param upTo see `ChangeLog`. With the present time, a read that an uncertain write may still change counts: it may
   * be joined. Without `upTo` it does not count: it must not be kept
   */
  isCurrent(entry: Entry, read: Pick<Answer, 'sentAt' | 'currentAt'>, upTo?: number): boolean;
  /** Finds the outcome that answers a read; undefined if there is none. */
  find(read: SoughtRead, limits?: Limits): Found | undefined;
  /** Keeps an answer if it counts, and returns whether it does. */
  keep(entry: Entry, reading: Reading, answer: Answer): boolean;
  /** Keeps the failure of a read, if the next read would fail in the same way. */
  keepFailure(entry: Entry, reading: Reading, error: unknown): void;
}

export const createOutcomes = (options: OutcomesOptions): Outcomes => {
  const { entries, log, isUsable, isProven, askedBy, paceMs, maxStaleMs } = options;

  /**
   * A minute after the outcome was fresh, or twice the time it takes to read all that the holder has asked for lately.
   */
  const staleMsOf = (read: SoughtRead): number =>
    Math.min(maxStaleMs, Math.max(freshMsOf(read) + staleMs, 2 * askedBy(read.holder) * paceMs));

  const isCurrent: Outcomes['isCurrent'] = (entry, { sentAt, currentAt = sentAt }, upTo) =>
    currentAt > log.lastOf(entry, upTo ?? Infinity);

  const stateOf = (
    { readAt, result }: Outcome,
    read: SoughtRead,
    isAlone: boolean,
  ): Found['state'] | undefined => {
    const ageMs = performance.now() - readAt;
    if (isAlone && ageMs > aloneMs) return undefined;
    if (ageMs <= Math.max(freshMsOf(read), keptMsOf(result, read))) return 'fresh';
    // A missing object may have been created since.
    const isMissing = result instanceof Error && result.failure.status === 404;
    return ageMs <= staleMsOf(read) && !isMissing && !isAlone ? 'stale' : undefined;
  };

  const keepOutcome = (entry: Entry, result: Outcome['result'], sentAt: number): boolean => {
    const known = entries.outcomeOf(entry);
    if ((known && known.sentAt > sentAt) || !isCurrent(entry, { sentAt })) return false;
    entries.keep(entry, { result, sentAt, readAt: performance.now() });
    return true;
  };

  return {
    isCurrent,
    find: (read, { isAlone = false, readAfter = read.caller.readAfter } = {}) => {
      const entry = entries.find(read.row.api.name, read.holder, read.path);
      const outcome = entry && entries.outcomeOf(entry);
      if (!outcome || (read.isDirect && outcome.result instanceof Error)) return undefined;
      if (!isCurrent(entry, outcome)) {
        entries.drop(entry);
        return undefined;
      }
      if (outcome.sentAt < readAfter) return undefined;
      const state = stateOf(outcome, read, isAlone);
      return state && { outcome, state };
    },
    keep: (entry, { call }, answer) =>
      isUsable(call, answer) && keepOutcome(entry, answer, answer.sentAt),
    keepFailure: (entry, { sentAt }, error) => {
      if (!(error instanceof UpstreamError) || sentAt === undefined) return;
      // Invented credentials must not displace answers.
      if (lastingStatuses.has(error.failure.status) && isProven(entry.holder))
        // A copy, since the answer that the error came from goes with the error itself.
        keepOutcome(entry, new UpstreamError(error.failure), sentAt);
    },
  };
};
