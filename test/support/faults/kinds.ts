import { gzipSync } from 'node:zlib';
import { type Answer, type Call, data, json, result } from '../harness.ts';
import { drip, hangUp, hint, type Reaction, reset, resetWithinBody, silence } from './backend.ts';

export type UpstreamName = Call['upstream'];

/** One way in which an upstream fails a call. */
export interface FaultKind {
  readonly title: string;
  readonly code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_TIMEOUT' | 'UPSTREAM_BAD_RESPONSE';
  /** How often a read is sent; a write is always sent once. */
  readonly reads: 1 | 3;
  /** Whether the fault lasts until the deadline of the operation. */
  readonly slow?: true;
  /** The end of the message for a write with this fault. */
  readonly ofWrites: RegExp;
  /** `'refuse'`: the port is closed at the time of the call. */
  react(upstream: UpstreamName): Reaction | 'refuse';
}

/** A success of an upstream. */
export const success = (upstream: UpstreamName, value: unknown): Answer =>
  upstream === 'management' ? result(value) : data(value);

const record = { id: 'x1', name: 'must not be seen' };
const jsonType = { 'content-type': 'application/json' };
const megabyte = 1024 * 1024;
const padded = (upstream: UpstreamName, bytes: number): string =>
  success(upstream, { ...record, name: 'x'.repeat(bytes) }).body;
const bombs = new Map<UpstreamName, Buffer>();
/** 40 MB, compressed to 40 KB, made once. */
const bombOf = (upstream: UpstreamName): Buffer => {
  const bomb = bombs.get(upstream) ?? gzipSync(padded(upstream, 40 * megabyte));
  bombs.set(upstream, bomb);
  return bomb;
};
const perhaps = /The write may have been carried out\.$/;

const kind =
  (code: FaultKind['code'], more: Partial<FaultKind> = {}) =>
  (title: string, react: FaultKind['react'], last: Partial<FaultKind> = {}): FaultKind => ({
    ...{ title, code, react, reads: 1, ofWrites: perhaps },
    ...more,
    ...last,
  });
const unavailable = kind('UPSTREAM_UNAVAILABLE', { reads: 3 });
const late = kind('UPSTREAM_TIMEOUT', { slow: true });
const unusable = kind('UPSTREAM_BAD_RESPONSE');

export const faultKinds: readonly FaultKind[] = [
  unavailable('a refused connection', () => 'refuse', { ofWrites: /The write was not sent\.$/ }),
  unavailable('a reset before the headers', () => reset),
  unavailable('a connection closed without an answer', () => hangUp),
  unavailable('a reset within the body', () => resetWithinBody),
  late('headers that do not come', () => silence),
  late('informational answers alone', () => hint),
  late('a dripping body', () => drip),
  unusable('204', () => ({ status: 204, body: '' })),
  unusable('an empty 200', () => ({ headers: jsonType, body: '' })),
  unusable('HTML under 200', () => ({
    headers: { 'content-type': 'text/html' },
    body: '<h1>Sign in</h1>',
  })),
  unusable(
    'bytes that are not HTTP',
    () =>
      ({ socket }) =>
        socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
  ),
  unusable('truncated JSON', (upstream) => ({
    headers: jsonType,
    body: success(upstream, record).body.slice(0, -3),
  })),
  unusable('a wrong envelope', (upstream) =>
    upstream === 'management' ? data(record) : result(record),
  ),
  unusable('an envelope without its payload', (upstream) =>
    json(upstream === 'management' ? { status: 200, requestId: 'r' } : {}),
  ),
  unusable('an array for an object', (upstream) => success(upstream, [record])),
  unusable('more than 10 MB', (upstream) => (response) => {
    const body = padded(upstream, 10 * megabyte);
    response.writeHead(200, jsonType);
    // In pieces, so that there is no content-length.
    response.write(body.slice(0, megabyte));
    response.end(body.slice(megabyte));
  }),
  unusable('a gzip bomb', (upstream) => (response) => {
    response.writeHead(200, { ...jsonType, 'content-encoding': 'gzip' });
    response.end(bombOf(upstream));
  }),
  unusable('a redirect', () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' }), {
    ofWrites: /(?<!carried out|not sent)\.$/,
  }),
  unusable('an error under HTTP 200', (upstream) =>
    upstream === 'management'
      ? json({ status: 500, error: 'INTERNAL: no', requestId: 'r', result: record })
      : json({ message: 'Something went wrong', error: { code: 500 } }),
  ),
];
