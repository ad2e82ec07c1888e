/** A read that streams watch, as a stream sees it. */
export interface Watched {
  /** Whether it is not polled until a write changes it. */
  readonly isResting: boolean;
  /** Whether the upstream has ever answered it, or refused it for good. */
  readonly isAnswered: boolean;
  /** Whether it has neither been answered nor failed so far. */
  readonly isLacking: boolean;
  /** Whether the upstream refused the credential at the last try. */
  readonly isRefused: boolean;
  /** Whether it has failed for so long that events show the failure. */
  readonly isFailing: boolean;
  /** Whether the watcher's newest event has used it. */
  isUsedBy(watcher: Watcher): boolean;
  /** Whether the watcher's newest event might be different now. */
  hasNewsFor(watcher: Watcher): boolean;
  /**
   * Must be called when the read may be due earlier: a request has read it, or no watcher lacks other reads any longer.
   */
  revive(): void;
  /** Must be called when the watcher no longer watches the read. */
  leave(watcher: Watcher): void;
}

/** A stream of events, as its reads see it. */
export interface Watcher {
  /** The number of the newest event, from 1. */
  readonly event: number;
  /** Whether the newest event lacks reads that are answered later. */
  readonly isFilling: boolean;
  /** The reads that the stream watches: each event adds those that it uses. */
  readonly reads: Set<Watched>;
  /** Must be called when a read of the stream may have changed. */
  wake(): void;
}
