import { LRUCache } from 'lru-cache';
import type { Answer } from '../call.ts';
import type { UpstreamError, UpstreamName } from '../error.ts';
import { type Change, changeNamesOf, noChange } from './change-log.ts';
import type { Flight } from './flight.ts';
import { recentMs } from './recently-asked.ts';
import type { WatchedRead } from './watched-read.ts';

/**
 * Why an outcome was dropped from memory before its time: a write changed the read, or other outcomes needed the room.
 */
export const dropReasons = ['changed', 'room'] as const;
export type DropReason = (typeof dropReasons)[number];

/** The kept result of a read. Times are in milliseconds of `performance.now()`. */
export interface Outcome {
  readonly sentAt: number;
  readonly readAt: number;
  /** See `Answer`. */
  readonly currentAt?: number | undefined;
  /** The answer, or a failure that the next read would meet too. */
  readonly result: Answer | UpstreamError;
}

/** The last good answer of a watched read. */
interface Pinned extends Outcome {
  readonly result: Answer;
}

/** All that is known of one read with one holder's credential. */
export class Entry {
  readonly upstream: UpstreamName;
  readonly holder: string;
  /** As the request wrote it. */
  readonly path: string;
  /** See `ChangeLog`. */
  readonly changeNames: readonly string[];
  readonly changed: Change = noChange();
  /** Its reads under way, oldest first. */
  readonly flights = new Set<Flight>();
  /** How many looks at what replicas know of it are under way; see `createReplicas`. */
  looks = 0;
  /** Present while streams watch it. */
  watched: WatchedRead | undefined;
  /** What events show of it, however old; see `Entries.pin`. */
  pinned: Pinned | undefined;
  /** How long the last answered read took, in milliseconds. */
  lastMs = 0;
  /** When a request last asked for it, in milliseconds of `performance.now()`. */
  askedAt = performance.now();

  constructor(upstream: UpstreamName, holder: string, path: string, starts: readonly string[]) {
    this.upstream = upstream;
    this.holder = holder;
    this.path = path;
    this.changeNames = changeNamesOf(holder, path, starts);
  }
}

interface EntriesOptions {
  /** The most bytes of all kept outcomes; with 0, none is kept. One holder may have a quarter. */
  readonly maxBytes: number;
  /** The most bytes of all pinned bodies of one holder. */
  readonly maxPinnedBytes: number;
  /** How long an outcome is kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Called for each outcome that is dropped before its time. */
  readonly onDrop: (reason: DropReason) => void;
}

export interface Entries {
  /** Whether outcomes are kept at all. */
  readonly areKept: boolean;
  find(upstream: UpstreamName, holder: string, path: string): Entry | undefined;
  /** Finds or makes the entry of a read. It stays until `removeUnused` finds that nothing needs it. */
  of(upstream: UpstreamName, holder: string, path: string, starts: () => readonly string[]): Entry;
  /** The entries of one holder. */
  heldBy(upstream: UpstreamName, holder: string): ReadonlySet<Entry>;
  /** The outcome that requests get. If no outcomes are kept, requests do not see pinned answers either. */
  outcomeOf(entry: Entry): Outcome | undefined;
  /** Keeps an outcome unless it is too large. Outcomes for which no request has asked lately give way first. */
  keep(entry: Entry, outcome: Outcome): void;
  /** Drops what was kept; what is pinned stays. The entry stays too, since it is about to be read. */
  drop(entry: Entry): void;
  /**
   * Pins an answer for the streams that watch the read, in the place of the last one; undefined only removes the last
   * one. Returns whether there was room.
   */
  pin(entry: Entry, answer: Answer | undefined): boolean;
  /** Forgets the entry if it has no outcome, no read or look under way, and no stream watches it. */
  removeUnused(entry: Entry): void;
}

const largestBody = 4 * 1024 * 1024;
/** The bytes of a kept read without its records. Measured: 1200 if all holders keep the same reads, otherwise 2900. */
const bytesBeside = 3000;

const [brace, bracket] = Buffer.from('{[');

/** A safe estimate of the bytes of an answer with its records. Measured: 1.2 to 21 times its text. */
const bytesOf = ({ result }: Outcome): number => {
  if (result instanceof Error) return bytesBeside;
  const { body } = result;
  let opened = 0;
  // `for … of` over the bytes would take three times as long as parsing them.
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === brace || body[at] === bracket) opened += 1;
  }
  return 2 * body.length + 64 * opened + bytesBeside;
};

interface OfHolder {
  readonly entries: Set<Entry>;
  /** The entries with an outcome, oldest first, each with its bytes. */
  readonly kept: Map<Entry, number>;
  bytes: number;
  pinnedBytes: number;
}

const isLately = (at: number): boolean => performance.now() - at < recentMs;

export const createEntries = (options: EntriesOptions): Entries => {
  const { maxBytes, maxPinnedBytes, maxAgeMs, onDrop } = options;
  const all = new Map<string, Entry>();
  const holders = new Map<string, OfHolder>();
  const mostOfOne = maxBytes / 4;
  const holderNameOf = (upstream: UpstreamName, holder: string): string => `${upstream} ${holder}`;
  const nameOf = (upstream: UpstreamName, holder: string, path: string): string =>
    `${upstream} ${holder} ${path}`;

  const ofHolder = ({ upstream, holder }: Entry): OfHolder => {
    const name = holderNameOf(upstream, holder);
    const own = holders.get(name) ?? {
      ...{ entries: new Set(), kept: new Map(), bytes: 0, pinnedBytes: 0 },
    };
    holders.set(name, own);
    return own;
  };

  const outcomes = new LRUCache<Entry, Outcome>({
    // For `LRUCache`, 0 means no bound.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: bytesOf,
    ttl: maxAgeMs,
    // Outcomes may hold secrets, and must expire even if nothing is read any more.
    ttlAutopurge: true,
    // With a cached clock, the purge would find some outcomes too young, and never come back for them.
    ttlResolution: 0,
    dispose: (_, entry, reason) => {
      if (reason === 'evict') onDrop('room');
      const own = ofHolder(entry);
      own.bytes -= own.kept.get(entry) ?? 0;
      own.kept.delete(entry);
    },
    disposeAfter: (_, entry, reason) => {
      if (reason !== 'delete') removeUnused(entry);
    },
  });

  const removeUnused = (entry: Entry): void => {
    const { flights, looks, watched } = entry;
    if (flights.size > 0 || looks > 0 || watched || outcomes.has(entry)) return;
    const { upstream, holder, path } = entry;
    const name = nameOf(upstream, holder, path);
    // A read that was cut off may end when another entry has taken the place of its entry.
    if (all.get(name) === entry) all.delete(name);
    const own = ofHolder(entry);
    own.entries.delete(entry);
    if (own.entries.size === 0) holders.delete(holderNameOf(upstream, holder));
  };

  const register = (entry: Entry): Entry => {
    const { upstream, holder, path } = entry;
    all.set(nameOf(upstream, holder, path), entry);
    ofHolder(entry).entries.add(entry);
    return entry;
  };

  return {
    areKept: maxBytes > 0,
    find: (upstream, holder, path) => all.get(nameOf(upstream, holder, path)),
    of: (upstream, holder, path, starts) =>
      all.get(nameOf(upstream, holder, path)) ??
      register(new Entry(upstream, holder, path, starts())),
    heldBy: (upstream, holder) => holders.get(holderNameOf(upstream, holder))?.entries ?? new Set(),
    outcomeOf: (entry) => outcomes.get(entry) ?? (maxBytes > 0 ? entry.pinned : undefined),
    keep: (entry, outcome) => {
      const { result } = outcome;
      const size = bytesOf(outcome);
      const isLarge = !(result instanceof Error) && result.body.length > largestBody;
      if (isLarge || size > mostOfOne) {
        outcomes.delete(entry);
        removeUnused(entry);
        return;
      }
      outcomes.set(entry, outcome, { size });
      const own = ofHolder(register(entry));
      own.kept.set(entry, size);
      own.bytes += size;
      while (own.bytes > mostOfOne) {
        const kept = [...own.kept.keys()];
        const least = kept.find(({ askedAt }) => !isLately(askedAt)) ?? kept[0];
        if (!least) break;
        onDrop('room');
        outcomes.delete(least);
        removeUnused(least);
      }
    },
    drop: (entry) => {
      if (outcomes.delete(entry)) onDrop('changed');
    },
    pin: (entry, answer) => {
      const own = ofHolder(entry);
      own.pinnedBytes -= entry.pinned?.result.body.length ?? 0;
      entry.pinned = undefined;
      if (!answer || own.pinnedBytes + answer.body.length > maxPinnedBytes) return false;
      own.pinnedBytes += answer.body.length;
      const { sentAt, currentAt, readAt = performance.now() } = answer;
      entry.pinned = { result: answer, sentAt, currentAt, readAt };
      return true;
    },
    removeUnused,
  };
};
