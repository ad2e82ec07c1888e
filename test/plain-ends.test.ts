import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PlainConnection } from '../src/plain-connection.ts';
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

  it('gets no more of what it sent before the answers that it was given', async () => {
    const { open, read, begun } = await startPlainServer();
    const { socket, closed, text } = await open();
    socket.pause();
    socket.write(post('long'));
    await until(() => begun.length === 1);
    socket.end(post('two'));
    await read();
    socket.resume();
    await closed;
    expect(text()).not.toContain('400 Bad Request');
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

  it('is closed where it has served, with the head of a request begun', async () => {
    const { open } = await startPlainServer({}, brief);
    const { socket, closed, answers } = await open();
    socket.write(post('one') + post('two').slice(0, 50));
    await closed;
    expect(answers()).toEqual(['plain one']);
  });

  it('is left to node:http where it has served, with half a body', async () => {
    const { open } = await startPlainServer({}, brief);
    const { socket, answered } = await open();
    socket.write(post('one') + post('two').slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    socket.write('o');
    expect(await answered(2)).toEqual(['plain one', 'node two']);
  });

  it('keeps one that was handed over, and is slow to be answered', async () => {
    const { open } = await startPlainServer({}, brief);
    const { socket, answered } = await open();
    socket.write(post('slow', 'x-one: 1', 'x-one: 2'));
    expect(await answered(1)).toEqual(['node slow']);
  });

  it('keeps an answer that its caller is slow to take', async () => {
    const { server, open, begun } = await startPlainServer({}, brief);
    const accepted = once(server, 'connection');
    const { socket, text } = await open();
    const [served]: Socket[] = await accepted;
    socket.pause();
    let count = 0;
    // Until part of an answer waits in the process, but too little for the next one to be put off.
    const isStuck = async () => {
      if (served?.writableLength === 0) return false;
      await new Promise((resolve) => setTimeout(resolve, 30));
      return served?.writableLength !== 0;
    };
    while (!(await isStuck())) {
      socket.write(post(`some ${count}`));
      count += 1;
      await until(() => begun.length === count);
      await new Promise(setImmediate);
    }
    expect(served?.writableNeedDrain).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 500));
    server.closeIdleConnections();
    socket.resume();
    const last = new RegExp(`<plain some ${count - 1}>x{50000}$`);
    await until(() => last.test(text().slice(-60_000)));
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
    const { server, open, release, begun } = await startPlainServer(
      {},
      { keepAliveTimeout: 600_000 },
    );
    const idle = await open();
    idle.socket.write(post('one'));
    await idle.answered(1);
    const handedOver = await open();
    handedOver.socket.write(get);
    await handedOver.answered(1);
    const busy = await open();
    busy.socket.write(post('two'));
    await busy.answered(1);
    busy.socket.write(post('held'));
    await until(() => begun.length === 3);
    const closed = once(server, 'close');
    server.close();
    await Promise.all([idle.closed, handedOver.closed]);
    release('held');
    await busy.closed;
    await closed;
    expect(busy.text()).toContain('\r\nConnection: close\r\n\r\n<plain held>');
  });

  it('takes what comes of a request that has begun', async () => {
    const { server, open, read } = await startPlainServer();
    const { socket, closed, text, answered } = await open();
    const unused = await open();
    socket.write(post('zero'));
    await answered(1);
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
    other.socket.write(post('never', 'x-one: 1', 'x-one: 2'));
    await once(server, 'request');
    await until(() => begun.length === 1);
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await Promise.all([unused.closed, busy.closed, other.closed, closed]);
    expect(ended).toEqual(['held']);
  });

  it('knows of no connection that is closed or handed over', async () => {
    const { server, open, refused } = await startPlainServer();
    const closeIdle = vi.spyOn(PlainConnection.prototype, 'closeIdle');
    onTestFinished(() => closeIdle.mockRestore());
    const [gone, handedOver, known] = [await open(), await open(), await open()];
    for (const { socket, answered } of [gone, handedOver, known]) {
      socket.write(post('one'));
      await answered(1);
    }
    gone.socket.destroy();
    handedOver.socket.write(post('other'));
    await handedOver.answered(2);
    await until(() => refused.length === 1);
    const count = async () => {
      closeIdle.mockClear();
      server.closeIdleConnections();
      await known.closed;
      return closeIdle.mock.calls.length;
    };
    expect(await count()).toBe(1);
    expect(await count()).toBe(0);
  });
});

it('is patient with each request anew', async () => {
  const { open, read } = await startPlainServer();
  const { socket, answered } = await open();
  const now = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => now.mockRestore());
  const expected: string[] = [];
  for (const body of ['one', 'two', 'three']) {
    const request = post(body);
    for (const at of [0, 30, 60]) {
      socket.write(request.slice(at, at === 60 ? undefined : at + 30));
      await read();
    }
    expected.push(`plain ${body}`);
    expect(await answered(expected.length)).toEqual(expected);
    now.mockReturnValue(now() + 60_000);
  }
});

it('joins the pieces of a body once', async () => {
  const { open, read } = await startPlainServer();
  const { socket, answered } = await open();
  const request = Buffer.from(post('x'.repeat(60)));
  socket.write(request.subarray(0, -60));
  await read();
  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  const joins = () => concat.mock.calls.filter(([list]) => list.some((part) => part.length === 1));
  for (let count = 0; count < 60; count += 1) {
    socket.write('x');
    await read();
  }
  await answered(1);
  expect(joins()).toHaveLength(1);
});
