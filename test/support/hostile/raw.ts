import { once } from 'node:events';
import { connect } from 'node:net';
import type { HeaderLine } from '../http/raw.ts';

export interface RawRequest {
  readonly headers: readonly HeaderLine[];
  readonly document: string;
  /** Header lines after a body in chunks; without it the body has a length. */
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
 * POSTs an operation byte by byte, one byte a character, and gives all bytes that come back until the
 * gateway closes the connection: it is asked to, and does so as well after what is no HTTP.
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

/** The status of the last answer in these bytes: informational ones come before it. */
export const statusIn = (bytes: string): number =>
  Number([...bytes.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].at(-1)?.[1]);
