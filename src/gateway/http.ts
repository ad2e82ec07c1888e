import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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
  readonly maxHeaderBytes: number;
  readonly maxConnections: number;
  /** How long a connection is kept for its next request, in milliseconds. */
  readonly keepAliveMs: number;
  /** How long a caller may take to send a request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a response may wait for its client to read on, in milliseconds; until it is noticed, twice as long. */
  readonly stallMs: number;
}

interface Http {
  /** Not listening yet. */
  readonly server: Server;
  /**
   * Takes no new connections, answers what has come, and closes each connection after that. Resolves once none is open;
   * those that are left when the signal is aborted are cut off.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/** How long no request has to have come before connections without one are closed, in milliseconds. */
const quietMs = 500;

const unexpected = JSON.stringify({
  errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
});

/** The responses to what is no request; any other fault of it is a 400. */
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
  maxHeaderBytes,
  maxConnections,
  keepAliveMs,
  requestTimeoutMs,
  stallMs,
}: HttpOptions): Http => {
  /** Yoga's own listener would send the stack of an error that a hook throws. */
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    makeFit(req);
    unsent.watch(res);
    try {
      const response = await yoga.handleNodeRequestAndResponse(req, res, { req, res });
      if (turns.isLast(res)) res.setHeader('connection', 'close');
      // Node knows whether a connection is kept, and whether a client takes chunks. Yoga's streams say so to all clients.
      if (response.headers.get('connection') === 'keep-alive') {
        response.headers.delete('connection');
        response.headers.delete('transfer-encoding');
      }
      const sending = sendNodeResponse(response, res, req, true);
      // It takes the time-out off where the response is a stream.
      if (!res.writableEnded) req.socket.setTimeout(server.timeout);
      await sending;
    } catch (error) {
      log.error(errorFacts(error), 'unexpected error');
      if (res.headersSent) {
        res.destroy();
        return;
      }
      if (turns.isLast(res)) res.setHeader('connection', 'close');
      res.writeHead(500, { 'content-type': 'application/json' }).end(unexpected);
    }
  };

  const turns = createTurns((req, res) => void respond(req, res));

  // An upgrade is answered as a request: there is no listener for it, so Node ignores what it asks for.
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveMs,
      // A repeated credential arrives joined, and is refused as no credential has that form.
      joinDuplicateHeaders: true,
      ...waitingOptions(requestTimeoutMs),
    },
    turns.take,
  );
  let opened = 0;
  server.on('connection', (socket) => {
    opened += 1;
    turns.open(socket);
    // Node closes a connection by it after its last response, and would drop what still arrives with a reset.
    socket.destroySoon = () => closeGently(socket);
  });
  // By default Node sends its refusal in the place of the response that is under way, to a request that came before.
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
    // The response is not there yet, or its next part: operations and streams have limits of their own.
    else if (turns.current(socket)) socket.setTimeout(stallMs);
    else closeGently(socket);
  });
  limitConnections(server, maxConnections, () =>
    log.warn({ maxConnections }, 'refused a connection, as too many are open'),
  );

  /**
   * Waits until those connections are accepted that the kernel has for the server: closing it would reset them. Node accepts
   * one in each round of its loop, and the round that a signal comes in is nearly over.
   */
  const untilAccepted = async (deadline: AbortSignal): Promise<void> => {
    let before: number;
    do {
      before = opened;
      await nextRound();
      await nextRound();
    } while (opened > before && !deadline.aborted);
  };

  const close = async (deadline: AbortSignal): Promise<void> => {
    await untilAccepted(deadline);
    // Node closes connections without a request at once, on which one may be about to arrive.
    server.closeIdleConnections = () => undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Not before: clients that are told to leave connect again at once.
    turns.drain();
    // In the round before, what has arrived is read.
    const sweep = setInterval(() => setImmediate(() => turns.closeIdle(quietMs)), 50);
    deadline.addEventListener('abort', () => server.closeAllConnections());
    if (deadline.aborted) server.closeAllConnections();
    await closed;
    clearInterval(sweep);
  };

  return { server, close };
};
