import { Pool } from 'undici';
import type { FailureReason } from './error.ts';
import type { Method } from './operation.ts';

export interface UpstreamRequest {
  readonly method: Method;
  /** Path below the upstream's base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** HTTP to one upstream over one pool. Follows no redirect, repeats nothing, and knows no JSON. */
export interface Transport {
  /** Rejects with whatever undici throws; `reasonOf` reads it. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Waits for what is in flight, then closes the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly baseUrl: URL;
  /** For the connection, for the headers and between two pieces of a body, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export const createTransport = (options: TransportOptions): Transport => {
  const pool = new Pool(options.baseUrl.origin, {
    connectTimeout: Math.min(options.timeoutMs, 10_000),
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: options.maxResponseBytes,
  });
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  return {
    send: async ({ method, path, headers, body, signal }) => {
      const answer = await pool.request({
        method,
        path: prefix + path,
        headers,
        body: body ?? null,
        signal: signal ?? null,
      });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: await answer.body.text(),
      };
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

/** Sorts a rejection of `Transport.send`. */
export const reasonOf = (error: unknown): FailureReason => {
  if (!(error instanceof Error)) return 'unreachable';
  if (error.name === 'AbortError') return 'aborted';
  const code = causeOf(error) ?? '';
  if (timeouts.has(code)) return 'timeout';
  if (malformed.has(code) || error.name === 'HTTPParserError') return 'bad-response';
  return 'unreachable';
};
