import type { ServerResponse } from 'node:http';
import { callerLeft, type OperationTime, type TimeLimit } from '../upstream/operation-time.ts';

const operationOver = new DOMException('The operation is over.', 'AbortError');
export const timeIsUp = new DOMException("The operation's time is up.", 'TimeoutError');

/** How long an operation may continue after the deadline of its writes, in milliseconds. */
const afterWritesMs = 20_000;

export interface LifetimeOptions {
  readonly operationTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** How long deferred parts may take, in milliseconds from the beginning of the operation. */
  readonly deferTimeoutMs: number;
}

/** The time limits of an operation. */
export interface Lifetime {
  /**
   * Aborts with a `TimeoutError` when the operation's time is up, or with an `AbortError` when it has ended earlier.
   */
  readonly signal: AbortSignal;
  readonly time: OperationTime;
  /** The time limit of deferred parts. It starts with the operation, and is not shorter. */
  later(): TimeLimit;
  /** Must be called when the operation is over. */
  end(): void;
  /** Must be called when the caller has gone before the answer. */
  leave(): void;
  /** Ends the time of the operation and of its deferred parts at once. */
  expire(): void;
  /** Removes the time limit. */
  last(): void;
}

/** One controller and one timer. `AbortSignal.any` and `.timeout` cost more, and their timers run on after the response. */
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
    // Expires at once, so that a write that comes too late is not sent.
    if (left <= 0) this.expire();
    else if (!this.signal.aborted) this.#timer = setTimeout(this.expire, left);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  end(reason: DOMException): void {
    this.stop();
    this.#controller.abort(reason);
  }

  expire = (): void => this.end(timeIsUp);
}

/**
 * Begins an operation, which may last `operationTimeoutMs`. During a write, the limit is `writeTimeoutMs` from the
 * beginning, if that is longer. After the write, the operation has another `operationTimeoutMs`, but at most
 * `afterWritesMs` beyond the deadline of writes, since proxies are configured to wait for that time.
 */
export const beginLifetime = (
  arrivedAt: number,
  { operationTimeoutMs, writeTimeoutMs, deferTimeoutMs }: LifetimeOptions,
  onWrite: () => () => void = () => () => undefined,
): Lifetime => {
  const limit = new MovableLimit(arrivedAt + operationTimeoutMs);
  /** Undefined until a deferred field is read. */
  let later: MovableLimit | undefined;
  /** Why the operation has ended; undefined until then. */
  let ended: DOMException | undefined;
  const end = (reason: DOMException): void => {
    ended ??= reason;
    limit.end(reason);
    later?.end(reason);
  };
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
        const endWrite = onWrite();
        return () => {
          endWrite();
          moveTo(Math.min(performance.now() + operationTimeoutMs, writeDeadline + afterWritesMs));
        };
      },
    },
    later: () => {
      later ??= new MovableLimit(laterDeadline());
      // A resolver may still call this after the caller has left.
      if (ended) later.end(ended);
      return later;
    },
    end: () => end(operationOver),
    leave: () => end(callerLeft),
    expire: () => end(timeIsUp),
    last: () => limit.stop(),
  };
};

/** The operations under way. */
export interface Lifetimes {
  /** Adds an operation until it is over. */
  add(lifetime: Lifetime, res: Pick<ServerResponse, 'once' | 'writableFinished'>): void;
  /** Expires all operations under way, and every operation that is added later. */
  expire(): void;
}

export const createLifetimes = (): Lifetimes => {
  const all = new Set<Lifetime>();
  let isExpired = false;
  return {
    add: (lifetime, res) => {
      all.add(lifetime);
      // Emitted once for every response: when all of it is sent, or when the connection has closed before.
      res.once('close', () => {
        all.delete(lifetime);
        if (res.writableFinished) lifetime.end();
        else lifetime.leave();
      });
      if (isExpired) lifetime.expire();
    },
    expire: () => {
      isExpired = true;
      for (const lifetime of all) lifetime.expire();
    },
  };
};
