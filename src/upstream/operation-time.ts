/** Until when something may go on. */
export interface TimeLimit {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborted with a `TimeoutError` when the time is up, and with an `AbortError` when the caller has gone. */
  readonly signal: AbortSignal;
}

/** The time that an operation has. */
export interface OperationTime {
  /** When it is up, in milliseconds of `performance.now()`; later than before once a write is sent or has ended. */
  readonly deadline: number;
  /** When its writes have to be answered. */
  readonly writeDeadline: number;
  /** A write begins, for which there is time until `writeDeadline`. To be called when it has ended. */
  beginWrite(): () => void;
}

/** The time of what no operation waits for. */
export const endless: OperationTime = {
  deadline: Infinity,
  writeDeadline: Infinity,
  beginWrite: () => () => undefined,
};
