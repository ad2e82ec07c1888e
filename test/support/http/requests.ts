import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** The members of `fetch`'s second argument that are used here. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type Way = (url: string | URL, sending?: Sending) => Promise<Response>;

/**
 * `fetch` without its automatic headers (such as `accept` and `content-type`), and with a new connection. Resolves when the
 * whole answer has arrived.
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
    // An error after the answer only means that the server has stopped reading the body.
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

/** The preflight of a browser for a request to another origin. */
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

/** The headers that a browser checks before it shows an answer to another origin. */
export const accessControl = ({ headers }: Response): readonly string[] =>
  [...headers].flatMap(([name, value]) =>
    name.startsWith('access-control-') ? [`${name}: ${value}`] : [],
  );

/**
 * A GET whose head lacks its last line: the connection counts as busy, so that it stays open when a server begins to stop.
 * `finish` sends the rest, and resolves with the answer when the server has closed the connection.
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
  // When this later request is answered, the first half has arrived.
  await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
  return {
    finish: async () => {
      const closed = once(socket, 'close');
      socket.write('\r\n');
      await closed;
      const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
      // Whether chunked or not, the JSON object is between the outer braces.
      const text = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
      return {
        status: Number(head.split(' ')[1]),
        head: head.toLowerCase(),
        body: JSON.parse(text) as unknown,
      };
    },
  };
};
