import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { post, startPlainServer } from './plain-server.ts';
import { until } from './run-main.ts';

const get = 'GET / HTTP/1.1\r\nhost: sluice\r\n\r\n';

describe('a request ends', () => {
  it('when it is answered', async () => {
    const { open, release, begun, ended } = await startPlainServer();
    const { socket, answered } = await open();
    socket.write(post('held'));
    await until(() => begun.length === 1);
    expect(ended).toEqual([]);
    release('held');
    await answered(1);
    expect(ended).toEqual(['held']);
  });

  it.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'when its caller goes away, by %s, and nothing is sent any more',
    async (leave) => {
      const { open, release, begun, ended, failures } = await startPlainServer();
      const { socket, text, closed } = await open();
      socket.write(post('held'));
      await until(() => begun.length === 1);
      socket[leave]();
      await until(() => ended.length > 0);
      release('held');
      await closed;
      expect([ended, failures, text()]).toEqual([['held'], [], '']);
    },
  );
});

describe('a caller who sends no more', () => {
  it('gets the answers that it was given before', async () => {
    const { open, begun } = await startPlainServer();
    const { socket, closed, text } = await open();
    socket.pause();
    socket.write(post('long'));
    await until(() => begun.length === 1);
    socket.end();
    socket.resume();
    await closed;
    expect(text().slice(text().indexOf('>'))).toHaveLength(8_000_001);
  });

  it('is told that half a request is none', async () => {
    const { open, begun } = await startPlainServer();
    const { socket, closed, text } = await open();
    socket.end(post('one').slice(0, -1));
    await closed;
    expect(text()).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    expect(begun).toEqual([]);
  });

  it('loses a connection on which nothing is due', async () => {
    const { open } = await startPlainServer();
    const { socket, closed, text } = await open();
    socket.end();
    await closed;
    expect(text()).toBe('');
  });
});

describe('a connection that lies idle', () => {
  const brief = { keepAliveTimeout: 50, keepAliveTimeoutBuffer: 50 };

  it('is closed where it has served', async () => {
    const { open } = await startPlainServer({}, brief);
    const { socket, closed, answers } = await open();
    socket.write(post('one'));
    await closed;
    expect(answers()).toEqual(['plain one']);
  });

  it.each([
    ['before its first request', ''],
    ['in the head', 'POST /graphql HT'],
    ['before the body', post('one').slice(0, -3)],
    ['in the body', post('one').slice(0, -1)],
  ])('%s is left to node:http, which has its own patience', async (_, begin) => {
    const { server, open } = await startPlainServer({}, brief);
    const { socket, answered } = await open();
    const accepted = new Promise<void>((resolve) => {
      server.once('request', () => resolve());
    });
    socket.write(begin);
    await new Promise((resolve) => setTimeout(resolve, 300));
    socket.write(post('one').slice(begin.length));
    expect(await answered(1)).toEqual(['node one']);
    await accepted;
  });

  it('keeps a request that is being answered', async () => {
    const { open, release, begun } = await startPlainServer({}, brief);
    const { socket, answered } = await open();
    socket.write(post('held'));
    await until(() => begun.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    release('held');
    expect(await answered(1)).toEqual(['plain held']);
  });
});

it('is left to node:http where a request comes in drops for too long', async () => {
  const { open } = await startPlainServer({}, { keepAliveTimeout: 50, keepAliveTimeoutBuffer: 50 });
  const { socket, answered } = await open();
  for (const byte of Buffer.from(post('one'))) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await answered(1)).toEqual(['node one']);
});

describe('a server that is closed', () => {
  it('closes idle connections at once, and those that are served with their answers', async () => {
    const { server, open, release, begun } = await startPlainServer();
    const idle = await open();
    idle.socket.write(post('one'));
    await idle.answered(1);
    const busy = await open();
    busy.socket.write(post('held'));
    await until(() => begun.length === 2);
    const closed = once(server, 'close');
    server.close();
    await idle.closed;
    release('held');
    await busy.closed;
    await closed;
    expect(busy.text()).toContain('\r\nConnection: close\r\n\r\n<plain held>');
  });

  it('takes what comes of a request that has begun', async () => {
    const { server, open, read } = await startPlainServer();
    const { socket, closed, text } = await open();
    const unused = await open();
    socket.write(post('one').slice(0, -1));
    await read();
    server.close();
    socket.write('e');
    unused.socket.write(post('two'));
    await Promise.all([closed, unused.closed]);
    expect(text()).toContain('<plain one>');
    expect(unused.text()).toContain('<plain two>');
  });

  it('closes all connections when told to', async () => {
    const { server, open, begun, ended } = await startPlainServer();
    const [unused, busy, other] = [await open(), await open(), await open()];
    busy.socket.write(post('held'));
    other.socket.write(get);
    await other.answered(1);
    await until(() => begun.length === 1);
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await Promise.all([unused.closed, busy.closed, other.closed, closed]);
    expect(ended).toEqual(['held']);
  });
});
