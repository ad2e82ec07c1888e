import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The interval between readiness checks of each replica, in milliseconds. */
const checkMs = 100;

interface Replica {
  readonly port: number;
  isReady: boolean;
}

/**
 * Distributes requests to replicas on loopback in turn. It polls /readyz of each, and leaves out replicas that do not answer
 * 200. If a connection is refused, nothing has been sent, and the next replica gets the request.
 */
export interface Balancer {
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Adds a replica, and resolves when it is ready. */
  add(port: number): Promise<void>;
  /** Sends no further requests to a replica. Its requests under way are finished. */
  remove(port: number): void;
  close(): Promise<void>;
}

const isReady = async (port: number): Promise<boolean> => {
  const asked = request({ port, host: '127.0.0.1', path: '/readyz', agent: false });
  try {
    asked.end();
    const [response]: IncomingMessage[] = await once(asked, 'response');
    response?.resume();
    return response?.statusCode === 200;
  } catch {
    // A replica that does not answer is not ready.
    return false;
  }
};

const open = async (port: number): Promise<Socket | undefined> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
      return undefined;
    throw error;
  }
};

/** Forwards a request over this connection, and its response event by event. */
const pass = (incoming: IncomingMessage, outgoing: ServerResponse, socket: Socket): void => {
  const { method, url, headers } = incoming;
  const sent = request({
    ...{ method, path: url, headers: { ...headers, connection: 'close' } },
    createConnection: () => socket,
  });
  sent.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    outgoing.flushHeaders();
    response.pipe(outgoing);
    response.once('error', () => outgoing.destroy());
  });
  sent.once('error', () => outgoing.destroy());
  outgoing.once('close', () => sent.destroy());
  incoming.pipe(sent);
};

export const startBalancer = async (): Promise<Balancer> => {
  const replicas: Replica[] = [];
  let turn = 0;
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const ready = replicas.filter((replica) => replica.isReady);
    turn += 1;
    for (let tried = 0; tried < ready.length; tried += 1) {
      const replica = ready[(turn + tried) % ready.length];
      const socket = replica && (await open(replica.port));
      if (socket) return pass(incoming, outgoing, socket);
      if (replica) replica.isReady = false;
    }
    outgoing.writeHead(503, { 'content-type': 'text/plain' }).end('no replica is ready');
  };
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  let isOpen = true;
  const checking = (async () => {
    while (isOpen) {
      const check = async (replica: Replica): Promise<void> => {
        replica.isReady = await isReady(replica.port);
      };
      await Promise.all(replicas.map(check));
      await pause(checkMs);
    }
  })();
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    add: async (port) => {
      const replica: Replica = { port, isReady: false };
      replicas.push(replica);
      while (!replica.isReady && isOpen) await pause(10);
    },
    remove: (port) => {
      const index = replicas.findIndex((replica) => replica.port === port);
      if (index >= 0) replicas.splice(index, 1);
    },
    close: async () => {
      isOpen = false;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, checking]);
    },
  };
};
