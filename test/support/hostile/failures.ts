import { createServer, type ServerResponse } from 'node:http';
import { refusingUrl, startRawBackend } from '../http/raw.ts';
import { startServer } from '../servers.ts';

/** An upstream that fails in one way. */
export interface FailingUpstream {
  readonly url: URL;
  close(): Promise<void>;
}

export interface Failure {
  readonly title: string;
  /** The code of each error of a read. */
  readonly code: RegExp;
  readonly start: () => Promise<FailingUpstream>;
  readonly operationTimeoutMs?: number;
}

/** All data of a call, which an upstream might quote. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
}

/** Headers that an upstream may send, and that the gateway must not pass on. */
const headers = {
  ...{ server: 'leaky-nginx/1.2.3', 'x-powered-by': 'LeakyPHP/5.6', via: '1.1 leaky.internal' },
  ...{ 'set-cookie': 'leaky=1; Path=/', 'www-authenticate': 'Basic realm="leaky"' },
};

/** An upstream with this answer, and with the word `leaky` in every place that HTTP has for text. */
const replying =
  (reply: (response: ServerResponse, seen: Seen) => void): Failure['start'] =>
  async () => {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const { method = '', url: path = '' } = request;
      const url = `http://${request.headers.host}${path}`;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.statusMessage = 'leaky reason';
      const authorization = request.headers.authorization ?? '';
      reply(response, { method, path, url, authorization, body });
    });
    const { origin, close } = await startServer(server);
    return { url: new URL(origin), close };
  };

const stack = [
  'TypeError: leaky is not a function',
  '    at Leaky.render (/srv/leaky/app.js:10:5)',
  '    at async file:///srv/leaky/main.mjs:3:1',
].join('\n');
const page = (text: string): string =>
  `<html><title>leaky.internal</title><body><pre>${text}</pre>leaky-nginx/1.2.3</body></html>`;

const quoted = ({ method, path, authorization, body }: Seen): string => {
  const [, token = ''] = authorization.split(' ');
  const decoded = authorization.startsWith('Basic') ? `, ${atob(token)}` : '';
  return `${method} ${path} with "Authorization: ${authorization}" (${token}${decoded}) was refused: ${body}`;
};

/** The upstream's own address in each form, which callers must not see: the gateway's network is its operator's secret. */
const addressed = ({ method, url }: Seen): string => {
  const { host, hostname, port } = new URL(url);
  return `${method} ${url} was refused by ${host} (${hostname}, port ${port})`;
};

const sending = (type: string, status: number, text: (seen: Seen) => string): Failure['start'] =>
  replying((response, seen) => {
    response.writeHead(status, { 'content-type': type }).end(text(seen));
  });
const sendingJson = (value: (seen: Seen) => unknown, status = 200): Failure['start'] =>
  sending('application/json', status, (seen) => JSON.stringify(value(seen)));
/** An error in the form of either interface. */
const spoken = (status: number, words: (seen: Seen) => string): Failure['start'] =>
  sendingJson((seen) => {
    const [error, requestId] = [words(seen), quoted(seen)];
    return { status, error, message: error, requestId, stack, leaky: 'leaky' };
  }, status);

/** Bytes that are not an answer, after which the connection breaks. */
const raw =
  (...pieces: readonly string[]): Failure['start'] =>
  () =>
    startRawBackend((socket) => {
      for (const piece of pieces) socket.write(piece);
      setImmediate(() => socket.destroy());
    });
const at =
  (url: () => Promise<URL> | URL): Failure['start'] =>
  async () => ({ url: await url(), close: async () => undefined });

const bad = /^UPSTREAM_BAD_RESPONSE$/;
const unavailable = /^UPSTREAM_UNAVAILABLE$/;
const noAnswer = /^UPSTREAM_(?:BAD_RESPONSE|UNAVAILABLE)$/;
const timeout = /^UPSTREAM_TIMEOUT$/;

const withoutTls = async (): Promise<FailingUpstream> => {
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
const notZipped = replying((response) => {
  const type = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, type).end('leaky');
});
const longHeaders = replying((response) => {
  response.writeHead(200, { 'x-leaky': 'leaky'.repeat(8000) }).end('{}');
});
const endless = replying((response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"leaky');
});
const many = { status: 200, result: [], data: ['leaky '.repeat(2_000_000)] };

const others: readonly (readonly [
  string,
  RegExp,
  Failure['start'],
  operationTimeoutMs?: number,
])[] = [
  ['a refused connection', unavailable, at(refusingUrl)],
  ['TLS toward a server without it', unavailable, withoutTls],
  ['no TLS toward a server with it', noAnswer, raw('\x15\x03\x01\x00\x02\x02\x16')],
  ['a port with another protocol', noAnswer, raw('SSH-2.0-leaky_9.9\r\n')],
  ['a host without an address', unavailable, at(() => new URL('http://none.invalid:4567'))],
  ['a reset before the answer', unavailable, raw()],
  ['a reset in the body', unavailable, raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"leaky')],
  ['headers that never come', timeout, replying(() => undefined), 200],
  ['a body that never ends', timeout, endless, 200],
  ['HTML with a stack', bad, sending('text/html', 200, () => page(stack))],
  ['HTML that quotes the request', bad, sending('text/html', 200, (seen) => page(quoted(seen)))],
  ['plain text with a secret', bad, sending('text/plain', 200, quoted)],
  ['truncated JSON', bad, sending('application/json', 200, (seen) => `{"data":"${quoted(seen)}`)],
  ['no envelope', bad, sendingJson((seen) => ({ leaky: quoted(seen), stack }))],
  ['an envelope of failure', bad, sendingJson((seen) => ({ status: 500, error: quoted(seen) }))],
  ['a text for an object', bad, sendingJson((seen) => ({ result: quoted(seen), data: stack }))],
  ['a redirect', bad, redirect],
  ['invalid gzip', bad, notZipped],
  ['an answer of 11 MB', bad, sendingJson(() => many)],
  ['headers of 40 KB', bad, longHeaders],
  ['members of odd types', bad, sendingJson(oddAnswer)],
];

const codes: Readonly<Record<number, RegExp>> = {
  ...{ 400: /^BAD_USER_INPUT$/, 401: /^UNAUTHENTICATED$/, 403: /^FORBIDDEN$/ },
  ...{ 404: /^(?:NOT_FOUND|OPERATION_UNAVAILABLE)$/, 409: /^UPSTREAM_ERROR$/ },
  ...{ 422: /^BAD_USER_INPUT$/, 424: /^SERVICE_NOT_RUNNING$/, 429: /^RATE_LIMITED$/ },
  ...{ 500: /^UPSTREAM_ERROR$/, 502: unavailable, 503: unavailable, 504: timeout },
  ...{ 524: timeout, 530: unavailable },
};
const inEveryForm = new Set([401, 403, 404, 409, 500, 504]);

const statuses = Object.entries(codes).flatMap(([text, code]): readonly Failure[] => {
  const status = Number(text);
  const refused = (title: string, start: Failure['start']): Failure => {
    return { title: `${status} with ${title}`, code, start };
  };
  const inJson = refused('JSON that quotes the request', spoken(status, quoted));
  if (!inEveryForm.has(status)) return [inJson];
  const html = sending('text/html', status, (seen) => page(`${quoted(seen)}\n${stack}`));
  return [
    inJson,
    refused('plain text that quotes the request', sending('text/plain', status, quoted)),
    refused('HTML that quotes the request', html),
    refused('JSON that names its own address', spoken(status, addressed)),
    refused('plain text that names its own address', sending('text/plain', status, addressed)),
    refused(
      'a stack after the first line',
      spoken(status, () => `refused\n${stack}`),
    ),
  ];
});

export const failures: readonly Failure[] = [
  ...others.map(([title, code, start, operationTimeoutMs]) => ({
    ...{ title, code, start },
    ...(operationTimeoutMs !== undefined && { operationTimeoutMs }),
  })),
  ...statuses,
];
