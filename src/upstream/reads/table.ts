import { headerOf } from '../answer-headers.ts';
import { type Answer, isWrite, type Send, type Step } from '../call.ts';
import { asksForPause, hasToWait, UpstreamError, type UpstreamName } from '../error.ts';
import { type Rate, reserveOf } from '../gate/slots.ts';
import { isBackground } from '../priority.ts';
import { givenUp } from '../sending/abort.ts';
import { createChangeLog } from './change-log.ts';
import { startsOf } from './changes.ts';
import type { Entries, Entry, Outcome } from './entries.ts';
import { Flight } from './flight.ts';
import { createOutcomes, type Found, freshMsOf } from './outcomes.ts';
import type { KeptState, ReadCall, SoughtRead } from './read-call.ts';
import { createRecentlyAsked } from './recently-asked.ts';
import { createReplicas } from './replicas.ts';
import { createRequests } from './requests.ts';
import type { SharedMemory } from './shared-memory.ts';
import { SlowRead } from './waiter.ts';
import { createWatches, type PollOptions, type Watches } from './watches.ts';
import { createWrites } from './writes.ts';

/** How long an operation waits before it shows an older outcome, in milliseconds. */
const patienceMs = 500;
/** For how long it is not worth asking the replicas again, in milliseconds. */
const soonMs = 50;
/** How often it is checked whether a stream still watches a read in the background, in milliseconds. */
const watchedMs = 60_000;
/** The most reads of one entry under way at a time: the second is for calls that the first keeps waiting. */
const mostFlights = 2;

interface TableOptions {
  readonly entries: Entries;
  /** The interfaces that the upstream serves. */
  readonly interfaces: readonly UpstreamName[];
  /** The memory that replicas share, if any. */
  readonly shared: SharedMemory | undefined;
  /** Called for each read that was answered by another replica. */
  readonly onFound: (call: ReadCall) => void;
  /** Whether the upstream has lately accepted a holder's credential. */
  readonly isProven: (holder: string) => boolean;
  /** Since when the upstream has accepted the credential; see `CredentialStatus`. */
  readonly provenSince: (holder: string) => number;
  /** Whether the answer fits its row. */
  readonly isUsable: (call: ReadCall, answer: Answer) => boolean;
  /** How the reads that streams watch are polled. */
  readonly polls: PollOptions;
  /** Whether requests share reads under way. */
  readonly joins: boolean;
  /** How often a holder may call the upstream; undefined if calls are not counted. */
  readonly rate: Rate | undefined;
  /** The age up to which any outcome may ever be shown, in milliseconds. */
  readonly maxStaleMs: number;
  /** Aborted when the gateway stops: then reads in the background end. */
  readonly closing: AbortSignal;
}

export interface Table {
  readonly step: Step<ReadCall>;
  readonly watches: Pick<Watches, 'recovered' | 'isListWatched' | 'counts'>;
  /** The state of the outcome that would answer the read now; undefined if there is none. */
  known(read: SoughtRead): KeptState | undefined;
  /** Whether the holder has another read under way whose path differs only in its last part. */
  isReadingBeside(read: SoughtRead): boolean;
  /** Cuts off all reads under way. */
  giveUp(reason?: DOMException): void;
}

/** Copies the body too: on arrival it is a small part of a large buffer, which would be kept with it. */
const toKeep = (answer: Answer): Answer => {
  const { status, sentAt } = answer;
  const body = Buffer.allocUnsafeSlow(answer.body.length);
  answer.body.copy(body);
  const headers = { 'content-type': headerOf(answer, 'content-type') };
  return { status, headers, body, sentAt, readAt: performance.now() };
};

const stateOf = (call: ReadCall, { readAt = 0 }: Answer): KeptState['state'] =>
  performance.now() - readAt <= freshMsOf(call) ? 'fresh' : 'stale';

const tellKept = (
  call: ReadCall,
  state: KeptState['state'],
  { readAt = 0 }: Pick<Answer, 'readAt'>,
  status: number | undefined,
): void => {
  const ageMs = performance.now() - readAt;
  call.caller.tell({ kind: 'memory', call, state, ageMs, status });
};

/** Whether an older outcome is better than the error: the read has to wait, or the upstream asks for a pause. */
const isRefused = (error: unknown): boolean => {
  if (!(error instanceof UpstreamError)) return error instanceof SlowRead;
  const { failure } = error;
  return failure.reason === 'queue-full' || asksForPause(failure) || hasToWait(failure);
};

/**
 * All that is known of the reads of one upstream: outcomes, reads under way, and changes. One rule decides what counts
 * for a request (docs/architecture.md): a read that was sent after its last change, and not before the request wants it
 * sent.
 *
 * To follow a read, begin with `step` at the end, then `answerRequest` (`requests.ts`), `answerRead`, `read` or
 * `readUnlessRefused`, `flightFor` and `start`.
 */
export const createTable = (options: TableOptions): Table => {
  const { entries, shared, closing, rate, isUsable, isProven, maxStaleMs } = options;
  const log = createChangeLog(options.provenSince);
  const recentlyAsked = createRecentlyAsked(options);
  const longestWaitMs = entries.areKept ? maxStaleMs : 0;
  const paceMs = rate ? rate.windowMs / (rate.calls - reserveOf(rate)) : 0;
  const outcomes = createOutcomes({
    ...{ entries, log, isUsable, isProven, askedBy: recentlyAsked.count, paceMs, maxStaleMs },
  });
  const { find, isCurrent } = outcomes;
  const watches = createWatches({
    ...{ ...options.polls, entries, outcomes, rate, isShared: shared !== undefined },
  });
  const underWay = new Set<Flight>();
  const writes = createWrites({ ...options, watches, log, outcomeOf: (call) => outcomeOf(call) });
  closing.addEventListener('abort', () => {
    for (const flight of underWay) {
      // If the waiting requests leave later, the read must not go on without them.
      if (flight.isAwaited) flight.unwant();
      else flight.cutOff();
    }
  });

  const entryOf = (call: ReadCall): Entry =>
    entries.of(call.row.api.name, call.holder, call.path, () => startsOf(call));

  const knownOf = ({ row, holder, path }: SoughtRead): Entry | undefined =>
    entries.find(row.api.name, holder, path);
  const outcomeOf = (read: SoughtRead): Outcome | undefined => {
    const entry = knownOf(read);
    return entry && entries.outcomeOf(entry);
  };

  const replicas =
    shared &&
    createReplicas({
      ...{ shared, entries, entryOf, log, outcomes, freshMsOf, patienceMs },
      onFound: options.onFound,
    });

  /** Whether a read under way counts for the call. A read that waits to be sent always does. */
  const isOpenTo = (entry: Entry, { sentAt, isOver }: Flight, call: ReadCall): boolean => {
    if (isOver || sentAt === undefined) return !isOver;
    return sentAt >= call.caller.readAfter && isCurrent(entry, { sentAt }, performance.now());
  };

  /** Gives an answer also to the calls that wait for an earlier read, if it counts for them. */
  const serveOthers = (entry: Entry, answer: Answer): void => {
    if (!isCurrent(entry, answer, performance.now())) return;
    for (const other of entry.flights) {
      other.serve(answer, ({ caller }) => answer.sentAt >= caller.readAfter);
    }
  };

  const start = (call: ReadCall, next: Send<ReadCall>): Flight => {
    const entry = entryOf(call);
    const end = (): void => {
      entry.flights.delete(flight);
      underWay.delete(flight);
      entries.removeUnused(entry);
    };
    const flight = new Flight(call, {
      next,
      beforeOf: replicas && ((own) => replicas.before(own, entry)),
      onAnswer: (answer) => {
        const isOwn = answer.readAt === undefined;
        const result = isOwn ? toKeep(answer) : answer;
        if (isOwn) entry.lastMs = performance.now() - result.sentAt;
        // The answer of another replica is already kept.
        const isKept = isOwn && !flight.isDoubted && outcomes.keep(entry, flight, result);
        end();
        if (isKept) replicas?.keep(call, entry, result);
        else replicas?.releaseReader(entry, call);
        if (!flight.isDoubted) entry.watched?.take(call, result);
        if (options.joins && options.isUsable(call, result)) serveOthers(entry, result);
        // The headers count only for the caller that the upstream has just answered.
        return isOwn && call.isDirect ? { ...result, headers: answer.headers } : result;
      },
      onError: (error) => {
        outcomes.keepFailure(entry, flight, error);
        end();
        replicas?.releaseReader(entry, call);
        // Streams keep failures, but not the answers behind them.
        entry.watched?.fail(
          error instanceof UpstreamError ? new UpstreamError(error.failure) : error,
        );
      },
      background: {
        isWatched: () => entry.watched !== undefined,
        leftMs: () => (entry.watched ? watchedMs : recentlyAsked.leftMs(call.holder, call.path)),
        shownReadAt: () => entries.outcomeOf(entry)?.readAt,
        get longestWaitMs() {
          return closing.aborted ? 0 : longestWaitMs;
        },
      },
    });
    entry.flights.add(flight);
    underWay.add(flight);
    return flight;
  };

  /** The read under way that the call waits for: one that counts and is not slow, or else a new one. */
  const flightFor = (call: ReadCall, next: Send<ReadCall>): Flight => {
    if (!options.joins) return start(call, next);
    const entry = entryOf(call);
    const open = [...entry.flights].filter((flight) => isOpenTo(entry, flight, call));
    const joined = open.findLast((flight) => !flight.isSlow(entry.lastMs));
    if (joined) return joined;
    const [oldest, newer = oldest] = entry.flights;
    if (!oldest || !newer || entry.flights.size < mostFlights) return start(call, next);
    // One of the two must go on to its end. Otherwise, with a slow upstream, new calls would cut off every read.
    const isStuck = oldest.isSlow(entry.lastMs) && !open.includes(oldest);
    const replaced = isStuck ? oldest : newer;
    entry.flights.delete(replaced);
    const flight = start(call, next);
    // So a slow upstream is asked less and less often, and has longer to answer.
    flight.youngMs = (replaced.isSlow(entry.lastMs) ? 2 : 1) * replaced.youngMs;
    replaced.passTo(flight);
    return flight;
  };

  const show = (call: ReadCall, { outcome, state }: Found): Answer => {
    const { result } = outcome;
    tellKept(call, state, outcome, result instanceof Error ? result.failure.status : result.status);
    if (result instanceof Error) throw result;
    return result;
  };

  /** Joins or starts a read, and waits at most `patience` milliseconds after it is sent. */
  const read = async (call: ReadCall, next: Send<ReadCall>, patience?: number): Promise<Answer> => {
    // A read without a waiter would never be sent, and never end.
    if (call.signal.aborted) {
      const entry = entryOf(call);
      replicas?.releaseReader(entry, call);
      entries.removeUnused(entry);
      throw givenUp(call);
    }
    const flight = flightFor(call, next);
    const isOwn = flight.call === call;
    const joined = { kind: 'joined', call, since: performance.now() } as const;
    try {
      const answer = await flight.wait(call, patience);
      if (!isOwn) call.caller.tell({ ...joined, answer });
      if (answer.currentAt !== undefined)
        tellKept(call, stateOf(call, answer), answer, answer.status);
      return answer;
    } catch (error) {
      if (!isOwn) call.caller.tell({ ...joined, error });
      throw error;
    }
  };

  /**
   * Renews a stale outcome. If that takes too long or is refused, the outcome is shown, and renewed in the background.
   */
  const readUnlessRefused = async (
    call: ReadCall,
    { outcome: { readAt: shownReadAt } }: Found,
    next: Send<ReadCall>,
    isAlone: boolean,
  ): Promise<Answer> => {
    const latest = Math.min(call.latest, call.caller.arrivedAt + patienceMs);
    const refresh: ReadCall = { ...call, priority: 'refresh', latest, shownReadAt };
    const began = performance.now();
    try {
      if (!replicas?.isReadByAnother(entryOf(call))) return await read(refresh, next, patienceMs);
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    // Unless it was refused at once, a write may have changed the read meanwhile, or another replica answered it.
    const isOfNow = performance.now() - began < soonMs;
    const isNowAlone = replicas && !isOfNow ? await replicas.refresh(call) : isAlone;
    const shown = find(call, { isAlone: isNowAlone });
    if (!shown) return read(call, next);
    if (shown.state === 'stale' && !closing.aborted)
      flightFor(call, next).want(performance.now(), call);
    else replicas?.releaseReader(entryOf(call), call);
    return show(call, shown);
  };

  const answerRead = async (call: ReadCall, next: Send<ReadCall>): Promise<Answer> => {
    const isAlone = replicas ? await replicas.refresh(call) : false;
    const known = find(call, { isAlone });
    if (!known) return read(call, next);
    if (known.state === 'stale') return readUnlessRefused(call, known, next, isAlone);
    replicas?.releaseReader(entryOf(call), call);
    return show(call, known);
  };

  const answerRequest = createRequests({
    ...{ recentlyAsked, watches, entries, answer: answerRead },
    areReadOn: longestWaitMs > 0,
  });

  return {
    step: async (call, following) => {
      const next = writes.refusals(following);
      if (isWrite(call)) return writes.send(call, next);
      if (call.signal.aborted || call.row.isForeign) return next(call);
      if (call.mustBeSent) {
        // Sent by way of the table, which keeps the answer. Otherwise an older one might be shown after it.
        const caller = { ...call.caller, readAfter: performance.now() };
        return answerRead({ ...call, caller }, next);
      }
      const isOfRequest = !isBackground(call.priority) && !call.isDirect;
      return isOfRequest ? answerRequest(call, next) : answerRead(call, next);
    },
    watches,
    known: (sought) => {
      const { watcher } = sought.caller;
      const shown = watcher && watcher.event > 1 ? knownOf(sought)?.watched?.pinned : undefined;
      if (shown) return { state: 'fresh', sentAt: shown.sentAt };
      const { state, outcome } = find(sought) ?? {};
      const entry = knownOf(sought);
      if (entry) entries.removeUnused(entry);
      return state && outcome && { state, sentAt: outcome.sentAt };
    },
    isReadingBeside: ({ row: { api }, holder, path }) => {
      const last = path.lastIndexOf('/') + 1;
      for (const { path: other, flights } of entries.heldBy(api.name, holder)) {
        if (flights.size === 0 || other === path || other.lastIndexOf('/') + 1 !== last) continue;
        if (other.startsWith(path.slice(0, last))) return true;
      }
      return false;
    },
    giveUp: (reason) => {
      for (const flight of underWay) flight.cutOff(reason);
    },
  };
};
