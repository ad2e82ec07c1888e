import type { Answer, Call, KeptState, Send, SoughtRead, Watcher } from './call.ts';
import type { Rate } from './gate/slots.ts';
import type { WritePhase } from './reads/changes.ts';

/** The reads that streams of events watch. */
export interface Watching {
  /** Whether the watcher's newest event might be different now. */
  hasNewsFor(watcher: Watcher): boolean;
  /** Whether any read of the watcher may still change. */
  isWatchedBy(watcher: Watcher): boolean;
  /** Whether an upstream has ever answered any read of the watcher. */
  isAnswered(watcher: Watcher): boolean;
  /** Whether any read of the watcher has neither been answered nor failed so far. */
  isLacking(watcher: Watcher): boolean;
  /** Whether the credential was refused for any read of the watcher. */
  isRefused(watcher: Watcher): boolean;
  /** Whether any read of the watcher has failed for so long that events show the failure. */
  isFailing(watcher: Watcher): boolean;
  /** Stops watching the reads that the watcher's newest event did not use. */
  releaseUnused(watcher: Watcher): void;
  /** Polls the watcher's reads, which may have been put off while its events lacked other reads. */
  resume(watcher: Watcher): void;
  /** Stops watching all reads of the watcher. */
  release(watcher: Watcher): void;
  counts(): WatchCounts;
}

export interface WatchCounts {
  /** How many reads are polled, each once for all its watchers. */
  readonly reads: number;
  /** How many credentials have polled reads. */
  readonly credentials: number;
}

/** The reads of one upstream that streams watch. It is told all that happens to reads and writes. */
export interface Watches extends Watching {
  /** Answers a read of an event with the watched answer, or sends the read. From then on the read is watched. */
  event(watcher: Watcher, call: Call, read: Send): Promise<Answer>;
  /** Notes that a read was answered, whoever asked. */
  answered(call: Call, answer: Answer): void;
  /** Notes that a read has failed, whoever asked. */
  failed(call: Call, error: unknown): void;
  /** Notes that the upstream has refused the call's credential: no answer is shown before it is read again. */
  refused(call: Call): void;
  /** Notes that the upstream, which was down, is up again. */
  recovered(): void;
  changed(write: Call, phase: WritePhase): void;
  /** Whether any stream watches the read. */
  isWatched(read: SoughtRead): boolean;
  /** The state of the watched answer for a read of an event; undefined for other reads, and if it would have to be sent. */
  kept(read: SoughtRead): KeptState | undefined;
  /**
   * Whether an event should read the whole list instead of one item: the list or another of its items is watched already,
   * so one polled read serves both.
   */
  isListWatched(read: SoughtRead): boolean;
}

export interface WatchesOptions {
  /** The shortest time between a read's answer and its next poll, in milliseconds. */
  readonly leastMs: number;
  readonly rate: Rate | undefined;
  /** How many processes poll with the same credential, and whether they share what they read. */
  readonly sharers?: number;
  readonly isShared?: boolean;
  /** How many bytes of answers are kept for each credential. */
  readonly maxBytes: number;
  /** Whether watched answers may be used for the first event of a stream, as memory is for requests. */
  readonly answersFirst: boolean;
  /** Sends a poll, or joins a read under way. */
  readonly poll: Send;
  /** The records of an answer; undefined if it cannot be used. */
  readonly resultOf: (call: Call, answer: Answer) => unknown;
}

/** The watched reads of both upstreams. */
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
