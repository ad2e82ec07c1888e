import { request } from 'node:http';

/** What of `fetch`'s second argument these need. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
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
        const bytes = status === 204 ? null : Buffer.concat(chunks);
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
