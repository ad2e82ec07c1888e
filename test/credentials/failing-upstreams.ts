import type { ServerResponse } from 'node:http';
import { raw as breaking } from '../support/faults/reactions.ts';
import { startBackend } from '../support/harness.ts';
import { drawPort } from '../support/ports.ts';

/** An upstream that fails in one way, until it is closed. */
type Start = () => Promise<{ readonly url: URL; close(): Promise<void> }>;

/** All data of a call, which an upstream might quote. */
type Seen = Readonly<Record<'method' | 'path' | 'url' | 'authorization' | 'body', string>>;

/** Headers that an upstream may send, and that the gateway must not pass on. */
const headers = {
  ...{ server: 'leaky-nginx/1.2.3', 'x-powered-by': 'LeakyPHP/5.6', via: '1.1 leaky.internal' },
  ...{ 'set-cookie': 'leaky=1; Path=/', 'www-authenticate': 'Basic realm="leaky"' },
};

/** An upstream with this answer, and with the word `leaky` in every place that HTTP has for text. */
const replying =
  (reply: (response: ServerResponse, seen: Seen) => void): Start =>
  async () => {
    const { origin, close } = await startBackend('management', [], (call) => (response) => {
      const { method, path, body } = call;
      const { host, authorization } = call.headers;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.statusMessage = 'leaky reason';
      const url = `http://${host}${path}`;
      reply(response, { method, path, url, authorization: `${authorization ?? ''}`, body });
    });
    return { url: new URL(origin), close };
  };

const stack = [
  'TypeError: leaky is not a function',
  '    at Leaky.render (/srv/leaky/app.js:10:5)',
  '    at async file:///srv/leaky/main.mjs:3:1',
].join('\n');

const quoted = ({ method, path, authorization, body }: Seen): string => {
  const [, token = ''] = authorization.split(' ');
  const decoded = authorization.startsWith('Basic') ? `, ${atob(token)}` : '';
  return `${method} ${path} with "Authorization: ${authorization}" (${token}${decoded}) was refused: ${body}`;
};
const page = (seen: Seen): string =>
  `<html><title>leaky.internal</title><body><pre>${quoted(seen)}\n${stack}</pre></body></html>`;
/** The upstream's own address in each form, which callers must not see: the gateway's network is its operator's secret. */
const addressed = ({ method, url }: Seen): string => {
  const { host, hostname, port } = new URL(url);
  return `${method} ${url} was refused by ${host} (${hostname}, port ${port})`;
};

const sending = (type: string, status: number, text: (seen: Seen) => string): Start =>
  replying((response, seen) => {
    response.writeHead(status, { 'content-type': type }).end(text(seen));
  });
const sendingJson = (value: (seen: Seen) => unknown, status = 200): Start =>
  sending('application/json', status, (seen) => JSON.stringify(value(seen)));
/** An error in the form of either interface. */
const spoken = (status: number, words: (seen: Seen) => string): Start =>
  sendingJson((seen) => {
    const [error, requestId] = [words(seen), quoted(seen)];
    return { status, error, message: error, requestId, stack, leaky: 'leaky' };
  }, status);

/** Bytes that are not an answer, after which the connection breaks. */
const raw = (bytes: string): Start => replying(breaking(bytes));
const at =
  (url: () => Promise<URL> | URL): Start =>
  async () => ({ url: await url(), close: async () => undefined });

const withoutTls: Start = async () => {
  const plain = await replying((response) => response.end())();
  return { ...plain, url: new URL(plain.url.href.replace('http:', 'https:')) };
};
const odd = { leaky: 'leaky', stack };
const oddRecord = {
  ...{ id: 'a1', name: odd, state: [odd], createdAt: odd, threshold: 'leaky', silenced: 'leaky' },
  ...{ tiles: 'leaky', tags: odd, channel: 'leaky', settings: 'leaky', dashboard: odd },
  ...{ source: ['leaky'], numReplicas: 1e300 },
};
const oddAnswer = ({ method, path }: Seen): unknown => {
  const rows = [oddRecord, { ...oddRecord, id: odd }, 'leaky', null];
  const payload = method === 'GET' && /s$/.test(path) ? rows : oddRecord;
  return { status: 200, result: payload, data: payload };
};
const redirect = replying((response, seen) => {
  const location = `${seen.url}?${encodeURIComponent(quoted(seen))}`;
  response.writeHead(302, { location }).end();
});
const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const long = { 'x-leaky': 'leaky'.repeat(8000) };
const many = { status: 200, result: [], data: ['leaky '.repeat(2_000_000)] };

/** Upstreams that have not answered, or not to the end, when the time of the operation is over. */
const slow: Readonly<Record<string, Start>> = {
  'headers that never come': replying(() => undefined),
  'a body that never ends': replying((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"leaky');
  }),
};

const broken: Readonly<Record<string, Start>> = {
  // With a port that no other number in an answer equals.
  'a refused connection': at(() => new URL(`http://127.0.0.1:${drawPort()}`)),
  'TLS toward a server without it': withoutTls,
  'no TLS toward a server with it': raw('\x15\x03\x01\x00\x02\x02\x16'),
  'a host without an address': at(() => new URL('http://none.invalid:4567')),
  'a reset before the answer': raw(''),
  'a reset in the body': raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"leaky'),
  'HTML with a stack that quotes the request': sending('text/html', 200, page),
  'truncated JSON': sending('application/json', 200, (seen) => `{"data":"${quoted(seen)}`),
  'an envelope of failure': sendingJson((seen) => ({ status: 500, error: quoted(seen) })),
  'a text for an object': sendingJson((seen) => ({ result: quoted(seen), data: stack })),
  'a redirect': redirect,
  'invalid gzip': replying((response) => response.writeHead(200, zipped).end('leaky')),
  'an answer of 11 MB': sendingJson(() => many),
  'headers of 40 KB': replying((response) => response.writeHead(200, long).end('{}')),
  'members of odd types': sendingJson(oddAnswer),
};

const statuses = [400, 401, 403, 404, 409, 424, 429, 500, 503, 524];
const refusals: typeof broken = {
  ...Object.fromEntries(
    statuses.map((status) => [`${status} with JSON that quotes`, spoken(status, quoted)]),
  ),
  '404 with JSON that names its own address': spoken(404, addressed),
  '401 with plain text that quotes the request': sending('text/plain', 401, quoted),
  '409 with plain text that names its address': sending('text/plain', 409, addressed),
  '500 with HTML that quotes the request': sending('text/html', 500, page),
  '504 with a stack after the first line': spoken(504, () => `refused\n${stack}`),
};

/** Each way in which upstreams fail. */
export const failures = Object.entries({ ...slow, ...broken, ...refusals }).map(
  ([title, start]) => ({ title, start, isSlow: Object.hasOwn(slow, title) }),
);
