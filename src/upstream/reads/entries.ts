import { LRUCache } from 'lru-cache';
import type { Answer } from '../call.ts';
import type { UpstreamError, UpstreamName } from '../error.ts';
import type { DropReason } from '../events/metrics.ts';
import { changeNamesOf } from './change-log.ts';
import type { Flight } from './flight.ts';
import { wantedForMs } from './wants.ts';

/** What a read came to, as it is kept. Times are in milliseconds of `performance.now()`. */
export interface Outcome {
  readonly sentAt: number;
  readonly readAt: number;
  /** Stands for the changes that replicas knew of before it was sent; absent where they share none, or were out of reach. */
  readonly marks?: string | undefined;
  /** The answer, or a failure that the next read would meet again. */
  readonly came: Answer | UpstreamError;
}

/** All that is known of one read of one holder. */
export class Entry {
  readonly upstream: UpstreamName;
  readonly holder: string;
  /** As written. */
  readonly path: string;
  /** See `ChangeLog`. */
  readonly changeNames: readonly string[];
  /** The reads of it that are under way, the oldest first. */
  readonly flights = new Set<Flight>();
  /** How long the last read that was answered took from its sending, in milliseconds. */
  lastMs = 0;
  /** When a request asked for it last, in milliseconds of `performance.now()`. */
  askedAt = performance.now();

  constructor(upstream: UpstreamName, holder: string, path: string, starts: readonly string[]) {
    this.upstream = upstream;
    this.holder = holder;
    this.path = path;
    this.changeNames = changeNamesOf(holder, path, starts);
  }
}

interface EntriesOptions {
  /** Of all that is kept; nothing is, if it is 0. One holder may have a quarter. */
  readonly maxBytes: number;
  /** How long anything is kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Told of each outcome that is dropped before its time. */
  readonly onDrop: (reason: DropReason) => void;
}

/** The entries of all reads of which something is known. */
export interface Entries {
  /** Whether outcomes are kept at all. */
  readonly areKept: boolean;
  find(upstream: UpstreamName, holder: string, path: string): Entry | undefined;
  /** The entry of that read, which is there until it is known to be idle. */
  of(upstream: UpstreamName, holder: string, path: string, starts: () => readonly string[]): Entry;
  /** Those of one holder. */
  heldBy(upstream: UpstreamName, holder: string): ReadonlySet<Entry>;
  outcomeOf(entry: Entry): Outcome | undefined;
  /** Keeps what a read came to, if it is not too large. What nobody has asked for lately gives way first, then the oldest. */
  keep(entry: Entry, outcome: Outcome): void;
  drop(entry: Entry): void;
  /** Whether what the holder wants does not fit: something gave way that was still wanted, and it wants hardly less since. */
  lacksRoom(upstream: UpstreamName, holder: string): boolean;
  /** Forgets the entry if there is nothing to know about it. */
  settle(entry: Entry): void;
}

const largestBody = 4 * 1024 * 1024;
/** What keeping a read costs beside its records, as measured: 1200 bytes where holders keep the same, 2900 where each its own. */
const bytesBeside = 3000;

const [brace, bracket] = Buffer.from('{[');

/** A safe estimate of the bytes that an answer takes with its records: as measured, 1.2 to 21 times its text. */
const bytesOf = ({ came }: Outcome): number => {
  if (came instanceof Error) return bytesBeside;
  const { body } = came;
  let opened = 0;
  // An iterator of the bytes would take three times as long as to parse them.
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === brace || body[at] === bracket) opened += 1;
  }
  return 2 * body.length + 64 * opened + bytesBeside;
};

/** How much of what did not fit has to be wanted still, for more not to fit either. */
const stillFull = 0.75;

/** What one holder has. */
interface Shelf {
  readonly entries: Set<Entry>;
  /** Those of which something is kept, the oldest first, and how many bytes they take. */
  readonly kept: Map<Entry, number>;
  bytes: number;
  /** When something gave way last that was still wanted, and how many bytes were kept then; undefined if nothing did. */
  lacked: { readonly at: number; readonly bytes: number } | undefined;
}

const isLately = (at: number): boolean => performance.now() - at < wantedForMs;

export const createEntries = ({ maxBytes, maxAgeMs, onDrop }: EntriesOptions): Entries => {
  const all = new Map<string, Entry>();
  const shelves = new Map<string, Shelf>();
  const mostOfOne = maxBytes / 4;
  const shelfNameOf = (upstream: UpstreamName, holder: string): string => `${upstream} ${holder}`;
  const nameOf = (upstream: UpstreamName, holder: string, path: string): string =>
    `${upstream} ${holder} ${path}`;

  const shelfOf = ({ upstream, holder }: Entry): Shelf => {
    const name = shelfNameOf(upstream, holder);
    const shelf = shelves.get(name) ?? {
      ...{ entries: new Set(), kept: new Map(), bytes: 0, lacked: undefined },
    };
    shelves.set(name, shelf);
    return shelf;
  };

  const noteGaveWay = (entry: Entry): void => {
    onDrop('room');
    if (!isLately(entry.askedAt)) return;
    const shelf = shelfOf(entry);
    shelf.lacked = { at: performance.now(), bytes: shelf.bytes };
  };

  const outcomes = new LRUCache<Entry, Outcome>({
    // 0 would be no bound at all.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: bytesOf,
    ttl: maxAgeMs,
    // What is kept may hold secrets, and is not to stay for want of further reads.
    ttlAutopurge: true,
    // With a clock that is read once a millisecond the purge finds some outcomes too young, and never comes back.
    ttlResolution: 0,
    dispose: (_, entry, reason) => {
      if (reason === 'evict') noteGaveWay(entry);
      const shelf = shelfOf(entry);
      shelf.bytes -= shelf.kept.get(entry) ?? 0;
      shelf.kept.delete(entry);
    },
    disposeAfter: (_, entry) => settle(entry),
  });

  const settle = (entry: Entry): void => {
    if (entry.flights.size > 0 || outcomes.has(entry)) return;
    const { upstream, holder, path } = entry;
    const name = nameOf(upstream, holder, path);
    // A read of it that was cut off may end when the entry has a successor.
    if (all.get(name) === entry) all.delete(name);
    const shelf = shelfOf(entry);
    shelf.entries.delete(entry);
    if (shelf.entries.size === 0) shelves.delete(shelfNameOf(upstream, holder));
  };

  const register = (entry: Entry): Entry => {
    const { upstream, holder, path } = entry;
    all.set(nameOf(upstream, holder, path), entry);
    shelfOf(entry).entries.add(entry);
    return entry;
  };

  return {
    areKept: maxBytes > 0,
    find: (upstream, holder, path) => all.get(nameOf(upstream, holder, path)),
    of: (upstream, holder, path, starts) =>
      all.get(nameOf(upstream, holder, path)) ??
      register(new Entry(upstream, holder, path, starts())),
    heldBy: (upstream, holder) => shelves.get(shelfNameOf(upstream, holder))?.entries ?? new Set(),
    outcomeOf: (entry) => outcomes.get(entry),
    keep: (entry, outcome) => {
      const { came } = outcome;
      const size = bytesOf(outcome);
      const isLarge = !(came instanceof Error) && came.body.length > largestBody;
      if (isLarge || size > mostOfOne) {
        outcomes.delete(entry);
        settle(entry);
        return;
      }
      outcomes.set(entry, outcome, { size });
      const shelf = shelfOf(register(entry));
      shelf.kept.set(entry, size);
      shelf.bytes += size;
      while (shelf.bytes > mostOfOne) {
        const kept = [...shelf.kept.keys()];
        const least = kept.find(({ askedAt }) => !isLately(askedAt)) ?? kept[0];
        if (!least) break;
        noteGaveWay(least);
        outcomes.delete(least);
      }
    },
    drop: (entry) => {
      if (outcomes.delete(entry)) onDrop('changed');
    },
    lacksRoom: (upstream, holder) => {
      const { kept, lacked } = shelves.get(shelfNameOf(upstream, holder)) ?? {};
      if (!kept || !lacked || performance.now() - lacked.at > maxAgeMs) return false;
      let wanted = 0;
      for (const [{ askedAt }, bytes] of kept) if (isLately(askedAt)) wanted += bytes;
      // Whoever has looked at less since has room for it.
      return wanted > lacked.bytes * stillFull;
    },
    settle,
  };
};
