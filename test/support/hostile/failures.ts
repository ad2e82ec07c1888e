import { refusingUrl, startRawBackend } from '../http/raw.ts';
import { type FailingUpstream, type Seen, startReplying } from './replying.ts';

export interface Failure {
  readonly title: string;
  /** The code of each error of a read. */
  readonly code: RegExp;
  readonly start: () => Promise<FailingUpstream>;
  readonly operationTimeoutMs?: number;
}

const stack = [
  'TypeError: leaky is not a function',
  '    at Leaky.render (/srv/leaky/app.js:10:5)',
  '    at async file:///srv/leaky/main.mjs:3:1',
].join('\n');
const page = (text: string): string =>
  `<html><head><title>leaky.internal</title></head><body><pre>${text}</pre><hr>leaky-nginx/1.2.3</body></html>`;

const quoted = ({ method, path, authorization, body }: Seen): string => {
  const [, token = ''] = authorization.split(' ');
  const decoded = authorization.startsWith('Basic') ? `, ${atob(token)}` : '';
  return `${method} ${path} with "Authorization: ${authorization}" (${token}${decoded}) was refused: ${body}`;
};

/** Its own address in each form, which callers are not to learn: the gateway's network is its operator's matter. */
const addressed = ({ method, url }: Seen): string => {
  const { host, hostname, port } = new URL(url);
  return `${method} ${url} was refused by ${host} (${hostname}, port ${port})`;
};

const sending =
  (type: string, status: number, text: (seen: Seen) => string): Failure['start'] =>
  () =>
    startReplying((response, seen) => {
      response.writeHead(status, { 'content-type': type }).end(text(seen));
    });

const sendingJson = (status: number, value: (seen: Seen) => unknown): Failure['start'] =>
  sending('application/json', status, (seen) => JSON.stringify(value(seen)));

/** An error of either interface in its own words. */
const spoken = (status: number, words: (seen: Seen) => string): Failure['start'] =>
  sendingJson(status, (seen) => ({
    status,
    error: words(seen),
    message: words(seen),
    requestId: quoted(seen),
    stack,
    leaky: 'leaky',
  }));

const raw = (...pieces: readonly string[]): Failure['start'] => {
  return async () => {
    const backend = await startRawBackend((socket) => {
      for (const piece of pieces) socket.write(piece);
      setImmediate(() => socket.destroy());
    });
    return { url: backend.url, close: backend.close };
  };
};

const at =
  (url: () => Promise<URL> | URL): Failure['start'] =>
  async () => ({ url: await url(), close: async () => undefined });

const bad = /^UPSTREAM_BAD_RESPONSE$/;
const unavailable = /^UPSTREAM_UNAVAILABLE$/;
const timeout = /^UPSTREAM_TIMEOUT$/;

const codes: Readonly<Record<number, RegExp>> = {
  400: /^BAD_USER_INPUT$/,
  401: /^UNAUTHENTICATED$/,
  403: /^FORBIDDEN$/,
  404: /^(?:NOT_FOUND|OPERATION_UNAVAILABLE)$/,
  409: /^UPSTREAM_ERROR$/,
  422: /^BAD_USER_INPUT$/,
  424: /^SERVICE_NOT_RUNNING$/,
  429: /^RATE_LIMITED$/,
  500: /^UPSTREAM_ERROR$/,
  502: unavailable,
  503: unavailable,
  504: timeout,
  524: timeout,
  530: unavailable,
};

const inEveryForm = new Set([401, 403, 404, 409, 500, 504]);

const statuses: readonly Failure[] = Object.entries(codes).flatMap(([text, code]) => {
  const status = Number(text);
  const failure = (title: string, start: Failure['start']): Failure => ({
    title: `${status} ${title}`,
    code,
    start,
  });
  const inJson = failure('with JSON that quotes the request', spoken(status, quoted));
  if (!inEveryForm.has(status)) return [inJson];
  return [
    inJson,
    failure('with plain text that quotes the request', sending('text/plain', status, quoted)),
    failure(
      'with HTML that quotes the request',
      sending('text/html', status, (seen) => page(`${quoted(seen)}\n${stack}`)),
    ),
    failure('with JSON that names its own address', spoken(status, addressed)),
    failure('with plain text that names its own address', sending('text/plain', status, addressed)),
    failure(
      'with a stack after the first line',
      spoken(status, () => `refused\n${stack}`),
    ),
  ];
});

const odd = { leaky: 'leaky', stack };
const oddRecord = {
  id: 'a1',
  name: odd,
  state: [odd],
  createdAt: { leaky: 'leaky' },
  updatedAt: 7,
  threshold: 'leaky',
  silenced: 'leaky',
  tiles: 'leaky',
  tags: { leaky: true },
  channel: 'leaky',
  source: ['leaky'],
  settings: 'leaky',
  numReplicas: 1e300,
  endpoints: 'leaky',
  dashboard: odd,
};

const unreached: readonly Failure[] = [
  { title: 'a refused connection', code: unavailable, start: at(refusingUrl) },
  {
    title: 'TLS toward a server without it',
    code: unavailable,
    start: async () => {
      const plain = await startReplying((response) => response.end());
      return { ...plain, url: new URL(plain.url.href.replace('http:', 'https:')) };
    },
  },
  {
    title: 'no TLS toward a server with it',
    code: /^UPSTREAM_(?:BAD_RESPONSE|UNAVAILABLE)$/,
    start: raw('\x15\x03\x01\x00\x02\x02\x16'),
  },
  {
    title: 'a port at which something else speaks',
    code: /^UPSTREAM_(?:BAD_RESPONSE|UNAVAILABLE)$/,
    start: raw('SSH-2.0-leaky_9.9\r\n'),
  },
  {
    title: 'a host that has no address',
    code: unavailable,
    start: at(() => new URL('http://does-not-exist.invalid:4567')),
  },
  { title: 'a reset before the answer', code: unavailable, start: raw() },
  {
    title: 'a reset within the body',
    code: unavailable,
    start: raw('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"leaky'),
  },
  {
    title: 'headers that never come',
    code: timeout,
    operationTimeoutMs: 200,
    start: () => startReplying(() => undefined),
  },
  {
    title: 'a body that never ends',
    code: timeout,
    operationTimeoutMs: 200,
    start: () =>
      startReplying((response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"leaky');
      }),
  },
];

const unusable: readonly Failure[] = [
  {
    title: 'HTML with a stack under 200',
    code: bad,
    start: sending('text/html', 200, () => page(stack)),
  },
  {
    title: 'HTML that quotes the request under 200',
    code: bad,
    start: sending('text/html', 200, (seen) => page(quoted(seen))),
  },
  {
    title: 'plain text with a secret',
    code: bad,
    start: sending('text/plain', 200, quoted),
  },
  {
    title: 'truncated JSON',
    code: bad,
    start: sending('application/json', 200, (seen) => `{"data":{"leaky":"${quoted(seen)}`),
  },
  {
    title: 'no envelope',
    code: bad,
    start: sendingJson(200, (seen) => ({ leaky: quoted(seen), stack })),
  },
  {
    title: 'an envelope of status 500 under 200',
    code: bad,
    start: sendingJson(200, (seen) => ({ status: 500, error: quoted(seen), message: stack })),
  },
  {
    title: 'a text for an object',
    code: bad,
    start: sendingJson(200, (seen) => ({ status: 200, result: quoted(seen), data: stack })),
  },
  {
    title: 'a redirect',
    code: bad,
    start: () =>
      startReplying((response, seen) => {
        response.writeHead(302, { location: `${seen.url}?${encodeURIComponent(quoted(seen))}` });
        response.end();
      }),
  },
  {
    title: 'gzip that is none',
    code: bad,
    start: () =>
      startReplying((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end('leaky');
      }),
  },
  {
    title: 'an answer of 11 MB',
    code: bad,
    start: sendingJson(200, () => ({
      status: 200,
      result: [],
      data: ['leaky '.repeat(2_000_000)],
    })),
  },
  {
    title: 'headers of 40 KB',
    code: bad,
    start: () =>
      startReplying((response) => {
        response.writeHead(200, { 'x-leaky': 'leaky'.repeat(8000) }).end('{}');
      }),
  },
  {
    title: 'members of odd types',
    code: bad,
    start: sendingJson(200, ({ method, path }) => {
      const payload =
        method === 'GET' && /(?:s|pipes)$/.test(path)
          ? [oddRecord, { ...oddRecord, id: odd }, 'leaky', null]
          : oddRecord;
      return { status: 200, result: payload, data: payload };
    }),
  },
];

export const failures: readonly Failure[] = [...unreached, ...unusable, ...statuses];
