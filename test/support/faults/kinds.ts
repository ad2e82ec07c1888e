import { gzipSync } from 'node:zlib';
import { type Call, data, json, result } from '../harness.ts';
import { drip, type Reaction, reset, resetWithinBody, silence } from './backend.ts';

export type UpstreamName = Call['upstream'];

/** One way in which an upstream fails a call. */
export interface FaultKind {
  readonly title: string;
  readonly code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_TIMEOUT' | 'UPSTREAM_BAD_RESPONSE';
  /** How often a read is sent; a write is sent once, whatever happens to it. */
  readonly reads: 1 | 3;
  /** Lasts until the deadline of the operation. */
  readonly slow?: true;
  /** `'refuse'`: the port is closed by the time of the call. */
  react(upstream: UpstreamName): Reaction | 'refuse';
}

const record = { id: 'x1', name: 'must not be seen' };
const jsonType = { 'content-type': 'application/json' };
const megabyte = 1024 * 1024;

/** A success of an upstream. */
export const success = (upstream: UpstreamName, value: unknown) =>
  upstream === 'management' ? result(value) : data(value);

const padded = (upstream: UpstreamName, bytes: number): string =>
  success(upstream, { ...record, name: 'x'.repeat(bytes) }).body;

const bombs = new Map<UpstreamName, Buffer>();
/** 40 MB in 40 KB. */
const bombOf = (upstream: UpstreamName): Buffer => {
  const known = bombs.get(upstream) ?? gzipSync(padded(upstream, 40 * megabyte));
  bombs.set(upstream, known);
  return known;
};

const unavailable = { code: 'UPSTREAM_UNAVAILABLE', reads: 3 } as const;
const late = { code: 'UPSTREAM_TIMEOUT', reads: 1, slow: true } as const;
const unusable = { code: 'UPSTREAM_BAD_RESPONSE', reads: 1 } as const;

export const faultKinds: readonly FaultKind[] = [
  { title: 'a refused connection', ...unavailable, react: () => 'refuse' },
  { title: 'a reset before the headers', ...unavailable, react: () => reset },
  { title: 'a reset within the body', ...unavailable, react: () => resetWithinBody },
  { title: 'headers that do not come', ...late, react: () => silence },
  { title: 'a dripping body', ...late, react: () => drip },
  { title: '204', ...unusable, react: () => ({ status: 204, body: '' }) },
  { title: 'an empty 200', ...unusable, react: () => ({ headers: jsonType, body: '' }) },
  {
    title: 'HTML under 200',
    ...unusable,
    react: () => ({ headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }),
  },
  {
    title: 'truncated JSON',
    ...unusable,
    react: (upstream) => ({ headers: jsonType, body: success(upstream, record).body.slice(0, -3) }),
  },
  {
    title: 'a wrong envelope',
    ...unusable,
    react: (upstream) => (upstream === 'management' ? data(record) : result(record)),
  },
  {
    title: 'an envelope without its payload',
    ...unusable,
    react: (upstream) => json(upstream === 'management' ? { status: 200, requestId: 'r' } : {}),
  },
  {
    title: 'an array for an object',
    ...unusable,
    react: (upstream) => success(upstream, [record]),
  },
  {
    title: 'more than 10 MB',
    ...unusable,
    react: (upstream) => (response) => {
      const body = padded(upstream, 10 * megabyte);
      response.writeHead(200, jsonType);
      // In pieces, so that no content-length tells beforehand.
      response.write(body.slice(0, megabyte));
      response.end(body.slice(megabyte));
    },
  },
  {
    title: 'a gzip bomb',
    ...unusable,
    react: (upstream) => (response) => {
      response.writeHead(200, { ...jsonType, 'content-encoding': 'gzip' });
      response.end(bombOf(upstream));
    },
  },
  {
    title: 'a redirect',
    ...unusable,
    react: () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' }),
  },
  {
    title: 'an error under HTTP 200',
    ...unusable,
    react: (upstream) =>
      upstream === 'management'
        ? json({ status: 500, error: 'INTERNAL: no', requestId: 'r', result: record })
        : json({ message: 'Something went wrong', error: { code: 500 } }),
  },
];
