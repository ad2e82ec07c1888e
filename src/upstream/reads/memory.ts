import { LRUCache } from 'lru-cache';
import type { DropReason } from '../events/observer.ts';
import type { Marks } from './shared-memory.ts';

/** A read's answer, as it came. */
export interface Kept {
  readonly body: Buffer;
  readonly contentType: string;
  /** As it was written: records get the identifiers of their call in its spelling. */
  readonly path: string;
  /** When the read was sent and answered, in milliseconds of `performance.now()`. */
  readonly sentAt: number;
  readonly readAt: number;
  /** Whether it may be shown once it is no longer fresh. */
  readonly mayBeStale: boolean;
  /** The changes that replicas knew of before it was sent; absent where they share none, or were out of reach. */
  readonly marks?: Marks | undefined;
}

/** How a kept read would answer now, and when it was sent, in milliseconds of `performance.now()`. */
export interface KeptState {
  readonly state: 'fresh' | 'stale';
  readonly sentAt: number;
}

/**
 * Reads kept for a moment, for each holder of a credential by itself. A name stands for an upstream and a path. Replicas
 * may share it.
 */
export interface Memory {
  find(holder: string, name: string): Kept | undefined;
  /** Keeps it, if it is not too large: what was kept longest gives way. */
  keep(holder: string, name: string, kept: Kept): void;
  /** Forgets what one holder has under these names, or every holder where none is given. */
  forget(names: readonly NameStart[], holder?: string): void;
  /** What anybody has under these names is not found any more once it is no longer fresh. */
  forbidStale(names: readonly NameStart[]): void;
}

/** A name, or what several names begin with. */
export interface NameStart {
  readonly name: string;
  readonly isWhole: boolean;
}

interface MemoryOptions {
  /** Of all that is kept. One holder may have an eighth. */
  readonly maxBytes: number;
  /** How long anything is kept, in milliseconds. */
  readonly maxAgeMs: number;
  /** Told of each read that is dropped before its time. */
  readonly onDrop?: (reason: DropReason) => void;
}

const largestBody = 4 * 1024 * 1024;
/** What keeping a read costs beside its body, as measured: 1200 bytes where holders keep the same, 2900 where each its own. */
const bytesBeside = 3000;

interface Entry {
  readonly holder: string;
  readonly name: string;
  readonly size: number;
  kept: Kept;
}

/** What one holder has, the oldest first. */
interface Shelf {
  readonly names: Set<string>;
  bytes: number;
}

const keyOf = (holder: string, name: string): string => `${holder} ${name}`;

/** A copy with memory of its own: what arrives is a small part of a large buffer that would be kept with it. */
export const ownCopy = (body: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
};

/** A memory in this process. */
export const createMemory = ({ maxBytes, maxAgeMs, onDrop }: MemoryOptions): Memory => {
  const shelves = new Map<string, Shelf>();
  const holdersOf = new Map<string, Set<string>>();

  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ size }) => size,
    ttl: maxAgeMs,
    // What is kept may hold secrets, and is not to stay for want of further reads.
    ttlAutopurge: true,
    // With a clock that is read once a millisecond the purge finds some entries too young, and never comes back.
    ttlResolution: 0,
    dispose: ({ holder, name, size }, _, reason) => {
      if (reason === 'evict') onDrop?.('room');
      const shelf = shelves.get(holder);
      if (shelf) {
        shelf.names.delete(name);
        shelf.bytes -= size;
        if (shelf.names.size === 0) shelves.delete(holder);
      }
      const holders = holdersOf.get(name);
      holders?.delete(holder);
      if (holders?.size === 0) holdersOf.delete(name);
    },
  });

  /** Notes where an entry is, and takes the oldest of its holder away while they have too much. */
  const shelve = ({ holder, name, size }: Entry): void => {
    const shelf = shelves.get(holder) ?? { names: new Set<string>(), bytes: 0 };
    shelves.set(holder, shelf);
    shelf.names.add(name);
    shelf.bytes += size;
    holdersOf.set(name, (holdersOf.get(name) ?? new Set<string>()).add(holder));
    for (const oldest of shelf.names) {
      if (shelf.bytes <= maxBytes / 8) break;
      if (entries.delete(keyOf(holder, oldest))) onDrop?.('room');
    }
  };

  const holdersUnder = ({ name, isWhole }: NameStart): readonly (readonly [string, string])[] => {
    const names = isWhole ? [name] : [...holdersOf.keys()].filter((each) => each.startsWith(name));
    return names.flatMap((each) =>
      [...(holdersOf.get(each) ?? [])].map((holder) => [holder, each] as const),
    );
  };

  const namesOf = (holder: string, { name, isWhole }: NameStart): readonly string[] =>
    isWhole
      ? [name]
      : [...(shelves.get(holder)?.names ?? [])].filter((each) => each.startsWith(name));

  return {
    find: (holder, name) => entries.get(keyOf(holder, name))?.kept,
    keep: (holder, name, kept) => {
      const key = keyOf(holder, name);
      const size = kept.body.length + bytesBeside;
      entries.delete(key);
      if (kept.body.length > largestBody || size > maxBytes / 8) return;
      const entry: Entry = { holder, name, size, kept: { ...kept, body: ownCopy(kept.body) } };
      entries.set(key, entry);
      shelve(entry);
    },
    forget: (starts, holder) => {
      for (const start of starts) {
        const meant =
          holder === undefined
            ? holdersUnder(start).map(([of, name]) => keyOf(of, name))
            : namesOf(holder, start).map((name) => keyOf(holder, name));
        for (const key of meant) if (entries.delete(key)) onDrop?.('changed');
      }
    },
    forbidStale: (starts) => {
      for (const [holder, name] of starts.flatMap(holdersUnder)) {
        const entry = entries.peek(keyOf(holder, name));
        if (entry) entry.kept = { ...entry.kept, mayBeStale: false };
      }
    },
  };
};
