/** A read that streams watch, as one of them sees it. */
export interface Watched {
  /** Whether it is not polled until a write changes it. */
  readonly isResting: boolean;
  /** Whether the upstream has ever answered it, or refused it for good. */
  readonly isAnswered: boolean;
  /** Whether it has neither been answered nor failed so far. */
  readonly isLacking: boolean;
  /** Whether the credential was refused when it was read last. */
  readonly isRefused: boolean;
  /** Whether it has failed for so long that events show the failure. */
  readonly isFailing: boolean;
  /** Whether the watcher's newest event has used it. */
  isUsedBy(watcher: Watcher): boolean;
  /** Whether the watcher's newest event might be different now. */
  hasNewsFor(watcher: Watcher): boolean;
  /** Polls it, if it was put off while the events of its watchers lacked other reads. */
  revive(): void;
  /** Must be called when the watcher watches it no longer. */
  leave(watcher: Watcher): void;
}

/** A stream of events, as the reads that it watches see it. */
export interface Watcher {
  /** The number of the newest event, from 1. */
  readonly event: number;
  /** Whether the newest event lacks reads that will be answered later. */
  readonly isFilling: boolean;
  /** The reads that it watches: an event adds those that it uses. */
  readonly reads: Set<Watched>;
  /** Must be called when a read of the stream may have changed. */
  wake(): void;
}
