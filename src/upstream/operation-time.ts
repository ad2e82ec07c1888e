/**
 * The reason that aborts a request that was closed before its answer: nobody wants its reads any longer. Made only once:
 * recording the stack of an error costs more than the rest of an operation's lifetime.
 */
export const callerLeft = new DOMException('The caller has left.', 'AbortError');

/** How long something may go on. */
export interface TimeLimit {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborted with a `TimeoutError` when the time is up, with `callerLeft`, or with an `AbortError` after the answer. */
  readonly signal: AbortSignal;
}

export interface OperationTime {
  /** When the time is up, in milliseconds of `performance.now()`. It changes when a write begins or ends. */
  readonly deadline: number;
  /** The latest time for the answers to the operation's writes. */
  readonly writeDeadline: number;
  /** Notes that a write begins, with time until `writeDeadline`. The returned function must be called at its end. */
  beginWrite(): () => void;
}

/** For calls for which no operation waits. */
export const endless: OperationTime = {
  deadline: Infinity,
  writeDeadline: Infinity,
  beginWrite: () => () => undefined,
};
