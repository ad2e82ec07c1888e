import { once } from 'node:events';
import type { Server } from 'node:http';

/** Starts a server. Resolves with its real port, even if the port was 0; rejects with Node's error. */
export const listenOn = async (server: Server, host: string, port: number): Promise<number> => {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
};
