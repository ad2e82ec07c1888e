import { type Dispatcher, Pool } from 'undici';
import type { Cancellation } from './cancellation.ts';
import type { FailureReason } from './error.ts';
import type { Method } from './operation.ts';

export interface UpstreamRequest {
  readonly method: Method;
  /** Path below the upstream's base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** HTTP to one upstream over one pool. Follows no redirect, repeats nothing, and knows no JSON. */
export interface Transport {
  /** Rejects with whatever undici throws, or with `Cancelled`; `reasonOf` reads both. */
  send(request: UpstreamRequest, cancellation: Cancellation): Promise<UpstreamAnswer>;
  /** Waits for what is in flight, then closes the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: URL;
  /** For the connection, for the headers and between two pieces of a body, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** The call was given up because nobody waited for it. */
class Cancelled extends Error {
  constructor() {
    super('cancelled');
    this.name = 'Cancelled';
  }
}

const decodeText = (chunks: readonly Buffer[]): string => {
  const [first] = chunks;
  return first && chunks.length === 1 ? first.toString() : Buffer.concat(chunks).toString();
};

/** Collects one answer. Straight on undici's dispatch: `request` would put a stream in between. */
const collect = (
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  cancellation: Cancellation,
): Promise<UpstreamAnswer> =>
  new Promise((resolve, reject) => {
    if (cancellation.cancelled) {
      reject(new Cancelled());
      return;
    }
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: UpstreamAnswer['headers'] = {};
    const release = cancellation.onCancel(() => {
      const reason = new Cancelled();
      reject(reason);
      controller?.abort(reason);
    });
    pool.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (cancellation.cancelled) started.abort(new Cancelled());
      },
      onResponseStart: (_, statusCode, received) => {
        // Informational answers come before the real one.
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        release();
        resolve({ status, headers, text: decodeText(chunks) });
      },
      onResponseError: (_, error) => {
        release();
        reject(error);
      },
    });
  });

export const createTransport = (options: TransportOptions): Transport => {
  const pool = new Pool(options.baseUrl.origin, {
    connectTimeout: Math.min(options.timeoutMs, 10_000),
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: options.maxResponseBytes,
  });
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  return {
    send: ({ method, path, headers, body }, cancellation) =>
      collect(pool, { method, path: prefix + path, headers, body: body ?? null }, cancellation),
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

/** Sorts a rejection of `Transport.send`. */
export const reasonOf = (error: unknown): FailureReason => {
  if (!(error instanceof Error)) return 'unreachable';
  if (error instanceof Cancelled) return 'aborted';
  const code = causeOf(error) ?? '';
  if (timeouts.has(code)) return 'timeout';
  if (malformed.has(code) || error.name === 'HTTPParserError') return 'bad-response';
  return 'unreachable';
};
