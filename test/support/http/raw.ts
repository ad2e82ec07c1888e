import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Call } from '../harness.ts';

/** A header as it goes on the line: name and the bytes of its value, one byte a character. */
export type HeaderLine = readonly [name: string, value: string];

export interface RawAnswer {
  readonly status: number;
  /** The answer's header section in lower case. */
  readonly head: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** POSTs a GraphQL document byte by byte: header bytes and repeats that fetch and node:http refuse to send. */
export const postRaw = async (
  url: string,
  document: string,
  headers: readonly HeaderLine[],
): Promise<RawAnswer> => {
  const { hostname, port, pathname, host } = new URL(url);
  const body = JSON.stringify({ query: document });
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  await once(socket, 'close');
  const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
  const text = rest.join('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    head: head.toLowerCase(),
    // Chunked or whole, the JSON object is what stands between the outer braces.
    body: text.includes('{')
      ? JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
      : undefined,
  };
};

/** A backend that breaks HTTP: `reply` gets each connection once its request has begun to arrive. */
export const startRawBackend = async (reply: (socket: Socket) => void) => {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const [line = ''] = chunk.toString('latin1').split('\r\n', 1);
      if (!/ HTTP\/1\.1$/.test(line)) return;
      requests.push(line.replace(' HTTP/1.1', ''));
      reply(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    /** `METHOD /path` of each request that began to arrive. */
    requests,
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

/** A URL at which nothing listens. */
export const refusingUrl = async (): Promise<URL> => {
  const backend = await startRawBackend(() => undefined);
  await backend.close();
  return backend.url;
};

/** What a call carried as its credential. */
export const authorizationOf = ({ headers }: Call): string => String(headers.authorization ?? '');
