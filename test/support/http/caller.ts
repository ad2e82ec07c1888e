import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A client that sends exact bytes. */
export interface Caller {
  readonly socket: Socket;
  /** Everything received so far. */
  text(): string;
  /** The statuses of the answers so far. */
  statuses(): readonly number[];
  /** The code of the error that ended the connection; undefined if it closed normally. */
  readonly closed: Promise<string | undefined>;
}

/** Opens a separate connection, until the test ends. */
export const call = (port: number): Caller => {
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
  // Not with `once`, which rejects if the gateway resets the connection, as it may.
  const closed = new Promise<string | undefined>((resolve) => {
    socket.once('close', () => resolve(code));
  });
  const statuses = () =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, found]) => Number(found));
  return { socket, text: () => text, statuses, closed };
};

/** The bytes of a POST with a query. */
export const postOf = (query: string, ...headers: readonly string[]): string => {
  const body = JSON.stringify({ query });
  return [
    'POST /graphql HTTP/1.1',
    'host: sluice',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
};
