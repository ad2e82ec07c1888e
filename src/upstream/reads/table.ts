import { type Answer, type Asked, type Call, isWrite, type Send, type Step } from '../call.ts';
import { asksForPause, hasToWait, UpstreamError } from '../error.ts';
import type { Observer } from '../events/observer.ts';
import { unbounded } from '../sending/budget.ts';
import { headerOf } from '../sending/rate-limit.ts';
import { createChangeLog } from './change-log.ts';
import { changedBy, startsOf, tellingChanges, type WritePhase } from './changes.ts';
import type { Entries, Entry, Outcome } from './entries.ts';
import { Flight, isOverBudget } from './flight.ts';
import { type AskedReplicas, createReplicas } from './replicas.ts';
import type { SharedMemory } from './shared-memory.ts';

/** How long after it was read an outcome may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** How old it may be at most while replicas cannot be asked, in milliseconds. */
const aloneMs = 3000;
/** How long an operation waits before it shows an older outcome, in milliseconds. */
const patienceMs = 500;
/** How long a write of unknown outcome may still change what is read, in milliseconds. */
const uncertainMs = 30_000;
/** Reads of one entry that may be under way at a time: the second one is for those whom the first keeps waiting. */
const mostFlights = 2;

/** What a look-up needs of a read. */
export type SoughtRead = Pick<Call, 'row' | 'holder' | 'path' | 'caller' | 'freshMs'>;

/** What is known of a read, and whether that is fresh. */
interface Found {
  readonly outcome: Outcome;
  readonly state: 'fresh' | 'stale';
}

/** How a known read would answer now, and when it was sent, in milliseconds of `performance.now()`. */
export type KnownState = Pick<Found, 'state'> & Pick<Outcome, 'sentAt'>;

interface TableOptions {
  readonly entries: Entries;
  /** What replicas know, if they share any. */
  readonly shared: SharedMemory | undefined;
  /** Told of each read that another replica has answered. */
  readonly onFound: (call: Call) => void;
  /** Whether the answer is what its row says. */
  readonly isUsable: (call: Call, answer: Answer) => boolean;
  /** Around each wait for a read under way. */
  readonly waiting?: Step | undefined;
  /** Aborted when the gateway stops: nothing is read any longer that nobody waits for. */
  readonly closing: AbortSignal;
}

export interface Table {
  readonly step: Step;
  /** What the read would be answered with if it were asked for now. */
  known(read: SoughtRead): KnownState | undefined;
  /** Whether another read of that holder is under way whose path differs from that one in its last part alone. */
  isReadingBeside(read: SoughtRead): boolean;
}

/** Whether a read would have to wait, or the upstream is left alone: an older outcome is better than none. */
const isRefused = (error: unknown): boolean => {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  return failure.reason === 'queue-full' || asksForPause(failure) || hasToWait(failure);
};

/** What the next read would fail with as well, unless something changes: no such thing, not allowed, or it sleeps. */
const lasting = new Set<number | undefined>([403, 404, 424]);

const ageOf = ({ readAt }: Outcome): number => performance.now() - readAt;

const freshMsOf = ({ freshMs, row }: SoughtRead): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

/** A copy with memory of its own: what arrives is a small part of a large buffer that would be kept with it. */
const ownCopy = (body: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
};

const everything = [{ path: '', isWhole: false }];

/**
 * All that is known of the reads of one upstream: what was read, what is under way, and what writes have changed
 * (docs/architecture.md). There is one rule: a read counts for a request if it was sent after the last change of what it says,
 * and not before the request wants it sent.
 */
export const createTable = (options: TableOptions): Table => {
  const { entries, shared, isUsable, closing } = options;
  const log = createChangeLog();
  /** When a holder last wrote anything, for failures that are kept. */
  const wroteName = (holder: string): readonly string[] => [`${holder} whole any write`];

  const entryOf = (call: Call): Entry =>
    entries.of(call.row.api.name, call.holder, call.path, () => startsOf(call));
  const knownEntry = ({ row, holder, path }: SoughtRead): Entry | undefined =>
    entries.find(row.api.name, holder, path);

  /** The rule, of what was sent at that time. What may still be changed counts for reads under way only once it was. */
  const isCurrent = (entry: Entry, sentAt: number, upTo = Infinity): boolean =>
    sentAt > log.lastOf(entry.changeNames, upTo);

  /**
   * How an outcome answers a read; undefined where it does not.
   *
   * @param asked what replicas know; absent where they are not asked
   */
  const stateOf = (
    entry: Entry,
    outcome: Outcome,
    read: SoughtRead,
    asked: AskedReplicas | undefined,
    readAfter: number,
  ): Found['state'] | undefined => {
    const { sentAt, marks, came } = outcome;
    if (sentAt < readAfter) return undefined;
    if (asked?.look) {
      // Times of other processes are rounded: their marks alone tell what has changed.
      if (asked.look.isUncertain || marks !== asked.look.marks) return undefined;
    } else if (!isCurrent(entry, sentAt)) return undefined;
    if (came instanceof Error && sentAt <= log.lastOf(wroteName(read.holder), Infinity)) {
      return undefined;
    }
    const ageMs = ageOf(outcome);
    if (asked && !asked.look) return ageMs <= Math.min(aloneMs, freshMsOf(read)) ? 'fresh' : undefined;
    if (ageMs <= freshMsOf(read)) return 'fresh';
    return ageMs <= staleMs ? 'stale' : undefined;
  };

  const find = (
    read: SoughtRead,
    asked?: AskedReplicas,
    readAfter = read.caller.readAfter,
  ): Found | undefined => {
    const entry = knownEntry(read);
    const outcome = entry && entries.outcomeOf(entry);
    const state = outcome && stateOf(entry, outcome, read, asked, readAfter);
    return state && { outcome, state };
  };

  const show = (call: Call, { outcome, state }: Found): Answer => {
    const { came } = outcome;
    const status = came instanceof UpstreamError ? came.failure.status : came.status;
    call.notes?.kept(state, ageOf(outcome), status);
    call.caller.ages.note(ageOf(outcome), state);
    if (came instanceof UpstreamError) throw came;
    return came;
  };

  const replicas =
    shared &&
    createReplicas({
      ...{ shared, freshMsOf, patienceMs },
      own: (call) => {
        const entry = knownEntry(call);
        return entry && entries.outcomeOf(entry);
      },
      take: (call, { body, contentType, ...found }) => {
        options.onFound(call);
        const { sentAt, readAt } = found;
        const came = { status: 200, headers: { 'content-type': contentType }, body, sentAt, readAt };
        entries.keep(entryOf(call), { ...found, came });
      },
      find,
    });

  /** Keeps what a read came to, here and for replicas, if it counts. The answer is what those have who wait for it. */
  const keep = (entry: Entry, { call, asked }: Flight, answer: Answer): Answer => {
    const { sentAt } = answer;
    const look = (asked as AskedReplicas | undefined)?.look;
    const readAt = performance.now();
    const contentType = headerOf(answer, 'content-type');
    const came: Answer = {
      ...{ status: answer.status, headers: { 'content-type': contentType } },
      ...{ body: ownCopy(answer.body), sentAt, readAt },
    };
    const counts = isCurrent(entry, sentAt) && look?.isUncertain !== true && isUsable(call, came);
    const known = entries.outcomeOf(entry);
    const marks = look?.marks;
    const isOlder = known && known.sentAt > sentAt && known.marks === marks;
    if (!counts || isOlder) return answer;
    entries.keep(entry, { sentAt, readAt, marks, came });
    if (marks !== undefined) replicas?.keep(call, { ...came, contentType, readAt, marks });
    return came;
  };

  /** A credential that is refused has everything dropped that was read with it; anything else is known of this read alone. */
  const noteFailure = (entry: Entry, flight: Flight, error: unknown): void => {
    if (!(error instanceof UpstreamError) || flight.sentAt === undefined) return;
    const { status } = error.failure;
    const known = entries.outcomeOf(entry);
    const hadSuccess = known !== undefined && !(known.came instanceof Error);
    if (status === 401 || (status === 403 && hadSuccess)) return;
    if (!lasting.has(status) || !isCurrent(entry, flight.sentAt)) return;
    const { sentAt } = flight;
    const marks = (flight.asked as AskedReplicas | undefined)?.look?.marks;
    entries.keep(entry, { sentAt, readAt: performance.now(), marks, came: error });
  };

  return {} as never;
};
