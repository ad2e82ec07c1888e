import { createServer, type ServerResponse } from 'node:http';
import type { Answer } from '../harness.ts';
import { startServer } from '../servers.ts';

/** Breaks the answer to a call; the request has been read completely. */
type Misbehave = (response: ServerResponse) => void;

export type Reaction = Answer | Misbehave;

/** The data about a call for choosing a reaction. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  /** Closes the port: open connections remain, and new ones are refused. */
  stopListening(): void;
}

export interface FaultBackend {
  readonly url: URL;
  /** `METHOD /path` of every call, in the order of arrival. */
  readonly calls: string[];
  /** The number of open connections, their maximum so far, and how many there were in all. */
  readonly connections: { readonly open: number; readonly most: number; readonly all: number };
  close(): Promise<void>;
}

/** A backend on a real port that can break HTTP for each call. */
export const startFaultBackend = async (
  react: (call: Arrived) => Reaction | Promise<Reaction>,
): Promise<FaultBackend> => {
  const calls: string[] = [];
  const connections = { open: 0, most: 0, all: 0 };
  const server = createServer(async (request, response) => {
    for await (const _ of request) {
      // The body of a write does not matter, but leaving it unread would be another fault.
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
    connections.all += 1;
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

/** Resets the connection before the first byte of the answer. */
export const reset: Misbehave = ({ socket }) => socket?.resetAndDestroy();

/** Closes the connection normally, without an answer. */
export const hangUp: Misbehave = ({ socket }) => socket?.end();

/** Resets the connection after a part of the body. */
export const resetWithinBody: Misbehave = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' });
  response.write('{"status":200,"re', () => response.socket?.destroy());
};

/** Never answers. */
export const silence: Misbehave = () => undefined;

/** Sends the head, and then an endless body, one byte at a time. */
export const drip: Misbehave = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const dripping = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(dripping));
};

/** Sends informational answers one after another, and never a final one. */
export const hint: Misbehave = (response) => {
  const hinting = setInterval(() => response.writeEarlyHints({ link: '</>; rel=preload' }), 20);
  response.once('close', () => clearInterval(hinting));
};
