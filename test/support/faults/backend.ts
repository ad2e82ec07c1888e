import { createServer, type ServerResponse } from 'node:http';
import type { Answer } from '../harness.ts';
import { startServer } from '../servers.ts';

/** Does to a call what no well-meaning backend does; the request has been read to its end. */
export type Misbehave = (response: ServerResponse) => void;

export type Reaction = Answer | Misbehave;

/** What a backend has to hand to whoever decides how it reacts. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  /** Closes the port: connections that are open stay, and new ones are refused. */
  stopListening(): void;
}

export interface FaultBackend {
  readonly url: URL;
  /** `METHOD /path` of every call, in the order of arrival. */
  readonly calls: string[];
  /** Connections that are open, and the most that ever were at a time. */
  readonly connections: { readonly open: number; readonly most: number };
  close(): Promise<void>;
}

/** A backend on a real port that may break HTTP, a call at a time. */
export const startFaultBackend = async (
  react: (call: Arrived) => Reaction | Promise<Reaction>,
): Promise<FaultBackend> => {
  const calls: string[] = [];
  const connections = { open: 0, most: 0 };
  const server = createServer(async (request, response) => {
    for await (const _ of request) {
      // A write's body is of no interest, but an unread one would be a fault of its own.
    }
    const { method = '', url: path = '', headers } = request;
    calls.push(`${method} ${path}`);
    const reaction = await react({
      method,
      path,
      authorization: headers.authorization ?? '',
      stopListening: () => server.close(),
    });
    if (typeof reaction === 'function') {
      reaction(response);
      return;
    }
    response.writeHead(reaction.status ?? 200, reaction.headers);
    response.end(reaction.body);
  });
  server.on('connection', (socket) => {
    connections.open += 1;
    connections.most = Math.max(connections.most, connections.open);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      connections.open -= 1;
    });
  });
  const { origin, close } = await startServer(server);
  return {
    url: new URL(origin),
    calls,
    connections,
    close,
  };
};

/** Breaks the connection before a byte of the answer. */
export const reset: Misbehave = ({ socket }) => socket?.resetAndDestroy();

/** Closes the connection in good order, without an answer. */
export const hangUp: Misbehave = ({ socket }) => socket?.end();

/** Breaks the connection once a part of the body has gone out. */
export const resetWithinBody: Misbehave = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' });
  response.write('{"status":200,"re', () => response.socket?.destroy());
};

/** Never answers. */
export const silence: Misbehave = () => undefined;

/** Sends the head, and then a byte at a time of what could become an answer, for ever. */
export const drip: Misbehave = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const dripping = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(dripping));
};

/** Sends one informational answer after the other, and never the real one. */
export const hint: Misbehave = (response) => {
  const hinting = setInterval(() => response.writeEarlyHints({ link: '</>; rel=preload' }), 20);
  response.once('close', () => clearInterval(hinting));
};
