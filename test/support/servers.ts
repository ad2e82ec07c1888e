import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on a free port of loopback. */
export interface StartedServer {
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Stops listening, closes every connection, and resolves when that is done. */
  close(): Promise<void>;
}

/** Starts a server of HTTP, or of bytes, on a free port of loopback. */
export const startServer = async (server: Server): Promise<StartedServer> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closed = once(server, 'close');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

/** An HTTP server with this listener, until the test ends. */
export const serve = async (listener: RequestListener): Promise<StartedServer> => {
  const started = await startServer(createServer(listener));
  onTestFinished(started.close);
  return started;
};
