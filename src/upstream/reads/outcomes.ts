import type { Answer, Asked, Call, SoughtRead } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { ChangeLog } from './change-log.ts';
import type { Entries, Entry, Outcome } from './entries.ts';

/** How long after it was read any outcome may be shown, in milliseconds. Where many are read it may be longer. */
export const staleMs = 60_000;
/** How old it may be at most while replicas cannot be asked, in milliseconds. */
const aloneMs = 3000;

/** What is known of a read, and whether that is fresh. */
export interface Found {
  readonly outcome: Outcome;
  readonly state: 'fresh' | 'stale';
}

/** What the next read would fail with as well, unless something changes: not allowed, no such thing, or it sleeps. */
const lasting = new Set<number | undefined>([403, 404, 424]);

/** For how long a read's outcome is fresh, in milliseconds. */
export const freshMsOf = ({ freshMs, row }: SoughtRead): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

interface OutcomesOptions {
  readonly entries: Entries;
  readonly log: ChangeLog;
  /** Whether the answer is what its row says. */
  readonly isUsable: (call: Call, answer: Answer) => boolean;
  /** How many reads the holder wants. */
  readonly wantedBy: (holder: string) => number;
  /** After how many milliseconds a read in the background follows another, while nothing else is sent; 0 where calls are not counted. */
  readonly paceMs: number;
  /** How old an outcome that is shown may be at most, in milliseconds. */
  readonly maxStaleMs: number;
}

/** A read under way, as far as what it came to depends on it. */
interface Reading {
  readonly call: Call;
  readonly asked: Asked | undefined;
  /** When it was sent; undefined where it was not. */
  readonly sentAt: number | undefined;
}

/** The outcomes of reads, and the one rule of which of them count. */
export interface Outcomes {
  /**
   * The rule: whether what was sent at that time was sent after the last change of it.
   *
   * @param upTo leaves out later changes: what an uncertain write may still change is not kept, and joined while under way
   */
  isCurrent(entry: Entry, sentAt: number, upTo?: number): boolean;
  /**
   * What answers a read; undefined where nothing does.
   *
   * @param asked what replicas know; absent where they are not asked
   * @param readAfter when it has to be sent at the earliest
   */
  find(read: SoughtRead, asked?: Asked, readAfter?: number): Found | undefined;
  /** Keeps an answer if it counts. Whether it does. */
  keep(entry: Entry, reading: Reading, answer: Answer): boolean;
  /** Keeps what a read failed with, if the next one would fail with it too. */
  keepFailure(entry: Entry, reading: Reading, error: unknown): void;
}

export const createOutcomes = (options: OutcomesOptions): Outcomes => {
  const { entries, log, isUsable, wantedBy, paceMs, maxStaleMs } = options;

  /** Twice the time in which all that a holder wants is read once. */
  const staleMsOf = ({ holder }: SoughtRead): number =>
    Math.min(maxStaleMs, Math.max(staleMs, 2 * wantedBy(holder) * paceMs));

  const isCurrent: Outcomes['isCurrent'] = (entry, sentAt, upTo = Infinity) =>
    sentAt > log.lastOf(entry.changeNames, upTo);

  const isUncertain = (asked: Asked | undefined): boolean => asked?.look?.isUncertain === true;

  /** Whether nothing has changed since. Times of other processes are rounded, so that marks decide where they are known. */
  const counts = (entry: Entry, { sentAt, marks }: Outcome, asked: Asked | undefined): boolean => {
    return asked?.look ? marks === asked.look.marks : isCurrent(entry, sentAt);
  };

  const stateOf = (
    { readAt, came }: Outcome,
    read: SoughtRead,
    asked: Asked | undefined,
  ): Found['state'] | undefined => {
    const ageMs = performance.now() - readAt;
    // What others have changed is not known.
    if (asked && !asked.look && ageMs > aloneMs) return undefined;
    if (ageMs <= freshMsOf(read)) return 'fresh';
    // What did not exist may have been made since.
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
      if (lasting.has(error.failure.status)) keepOutcome(entry, reading, error, sentAt);
    },
  };
};
