import type { HeaderLine, RawRequest } from '../http/raw.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const state = 'rojo=00f067aa0ba902b7';

/** Headers, or a framing, that are none of the upstreams' business. */
export interface ForeignHeaders {
  readonly title: string;
  readonly lines?: readonly HeaderLine[];
  readonly request?: Partial<RawRequest>;
  /** What of it the upstreams see. */
  readonly more?: readonly string[];
  /** Whether the request may be refused as a whole. */
  readonly refusable?: true;
}

export const foreignHeaders: readonly ForeignHeaders[] = [
  { title: 'Connection that names the credential', lines: [['Connection', 'authorization']] },
  {
    title: 'Connection that names every header of the allow-list',
    lines: [
      ['Connection', 'keep-alive, Management-Authorization, Observability-Authorization'],
      ['Connection', 'accept, user-agent, x-request-id, content-type, content-length, host'],
    ],
  },
  {
    title: 'Connection that names the trace context',
    lines: [
      ['Connection', 'traceparent'],
      ['traceparent', traceparent],
    ],
    more: [`traceparent: ${traceparent}`],
  },
  { title: 'TE', lines: [['TE', 'trailers, deflate;q=0.5']] },
  {
    title: 'Trailer, and a credential in the trailers',
    lines: [['Trailer', 'Management-Authorization, X-Evil']],
    request: {
      trailers: [
        ['Management-Authorization', 'Basic ZXZpbDpldmls'],
        ['X-Evil', '1'],
        ['X-Request-Id', 'evil'],
      ],
    },
  },
  { title: 'a body in chunks', request: { trailers: [] } },
  {
    title: 'a body of two framings',
    lines: [['Transfer-Encoding', 'chunked']],
    refusable: true,
  },
  { title: 'a second length', lines: [['Content-Length', '3']], refusable: true },
  { title: 'an unknown framing', lines: [['Transfer-Encoding', 'gzip']], refusable: true },
  {
    title: 'Upgrade to a web socket',
    lines: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ],
    refusable: true,
  },
  {
    title: 'Upgrade to HTTP/2',
    lines: [
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
    ],
    refusable: true,
  },
  {
    title: 'Proxy-*',
    lines: [
      ['Proxy-Authorization', 'Basic cHJveHk6cHJveHk='],
      ['Proxy-Authenticate', 'Basic'],
      ['Proxy-Connection', 'keep-alive'],
      ['Proxy', 'http://evil.example'],
    ],
  },
  { title: 'Keep-Alive', lines: [['Keep-Alive', 'timeout=600, max=1000']] },
  {
    title: 'cookies, several',
    lines: [
      ['Cookie', 'session=abc; evil=1'],
      ['Cookie', 'authorization=Basic%20ZXZpbA=='],
      ['Cookie2', '$Version=1'],
      ['Set-Cookie', 'evil=1'],
    ],
  },
  {
    title: 'X-Forwarded-*',
    lines: [
      ['X-Forwarded-For', '127.0.0.1, 10.0.0.1'],
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Port', '443'],
      ['X-Forwarded-Prefix', '/evil'],
      ['X-Forwarded-Server', 'evil.example'],
      ['X-Forwarded-User', 'admin'],
      ['X-Forwarded-Client-Cert', 'By=spiffe://evil'],
    ],
  },
  {
    title: 'addresses of the caller by other names',
    lines: [
      ['X-Real-IP', '127.0.0.1'],
      ['X-Client-IP', '127.0.0.1'],
      ['X-Cluster-Client-IP', '127.0.0.1'],
      ['True-Client-IP', '127.0.0.1'],
      ['CF-Connecting-IP', '127.0.0.1'],
      ['X-Originating-IP', '127.0.0.1'],
      ['Client-IP', '127.0.0.1'],
    ],
  },
  {
    title: 'Forwarded and Via',
    lines: [
      ['Forwarded', 'for=127.0.0.1;host=evil.example;proto=https'],
      ['Via', '1.1 evil.example'],
      ['Max-Forwards', '0'],
    ],
  },
  { title: 'another Host', request: { host: 'evil.example' } },
  { title: 'a second Host', lines: [['Host', 'evil.example']], refusable: true },
  {
    title: 'a whole URL as the target',
    request: { target: 'http://evil.example/graphql' },
    refusable: true,
  },
  {
    title: 'other paths and methods',
    lines: [
      ['X-Original-URL', '/v1/organizations'],
      ['X-Rewrite-URL', '/v1/organizations'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['X-HTTP-Method', 'DELETE'],
      ['X-Method-Override', 'DELETE'],
    ],
  },
  {
    title: 'what to accept',
    lines: [
      ['Accept-Encoding', 'gzip, br, zstd, deflate'],
      ['Accept-Language', 'de'],
      ['Accept-Charset', 'utf-16'],
    ],
  },
  { title: 'Expect: 100-continue', lines: [['Expect', '100-continue']] },
  { title: 'another expectation', lines: [['Expect', 'evil']], refusable: true },
  {
    title: 'conditions and ranges',
    lines: [
      ['Range', 'bytes=0-1'],
      ['If-None-Match', '*'],
      ['If-Match', '"x"'],
      ['If-Modified-Since', 'Sat, 21 Nov 2026 00:00:00 GMT'],
      ['Cache-Control', 'no-cache'],
      ['Pragma', 'no-cache'],
    ],
  },
  {
    title: 'credentials of other kinds',
    lines: [
      ['X-Api-Key', 'evil'],
      ['X-Auth-Token', 'evil'],
      ['X-Amz-Security-Token', 'evil'],
      ['WWW-Authenticate', 'Basic'],
      ['Authentication-Info', 'evil'],
    ],
  },
  {
    title: 'the plain header beside those of their own',
    lines: [['Authorization', 'Basic ZXZpbDpldmls']],
  },
  {
    title: 'what the gateway says of itself',
    lines: [
      ['User-Agent', 'evil'],
      ['Server', 'evil'],
      ['From', 'evil@evil.example'],
      ['Origin', 'null'],
      ['Referer', 'http://evil.example/'],
      ['X-Requested-With', 'XMLHttpRequest'],
    ],
  },
  {
    title: 'names of an object’s own members',
    lines: [
      ['__proto__', 'evil'],
      ['constructor', 'evil'],
      ['toString', 'evil'],
      ['hasOwnProperty', 'evil'],
    ],
  },
  {
    title: 'tracing of other kinds',
    lines: [
      ['Baggage', 'user=alice'],
      ['B3', '80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1'],
      ['X-B3-TraceId', '80f198ee56343ba864fe8b2a57d3eff7'],
      ['X-Cloud-Trace-Context', '105445aa7843bc8bf206b12000100000/1;o=1'],
      ['Uber-Trace-Id', '1:1:0:1'],
      ['X-Correlation-Id', 'evil'],
    ],
  },
  {
    title: 'the trace context and a request’s id, which they are to see',
    lines: [
      ['traceparent', traceparent],
      ['tracestate', state],
      ['X-Request-Id', 'request-7'],
    ],
    more: [`traceparent: ${traceparent}`, `tracestate: ${state}`, 'x-request-id: request-7'],
  },
  {
    title: 'two ids of the request',
    lines: [
      ['X-Request-Id', 'one'],
      ['X-Request-Id', 'two'],
    ],
  },
  {
    title: 'a line end in the request’s id',
    lines: [['X-Request-Id', 'one%0d%0aX-Evil: 1']],
  },
];
