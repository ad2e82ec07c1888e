import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeGently, type Socket, stopReading } from './closing.ts';

/** The most requests of one connection that may wait while another request is answered. */
const maxWaiting = 4;

/**
 * The most dropped requests of all open connections. Node keeps more than a kilobyte of each until its connection is
 * closed. Beyond this limit connections are closed at once, though their clients may lose responses.
 */
const maxDropped = 50_000;

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** The requests of one connection. */
interface Line {
  /** The response under way. */
  current: ServerResponse | undefined;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  dropped: number;
  /** Whether further requests are dropped: the connection closes once the accepted requests are answered. */
  isClosed: boolean;
  /** Bytes that had been read from the connection when its last response was sent. */
  readBefore: number;
}

interface Turns {
  /** Must be called for each connection before its first request. */
  open(socket: Socket): void;
  /** Takes a request of an open connection. */
  take: Answer;
  /**
   * Whether a response under way is the last of its connection; later requests are then dropped. Must be called before
   * the head of the response is sent.
   */
  isLast(res: ServerResponse): boolean;
  /** Makes the response under way the last of its connection. Requests that wait behind it are dropped. */
  end(res: ServerResponse): void;
  /** The response under way. */
  current(socket: Socket): ServerResponse | undefined;
  /**
   * Handles bytes that are not a request. Returns whether whole requests came before them: these are answered, and
   * nothing more is read.
   */
  finish(socket: Socket): boolean;
  /** From now on each response is the last of its connection, unless other requests wait behind it. */
  drain(): void;
  /** Closes the connections without a request if no request is under way and none has come for some milliseconds. */
  closeIdle(quietMs: number): void;
}

/**
 * Answers the requests of each connection one after another. Node parses all requests that arrive together and would
 * start them all at once, so that one connection could use any amount of memory and time.
 *
 * A client that sends too many requests gets responses to those that were accepted. The last response says that the
 * connection closes, so that clients send the other requests again.
 *
 * @param answer begins to answer a request
 */
export const createTurns = (answer: Answer): Turns => {
  const lines = new Map<Socket, Line>();
  let isDraining = false;
  let lastTakenAt = 0;
  let dropped = 0;

  const drop = (socket: Socket, line: Line): void => {
    line.dropped += 1;
    dropped += 1;
    if (dropped > maxDropped) socket.destroy();
  };

  const advance = (socket: Socket, line: Line): void => {
    if (line.current) return;
    const next = line.waiting.shift();
    if (!next) {
      // The head of the last response may have been sent before the connection was marked as closed.
      if (line.isClosed) closeGently(socket);
      return;
    }
    const [req, res] = next;
    line.current = res;
    res.once('close', () => {
      line.readBefore = socket.bytesRead;
      // A response can end before Node has parsed the next request of the same bytes. `setImmediate` gives other
      // connections their turn in between.
      setImmediate(() => {
        line.current = undefined;
        advance(socket, line);
      });
    });
    answer(req, res);
  };

  return {
    open: (socket) => {
      const line: Line = {
        ...{ current: undefined, waiting: [], dropped: 0 },
        ...{ isClosed: false, readBefore: 0 },
      };
      lines.set(socket, line);
      socket.once('close', () => {
        lines.delete(socket);
        line.waiting.length = 0;
        dropped -= line.dropped;
      });
    },
    take: (req, res) => {
      const { socket } = req;
      const line = lines.get(socket);
      if (!line) return;
      if (!line.isClosed && line.waiting.length >= maxWaiting) {
        line.isClosed = true;
        stopReading(socket);
      }
      if (line.isClosed) {
        drop(socket, line);
        return;
      }
      lastTakenAt = performance.now();
      line.waiting.push([req, res]);
      advance(socket, line);
    },
    isLast: ({ socket }) => {
      const line = socket && lines.get(socket);
      // A connection of another server.
      if (!line) return isDraining;
      if (line.waiting.length > 0) return false;
      line.isClosed ||= isDraining;
      return line.isClosed;
    },
    end: ({ socket }) => {
      const line = socket && lines.get(socket);
      if (!line) return;
      line.isClosed = true;
      for (const _ of line.waiting.splice(0)) drop(socket, line);
    },
    current: (socket) => lines.get(socket)?.current,
    finish: (socket) => {
      const line = lines.get(socket);
      if (!line?.current?.req.complete) return false;
      if (line.waiting.at(-1)?.[0].complete === false) line.waiting.pop();
      line.isClosed = true;
      stopReading(socket);
      return true;
    },
    drain: () => {
      isDraining = true;
      lastTakenAt = performance.now();
    },
    closeIdle: (quietMs) => {
      if (performance.now() - lastTakenAt < quietMs) return;
      if ([...lines.values()].some(({ current }) => current)) return;
      for (const [socket, { readBefore }] of lines) {
        // If bytes have arrived since then, a request is on its way, so the connection stays open.
        if (socket.bytesRead === readBefore) closeGently(socket);
      }
    },
  };
};
