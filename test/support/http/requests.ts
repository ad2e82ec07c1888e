import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** What of `fetch`'s second argument these need. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type Way = (url: string | URL, sending?: Sending) => Promise<Response>;

/**
 * `fetch` without the headers of its own accord (`accept`, `content-type` and others), and with its own
 * connection. The whole answer has arrived once it resolves.
 */
const sendBy =
  (framing: 'content-length' | 'chunked'): Way =>
  (url, { method = 'GET', headers = {}, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sized = framing === 'content-length';
    const asked = request(url, {
      method,
      agent: false,
      headers: {
        ...headers,
        ...(body !== undefined && sized && { 'content-length': Buffer.byteLength(body) }),
        ...(method === 'POST' && !sized && { 'transfer-encoding': 'chunked' }),
      },
    });
    asked.on('response', async (answer) => {
      const chunks: Buffer[] = [];
      const made = new Headers();
      for (let at = 0; at < answer.rawHeaders.length; at += 2) {
        made.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
      }
      const { statusCode: status = 0 } = answer;
      try {
        for await (const chunk of answer) chunks.push(chunk);
        const bytes = [204, 304].includes(status) ? null : Buffer.concat(chunks);
        resolve(new Response(bytes, { status, headers: made }));
      } catch (error) {
        reject(error);
      }
    });
    // After an answer it tells only that the server had heard enough of a body.
    asked.on('error', reject);
    asked.end(body);
    return promise;
  };

/** Sends a body of known length. */
export const sendSized = sendBy('content-length');

/** Sends a body of unknown length. */
export const sendChunked = sendBy('chunked');

export const ways: readonly (readonly [name: string, way: Way])[] = [
  ['a body of known length', sendSized],
  ['a body in chunks', sendChunked],
];

/** What a browser asks before it sends a request of another origin. */
export const preflight = (
  url: string,
  origin: string,
  headers = 'content-type,authorization,management-authorization,observability-authorization',
) =>
  sendSized(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': headers,
    },
  });

/** What of an answer a browser asks for before it shows it to another origin. */
export const accessControl = ({ headers }: Response): readonly string[] =>
  [...headers].flatMap(([name, value]) =>
    name.startsWith('access-control-') ? [`${name}: ${value}`] : [],
  );

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
