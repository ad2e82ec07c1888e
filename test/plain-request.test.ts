import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPlainHeads, isPlain } from '../src/plain-request.ts';

const heads = createPlainHeads('/graphql');
const requestLine = 'POST /graphql HTTP/1.1';

const read = (...lines: readonly string[]) => heads.read([requestLine, ...lines, ''].join('\r\n'));

const plain = ['host: sluice', 'content-length: 2'];

it('reads names in any case, and values without the blanks around them', () => {
  const head = read('HOST:sluice', 'X-Request-ID: \t a b\t', 'Content-Length:  007', 'empty:');
  expect(head).toMatchObject({ bodyBytes: 7, closes: false });
  const names = ['host', 'x-request-id', 'empty', 'X-Request-ID', 'absent', '__proto__'];
  expect(names.map((name) => head?.header(name))).toEqual(['sluice', 'a b', '', null, null, null]);
});

it.each(['keep-alive', 'Keep-Alive', 'close', 'CLOSE'])('takes connection: %s', (value) => {
  expect(read(...plain, `connection: ${value}`)?.closes).toBe(value.toLowerCase() === 'close');
});

it.each<readonly [string, ...(readonly string[])]>([
  ['no host', 'content-length: 2'],
  ['a field twice', ...plain, 'Host: other'],
  ['no length', 'host: sluice'],
  ['two lengths', ...plain, 'Content-Length: 2'],
  ['a list of lengths', 'host: sluice', 'content-length: 2, 2'],
  ['a length with a sign', 'host: sluice', 'content-length: +2'],
  ['an empty length', 'host: sluice', 'content-length:'],
  ['a length beyond all numbers', 'host: sluice', `content-length: ${'9'.repeat(16)}`],
  ['chunks', ...plain, 'Transfer-Encoding: chunked'],
  ['an expectation', ...plain, 'expect: 100-continue'],
  ['an upgrade', ...plain, 'connection: upgrade', 'upgrade: h2c'],
  ['another upgrade', ...plain, 'upgrade: websocket'],
  ['a list of connection options', ...plain, 'connection: keep-alive, te'],
  ['an option of a proxy', ...plain, 'proxy-connection: keep-alive'],
  ['a blank before a colon', ...plain, 'x-one : 1'],
  ['a line that goes on', ...plain, 'x-one: 1', ' 2'],
  ['a line without a colon', ...plain, 'x-one'],
  ['a field without a name', ...plain, ': 1'],
  ['a line feed alone', ...plain, 'x-one: 1\nx-two: 2'],
  ['a carriage return alone', ...plain, 'x-one: 1\rx-two: 2'],
  ['NUL', ...plain, 'x-one: 1\0'],
  ['bytes beyond ASCII', ...plain, 'x-one: é'],
])('gives up on %s', (_, ...lines) => {
  expect(read(...lines)).toBeUndefined();
});

it.each([
  'GET /graphql HTTP/1.1',
  'POST /graphql HTTP/1.0',
  'POST /graphql?query=x HTTP/1.1',
  'POST /graphql/ HTTP/1.1',
  'POST http://sluice/graphql HTTP/1.1',
  'POST  /graphql HTTP/1.1',
  'post /graphql HTTP/1.1',
  '\r\nPOST /graphql HTTP/1.1',
])('gives up on %j', (line) => {
  const text = [line, ...plain, ''].join('\r\n');
  expect(heads.read(text)).toBeUndefined();
  expect(heads.mayBegin(text)).toBe(false);
});

it('knows of any beginning of a head that it may be one', () => {
  const text = [requestLine, ...plain, 'x-one: a b', 'empty:', '', ''].join('\r\n');
  for (let length = 0; length < text.length; length += 1) {
    expect(heads.mayBegin(text.slice(0, length))).toBe(true);
  }
  for (let at = 0; at < requestLine.length + 2; at += 1) {
    expect(heads.mayBegin(`${text.slice(0, at)}~`)).toBe(false);
    expect(heads.mayBegin(`${text.slice(0, at)}~${text.slice(at + 1)}`)).toBe(false);
  }
});

it.each(['a\r\n', 'a b', 'a: b\n', 'a: b\rc', 'a:\0', ':', ' a', 'a: é', '\n', '\ra'])(
  'knows of %j that no head goes on like that',
  (line) => {
    expect(heads.mayBegin(`${requestLine}\r\nhost: sluice\r\n${line}`)).toBe(false);
  },
);

it('takes a hundred fields', () => {
  const lines = Array.from({ length: 99 }, (_, index) => `x-${index}: 1`);
  expect(read(...plain, ...lines.slice(1))?.header('x-98')).toBe('1');
  expect(read(...plain, ...lines)).toBeUndefined();
});

it('takes time that grows with the length of a head alone', () => {
  const long = `x-one: ${'a '.repeat(500_000)}`;
  expect(read(...plain, long)?.header('x-one')).toHaveLength(999_999);
  expect(read(...plain, `${long}\0`)).toBeUndefined();
  const lines = Array<string>(50_000).fill(long.slice(0, 20));
  expect(read(...plain, ...lines, 'x: \0')).toBeUndefined();
  expect(heads.mayBegin([requestLine, ...plain, ...lines, long].join('\r\n'))).toBe(true);
  expect(heads.mayBegin([requestLine, ...plain, ...lines, `${long}\0`].join('\r\n'))).toBe(false);
});

it.each<readonly [boolean, Readonly<Record<string, string>>]>([
  [true, {}],
  [true, { accept: '*/*' }],
  [true, { accept: 'application/json', 'content-type': 'Application/JSON ; charset=utf-8' }],
  [false, { accept: 'application/graphql-response+json' }],
  [false, { accept: '' }],
  [false, { 'content-type': 'application/jsonp' }],
  [false, { 'content-type': 'text/plain' }],
  [false, { 'content-encoding': 'gzip' }],
  [false, { 'content-encoding': '' }],
])('isPlain is %s of %j', (expected, changed) => {
  const headers = { 'content-type': 'application/json', 'content-length': '2', ...changed };
  const byName = new Map(Object.entries(headers));
  expect(isPlain((name) => byName.get(name) ?? null)).toBe(expected);
});

it('isPlain is false without a kind or a length', () => {
  expect(isPlain((name) => (name === 'content-length' ? '2' : null))).toBe(false);
  expect(isPlain((name) => (name === 'content-type' ? 'application/json' : null))).toBe(false);
});

const server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
  const { method, url, headers } = request;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = Buffer.concat(chunks).length;
    response.end(JSON.stringify({ method, url, headers, bytes }));
  });
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** What node:http makes of the bytes, after which nothing comes; undefined where it refuses them. */
const readByNode = async (bytes: Buffer): Promise<unknown> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const answer: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    answer.push(chunk);
    socket.end();
  });
  socket.write(bytes);
  await once(socket, 'close');
  const text = Buffer.concat(answer).toString();
  return text.startsWith('HTTP/1.1 200 ')
    ? JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    : undefined;
};

const oddly = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 120, arbitrary: usual }, { weight: 1, arbitrary: odd });
const characters = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCharCode(code));
const value = fc.string({
  unit: oddly(characters(0x20, 0x7e), characters(0, 0xff)),
  maxLength: 20,
});
const name = fc.string({
  unit: oddly(fc.constantFrom(...'aB3-_!~'), characters(0, 0xff)),
  minLength: 1,
  maxLength: 6,
});
const blanks = fc.constantFrom('', ' ', '\t ', '  ');
const line = fc.tuple(name, blanks, value, blanks).map((parts) => {
  const [field, before, text, after] = parts;
  return `${field}:${before}${text}${after}`;
});
const end = oddly(fc.constant('\r\n'), fc.constantFrom('\n', '\r', '\r\n ', '\n\r\n'));
const lines = fc.shuffledSubarray(
  [
    'Host: sluice',
    'content-length: 3',
    'content-length: 3',
    'Connection: close',
    'transfer-encoding: chunked',
    'constructor: x',
    '__proto__: x',
  ],
  { minLength: 2 },
);
const head = fc
  .tuple(lines, fc.array(line, { maxLength: 4 }), fc.array(end, { minLength: 12, maxLength: 12 }))
  .map(([usual, random, ends]) =>
    [requestLine, ...usual, ...random].map((text, index) => text + ends[index]).join(''),
  );

it('takes no head that node:http refuses or reads in another way', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(head, async (text) => {
      const found = heads.read(text);
      if (!found) return;
      taken += 1;
      const bytes = Buffer.from(`${text}\r\n${'x'.repeat(found.bodyBytes)}`, 'latin1');
      const node = await readByNode(bytes);
      expect(node).toMatchObject({ method: 'POST', url: '/graphql', bytes: found.bodyBytes });
      const { headers } = node as { readonly headers: Readonly<Record<string, string>> };
      const names = text.matchAll(/^([^:\r\n]+):/gm).map(([, field = '']) => field.toLowerCase());
      for (const field of names) {
        // An object has a member of that name already.
        if (field !== '__proto__') expect(found.header(field)).toBe(headers[field]);
      }
      expect(found.closes).toBe(headers.connection === 'close');
    }),
    { numRuns: 6000 },
  );
  expect(taken).toBeGreaterThan(400);
});
