import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server of HTTP, or of bytes, on a free port of loopback. */
export const startServer = async (server: Server) => {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    accepted += 1;
    socket.once('close', () => sockets.delete(socket));
  });
  const closed = once(server, 'close');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Stops listening, closes every connection, and resolves when that is done. */
  const close = async (): Promise<void> => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  /** The connections that are open, and how many there were in all. */
  const connections = () => ({ open: sockets.size, all: accepted });
  return { port, origin: `http://127.0.0.1:${port}`, connections, close };
};

/** An HTTP server with this listener, until the test ends. */
export const serve = async (listener: RequestListener) => {
  const started = await startServer(createServer(listener));
  onTestFinished(started.close);
  return started;
};
