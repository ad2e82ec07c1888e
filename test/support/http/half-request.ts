import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A GET whose head lacks its last line: the connection counts as busy, so that it outlives the moment a
 * server stops. `finish` sends the rest, and gives the answer once the server has closed the connection.
 */
export const startHalfRequest = async (port: number, path: string) => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: sluice\r\nconnection: close\r\n`);
  // Answered later than the half has arrived: that one was sent first.
  await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
  return {
    finish: async () => {
      const closed = once(socket, 'close');
      socket.write('\r\n');
      await closed;
      const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
      // Chunked or whole, the JSON object is what stands between the outer braces.
      const text = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
      return {
        status: Number(head.split(' ')[1]),
        head: head.toLowerCase(),
        body: JSON.parse(text) as unknown,
      };
    },
  };
};
