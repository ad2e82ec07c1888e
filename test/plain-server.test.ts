import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { post, startPlainServer } from './plain-server.ts';
import { until } from './run-main.ts';

const get = 'GET / HTTP/1.1\r\nhost: sluice\r\n\r\n';
const chunked =
  'POST /graphql HTTP/1.1\r\nhost: sluice\r\ntransfer-encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n';

it('answers plain requests itself, one after the other on one connection', async () => {
  const { open } = await startPlainServer();
  const { socket, answered, text } = await open();
  socket.write(post('one'));
  await answered(1);
  socket.write(post('two'));
  await answered(2);
  const [first, second] = text().split(/(?<=>)/);
  expect(first?.replace(/Date: .* GMT/, 'Date')).toBe(
    [
      'HTTP/1.1 200 OK',
      'x-content-type-options: nosniff',
      'referrer-policy: no-referrer',
      'cache-control: no-store',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'content-type: application/json; charset=utf-8',
      'content-length: 11',
      'x-request-id: r-1',
      'Date',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
      '',
      '<plain one>',
    ].join('\r\n'),
  );
  expect(second).toContain('<plain two>');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  socket.write(post('three'));
  await answered(3);
  expect(text()).toContain(`\r\nDate: ${new Date().toUTCString()}\r\n`);
  const [, date = ''] = /Date: (.*)\r/.exec(first ?? '') ?? [];
  expect(new Date(date).toUTCString()).toBe(date);
});

it('reads requests and hands over connections wherever what comes is cut', async () => {
  const { open, read, begun } = await startPlainServer();
  const all = Buffer.from(post('one') + post('ä') + get + post('three') + get);
  const expected = ['plain one', 'plain \xc3\xa4', 'node GET', 'node three', 'node GET'];
  const cuts = Array.from({ length: all.length - 1 }, (_, index) => index + 1);
  for (const cut of cuts) {
    const { socket, answered } = await open();
    socket.write(all.subarray(0, cut));
    await read();
    socket.write(all.subarray(cut));
    expect(await answered(5)).toEqual(expected);
    socket.destroy();
  }
  // Each was executed once.
  expect(begun).toEqual(cuts.flatMap(() => ['one', 'ä']));
}, 60_000);

it('reads a request that comes byte by byte', async () => {
  const { open, read } = await startPlainServer();
  const { socket, answered } = await open();
  for (const byte of Buffer.from(post('one'))) {
    socket.write(Buffer.of(byte));
    await read();
  }
  expect(await answered(1)).toEqual(['plain one']);
});

it.each([
  ['a GET', get, 'node GET'],
  ['chunks', chunked, 'node two'],
  ['another path', post('two').replace('/graphql', '/else'), 'node two'],
  ['another kind', post('two').replace('application/json', 'text/plain'), 'node two'],
  ['a field that comes twice', post('two', 'x-one: 1', 'x-one: 2'), 'node two'],
  ['bytes beyond ASCII', post('two', 'x-one: é'), 'node two'],
  ['what turns out to be something else', post('other'), 'node other'],
  ['a body that is too long', post('2'.repeat(1001)), `node ${'2'.repeat(1001)}`],
])('hands over a connection with %s, for good', async (_, request, answer) => {
  const { open } = await startPlainServer();
  const { socket, answered } = await open();
  socket.write(post('one'));
  await answered(1);
  socket.write(request);
  await answered(2);
  socket.write(post('three'));
  expect(await answered(3)).toEqual(['plain one', answer, 'node three']);
});

it('gives what turns out to be something else to node:http with all that follows', async () => {
  const { open, read, release, begun } = await startPlainServer();
  const { socket, answered } = await open();
  socket.write(post('held other'));
  await until(() => begun.length === 1);
  socket.write(post('three') + get);
  await read();
  release('held other');
  expect(await answered(3)).toEqual(['node held other', 'node three', 'node GET']);
});

it('tells of what turned out to be something else, and of nothing else', async () => {
  const { open, refused } = await startPlainServer();
  const asked = [get, post('one'), post('other'), post('fails')].map(async (request) => {
    const { socket, answered, closed } = await open();
    const port = socket.localPort;
    socket.write(request);
    await Promise.race([answered(1), closed]);
    return port;
  });
  const [, , port] = await Promise.all(asked);
  expect(refused).toEqual([port]);
});

it('does not hand over a connection whose caller has gone', async () => {
  const { server, open, release, begun, ended, refused } = await startPlainServer();
  const { socket, closed } = await open();
  socket.write(post('held other'));
  await until(() => begun.length === 1);
  socket.resetAndDestroy();
  await until(() => ended.length > 0);
  release('held other');
  await closed;
  await new Promise(setImmediate);
  expect(refused).toEqual([]);
  expect(await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(
    0,
  );
});

it('hands over what has come in many pieces as one', async () => {
  const { server, open, read } = await startPlainServer();
  const unshifted: (number | undefined)[] = [];
  server.prependListener('connection', (incoming: Socket) => {
    const { unshift } = incoming;
    vi.spyOn(incoming, 'unshift').mockImplementation((...of) => {
      unshifted.push(incoming.remotePort);
      unshift.apply(incoming, of);
    });
  });
  const { socket, answered } = await open();
  const request = Buffer.from(post('other'));
  const body = request.length - 'other'.length;
  socket.write(request.subarray(0, body));
  for (const byte of request.subarray(body)) {
    await read();
    socket.write(Buffer.of(byte));
  }
  expect(await answered(1)).toEqual(['node other']);
  expect(unshifted.filter((port) => port === socket.localPort)).toHaveLength(1);
});

it('ignores line ends between two requests', async () => {
  const { open, read } = await startPlainServer();
  const { socket, answered } = await open();
  socket.write(`${post('one')}\r\n`);
  await answered(1);
  await read();
  socket.write('\r\n\r\n');
  await read();
  socket.write(`\r\n${post('two')}\r\n${post('three')}`);
  expect(await answered(3)).toEqual(['plain one', 'plain two', 'plain three']);
});

it.each([
  ['a head that is too long', post('one', `x-one: ${'1'.repeat(1000)}`), '431'],
  ['a head without an end', post('one', `x-one: ${'1'.repeat(1000)}`).slice(0, 1050), '431'],
  ['no host', post('one').replace('host', 'most'), '400'],
  ['what is no HTTP', 'hello\r\n\r\n', '400'],
  ['a line feed alone', post('one', 'x-one: 1\nx-two: 2'), '400'],
  ['lines that end with line feeds', post('one').replaceAll('\r\n', '\n'), '400'],
  ['a line that can never be one', `${post('one').slice(0, 24)}a b\r\n`, '400'],
])('leaves it to node:http to refuse %s', async (_, request, status) => {
  // At once, and not when it has waited for the rest.
  const { open, begun } = await startPlainServer({}, { keepAliveTimeout: 600_000 });
  const { socket, closed, text } = await open();
  socket.write(request);
  await closed;
  expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(begun).toEqual([]);
});

it('leaves it to node:http to let a caller go on who asks first', async () => {
  const { open, read } = await startPlainServer();
  const { socket, answered, text } = await open();
  const [head, body] = post('one', 'expect: 100-continue').split(/(?<=\r\n\r\n)/);
  socket.write(head ?? '');
  await read();
  expect(text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body ?? '');
  expect(await answered(1)).toEqual(['node one']);
});

it('reads nothing further of a caller who sends more before it is answered', async () => {
  const { open, read, release, begun } = await startPlainServer();
  const { socket, answered } = await open();
  socket.write(post('held one') + post('two') + post('held three'));
  await until(() => begun.length === 1);
  // Far more than is read at a time, or lies in the buffers between the two.
  const bytes = 64 * 1024 * 1024;
  const isTaken = socket.write(Buffer.alloc(bytes, post('four')));
  await read();
  await read();
  expect(begun).toEqual(['held one']);
  expect(isTaken).toBe(false);
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(bytes / 2);
  release('held one');
  await until(() => begun.length === 3);
  release('held three');
  const answers = await answered(5);
  expect(answers.slice(0, 4)).toEqual([
    'plain held one',
    'plain two',
    'plain held three',
    'plain four',
  ]);
  socket.destroy();
});

it('goes on reading where it stopped for what came before an answer', async () => {
  const { open, read, release, begun } = await startPlainServer();
  const { socket, answered } = await open();
  socket.write(post('held one'));
  await until(() => begun.length === 1);
  for (const body of ['two', 'three', 'four']) {
    socket.write(post(body));
    await read();
  }
  release('held one');
  expect(await answered(4)).toEqual(['plain held one', 'plain two', 'plain three', 'plain four']);
});

it('begins nothing before the answer before it is taken', async () => {
  const { open, read, begun } = await startPlainServer();
  const { socket, answered } = await open();
  socket.pause();
  socket.write(post('long') + post('two'));
  await until(() => begun.length === 1);
  for (let round = 0; round < 20; round += 1) await read();
  expect(begun).toEqual(['long']);
  socket.resume();
  expect(await answered(2)).toEqual(['plain long', 'plain two']);
});

it('closes a connection with its answer where the caller wants that', async () => {
  const { open } = await startPlainServer();
  const { socket, closed, text } = await open();
  socket.write(post('long', 'connection: close'));
  await closed;
  expect(text()).toContain('\r\nConnection: close\r\n\r\n<plain long>');
  expect(text()).not.toContain('Keep-Alive');
  expect(text().slice(text().indexOf('>'))).toHaveLength(8_000_001);
});

it('tells of an error, and closes the connection', async () => {
  const { open, failures, ended } = await startPlainServer();
  const { socket, closed, text } = await open();
  socket.write(post('fails'));
  await closed;
  expect(text()).toBe('');
  expect(failures).toEqual([new RangeError('a failure')]);
  expect(ended).toEqual(['fails']);
});
