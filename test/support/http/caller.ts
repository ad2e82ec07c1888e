import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A client that sends bytes as it is told. */
export interface Caller {
  readonly socket: Socket;
  /** All that has come back. */
  text(): string;
  /** The statuses of the answers so far. */
  statuses(): readonly number[];
  /** The code of the error that the connection ended with; undefined where it was closed in order. */
  readonly closed: Promise<string | undefined>;
}

/** Opens a connection of its own, until the test ends. */
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
  // Not by `once`, which rejects if the other end resets the connection, as it may.
  const closed = new Promise<string | undefined>((resolve) => {
    socket.once('close', () => resolve(code));
  });
  const statuses = () =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, found]) => Number(found));
  return { socket, text: () => text, statuses, closed };
};

/** A POST of a query, as it stands on the connection. */
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
