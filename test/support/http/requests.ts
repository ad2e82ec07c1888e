import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

interface Posting extends RequestInit {
  readonly variables?: unknown;
  readonly operationName?: string | undefined;
}

/** Posts an operation as JSON. */
export const post = (
  url: string | URL,
  query: string,
  headers: Readonly<Record<string, string>> = {},
  { variables, operationName, ...init }: Posting = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables, operationName }),
    ...init,
  });

/** The members of `fetch`'s second argument that are used here. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * `fetch` without its automatic headers (such as `accept` and `content-type`), and with a new connection. Resolves when the
 * whole answer has arrived.
 */
const sendBy =
  (framing: 'content-length' | 'transfer-encoding') =>
  async (url: string | URL, { method = 'GET', headers = {}, body }: Sending = {}) => {
    const isSized = framing === 'content-length';
    const length = isSized ? Buffer.byteLength(body ?? '') : 'chunked';
    const isFramed = isSized ? body !== undefined : method === 'POST';
    const framed = isFramed ? { [framing]: length, ...headers } : headers;
    const asked = request(url, { method, agent: false, headers: framed });
    // An error after the answer only means that the server has stopped reading the body.
    asked.on('error', () => undefined).end(body);
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    const { statusCode: status = 0, headersDistinct } = answer as IncomingMessage;
    const bytes = Buffer.concat((await answer?.toArray()) ?? []);
    const given = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response([204, 304].includes(status) ? null : bytes, { status, headers: given });
  };

/** Sends a body of known length. */
export const sendSized = sendBy('content-length');

/** Sends a body of unknown length; `headers` may have another coding of the transfer. */
export const sendChunked = sendBy('transfer-encoding');

export const ways = [
  ['a body of known length', sendSized],
  ['a body in chunks', sendChunked],
] as const;

/** The headers that a browser checks before it shows an answer to another origin. */
export const accessControl = ({ headers }: Response): readonly string[] =>
  [...headers].flatMap(([name, value]) =>
    name.startsWith('access-control-') ? [`${name}: ${value}`] : [],
  );
