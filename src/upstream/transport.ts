import { type Dispatcher, Pool } from 'undici';
import type { CancelListener, Cancellation, CancelReason } from './cancellation.ts';
import type { FailureReason } from './error.ts';
import type { Method } from './operation.ts';

export interface UpstreamRequest {
  readonly method: Method;
  /** Path below the upstream's base URL. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Who is told what a request came to: one of both, once, and perhaps before `send` returns. */
export interface Receiver {
  answered(answer: UpstreamAnswer): void;
  /**
   * With whatever undici fails with, or with `Cancelled`; `reasonOf` reads them all.
   *
   * @param inFlightMs since the request reached a connection; undefined where it never did, and was not sent therefore
   */
  failed(error: unknown, inFlightMs: number | undefined): void;
}

/** The connection that a request may use. */
export interface Place {
  /** The connection is free again, which may be long after the request was given up. */
  end(): void;
}

/**
 * HTTP to one upstream over one pool. Follows no redirect, repeats nothing, and knows no JSON. It is given no more
 * requests at a time than it has connections, so that none waits in the pool.
 */
export interface Transport {
  /** Callbacks rather than a promise: several of these stand between an upstream and a resolver. */
  send(
    request: UpstreamRequest,
    cancellation: Cancellation,
    receiver: Receiver,
    place: Place,
  ): void;
  /** Waits for what is in flight, then closes the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: URL;
  /** For the connection, for the headers and between two pieces of a body, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Connections that may be open at a time. */
  readonly connections: number;
}

/** The call was given up because nobody waited for it any longer. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
  readonly reason: CancelReason;

  constructor(reason: CancelReason) {
    super(reason);
    this.reason = reason;
  }
}

const join = (chunks: readonly Buffer[]): Buffer => {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
};

/** What a collector works on until the answer has come. */
interface Collecting {
  readonly receiver: Receiver;
  readonly cancellation: Cancellation;
  readonly chunks: Buffer[];
}

/**
 * Collects one answer. Straight on undici's dispatch: `request` would put a stream in between.
 * A connection keeps its last handler until its next request, so that everything is let go at the end:
 * as many answers as there are connections would outlive their requests.
 */
class Collector implements Dispatcher.DispatchHandler, CancelListener {
  #collecting: Collecting | undefined;
  #cancelled: Cancelled | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #startedAt: number | undefined;
  #status = 0;
  #headers: UpstreamAnswer['headers'] = {};
  readonly #place: Place;

  constructor(receiver: Receiver, cancellation: Cancellation, place: Place) {
    this.#place = place;
    this.#collecting = { receiver, cancellation, chunks: [] };
    cancellation.listen(this);
  }

  cancelled(reason: CancelReason): void {
    this.#cancelled = new Cancelled(reason);
    this.#controller?.abort(this.#cancelled);
    this.#fail(this.#cancelled);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled) controller.abort(this.#cancelled);
    else this.#startedAt = performance.now();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamAnswer['headers'],
  ): void {
    // Informational answers come before the real one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#collecting?.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const status = this.#status;
    const headers = this.#headers;
    const ended = this.#end();
    // The breaker learns what the call came to before the next one is sent.
    try {
      ended?.receiver.answered({ status, headers, body: join(ended.chunks) });
    } finally {
      this.#place.end();
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    try {
      this.#fail(error);
    } finally {
      this.#place.end();
    }
  }

  #fail(error: unknown): void {
    const inFlightMs =
      this.#startedAt === undefined ? undefined : performance.now() - this.#startedAt;
    this.#end()?.receiver.failed(error, inFlightMs);
  }

  #end(): Collecting | undefined {
    const ended = this.#collecting;
    this.#collecting = undefined;
    this.#controller = undefined;
    this.#headers = {};
    ended?.cancellation.ignore(this);
    return ended;
  }
}

export const createTransport = (options: TransportOptions): Transport => {
  const pool = new Pool(options.baseUrl.origin, {
    connections: options.connections,
    connectTimeout: Math.min(options.timeoutMs, 10_000),
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: options.maxResponseBytes,
  });
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  return {
    send: ({ method, path, headers, body }, cancellation, receiver, place) => {
      if (cancellation.reason) {
        receiver.failed(new Cancelled(cancellation.reason), undefined);
        place.end();
        return;
      }
      // The pool wants an array that it may change, and changes none.
      pool.dispatch(
        { method, path: prefix + path, headers: headers as string[], body: body ?? null },
        new Collector(receiver, cancellation, place),
      );
    },
    close: () => pool.close(),
  };
};

const timeouts = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const malformed = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);

/** The code of a rejection, such as ECONNREFUSED: it names no host, which its message does. */
export const causeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** What a call that was given up failed with. */
export const reasonOfCancel = (reason: CancelReason): FailureReason =>
  reason === 'late' ? 'timeout' : 'aborted';

/**
 * Sorts what `Transport.send` failed with.
 *
 * @param sent whether the request reached a connection
 */
export const reasonOf = (error: unknown, sent: boolean): FailureReason => {
  const broken = sent ? 'cut-off' : 'unreachable';
  if (!(error instanceof Error)) return broken;
  if (error instanceof Cancelled) return reasonOfCancel(error.reason);
  const code = causeOf(error) ?? '';
  if (timeouts.has(code)) return 'timeout';
  if (malformed.has(code) || error.name === 'HTTPParserError') return 'bad-response';
  return broken;
};
