import { type Dispatcher, errors } from 'undici';
import { type Answer, failed, isWrite, type Send } from '../call.ts';
import type { FailureReason } from '../error.ts';
import { givenUp } from './abort.ts';
import { codeOf, connectTo, interim100, type Proxies, proxyCause } from './egress.ts';
import type { SentCall } from './sent-call.ts';

interface TransportOptions {
  readonly baseUrl: URL;
  readonly userAgent: string;
  /** The limit for the connection, for the head of the answer, and between two pieces of its body, in milliseconds. */
  readonly timeoutMs: number;
  /** The limit for the head of the answer to a write, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** How long a write waits for the head of its answer after its caller has left, in milliseconds; 10 s if absent. */
  readonly leftMs?: number;
  /** The most open connections. The gate never sends more calls at a time, so no call waits in the pool. */
  readonly connections: number;
  readonly proxies?: Proxies | undefined;
}

/** HTTP to one upstream over one pool. Follows no redirects, repeats no calls, and parses no JSON. */
export interface Transport {
  readonly send: Send<SentCall>;
  /** Waits for calls in flight, then closes the connections; closes them at once when the signal is aborted. */
  close(signal: AbortSignal): Promise<void>;
}

const timeouts = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const malformed = new Set([
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_HEADERS_OVERFLOW',
  interim100,
]);

const reasonOf = (error: Error, sent: boolean): FailureReason => {
  const code = codeOf(error) ?? '';
  if (timeouts.has(code)) return 'timeout';
  if (malformed.has(code) || error.name === 'HTTPParserError') return 'bad-response';
  return sent ? 'cut-off' : 'unreachable';
};

const detailOf = (cause: string | undefined): string | undefined =>
  cause === interim100 ? 'it sent 100 Continue, which the gateway had not asked for' : undefined;

/** All headers that go to the upstream (docs/architecture.md, "Credentials pass through"). */
const headersOf = (
  { credential, body, caller, accept = 'application/json' }: SentCall,
  traceHeaders: readonly string[],
  userAgent: string,
): string[] => [
  'authorization',
  credential,
  'accept',
  accept,
  'user-agent',
  userAgent,
  'x-request-id',
  caller.requestId,
  ...traceHeaders,
  ...(body === undefined ? [] : ['content-type', 'application/json']),
];

const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
};

/** How long the head of an answer may take while the caller waits, and after the caller has left, in milliseconds. */
interface Patience {
  readonly timeoutMs: number;
  readonly leftMs: number;
}

/** The call that waits for an answer. The handler forgets it at the end, since undici's connections keep handlers. */
interface Waiting {
  readonly call: SentCall;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Collects one answer. It uses undici's `dispatch`, since `request` would put a stream in between. */
class Collector implements Dispatcher.DispatchHandler {
  #waiting: Waiting | undefined;
  readonly #done: () => void;
  readonly #sentAt: number;
  readonly #patience: Patience;
  #controller: Dispatcher.DispatchController | undefined;
  #startedAt: number | undefined;
  #status = 0;
  /** Ends the wait for the head of the answer. */
  #headTimer: NodeJS.Timeout | undefined;
  #headers: Answer['headers'] = {};
  #chunks: Buffer[] = [];

  /** @param done called when undici is done with the connection, which may be later than the end of the call */
  constructor(waiting: Waiting, sentAt: number, patience: Patience, done: () => void) {
    this.#waiting = waiting;
    this.#sentAt = sentAt;
    this.#patience = patience;
    this.#done = done;
    waiting.call.signal.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#waiting) this.#startedAt = performance.now();
    else controller.abort(new Error('given up'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
  ): void {
    // Informational answers come before the real one. For each of them undici restarts its limit for the head.
    if (status < 200) {
      const leftMs = this.#patience.timeoutMs - (this.#inFlightMs ?? 0);
      this.#headTimer ??= this.#abortIn(leftMs, new errors.HeadersTimeoutError());
      return;
    }
    clearTimeout(this.#headTimer);
    this.#status = status;
    this.#headers = headers;
    if (!this.#waiting) controller.abort(new Error('given up'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#waiting) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const answer = {
      status: this.#status,
      headers: this.#headers,
      body: joined(this.#chunks),
      sentAt: this.#sentAt,
    };
    const waiting = this.#end();
    waiting?.resolve(answer);
    this.#release();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const cause = codeOf(error);
    // A proxy that refuses a call has passed no part of it on.
    const inFlightMs = proxyCause(cause) === undefined ? this.#inFlightMs : undefined;
    const waiting = this.#end();
    const reason = reasonOf(error, inFlightMs !== undefined);
    waiting?.reject(failed(waiting.call, { reason, cause, inFlightMs, detail: detailOf(cause) }));
    this.#release();
  }

  get #inFlightMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : performance.now() - this.#startedAt;
  }

  #release(): void {
    clearTimeout(this.#headTimer);
    this.#done();
  }

  #abortIn(milliseconds: number, reason: Error): NodeJS.Timeout {
    return setTimeout(() => this.#controller?.abort(reason), milliseconds);
  }

  /**
   * The caller has left. A write that was sent may go on until the head of its answer has come, or for some seconds.
   */
  #abort = (): void => {
    const inFlightMs = this.#inFlightMs;
    const waiting = this.#end();
    if (!waiting) return;
    waiting.reject(givenUp(waiting.call, inFlightMs));
    const error = new Error('given up');
    clearTimeout(this.#headTimer);
    if (!isWrite(waiting.call) || this.#status > 0) this.#controller?.abort(error);
    else this.#headTimer = this.#abortIn(this.#patience.leftMs, error);
  };

  #end(): Waiting | undefined {
    const waiting = this.#waiting;
    waiting?.call.signal.removeEventListener('abort', this.#abort);
    this.#waiting = undefined;
    this.#headers = {};
    this.#chunks = [];
    return waiting;
  }
}

/**
 * How long a connection takes new calls, in milliseconds. It closes when those under way have ended, and the next
 * connection looks the upstream's address up again. Otherwise constant use would keep an old address for ever.
 */
const connectionMs = 60_000;

export const createTransport = (options: TransportOptions): Transport => {
  const { origin } = options.baseUrl;
  const limits = {
    connections: options.connections,
    clientTtl: connectionMs,
    connectTimeout: Math.min(options.timeoutMs, 10_000),
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: options.maxResponseBytes,
  };
  const pool = connectTo(origin, limits, options.proxies);
  const prefix = options.baseUrl.pathname.replace(/\/$/, '');
  const { timeoutMs, writeTimeoutMs, leftMs = 10_000 } = options;
  return {
    send: (call, traceHeaders = call.caller.traceHeaders) =>
      new Promise((resolve, reject) => {
        if (call.signal.aborted) {
          reject(givenUp(call));
          return;
        }
        const { path, body, row } = call;
        const waiting: Waiting = { call, resolve, reject };
        const done = Promise.withResolvers<void>();
        const headersTimeout = isWrite(call) ? writeTimeoutMs : timeoutMs;
        const patience: Patience = { timeoutMs: headersTimeout, leftMs };
        const sentAt = performance.now();
        call.onSent?.(sentAt);
        call.keepConnection?.(done.promise);
        pool.dispatch(
          {
            origin,
            method: row.operation.method,
            path: prefix + path,
            headers: headersOf(call, traceHeaders, options.userAgent),
            body: body ?? null,
            headersTimeout,
          },
          new Collector(waiting, sentAt, patience, done.resolve),
        );
      }),
    close: async (signal) => {
      if (signal.aborted) {
        await pool.destroy();
        return;
      }
      const destroy = (): void => void pool.destroy();
      signal.addEventListener('abort', destroy, { once: true });
      await pool.close();
      signal.removeEventListener('abort', destroy);
    },
  };
};
