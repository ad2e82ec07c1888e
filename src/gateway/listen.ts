import { once } from 'node:events';
import type { Server } from 'node:http';

/** Has a server listen. Gives the real port, also where 0 was asked for; rejects with the error of Node. */
export const listenOn = async (server: Server, host: string, port: number): Promise<number> => {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
};
