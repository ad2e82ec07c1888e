import type { Answer } from '../call.ts';
import type { Before } from '../gate/paced-call.ts';
import { pause } from '../sending/abort.ts';
import type { ChangeLog } from './change-log.ts';
import { startsOf } from './changes.ts';
import type { Entries, Entry } from './entries.ts';
import type { Flight } from './flight.ts';
import type { Outcomes } from './outcomes.ts';
import type { ReadCall } from './read-call.ts';
import type { Look, Marks, ReadName, SharedMemory } from './shared-memory.ts';

/** How long a request waits for the read of another process, in milliseconds. */
const longestMs = 1500;
/**
 * How often a request looks for that answer, in milliseconds: before it asks for a slot, and after giving its slot
 * back.
 */
const againMs = { atFirst: 50, afterLeaving: 200 } as const;
/** How long a read may take once it has its turn, in milliseconds. */
const longestReadMs = 30_000;
/** How long a read waits for its turn before another process may read it instead, in milliseconds. */
const longTurnMs = 50;

interface ReplicasOptions {
  readonly shared: SharedMemory;
  readonly entries: Pick<Entries, 'outcomeOf' | 'keep'>;
  readonly entryOf: (call: ReadCall) => Entry;
  readonly log: ChangeLog;
  readonly outcomes: Pick<Outcomes, 'find' | 'isCurrent'>;
  readonly freshMsOf: (call: ReadCall) => number;
  /** How long an operation waits, in all, before it shows an older outcome, in milliseconds. */
  readonly patienceMs: number;
  /** Called for each read that another process has answered. */
  readonly onFound: (call: ReadCall) => void;
}

/**
 * Talks to the other processes about reads, so that one process reads for all, and turns their changes into local ones.
 */
export interface Replicas {
  /**
   * Must be called before a read is answered. Learns what the other processes have changed and read, and waits a moment
   * if one of them is reading it. Resolves with whether they may have made changes that are not known here.
   */
  refresh(call: ReadCall): Promise<boolean>;
  /** Whether another process was reading the read at the last look. */
  isReadByAnother(entry: Entry): boolean;
  /** Makes the function that the gate calls before it sends the read. */
  before(flight: Flight, entry: Entry): Before;
  /** Shares an answer that this process has kept. */
  keep(call: ReadCall, entry: Entry, answer: Answer): void;
  /** Tells the others not to wait for this process, unless this process is reading it. */
  releaseReader(entry: Entry, call: ReadCall): void;
}

/** What the last look at a read has brought. */
interface Known {
  marks: Marks | undefined;
  reader: Look['reader'];
  /** When this process noted a change because marks differed, in milliseconds of `performance.now()`. */
  notedAt: number;
}

interface Wanted {
  readonly readAfter: number;
  readonly begunMs: number;
}

/** Asks the other processes about single reads, and notes here what they know. */
interface Looks {
  /** Resolves with undefined while the other processes are out of reach. */
  look(call: ReadCall, wanted: Wanted): Promise<Look | undefined>;
  known(entry: Entry): Readonly<Known>;
  releaseReader: Replicas['releaseReader'];
  /** Notes whether a read that waits for its turn is left to the other processes meanwhile. */
  leaveToOthers(flight: Flight, isLeft: boolean): void;
}

/** A read as replicas know it. */
const readNameOf = (call: ReadCall): ReadName => ({
  upstream: call.row.api.name,
  credential: call.credential,
  path: call.path,
  starts: startsOf(call),
  pathsNameOwner: call.row.api.pathsNameOwner,
});

const createLooks = (options: ReplicasOptions): Looks => {
  const { shared, entries, entryOf, log, outcomes, freshMsOf, onFound } = options;
  const last = new WeakMap<Entry, Known>();
  const leftToOthers = new WeakSet<Flight>();

  const knownOf = (entry: Entry): Known => {
    const known = last.get(entry) ?? { marks: undefined, reader: undefined, notedAt: -Infinity };
    last.set(entry, known);
    return known;
  };

  const lastChangeOf = (entry: Entry): number => log.lastOf(entry, -Infinity);

  /** The only place where marks are compared: if they differ, there was a change that is not noted here yet. */
  const noteChange = (entry: Entry, known: Known, { marks, uncertainMs }: Look): void => {
    const isEmpty = entry.flights.size === 0 && !entry.pinned && !entries.outcomeOf(entry);
    if (marks === known.marks || (isEmpty && uncertainMs === 0)) return;
    const until = uncertainMs > 0 ? performance.now() + uncertainMs : undefined;
    log.noteRead(entry, until);
    known.notedAt = lastChangeOf(entry);
  };

  const keepFound = (entry: Entry, call: ReadCall, { notedAt }: Known, { found }: Look): void => {
    if (!found) return;
    const { sentAt, readAt, contentType, body } = found;
    onFound(call);
    // This process may have read it itself during the look.
    const own = entries.outcomeOf(entry);
    if (own && own.sentAt >= sentAt && outcomes.isCurrent(entry, own)) return;
    // The answer was sent before the change of its marks was noted here. So it counts as of just after that note.
    const currentAt = Math.max(performance.now(), notedAt * (1 + Number.EPSILON));
    const headers = { 'content-type': contentType };
    const result: Answer = { status: 200, headers, body, sentAt, readAt, currentAt };
    entries.keep(entry, { sentAt, readAt, currentAt, result });
  };

  const ownOf = (entry: Entry, { marks }: Known) => {
    const own = entries.outcomeOf(entry);
    if (!own || marks === undefined || !outcomes.isCurrent(entry, own)) return undefined;
    return { sentAt: own.sentAt, readAt: own.readAt, marks };
  };

  const releaseReader: Looks['releaseReader'] = (entry, call) => {
    const known = knownOf(entry);
    const isReading = [...entry.flights].some((flight) => !leftToOthers.has(flight));
    if (known.reader !== 'this' || isReading) return;
    known.reader = undefined;
    shared.release(readNameOf(call));
  };

  const lookAt = async (
    entry: Entry,
    call: ReadCall,
    wanted: Wanted,
  ): Promise<Look | undefined> => {
    const known = knownOf(entry);
    const changedAt = lastChangeOf(entry);
    const reply = await shared.look(readNameOf(call), {
      ...{ ...wanted, freshMs: freshMsOf(call), own: ownOf(entry, known) },
    });
    known.reader = reply?.reader;
    if (!reply) return undefined;
    // After a change that this process has made meanwhile, the reply may be older than the change.
    const isOvertaken = lastChangeOf(entry) > Math.max(changedAt, known.notedAt);
    noteChange(entry, known, reply);
    known.marks = reply.marks;
    if (!isOvertaken) keepFound(entry, call, known, reply);
    // Others must not wait for a read that itself waits here.
    if ([...entry.flights].some((flight) => leftToOthers.has(flight))) releaseReader(entry, call);
    return reply;
  };

  return {
    look: async (call, wanted) => {
      const entry = entryOf(call);
      // What the look brings is of use only as long as the entry is the one that is found.
      entry.looks += 1;
      try {
        return await lookAt(entry, call, wanted);
      } finally {
        entry.looks -= 1;
      }
    },
    known: knownOf,
    releaseReader,
    leaveToOthers: (flight, isLeft) => {
      if (isLeft) leftToOthers.add(flight);
      else leftToOthers.delete(flight);
    },
  };
};

/**
 * Makes the function that the gate calls before it sends a read. While the read waits for its turn for longer than a
 * moment, it is left to the other processes. At its turn they are asked once more; if another process is reading it by
 * then, the read gives its turn back.
 */
const createBefore = (
  { look, known, releaseReader, leaveToOthers }: Looks,
  find: Outcomes['find'],
  flight: Flight,
  entry: Entry,
): Before => {
  const { call } = flight;
  const since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let hasWaited = false;
  /** Whether the read gave its turn back although a request needs it: only once, since the other process may hang. */
  let wasLeft = false;
  let isLeaving = false;

  /** Looks for an answer that serves all waiters: a fresh one, or one that was read meanwhile. */
  const lookAgain = async (): Promise<Answer | undefined> => {
    const reply = await look(call, { readAfter: flight.readAfter, begunMs: longestReadMs });
    if (!reply) return undefined;
    const limits = { isAlone: reply.isDoubtful, readAfter: flight.readAfter };
    const { state, outcome } = find(call, limits) ?? {};
    const isNew = outcome && (state === 'fresh' || outcome.readAt > since);
    return isNew && !(outcome.result instanceof Error) ? outcome.result : undefined;
  };

  /** Waits until another process has answered the read, or no longer reads it. */
  const untilRead = async (): Promise<Answer | undefined> => {
    const until = performance.now() + longestMs;
    while ((flight.mayWait || performance.now() < until) && !flight.signal.aborted) {
      flight.refuseLateRefreshes();
      await pause(againMs.afterLeaving, flight.signal);
      const found = await lookAgain();
      if (found || known(entry).reader !== 'another') return found;
    }
    return undefined;
  };

  const beforeQueue = async (): Promise<Answer | 'send'> => {
    const mayWait = flight.mayWait || isLeaving;
    isLeaving = false;
    const read = mayWait && known(entry).reader === 'another' && (await untilRead());
    if (read) return read;
    timer = setTimeout(() => {
      if (flight.isOver) return;
      hasWaited = true;
      leaveToOthers(flight, true);
      releaseReader(entry, call);
    }, longTurnMs);
    return 'send';
  };

  const atTurn = async (): Promise<Answer | 'send' | 'leave'> => {
    clearTimeout(timer);
    leaveToOthers(flight, false);
    if (!hasWaited) return 'send';
    const found = await lookAgain();
    if (found) return found;
    const mayLeave = flight.mayWait || !wasLeft;
    if (!mayLeave || known(entry).reader !== 'another') return 'send';
    wasLeft ||= !flight.mayWait;
    isLeaving = true;
    return 'leave';
  };

  return (moment) => (moment === 'queue' ? beforeQueue() : atTurn());
};

export const createReplicas = (options: ReplicasOptions): Replicas => {
  const { shared, patienceMs } = options;
  const { find } = options.outcomes;
  const looks = createLooks(options);
  return {
    refresh: async (call) => {
      const { readAfter, arrivedAt } = call.caller;
      const latest = Math.min(performance.now() + longestMs, call.latest);
      for (;;) {
        const reply = await looks.look(call, { readAfter, begunMs: longestMs });
        const isAlone = !reply || reply.isDoubtful;
        const found = find(call, { isAlone });
        const until = found ? Math.min(latest, arrivedAt + patienceMs) : latest;
        const isAwaited = found?.state !== 'fresh' && reply?.reader === 'another';
        if (!isAwaited || performance.now() >= until || call.signal.aborted) return isAlone;
        await pause(againMs.atFirst, call.signal);
      }
    },
    isReadByAnother: (entry) => looks.known(entry).reader === 'another',
    before: (flight, entry) => createBefore(looks, find, flight, entry),
    keep: (call, entry, { headers, body, sentAt, readAt = sentAt }) => {
      const { marks } = looks.known(entry);
      if (marks === undefined) return;
      const contentType = String(headers['content-type']);
      shared.keep(readNameOf(call), { body, contentType, sentAt, readAt, marks });
    },
    releaseReader: looks.releaseReader,
  };
};
