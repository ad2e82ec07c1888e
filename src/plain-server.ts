import type { RequestListener, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer, AnswerPlain } from './answer-plain.ts';
import { type OriginHeaders, securityHeaders } from './http-headers.ts';
import { PlainConnection, type PlainConnectionOptions } from './plain-connection.ts';
import { createPlainHeads } from './plain-request.ts';

// Imported as a module it would have Node load an undici of its own, for the WebSocket among its exports.
const { Server, STATUS_CODES } = process.getBuiltinModule('node:http');

export interface PlainServerOptions {
  /** The path that GraphQL is served at. */
  readonly path: string;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly answerPlain: AnswerPlain;
  readonly originHeaders: OriginHeaders;
  /** Told of a connection whose next request comes to the listener because `answerPlain` has given up on it. */
  readonly onRefused: (socket: Socket) => void;
  /** Told of an error that leaves a request without an answer: its connection is closed. */
  readonly onFailure: (error: unknown) => void;
}

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

const commonLines = linesOf({
  ...securityHeaders,
  'content-type': 'application/json; charset=utf-8',
});

let date = '';
let dateSecond = 0;

/** The value of `Date`, made once a second. */
const currentDate = (): string => {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) date = new Date(now).toUTCString();
  dateSecond = second;
  return date;
};

/**
 * An HTTP server that reads plain requests (see `isPlain`) from their connections itself, and spares them the objects and streams
 * that node:http makes for each, which are much of what a small one costs. From the first request on that is anything else, a
 * connection is node:http's, which gets all of it that is not answered.
 */
export class PlainServer extends Server {
  readonly #plain = new Set<PlainConnection>();

  constructor(options: PlainServerOptions, httpOptions: ServerOptions, listener: RequestListener) {
    super({ ...httpOptions, maxHeaderSize: options.maxHeaderBytes }, listener);
    const takeOthers = this.listeners('connection');
    this.removeAllListeners('connection');
    const connectionOptions: PlainConnectionOptions = {
      ...options,
      heads: createPlainHeads(options.path),
      idleMs: Math.min(
        this.keepAliveTimeout + this.keepAliveTimeoutBuffer,
        this.requestTimeout || Infinity,
      ),
      printAnswer: this.#createPrinter(options.originHeaders),
      isClosing: () => !this.listening,
      handOver: (socket, isRefused) => {
        if (isRefused) options.onRefused(socket);
        for (const take of takeOthers) take.call(this, socket);
      },
      onClose: (connection) => this.#plain.delete(connection),
    };
    this.on('connection', (socket: Socket) => {
      this.#plain.add(new PlainConnection(socket, connectionOptions));
    });
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const connection of this.#plain) connection.closeIdle();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const connection of this.#plain) connection.destroy();
  }

  #createPrinter(originHeaders: OriginHeaders): PlainConnectionOptions['printAnswer'] {
    const staying = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this.keepAliveTimeout / 1000)}`;
    const closing = 'Connection: close';
    const linesFor = (origin?: string): string => linesOf(originHeaders(origin)) + commonLines;
    const linesForNone = linesFor();
    return ({ status, requestId, json, bytes }: Answer, origin, closes) =>
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${origin === null ? linesForNone : linesFor(origin)}content-length: ${bytes}\r\nx-request-id: ${requestId}\r\nDate: ${currentDate()}\r\n${closes ? closing : staying}\r\n\r\n${json}`;
  }
}
