import { LRUCache } from 'lru-cache';
import type { Answer, Send } from '../call.ts';
import type { UpstreamName } from '../error.ts';
import type { Rate } from '../gate/slots.ts';
import type { PathStart } from '../path.ts';
import { createSchedule, type Schedule } from '../polls/schedule.ts';
import type { Watcher } from '../watcher.ts';
import { isAmong, startsOf, type WritePhase } from './changes.ts';
import type { Entries, Entry } from './entries.ts';
import type { Outcomes } from './outcomes.ts';
import type { ReadCall, SoughtRead } from './read-call.ts';
import { WatchedRead } from './watched-read.ts';

export interface WatchCounts {
  /** How many reads are polled. A read with several watchers counts once. */
  readonly reads: number;
  /** How many credentials have polled reads. */
  readonly credentials: number;
}

/** How the reads that streams watch are polled. */
export interface PollOptions {
  /** The shortest time between a read's answer and its next poll, in milliseconds. */
  readonly leastMs: number;
  /** How many processes poll with the same credential. */
  readonly sharers?: number;
  /** Sends a poll, or joins a read under way. */
  readonly poll: Send<ReadCall>;
  /** The records of an answer; undefined if it cannot be used. */
  readonly resultOf: (call: ReadCall, answer: Answer) => unknown;
}

interface WatchesOptions extends PollOptions {
  readonly entries: Entries;
  readonly outcomes: Pick<Outcomes, 'isCurrent'>;
  readonly rate: Rate | undefined;
  /** Whether processes share what they read. */
  readonly isShared: boolean;
}

/** The reads of one upstream that streams watch, and their polls. */
export interface Watches {
  /** Answers a read of an event. From then on the read is watched. */
  event(watcher: Watcher, call: ReadCall, read: Send<ReadCall>): Promise<Answer>;
  /** Polls at once what a write may have changed. */
  changed(write: ReadCall, phase: WritePhase, paths: readonly PathStart[]): void;
  /**
   * Polls at once, since the upstream has refused the credential for these interfaces. Until then events show no earlier
   * answer.
   */
  refused(call: ReadCall, interfaces: readonly UpstreamName[]): void;
  /** Polls what has failed, since the upstream was down and is up again. */
  recovered(): void;
  /**
   * Whether an event should read the whole list instead of one item: the list or another of its items is watched
   * already, so one polled read serves both.
   */
  isListWatched(read: SoughtRead): boolean;
  counts(): WatchCounts;
}

/** The reads that the streams of one credential watch. */
interface Held {
  readonly schedule: Schedule;
  readonly reads: Set<WatchedRead>;
}

/** How many more times a read is polled after a write, since the effects of a write may take some seconds. */
const pollsAfterWrite = 3;

/** The most credentials that are remembered although no stream watches with them, since their polls still count. */
const maxRested = 1000;

const now = (): number => performance.now();

const later = (callback: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * Watches the reads of streams: each read of a credential is watched once, for any number of streams. Every answer to a
 * request with the same credential serves as a poll, and after a write through the gateway the read is polled at once.
 */
export const createWatches = (options: WatchesOptions): Watches => {
  const { leastMs, rate, sharers, resultOf, poll, isShared, entries, outcomes } = options;
  const pollAgeMs = isShared ? leastMs : 0;
  const holders = new Map<string, Held>();
  // Kept for one window, so that reconnecting does not reset the poll quota.
  const rested = new LRUCache<string, Held>({ max: maxRested, ttl: rate?.windowMs ?? 1 });

  const heldBy = (holder: string): Held => {
    const held = holders.get(holder) ??
      rested.get(holder) ?? {
        schedule: createSchedule({ leastMs, rate, sharers, now, later }),
        reads: new Set<WatchedRead>(),
      };
    holders.set(holder, held);
    rested.delete(holder);
    return held;
  };

  const watch = (entry: Entry, call: ReadCall): WatchedRead => {
    const held = heldBy(entry.holder);
    const read: WatchedRead = new WatchedRead(call, {
      ...{ schedule: held.schedule, resultOf, poll, pollAgeMs },
      memory: {
        isCurrent: (answer) => outcomes.isCurrent(entry, answer, now()),
        pinned: () => {
          const { pinned } = entry;
          return pinned && outcomes.isCurrent(entry, pinned, now()) ? pinned.result : undefined;
        },
        pin: (answer) => entries.pin(entry, answer),
      },
      onEnd: () => {
        held.reads.delete(read);
        entry.watched = undefined;
        entries.pin(entry, undefined);
        entries.removeUnused(entry);
        if (held.reads.size > 0) return;
        holders.delete(entry.holder);
        rested.set(entry.holder, held);
      },
    });
    entry.watched = read;
    held.reads.add(read);
    held.schedule.add(read);
    return read;
  };

  return {
    event: (watcher, call, send) => {
      const { row, holder, path } = call;
      const entry = entries.of(row.api.name, holder, path, () => startsOf(call));
      const read = entry.watched ?? watch(entry, call);
      return read.event(watcher, call, send);
    },
    changed: (write, phase, paths) => {
      if (phase === 'begins' || phase === 'failed') return;
      // A refused write changes nothing, but is often refused for an old answer of its caller: so the reads are polled.
      const isChanged = phase !== 'refused';
      const isForAll = phase === 'succeeded' && write.row.api.pathsNameOwner;
      const own = holders.get(write.holder);
      for (const { schedule, reads } of isForAll ? holders.values() : own ? [own] : []) {
        for (const read of reads) {
          if (!isAmong(paths, read.path)) continue;
          if (isChanged) read.change();
          schedule.hurry(read, pollsAfterWrite);
        }
      }
    },
    refused: ({ holder, path }, interfaces) => {
      const { schedule, reads = [] } = holders.get(holder) ?? {};
      for (const read of reads) {
        // A poll of the read that was refused just now would be refused too.
        if (read.path !== path && interfaces.includes(read.upstream)) schedule?.hurry(read, 0);
      }
    },
    recovered: () => {
      for (const { schedule } of holders.values()) schedule.recover();
    },
    isListWatched: ({ caller, holder, path }) => {
      if (!caller.watcher) return false;
      const end = path.lastIndexOf('/');
      const isBeside = (other: string): boolean =>
        other.lastIndexOf('/') === end && other.startsWith(path.slice(0, end)) && other !== path;
      return [...(holders.get(holder)?.reads ?? [])].some(
        ({ path: other, isResting }) =>
          !isResting && (other === path.slice(0, end) || isBeside(other)),
      );
    },
    counts: () => ({
      reads: [...holders.values()].reduce((sum, { reads }) => sum + reads.size, 0),
      credentials: holders.size,
    }),
  };
};
