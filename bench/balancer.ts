import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const isReady = async (port: number): Promise<boolean> => {
  try {
    const headers = { connection: 'close' };
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { headers })).ok;
  } catch {
    // A replica that does not answer is not ready.
    return false;
  }
};

/** Distributes requests to replicas on loopback in turn. */
export const startBalancer = async () => {
  const ports: number[] = [];
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    turn += 1;
    const { method, url, headers } = incoming;
    const sent = request({
      ...{ host: '127.0.0.1', port: ports[turn % ports.length], agent: false },
      ...{ method, path: url, headers: { ...headers, connection: 'close' } },
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
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    /** Scheme, host and port. */
    origin: `http://127.0.0.1:${address.port}`,
    /** Adds a replica once it is ready. */
    add: async (port: number): Promise<void> => {
      while (!(await isReady(port))) await pause(10);
      ports.push(port);
    },
    /** Sends no further requests to a replica. Its requests under way are finished. */
    remove: (port: number): void => void ports.splice(ports.indexOf(port), 1),
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
