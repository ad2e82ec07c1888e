import type { UpstreamName } from '../error.ts';
import type { PathStart } from '../path.ts';

/**
 * Stands for the changes that were known at a time. Equal texts: nothing has changed between that a read of theirs may
 * say. What was read under other marks than those of now is not used.
 */
export type Marks = string;

/** A read, as replicas know it. */
export interface ReadName {
  readonly upstream: UpstreamName;
  readonly credential: string;
  readonly path: string;
  /** What of its path changes may name in place of the whole. */
  readonly starts: readonly string[];
  /** See `RestInterface`. */
  readonly pathsNameOwner: boolean;
}

/** A read's answer that replicas share. Times are in milliseconds of `performance.now()`. */
export interface SharedAnswer {
  readonly body: Buffer;
  readonly contentType: string;
  readonly sentAt: number;
  readonly readAt: number;
  /** The marks that it was read under. */
  readonly marks: Marks;
}

/** What a process looks for. */
export interface Wanted {
  /** Fresh is what was sent at that time or later, and read so short a time ago, in milliseconds. */
  readonly readAfter: number;
  readonly freshMs: number;
  /** What the process has itself: only something newer is of use, unless its marks are old. */
  readonly own: Pick<SharedAnswer, 'sentAt' | 'readAt' | 'marks'> | undefined;
  /** How long ago another process may have begun to read it to be its reader, in milliseconds. */
  readonly begunMs: number;
}

/** What replicas know of a read. */
export interface Look {
  readonly marks: Marks;
  /** Whether nothing is to be kept or shown, since a write of the same credential may still be carried out. */
  readonly isUncertain: boolean;
  /** What another has read under the same marks, newer than one's own. It may be no longer fresh. */
  readonly found: SharedAnswer | undefined;
  /** Where nothing is fresh, who reads it: others had better wait a moment. */
  readonly reader: 'this' | 'another' | undefined;
}

/** What a write changes, or the refusal of a credential. */
export interface Change {
  readonly upstream: UpstreamName;
  /** Of the writer. */
  readonly credential: string;
  /** Folded. An empty start stands for all that the credential has read: it was refused. */
  readonly paths: readonly PathStart[];
  /** Whether it changes what every credential reads of these paths. */
  readonly isForAll: boolean;
  /** Whether it is not known if it was carried out. */
  readonly isUncertain: boolean;
}

/** The reads that replicas keep for one another. Nothing of it rejects: where it is out of reach, each goes by itself. */
export interface SharedMemory {
  /**
   * What is known now; undefined while that is out of reach. Where nothing is fresh, and no other process reads it, this one
   * is noted to read it, until it keeps an answer or releases the read.
   */
  look(read: ReadName, wanted: Wanted): Promise<Look | undefined>;
  /** Keeps an answer for the others, unless something has changed since its marks. It is read by this process no longer. */
  keep(read: ReadName, answer: SharedAnswer): void;
  /** It is read by this process no longer. */
  release(read: ReadName): void;
  /** Resolves once all others know of the change, or as soon as they are out of reach: then they are told later, first of all. */
  tell(change: Change): Promise<void>;
}
