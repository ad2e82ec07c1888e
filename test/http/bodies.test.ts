import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result([]),
    observability: () => data([{ id: 'a1', name: 'ä ☂ 𝄞' }]),
  });
});
afterAll(() => stack.close());

const body = Buffer.from(JSON.stringify({ query: '{ alerts { id name } }', variables: {} }));

const headOf = (...lines: readonly string[]): Buffer =>
  Buffer.from(
    ['POST /graphql HTTP/1.1', 'host: sluice', 'content-type: application/json']
      .concat('authorization: Bearer b-1', lines, '', '')
      .join('\r\n'),
  );

const closing = 'connection: close';
const known = `content-length: ${body.length}`;
const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Sends the pieces, each once the one before has been read, and gives what comes back until the connection closes. */
const send = async (pieces: readonly Buffer[]): Promise<string> => {
  const { port } = new URL(stack.url);
  const socket = connect(Number(port), '127.0.0.1').setNoDelay();
  const answer: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => answer.push(bytes));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const piece of pieces) {
    socket.write(piece);
    // Answered later than the piece has arrived: that one was sent first.
    await (await fetch(new URL('/healthz', stack.url))).text();
  }
  await closed;
  return Buffer.concat(answer).toString();
};

const at = (...cuts: readonly number[]): readonly Buffer[] =>
  [0, ...cuts].map((from, index) => body.subarray(from, cuts[index] ?? body.length));

it.each<readonly [way: string, pieces: readonly Buffer[]]>([
  ['with its head', [Buffer.concat([headOf(closing, known), body])]],
  ['after its head', [headOf(closing, known), body]],
  ['in halves', [headOf(closing, known), ...at(20)]],
  [
    'half of it with its head',
    [Buffer.concat([headOf(closing, known), ...at(20).slice(0, 1)]), ...at(20).slice(1)],
  ],
  [
    'all but its last byte with its head',
    [Buffer.concat([headOf(closing, known), body.subarray(0, -1)]), body.subarray(-1)],
  ],
  [
    'in chunks with its head',
    [
      Buffer.concat([
        headOf(closing, 'transfer-encoding: chunked'),
        ...at(7, 20).map(chunk),
        chunk(Buffer.alloc(0)),
      ]),
    ],
  ],
  [
    'in chunks after its head',
    [
      headOf(closing, 'transfer-encoding: chunked'),
      ...at(7, 20).map(chunk),
      chunk(Buffer.alloc(0)),
    ],
  ],
])('reads a body that comes %s', async (_, pieces) => {
  const answer = await send(pieces);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain('{"data":{"alerts":[{"id":"a1","name":"ä ☂ 𝄞"}]}}');
});

it('answers pipelined requests in their order', async () => {
  const answer = await send([
    Buffer.concat([headOf(known), body, headOf(known), body, headOf(closing, known), body]),
  ]);
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  expect(answer.match(/"alerts":\[\{"id":"a1"/g)).toHaveLength(3);
});

it('sends nothing upstream for a body that is cut off, whole as it may seem', async () => {
  const before = stack.calls.length;
  const { port } = new URL(stack.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(Buffer.concat([headOf(`content-length: ${body.length + 1}`), body]));
  const answered = async () => (await fetch(new URL('/healthz', stack.url))).text();
  await answered();
  socket.resetAndDestroy();
  await once(socket, 'close');
  // The server has heard of it by then.
  await answered();
  // Of these two there is one call.
  expect(await send([Buffer.concat([headOf(closing, known), body])])).toMatch(/^HTTP\/1\.1 200 /);
  expect(stack.calls).toHaveLength(before + 1);
});
