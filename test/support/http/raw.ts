import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Call } from '../harness.ts';
import { startServer } from '../servers.ts';

/** A header on the wire: its name, and the bytes of its value with one byte per character. */
export type HeaderLine = readonly [name: string, value: string];

/** A backend that breaks HTTP: `reply` gets each connection when its request begins to arrive. */
export const startRawBackend = async (reply: (socket: Socket) => void) => {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      const [line = ''] = chunk.toString('latin1').split('\r\n', 1);
      if (!/ HTTP\/1\.1$/.test(line)) return;
      requests.push(line.replace(' HTTP/1.1', ''));
      reply(socket);
    });
  });
  const { origin, close } = await startServer(server);
  return {
    url: new URL(origin),
    /** `METHOD /path` of each request that began to arrive. */
    requests,
    close,
  };
};

/**
 * A port that an outgoing connection of this process occupies: nothing listens there, and no other test can get it, unlike
 * the port of a closed server.
 */
const takePort = async (): Promise<number> => {
  const server = createServer((socket) => socket.unref()).unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(client, 'connect');
  return client.localPort ?? 0;
};

let takenPort: Promise<number> | undefined;

/** A URL at which nothing listens. */
export const refusingUrl = async (): Promise<URL> => {
  takenPort ??= takePort();
  return new URL(`http://127.0.0.1:${await takenPort}`);
};

/** The credential of a call. */
export const authorizationOf = ({ headers }: Call): string => String(headers.authorization ?? '');

export interface RawRequest {
  readonly headers: readonly HeaderLine[];
  readonly document: string;
  /** Header lines after a chunked body; without them, the body has a length. */
  readonly trailers?: readonly HeaderLine[] | undefined;
  readonly target?: string | undefined;
  readonly host?: string | undefined;
}

const joined = (headers: readonly HeaderLine[]): string =>
  headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');

const framed = (body: string, trailers: RawRequest['trailers']): readonly [string, string] => {
  const size = Buffer.byteLength(body);
  return trailers === undefined
    ? [`Content-Length: ${size}\r\n`, body]
    : [
        'Transfer-Encoding: chunked\r\n',
        `${size.toString(16)}\r\n${body}\r\n0\r\n${joined(trailers)}\r\n`,
      ];
};

/**
 * POSTs an operation byte by byte, one byte per character, and returns all bytes until the gateway closes the connection.
 * The request asks for this, and the gateway also does it after invalid HTTP.
 */
export const postBytes = async (url: string, request: RawRequest): Promise<string> => {
  const { hostname, port, pathname, host } = new URL(url);
  const [framing, body] = framed(JSON.stringify({ query: request.document }), request.trailers);
  const head = [
    `POST ${request.target ?? pathname} HTTP/1.1\r\n`,
    `Host: ${request.host ?? host}\r\n`,
    'Content-Type: application/json\r\n',
    framing,
    joined(request.headers),
    'Connection: close\r\n\r\n',
  ];
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that refuses a request before it has read it may reset the connection.
  socket.on('error', () => socket.destroy());
  socket.write(Buffer.from(head.join('') + body, 'latin1'));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
};

/** The status of the last answer in these bytes; informational answers come before it. */
export const statusIn = (bytes: string): number =>
  Number([...bytes.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].at(-1)?.[1]);
