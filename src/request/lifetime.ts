import type { OperationTime } from '../upstream/operation-time.ts';

// Made once: an error takes its stack when it is made, which costs more than all else here.
const callerGone = new DOMException('The caller has gone.', 'AbortError');
const timeIsUp = new DOMException("The operation's time is up.", 'TimeoutError');

/** How long an operation may go on after the last moment at which a write may be answered, in milliseconds. */
const afterWritesMs = 20_000;

export interface LifetimeOptions {
  readonly operationTimeoutMs: number;
  readonly writeTimeoutMs: number;
}

/** How long an operation lasts. */
export interface Lifetime {
  /** Aborts with a `TimeoutError` when the operation's time is up, and with an `AbortError` when it has ended before. */
  readonly signal: AbortSignal;
  readonly time: OperationTime;
  /** The operation is over, or its caller has gone. */
  end(): void;
  /** Takes the time limit off. */
  last(): void;
}

/**
 * Begins an operation. It has `operationTimeoutMs`. While a write is under way, it has until `writeTimeoutMs` after its
 * beginning if that is later; once the write has ended, `operationTimeoutMs` from then on, but not much longer than a
 * write may take: proxies are set to wait for that long (docs/operating.md).
 *
 * One controller and one timer cost less than `AbortSignal.any` and `AbortSignal.timeout`, whose timer would go on after the
 * response.
 */
export const beginLifetime = (
  arrivedAt: number,
  { operationTimeoutMs, writeTimeoutMs }: LifetimeOptions,
  onWrite: () => () => void = () => () => undefined,
): Lifetime => {
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const expire = (): void => lifetime.abort(timeIsUp);
  const writeDeadline = arrivedAt + Math.max(writeTimeoutMs, operationTimeoutMs);
  let deadline = arrivedAt + operationTimeoutMs;
  let timer = setTimeout(expire, operationTimeoutMs);
  const moveTo = (at: number): void => {
    clearTimeout(timer);
    deadline = at;
    const left = at - performance.now();
    // At once, so that a write that comes too late is not sent.
    if (left <= 0) expire();
    else if (!signal.aborted) timer = setTimeout(expire, left);
  };
  return {
    signal,
    time: {
      get deadline() {
        return deadline;
      },
      writeDeadline,
      beginWrite: () => {
        moveTo(writeDeadline);
        const ended = onWrite();
        return () => {
          ended();
          moveTo(Math.min(performance.now() + operationTimeoutMs, writeDeadline + afterWritesMs));
        };
      },
    },
    end: () => {
      clearTimeout(timer);
      lifetime.abort(callerGone);
    },
    last: () => clearTimeout(timer),
  };
};
