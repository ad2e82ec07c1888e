import type { Answer } from '../call.ts';
import type { Before } from '../gate/paced-call.ts';
import { pause } from '../sending/abort.ts';
import type { ChangeLog } from './change-log.ts';
import { foldPath, startsOf } from './changes.ts';
import type { Entries, Entry, Outcome } from './entries.ts';
import type { Flight } from './flight.ts';
import type { Outcomes } from './outcomes.ts';
import type { ReadCall } from './read-call.ts';
import type { Look, Marks, ReadName, SharedMemory } from './shared-memory.ts';

/** How long a request waits for the read of another process, in milliseconds. */
const longestMs = 1500;
/** How often it looks for the answer meanwhile, before it asks for a slot and after it has left its slot, in milliseconds. */
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

/** Talks to the other processes about reads, so that one process reads for all, and turns their changes into local ones. */
export interface Replicas {
  /**
   * Must be called before a read is answered. Learns what the others have changed and read, and waits a moment if one of
   * them is reading it. Resolves with whether this process is alone: it may not know of changes then.
   */
  refresh(call: ReadCall): Promise<boolean>;
  /** Whether another process was reading it at the last `refresh`. */
  isReadByAnother(entry: Entry): boolean;
  /** What the gate asks before it sends a read that may have waited for long. */
  before(flight: Flight, entry: Entry): Before;
  /** Shares an answer that this process has kept. */
  keep(call: ReadCall, entry: Entry, answer: Answer): void;
  /** Tells the others not to wait for this process, unless it reads it. */
  releaseReader(entry: Entry, call: ReadCall): void;
}

/** What the last look has brought. */
interface Known {
  marks: Marks | undefined;
  reader: Look['reader'];
  /** When a change was noted here because of other marks, in milliseconds of `performance.now()`. */
  notedAt: number;
}

/** A read as replicas know it. */
const readNameOf = (call: ReadCall): ReadName => ({
  upstream: call.row.api.name,
  credential: call.credential,
  path: call.path,
  starts: startsOf(call),
  pathsNameOwner: call.row.api.pathsNameOwner,
});

export const createReplicas = (options: ReplicasOptions): Replicas => {
  const { shared, entries, entryOf, log, freshMsOf, patienceMs, onFound } = options;
  const { find, isCurrent } = options.outcomes;
  const lastLooks = new WeakMap<Entry, Known>();
  /** Reads of this process that wait for their turn, and are left to others meanwhile. */
  const leftToOthers = new WeakSet<Flight>();

  const knownOf = (entry: Entry): Known => {
    const known = lastLooks.get(entry) ?? {
      marks: undefined,
      reader: undefined,
      notedAt: -Infinity,
    };
    lastLooks.set(entry, known);
    return known;
  };

  const releaseReader = (entry: Entry, call: ReadCall): void => {
    const known = knownOf(entry);
    const isReading = [...entry.flights].some((flight) => !leftToOthers.has(flight));
    if (known.reader !== 'this' || isReading) return;
    known.reader = undefined;
    shared.release(readNameOf(call));
  };

  /** The only place where marks are compared. Other marks are a change that this process has not noted yet. */
  const noteChange = (entry: Entry, { marks, uncertainMs }: Look): void => {
    const known = knownOf(entry);
    const isEmpty = entry.flights.size === 0 && !entry.pinned && !entries.outcomeOf(entry);
    if (marks === known.marks || (isEmpty && uncertainMs === 0)) return;
    const until = uncertainMs > 0 ? performance.now() + uncertainMs : undefined;
    log.note([{ path: foldPath(entry.path), isWhole: true }], entry.holder, until);
    known.notedAt = log.lastOf(entry, -Infinity);
  };

  const takeFound = (entry: Entry, call: ReadCall, { found }: Look): void => {
    if (!found) return;
    const { sentAt, readAt, contentType, body } = found;
    onFound(call);
    // It was sent before the change that its marks stand for was noted here.
    const currentAt = performance.now() + 0.001;
    const headers = { 'content-type': contentType };
    const result: Answer = { status: 200, headers, body, sentAt, readAt, currentAt };
    entries.keep(entry, { sentAt, readAt, currentAt, result });
  };

  /** Asks the others. Returns undefined while they are out of reach. */
  const look = async (
    call: ReadCall,
    readAfter: number,
    begunMs: number,
  ): Promise<Look | undefined> => {
    const entry = entryOf(call);
    const known = knownOf(entry);
    const own: Outcome | undefined = entries.outcomeOf(entry);
    const { marks } = known;
    const isShown = marks !== undefined && own && isCurrent(entry, own);
    const lastChange = log.lastOf(entry, -Infinity);
    const reply = await shared.look(readNameOf(call), {
      ...{ readAfter, begunMs, freshMs: freshMsOf(call) },
      own: isShown ? { sentAt: own.sentAt, readAt: own.readAt, marks } : undefined,
    });
    known.reader = reply?.reader;
    if (!reply) return undefined;
    // After a change that this process has made meanwhile, the reply may be older than the change.
    const isOvertaken = log.lastOf(entry, -Infinity) > Math.max(lastChange, known.notedAt);
    noteChange(entry, reply);
    known.marks = reply.marks;
    if (!isOvertaken) takeFound(entry, call, reply);
    // Others must not wait for a read that itself waits here.
    if ([...entry.flights].some((flight) => leftToOthers.has(flight))) releaseReader(entry, call);
    return reply;
  };

  return {
    refresh: async (call) => {
      const { readAfter, arrivedAt } = call.caller;
      const latest = Math.min(performance.now() + longestMs, call.latest);
      for (;;) {
        const reply = await look(call, readAfter, longestMs);
        const isAlone = !reply || reply.isDoubtful;
        const found = find(call, { isAlone });
        const until = found ? Math.min(latest, arrivedAt + patienceMs) : latest;
        const isAwaited = found?.state !== 'fresh' && reply?.reader === 'another';
        if (!isAwaited || performance.now() >= until || call.signal.aborted) return isAlone;
        await pause(againMs.atFirst, call.signal);
      }
    },
    isReadByAnother: (entry) => knownOf(entry).reader === 'another',
    before: (flight, entry) => {
      const { call } = flight;
      const since = performance.now();
      let timer: NodeJS.Timeout | undefined;
      /** Whether it has ever waited for so long that others may have read it. */
      let hasWaited = false;
      /** Whether it gave up its turn once although a request needs it: the other process may hang. */
      let wasLeft = false;
      let isLeaving = false;

      /** Looks for an answer that serves all who wait: a fresh one, or one that was read meanwhile. */
      const lookAgain = async (): Promise<Answer | undefined> => {
        const reply = await look(call, flight.readAfter, longestReadMs);
        if (!reply) return undefined;
        const { isDoubtful: isAlone } = reply;
        const { state, outcome } = find(call, { isAlone, readAfter: flight.readAfter }) ?? {};
        const isNew = outcome && (state === 'fresh' || outcome.readAt > since);
        return isNew && !(outcome.result instanceof Error) ? outcome.result : undefined;
      };

      /** Waits until another process has read it, or no longer reads it. */
      const untilRead = async (): Promise<Answer | undefined> => {
        const until = performance.now() + longestMs;
        while ((flight.mayWait || performance.now() < until) && !flight.signal.aborted) {
          flight.refuseLateRefreshes();
          await pause(againMs.afterLeaving, flight.signal);
          const found = await lookAgain();
          if (found || knownOf(entry).reader !== 'another') return found;
        }
        return undefined;
      };

      const beforeQueue = async (): Promise<Answer | 'send'> => {
        const mayWait = flight.mayWait || isLeaving;
        isLeaving = false;
        const read = mayWait && knownOf(entry).reader === 'another' && (await untilRead());
        if (read) return read;
        timer = setTimeout(() => {
          if (flight.isOver) return;
          hasWaited = true;
          leftToOthers.add(flight);
          releaseReader(entry, call);
        }, longTurnMs);
        return 'send';
      };

      const atTurn = async (): Promise<Answer | 'send' | 'leave'> => {
        clearTimeout(timer);
        leftToOthers.delete(flight);
        if (!hasWaited) return 'send';
        const found = await lookAgain();
        if (found) return found;
        const mayLeave = flight.mayWait || !wasLeft;
        if (!mayLeave || knownOf(entry).reader !== 'another') return 'send';
        wasLeft ||= !flight.mayWait;
        isLeaving = true;
        return 'leave';
      };

      return (moment) => (moment === 'queue' ? beforeQueue() : atTurn());
    },
    keep: (call, entry, { headers, body, sentAt, readAt = sentAt }) => {
      const { marks } = knownOf(entry);
      if (marks === undefined) return;
      const contentType = String(headers['content-type']);
      shared.keep(readNameOf(call), { body, contentType, sentAt, readAt, marks });
    },
    releaseReader,
  };
};
