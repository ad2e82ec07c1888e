import type { UpstreamName } from '../error.ts';
import type { PathStart } from '../path.ts';

/**
 * Stands for all changes of a read that were known at one time: while its marks stay equal, the read has not changed.
 * An answer is used only while its marks are the current ones.
 */
export type Marks = string;

/** A read that replicas share. */
export interface ReadName {
  readonly upstream: UpstreamName;
  readonly credential: string;
  readonly path: string;
  /** The starts of the path that a change may name. */
  readonly starts: readonly string[];
  /** See `RestInterface`. */
  readonly pathsNameOwner: boolean;
}

/** An answer that replicas share. Times are in milliseconds of `performance.now()`. */
export interface SharedAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly sentAt: number;
  readonly readAt: number;
  /** The marks under which it was read. */
  readonly marks: Marks;
}

/** What a process asks the replicas for. */
export interface Wanted {
  /** An answer is fresh if it was sent at `readAfter` or later, and is at most `freshMs` old, in milliseconds. */
  readonly readAfter: number;
  readonly freshMs: number;
  /** This process's answer. Another answer is of use only if it is newer, or if these marks are old. */
  readonly own: Pick<SharedAnswer, 'sentAt' | 'readAt' | 'marks'> | undefined;
  /** How long ago another process may have begun to read and still count as the reader, in milliseconds. */
  readonly begunMs: number;
}

/** What replicas know of a read. */
export interface Look {
  readonly marks: Marks;
  /**
   * How much longer no answer may be kept or shown, since a write of the same credential may still be carried out, in
   * milliseconds; 0 without such a write.
   */
  readonly uncertainMs: number;
  /** Whether another process may have made changes that it has not told yet. */
  readonly isDoubtful: boolean;
  /** The answer of another process under the same marks, if it is newer than this process's answer. It may be stale. */
  readonly found: SharedAnswer | undefined;
  /** The process that is reading it, if no answer is fresh: all others should wait a moment. */
  readonly reader: 'this' | 'another' | undefined;
}

/** The changes of a write, or the refusal of a credential. */
export interface Change {
  readonly upstream: UpstreamName;
  /** The credential of the write. */
  readonly credential: string;
  /** Folded. For a refused credential, an empty start stands for all its reads. */
  readonly paths: readonly PathStart[];
  /** Whether the paths change for all credentials. */
  readonly isForAll: boolean;
  /** Whether it is unknown if the write was carried out. */
  readonly isUncertain: boolean;
  /** Whether an upstream has lately accepted the credential. If not, it may be invented. */
  readonly isProven: boolean;
}

/**
 * The reads that replicas share. Its promises never reject: if the memory is out of reach, each process goes on alone.
 */
export interface SharedMemory {
  /**
   * Looks a read up; undefined while the memory is out of reach. If no answer is fresh, and no other process is reading
   * it, this process is noted as the reader, until it keeps an answer or releases the read.
   */
  look(read: ReadName, wanted: Wanted): Promise<Look | undefined>;
  /** Keeps an answer for the others, unless the read has changed since. This process is no longer the reader. */
  keep(read: ReadName, answer: SharedAnswer): void;
  /** This process is no longer the reader. */
  release(read: ReadName): void;
  /**
   * Resolves once all other processes know of the change. If they are out of reach, it resolves at once, and they are
   * told later, before anything else.
   */
  tell(change: Change): Promise<void>;
}
