import type { Answer, Call, KeptState, Send, SoughtRead, Watcher } from './call.ts';
import type { Rate } from './gate/slots.ts';
import type { WritePhase } from './reads/changes.ts';

/** What streams of events watch. */
export interface Watching {
  /** Whether the newest event of the watcher might be another now. */
  hasNewsFor(watcher: Watcher): boolean;
  /** Whether anything that the watcher has read may still change. */
  isWatchedBy(watcher: Watcher): boolean;
  /** Whether an upstream has ever answered any of what the watcher has read. */
  isAnswered(watcher: Watcher): boolean;
  /** Whether nothing has ever come of any of what it has read. */
  isLacking(watcher: Watcher): boolean;
  /** Whether the credential was refused for any of what it has read. */
  isRefused(watcher: Watcher): boolean;
  /** Whether any of what it has read has failed for so long that it is to know. */
  isFailing(watcher: Watcher): boolean;
  /** Lets go of what the newest event of the watcher did not use. */
  releaseUnused(watcher: Watcher): void;
  /** Polls what it has read, which may have been put off while its events lacked other reads. */
  resume(watcher: Watcher): void;
  /** Lets go of all. */
  release(watcher: Watcher): void;
  counts(): WatchCounts;
}

export interface WatchCounts {
  /** Reads that are polled, each once for all who watch it. */
  readonly reads: number;
  /** Credentials for which something is polled. */
  readonly credentials: number;
}

/** What streams watch of one upstream: it is told of whatever becomes of reads and writes. */
export interface Watches extends Watching {
  /** Answers an event with what is watched, or has it read. From then on the read is watched. */
  event(watcher: Watcher, call: Call, read: Send): Promise<Answer>;
  /** A read has been answered, whoever asked. */
  answered(call: Call, answer: Answer): void;
  /** A read has failed, whoever asked. */
  failed(call: Call, error: unknown): void;
  /** The upstream has refused the call's credential, so that nothing that was read with it is shown before it is read again. */
  refused(call: Call): void;
  changed(write: Call, phase: WritePhase): void;
  /** Whether any stream watches the read. */
  isWatched(read: SoughtRead): boolean;
  /** What an event would be answered with; undefined for other reads, and where it would have to be read. */
  kept(read: SoughtRead): KeptState | undefined;
  /**
   * Whether an event had better read the list of what its call reads one of: the list is watched already, or another of its
   * items is, so that one read is polled for both.
   */
  isListWatched(read: SoughtRead): boolean;
}

export interface WatchesOptions {
  /** How long after it was read something is polled at the earliest, in milliseconds. */
  readonly leastMs: number;
  readonly rate: Rate | undefined;
  /** How many processes poll with the same credential, and whether they share what they read. */
  readonly sharers?: number;
  readonly isShared?: boolean;
  /** Bytes of answers that are kept for each credential. */
  readonly maxBytes: number;
  /** Whether first events may be answered with what is watched, as requests with what is kept. */
  readonly answersFirst: boolean;
  /** What an answer holds; undefined where it cannot be used. */
  readonly resultOf: (call: Call, answer: Answer) => unknown;
}

/** What streams watch of both upstreams. */
export const watchingBoth = (one: Watching, other: Watching): Watching => ({
  hasNewsFor: (watcher) => one.hasNewsFor(watcher) || other.hasNewsFor(watcher),
  isWatchedBy: (watcher) => one.isWatchedBy(watcher) || other.isWatchedBy(watcher),
  isAnswered: (watcher) => one.isAnswered(watcher) || other.isAnswered(watcher),
  isLacking: (watcher) => one.isLacking(watcher) || other.isLacking(watcher),
  isRefused: (watcher) => one.isRefused(watcher) || other.isRefused(watcher),
  isFailing: (watcher) => one.isFailing(watcher) || other.isFailing(watcher),
  releaseUnused: (watcher) => {
    one.releaseUnused(watcher);
    other.releaseUnused(watcher);
  },
  resume: (watcher) => {
    one.resume(watcher);
    other.resume(watcher);
  },
  release: (watcher) => {
    one.release(watcher);
    other.release(watcher);
  },
  counts: () => {
    const [these, those] = [one.counts(), other.counts()];
    return {
      reads: these.reads + those.reads,
      credentials: these.credentials + those.credentials,
    };
  },
});
