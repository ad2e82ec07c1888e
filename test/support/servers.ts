import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server of HTTP, or of bytes, on a free port of loopback. */
export const startServer = async (server: Server) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
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
  return { port, origin: `http://127.0.0.1:${port}`, close };
};

/** An HTTP server with this listener, until the test ends. */
export const serve = async (listener: RequestListener) => {
  const started = await startServer(createServer(listener));
  onTestFinished(started.close);
  return started;
};
