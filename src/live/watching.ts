import type { Watcher } from '../upstream/call.ts';

/** What streams of events watch. */
export interface Watching {
  /** Whether the newest event of the watcher might be another now. */
  hasNewsFor(watcher: Watcher): boolean;
  /** Whether anything that the watcher has read may still change. */
  isWatchedBy(watcher: Watcher): boolean;
  /** Whether an upstream has ever answered any of what the watcher has read. */
  isAnswered(watcher: Watcher): boolean;
  /** Whether the credential was refused for any of what it has read. */
  isRefused(watcher: Watcher): boolean;
  /** Lets go of what the newest event of the watcher did not use. */
  releaseUnused(watcher: Watcher): void;
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

/** What streams watch of both upstreams. */
export const watchingBoth = (one: Watching, other: Watching): Watching => ({
  hasNewsFor: (watcher) => one.hasNewsFor(watcher) || other.hasNewsFor(watcher),
  isWatchedBy: (watcher) => one.isWatchedBy(watcher) || other.isWatchedBy(watcher),
  isAnswered: (watcher) => one.isAnswered(watcher) || other.isAnswered(watcher),
  isRefused: (watcher) => one.isRefused(watcher) || other.isRefused(watcher),
  releaseUnused: (watcher) => {
    one.releaseUnused(watcher);
    other.releaseUnused(watcher);
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
