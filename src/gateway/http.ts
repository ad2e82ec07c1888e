import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import { sendNodeResponse } from '@whatwg-node/server';
import { errorFacts, type Log } from '../log.ts';
import { closeGently, type Socket } from './closing.ts';
import { limitConnections, waitingOptions } from './connections.ts';
import { makeFit } from './fit.ts';
import { createTurns } from './turns.ts';
import type { Unsent } from './unsent.ts';
import type { createGatewayYoga } from './yoga.ts';

interface HttpOptions {
  readonly yoga: ReturnType<typeof createGatewayYoga>;
  readonly log: Log;
  readonly unsent: Unsent;
  /** Receives the requests whose clients wait for `100 Continue` before they send the body. */
  readonly expecting: Pick<WeakSet<IncomingMessage>, 'add'>;
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
  /** How long an idle connection stays open, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a caller may take to send a request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a response may wait for a client that does not read, in milliseconds. Node may notice twice as late. */
  readonly stallMs: number;
}

interface Http {
  /** Not listening yet. */
  readonly server: Server;
  /** Answers a request that came over another server. */
  readonly handler: RequestListener;
  /** Accepts no new connections. Resolves once pending connections are accepted. */
  refuse(deadline: AbortSignal): Promise<void>;
  /**
   * Call it after `refuse`. Answers the requests that have arrived, and closes each connection after its last response.
   * Resolves when no connection is open and the requests of other servers are answered. When the signal is aborted, the
   * rest is cut off.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** Idle connections are closed once no request has arrived for this time, in milliseconds. */
const quietMs = 500;

const unexpected = JSON.stringify({
  errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
});

/** The status lines for bytes that are not a valid request; other errors get 400. */
const faults: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Yoga on a server of Node. */
export const createHttp = ({
  yoga,
  log,
  unsent,
  expecting,
  maxHeaderBytes,
  maxConnections,
  keepAliveMs,
  requestTimeoutMs,
  stallMs,
}: HttpOptions): Http => {
  /** Yoga's own listener would send the stack of an error that a hook throws. */
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { timeout = 0 } = req.socket;
    const { url: target = '' } = req;
    makeFit(req);
    unsent.watch(res);
    try {
      const response = await yoga.handleNodeRequestAndResponse(req, res, { req, res, target });
      // A request behind it would be carried out, and its response not be sent.
      if (response.headers.get('connection') === 'close') turns.end(res);
      else if (turns.isLast(res)) res.setHeader('connection', 'close');
      // Node knows whether a connection stays open and whether a client accepts chunks; Yoga always sends these
      // headers.
      if (response.headers.get('connection') === 'keep-alive') {
        response.headers.delete('connection');
        response.headers.delete('transfer-encoding');
      }
      const sending = sendNodeResponse(response, res, req, true);
      // Yoga removes the timeout if the response is a stream.
      if (!res.writableEnded) req.socket.setTimeout(timeout);
      await sending;
    } catch (error) {
      const requestId = res.getHeader('x-request-id');
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
      if (res.headersSent) {
        res.destroy();
        return;
      }
      if (turns.isLast(res)) res.setHeader('connection', 'close');
      res.writeHead(500, { 'content-type': 'application/json' }).end(unexpected);
    }
  };

  const turns = createTurns((req, res) => void respond(req, res));

  /** The responses under way to requests of other servers. */
  const responses = new Set<ServerResponse>();
  const handler: RequestListener = (req, res) => {
    responses.add(res);
    res.once('close', () => responses.delete(res));
    void respond(req, res);
  };

  // Requests for an upgrade are answered like any other: without a listener for upgrades, Node ignores the header.
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveMs,
      // A repeated credential arrives joined into one value, which has no valid form and is refused.
      joinDuplicateHeaders: true,
      ...waitingOptions(requestTimeoutMs),
    },
    turns.take,
  );
  // By default Node asks for each body, even of a refused request. If nobody asks, Node closes the connection.
  server.on('checkContinue', (req, res) => {
    expecting.add(req);
    turns.take(req, res);
  });
  let opened = 0;
  server.on('connection', (socket) => {
    opened += 1;
    turns.open(socket);
    // Node calls this after the last response of a connection, and would answer bytes that arrive later with a reset.
    socket.destroySoon = () => closeGently(socket);
  });
  // By default Node sends its error even while it is sending the response to an earlier request.
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    if (turns.finish(socket)) return;
    if (turns.current(socket)?.headersSent) {
      socket.destroy();
      return;
    }
    const status = faults[code] ?? '400 Bad Request';
    if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    closeGently(socket);
  });
  server.timeout = stallMs;
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) socket.destroy();
    // The response, or its next part, is not ready yet. Operations and streams have time limits of their own.
    else if (turns.current(socket)) socket.setTimeout(stallMs);
    else closeGently(socket);
  });
  limitConnections(server, maxConnections, () =>
    log.warn({ maxConnections }, 'refused a connection, as too many are open'),
  );

  /**
   * Waits until the server has accepted the connections that are pending in the kernel, since closing the server would
   * reset them. Node accepts one connection in each round of its event loop, and the round in which a signal arrives is
   * nearly over.
   */
  const untilAccepted = async (deadline: AbortSignal): Promise<void> => {
    let before: number;
    do {
      before = opened;
      await nextRound();
      await nextRound();
    } while (opened > before && !deadline.aborted);
  };

  const closed = Promise.withResolvers<void>();

  const refuse = async (deadline: AbortSignal): Promise<void> => {
    await untilAccepted(deadline);
    // By default Node closes connections without a request at once, though a request may be about to arrive.
    server.closeIdleConnections = () => undefined;
    server.close(() => closed.resolve());
  };

  const close = async (deadline: AbortSignal): Promise<void> => {
    turns.drain();
    // `setImmediate` lets Node first read the requests that have arrived.
    const sweep = setInterval(() => setImmediate(() => turns.closeIdle(quietMs)), 50);
    const cut = (): void => {
      server.closeAllConnections();
      for (const response of responses) response.destroy();
    };
    deadline.addEventListener('abort', cut);
    if (deadline.aborted) cut();
    await closed.promise;
    await Promise.all(
      [...responses].map((response) => new Promise((resolve) => response.once('close', resolve))),
    );
    clearInterval(sweep);
  };

  return { server, handler, refuse, close };
};
