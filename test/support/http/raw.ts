import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Call } from '../harness.ts';

/** Opens a connection for exact bytes, until the test ends. */
export const call = (port: number) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let code: string | undefined;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  return {
    socket,
    /** Everything received so far, one character per byte. */
    text: () => text,
    /** The statuses of the answers so far. */
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, found]) => Number(found)),
    /** The code of the error that ended the connection; undefined if it closed normally. */
    closed: new Promise<string | undefined>((resolve) => {
      // Not with `once`, which rejects if the gateway resets the connection, as it may.
      socket.once('close', () => resolve(code));
    }),
  };
};

/** The bytes of a request without a body. */
export const headOf = (line: string, ...headers: readonly string[]): string =>
  [line, 'host: sluice', ...headers, '', ''].join('\r\n');

/** The bytes of a POST with a query. */
export const postOf = (query: string, ...headers: readonly string[]): string => {
  const body = JSON.stringify({ query });
  const own = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return headOf('POST /graphql HTTP/1.1', ...own, ...headers) + body;
};

/** The credential of a call. */
export const authorizationOf = ({ headers }: Call): string => String(headers.authorization ?? '');

/** A header on the wire: its name, and the bytes of its value with one byte per character. */
export type HeaderLine = readonly [name: string, value: string];

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

/**
 * POSTs an operation byte by byte, one byte per character, and returns all bytes until the gateway closes the connection.
 * The request asks for this, and the gateway also does it after invalid HTTP.
 */
export const postBytes = async (url: string, request: RawRequest): Promise<string> => {
  const { port, pathname, host } = new URL(url);
  const { trailers, target = pathname } = request;
  const body = JSON.stringify({ query: request.document });
  const size = Buffer.byteLength(body);
  const { socket, text, closed } = call(Number(port));
  const bytes = [
    `POST ${target} HTTP/1.1\r\nHost: ${request.host ?? host}\r\nContent-Type: application/json\r\n`,
    trailers ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${size}\r\n`,
    `${joined(request.headers)}Connection: close\r\n\r\n`,
    trailers ? `${size.toString(16)}\r\n${body}\r\n0\r\n${joined(trailers)}\r\n` : body,
  ];
  socket.write(bytes.join(''), 'latin1');
  await closed;
  return text();
};

/** The answer in these bytes. */
export const answerIn = (bytes: string) => {
  const [head = '', ...rest] = Buffer.from(bytes, 'latin1').toString().split('\r\n\r\n');
  const text = rest.join('\r\n\r\n');
  // Whether chunked or not, the JSON object is between the outer braces.
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return {
    status: Number(head.split(' ')[1]),
    /** The header section in lower case. */
    head: head.toLowerCase(),
    body: json === '' ? undefined : JSON.parse(json),
  };
};

/** The status of the last answer in these bytes; informational answers come before it. */
export const statusIn = (bytes: string): number =>
  Number([...bytes.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].at(-1)?.[1]);
