import type { OperationTime, TimeLimit } from '../upstream/operation-time.ts';

// Made once: an error takes its stack when it is made, which costs more than all else here.
const callerGone = new DOMException('The caller has gone.', 'AbortError');
const timeIsUp = new DOMException("The operation's time is up.", 'TimeoutError');

/** How long an operation may go on after the last moment at which a write may be answered, in milliseconds. */
const afterWritesMs = 20_000;

export interface LifetimeOptions {
  readonly operationTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** How long after its beginning the parts of a response may come that are deferred. */
  readonly deferTimeoutMs: number;
}

/** How long an operation lasts. */
export interface Lifetime {
  /** Aborts with a `TimeoutError` when the operation's time is up, and with an `AbortError` when it has ended before. */
  readonly signal: AbortSignal;
  readonly time: OperationTime;
  /** The time of the parts that are deferred. It begins with the operation, and is not shorter. */
  later(): TimeLimit;
  /** The operation is over, or its caller has gone. */
  end(): void;
  /** Takes the time limit off. */
  last(): void;
}

/**
 * One controller and one timer cost less than `AbortSignal.any` and `AbortSignal.timeout`, whose timer would go on after the
 * response.
 */
class MovableLimit implements TimeLimit {
  deadline = 0;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deadline: number) {
    this.moveTo(deadline);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  moveTo(deadline: number): void {
    this.stop();
    this.deadline = deadline;
    const left = deadline - performance.now();
    // At once, so that a write that comes too late is not sent.
    if (left <= 0) this.#expire();
    else if (!this.signal.aborted) this.#timer = setTimeout(this.#expire, left);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.stop();
    this.#controller.abort(callerGone);
  }

  #expire = (): void => this.#controller.abort(timeIsUp);
}

/**
 * Begins an operation. It has `operationTimeoutMs`. While a write is under way, it has until `writeTimeoutMs` after its
 * beginning if that is later; once the write has ended, `operationTimeoutMs` from then on, but not much longer than a
 * write may take: proxies are set to wait for that long (docs/operating.md).
 */
export const beginLifetime = (
  arrivedAt: number,
  { operationTimeoutMs, writeTimeoutMs, deferTimeoutMs }: LifetimeOptions,
  onWrite: () => () => void = () => () => undefined,
): Lifetime => {
  const limit = new MovableLimit(arrivedAt + operationTimeoutMs);
  /** Absent as long as nothing deferred is read. */
  let later: MovableLimit | undefined;
  let isOver = false;
  const writeDeadline = arrivedAt + Math.max(writeTimeoutMs, operationTimeoutMs);
  const laterDeadline = (): number => Math.max(arrivedAt + deferTimeoutMs, limit.deadline);
  const moveTo = (at: number): void => {
    limit.moveTo(at);
    later?.moveTo(laterDeadline());
  };
  return {
    signal: limit.signal,
    time: {
      get deadline() {
        return limit.deadline;
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
    later: () => {
      later ??= new MovableLimit(laterDeadline());
      // What is executed for a caller who has left may still ask.
      if (isOver) later.end();
      return later;
    },
    end: () => {
      isOver = true;
      limit.end();
      later?.end();
    },
    last: () => limit.stop(),
  };
};
