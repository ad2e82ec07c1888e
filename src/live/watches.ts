import { LRUCache } from 'lru-cache';
import { type Answer, type Call, failed, type Send, type Watcher } from '../upstream/call.ts';
import { changedBy, isAmong } from '../upstream/reads/changes.ts';
import type { Watches, WatchesOptions } from '../upstream/watching.ts';
import { resending } from './resending.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { type Room, WatchedRead } from './watched-read.ts';

/** The reads that the streams of one credential watch. */
interface Held {
  readonly schedule: Schedule;
  /** By path, as the request wrote it. */
  readonly reads: Map<string, WatchedRead>;
  readonly room: Room;
}

/** How often a read is polled again after a write, since the effects of a write may take some seconds. */
const pollsAfterWrite = 3;

/** How many credentials are remembered that no stream watches with any more, since their polls still count. */
const maxRested = 1000;

const now = (): number => performance.now();

const later = (callback: () => void, milliseconds: number): (() => void) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};

/** How long an event of a filling stream waits for a new read, in milliseconds. */
const soonMs = 500;

/** A filling stream (see `isFilling`) shows what there is, and gets the rest in later events. */
const answerSoon = (call: Call, next: Send): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const refuse = (): void => reject(failed(call, { reason: 'no-slot', retryAfterSeconds: 1 }));
    const timer = setTimeout(refuse, soonMs);
    next({ ...call, latest: now() })
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });

/**
 * Watches the reads of streams: each read of a credential once, for any number of streams. After the first event, a
 * stream is answered with the watched answer, however old it is. Every answer to a request with the same credential
 * is taken too, and after a write through the gateway the read is polled at once.
 */
export const createWatches = (options: WatchesOptions): Watches => {
  const { leastMs, rate, sharers, maxBytes, resultOf, isShared = false } = options;
  // Only the shared memory knows what other processes have changed.
  const answersFirst = options.answersFirst && !isShared;
  /** How old an answer of another process may be to replace a poll, in milliseconds. */
  const pollAgeMs = isShared ? leastMs : 0;
  const holders = new Map<string, Held>();
  const watched = new Map<Watcher, Set<WatchedRead>>();
  // Kept for one window, so that reconnecting does not reset the poll quota.
  const rested = new LRUCache<string, Held>({ max: maxRested, ttl: rate?.windowMs ?? 1 });

  const heldBy = (holder: string): Held => {
    const held = holders.get(holder) ??
      rested.get(holder) ?? {
        schedule: createSchedule({ leastMs, rate, sharers, now, later }),
        reads: new Map<string, WatchedRead>(),
        room: { bytes: maxBytes },
      };
    holders.set(holder, held);
    rested.delete(holder);
    return held;
  };

  const watch = (watcher: Watcher, call: Call, next: Send): WatchedRead => {
    const { schedule, reads, room } = heldBy(call.holder);
    const known = reads.get(call.path);
    const hurry = (each: WatchedRead): void => schedule.hurry(each, 0);
    const read = known ?? new WatchedRead(call, { room, answersFirst, resultOf, hurry });
    reads.set(call.path, read);
    read.sights.enter(watcher, () => resending(call, read, next, pollAgeMs));
    if (!known) schedule.add(read);
    watched.set(watcher, (watched.get(watcher) ?? new Set<WatchedRead>()).add(read));
    return read;
  };

  const leave = (watcher: Watcher, read: WatchedRead): void => {
    const held = holders.get(read.holder);
    read.sights.leave(watcher);
    if (!read.sights.isEmpty || !held) return;
    read.end();
    held.reads.delete(read.path);
    held.schedule.delete(read);
    if (held.reads.size > 0) return;
    holders.delete(read.holder);
    rested.set(read.holder, held);
  };

  const take = (read: WatchedRead, call: Call, answer: Answer): void => {
    read.take(call, answer);
    holders.get(read.holder)?.schedule.revive(read);
  };

  const changed: Watches['changed'] = (write, phase) => {
    if (phase === 'begins' || phase === 'failed') return;
    // A write is often refused because the caller saw an old answer.
    const isChanged = phase !== 'refused';
    const isForAll = phase === 'succeeded' && write.row.api.pathsNameOwner;
    const own = holders.get(write.holder);
    const paths = changedBy(write);
    for (const { schedule, reads } of isForAll ? holders.values() : own ? [own] : []) {
      for (const read of reads.values()) {
        if (!isAmong(paths, read.path)) continue;
        if (isChanged) read.change();
        schedule.hurry(read, pollsAfterWrite);
      }
    }
  };

  const refused: Watches['refused'] = (call) => {
    const { schedule, reads } = holders.get(call.holder) ?? {};
    for (const read of reads?.values() ?? []) {
      read.doubt();
      // The read that was refused just now is not polled at once.
      if (read.path !== call.path) schedule?.hurry(read, 0);
    }
  };

  const event: Watches['event'] = async (watcher, call, next) => {
    const began = now();
    const read = watch(watcher, call, next);
    read.eventsUnderWay += 1;
    try {
      const known = read.known(call);
      if (known) {
        const ageMs = began - read.readAt;
        call.caller.tell({ kind: 'memory', call, state: 'fresh', ageMs, status: known.status });
      }
      const isFilling = watcher.isFilling && watcher.event > 1 && !read.isAnswered;
      const answer = known ?? (await (isFilling ? answerSoon(call, next) : next(call)));
      // The answer may come from memory, and be older than the watch.
      if (!known) take(read, call, answer);
      read.see(watcher, answer);
      return answer;
    } catch (error) {
      read.miss(watcher, error);
      throw error;
    } finally {
      read.eventsUnderWay -= 1;
      holders.get(read.holder)?.schedule.revive(read);
    }
  };

  return {
    event,
    changed,
    refused,
    recovered: () => {
      for (const { schedule } of holders.values()) schedule.recover();
    },
    answered: (call, answer) => {
      const read = holders.get(call.holder)?.reads.get(call.path);
      if (read) take(read, call, answer);
    },
    failed: (call, error) => {
      holders.get(call.holder)?.reads.get(call.path)?.fail(error);
    },
    isWatched: ({ holder, path }) => holders.get(holder)?.reads.has(path) === true,
    kept: (call) =>
      call.caller.watcher && holders.get(call.holder)?.reads.get(call.path)?.kept(call),
    isListWatched: ({ caller, holder, path }) => {
      if (!caller.watcher) return false;
      const end = path.lastIndexOf('/');
      const isBeside = (other: string): boolean =>
        other.lastIndexOf('/') === end && other.startsWith(path.slice(0, end)) && other !== path;
      return [...(holders.get(holder)?.reads.values() ?? [])].some(
        ({ path: other, isResting }) =>
          !isResting && (other === path.slice(0, end) || isBeside(other)),
      );
    },
    hasNewsFor: (watcher) =>
      [...(watched.get(watcher) ?? [])].some(({ sights }) => sights.hasNewsFor(watcher)),
    isAnswered: (watcher) => [...(watched.get(watcher) ?? [])].some((read) => read.isAnswered),
    isLacking: (watcher) => [...(watched.get(watcher) ?? [])].some((read) => read.isLacking),
    isRefused: (watcher) => [...(watched.get(watcher) ?? [])].some((read) => read.isRefused),
    isFailing: (watcher) => [...(watched.get(watcher) ?? [])].some((read) => read.isFailing),
    isWatchedBy: (watcher) => [...(watched.get(watcher) ?? [])].some(({ isResting }) => !isResting),
    releaseUnused: (watcher) => {
      const reads = watched.get(watcher);
      for (const read of reads ?? []) {
        if (read.sights.isUsedBy(watcher)) continue;
        reads?.delete(read);
        leave(watcher, read);
      }
    },
    resume: (watcher) => {
      for (const read of watched.get(watcher) ?? [])
        holders.get(read.holder)?.schedule.revive(read);
    },
    release: (watcher) => {
      for (const read of watched.get(watcher) ?? []) leave(watcher, read);
      watched.delete(watcher);
    },
    counts: () => ({
      reads: [...holders.values()].reduce((sum, { reads }) => sum + reads.size, 0),
      credentials: holders.size,
    }),
  };
};
