import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { limitConnections } from '../../src/gateway/connections.ts';
import { startGateway } from '../support/gateway.ts';
import { type Caller, call, postOf } from '../support/http/caller.ts';
import { serve } from '../support/servers.ts';

/** A gateway that needs no upstream but, where it is given, one for observability. */
const start = async (
  options: { readonly requestTimeoutMs?: number; readonly stallMs?: number },
  env: Readonly<Record<string, string>> = {},
) => {
  const { server, port, origin: url, lines } = await startGateway(env, options);
  return { port, url, lines, open: () => promisify(server.getConnections.bind(server))() };
};

/** Sends the text byte by byte, the last one again and again, until the connection is closed. */
const trickle = async ({ socket, closed }: Caller, text: string): Promise<void> => {
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(text[Math.min(sent, text.length - 1)] ?? '');
    sent += 1;
  }, 20);
  await closed;
  clearInterval(timer);
};

const head = (...lines: readonly string[]): string =>
  [
    'POST /graphql HTTP/1.1',
    'host: sluice',
    'content-type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

describe('a caller that is too slow is answered 408 and loses its connection, and the others are served:', () => {
  const chunked = head('transfer-encoding: chunked');
  it.each([
    ['a head byte by byte', '', head().trimEnd()],
    ['a body byte by byte', head('content-length: 100000'), '{"query":"'],
    ['a chunk byte by byte', `${chunked}10000\r\n`, '{"query":"'],
    ['a body of which nothing comes', head('content-length: 100'), ''],
    ['half a head', 'POST /graphql HTTP/1.1\r\nhost:', ''],
    ['nothing', '', ''],
  ])('%s', async (_, first, rest) => {
    const { port, url } = await start({ requestTimeoutMs: 1200 });
    const caller = call(port);
    caller.socket.write(first);
    const ended = rest === '' ? caller.closed : trickle(caller, rest);
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'alive' });
    }
    await ended;
    expect(caller.text()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(caller.text()).toMatch(/\r\nConnection: close\r\n/i);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('a second request on a connection that has served', async () => {
    const { port } = await start({ requestTimeoutMs: 1200 });
    const caller = call(port);
    const body = '{"query":"{__typename}"}';
    caller.socket.write(head(`content-length: ${body.length}`) + body);
    await once(caller.socket, 'data');
    expect(caller.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    caller.socket.write(head('content-length: 100000'));
    await trickle(caller, '{');
    expect(caller.text()).toContain('HTTP/1.1 408 Request Timeout\r\n');
  });
});

describe('connections beyond MAX_CONNECTIONS', () => {
  /** Whether a request on the connection is answered; it stays open. */
  const isServed = async (caller: Caller): Promise<boolean> => {
    const before = caller.text().length;
    caller.socket.write('GET /healthz HTTP/1.1\r\nhost: sluice\r\n\r\n');
    const answered = new Promise((resolve) => caller.socket.once('data', resolve));
    await Promise.race([caller.closed, answered]);
    return caller.text().slice(before).startsWith('HTTP/1.1 200 OK\r\n');
  };

  it('are refused, the others are served, and a place that is freed is usable again', async () => {
    const { port, lines } = await start({}, { MAX_CONNECTIONS: '3' });
    const served = [call(port), call(port), call(port)];
    for (const caller of served) expect(await isServed(caller)).toBe(true);
    for (const caller of [call(port), call(port)]) {
      await caller.closed;
      expect(caller.text()).toBe('');
    }
    for (const caller of served) expect(await isServed(caller)).toBe(true);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        maxConnections: 3,
        msg: 'refused a connection, as too many are open',
      },
    ]);

    served[0]?.socket.destroy();
    await expect.poll(() => isServed(call(port))).toBe(true);
    for (const caller of served.slice(1)) expect(await isServed(caller)).toBe(true);
  });

  it('are told of once a minute', () => {
    let now = 0;
    let told = 0;
    const listeners: (() => void)[] = [];
    const server = {
      maxConnections: 0,
      on: (_: string, heard: () => void) => listeners.push(heard),
    };
    limitConnections(
      server as unknown as Parameters<typeof limitConnections>[0],
      7,
      () => {
        told += 1;
      },
      () => now,
    );
    expect(server.maxConnections).toBe(7);
    const counts = [0, 1, 59_999, 60_000, 60_001, 120_000].map((time) => {
      now = time;
      for (const heard of listeners) heard();
      return told;
    });
    expect(counts).toEqual([1, 1, 1, 2, 2, 3]);
  });
});

/** An upstream whose list of alerts is longer than the buffers of both ends of a connection hold. */
const startUpstream = async (): Promise<string> => {
  const rows = Array.from({ length: 9 }, (_, index) => ({
    id: `a${index}`,
    message: 'x'.repeat(1e6),
  }));
  const { origin } = await serve((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: rows }));
  });
  return origin;
};

it.each([
  ['the response', '{ alerts { message } }', 'accept: application/json'],
  ['an event', 'subscription { alerts { message } }', 'accept: text/event-stream'],
  ['a part', '{ __typename ... @defer { alerts { message } } }', 'accept: multipart/mixed'],
])(
  'a caller who does not read %s loses its connection, and other callers are served',
  async (_, query, accept) => {
    const OBSERVABILITY_URL = await startUpstream();
    const { port, url, open } = await start({ stallMs: 500 }, { OBSERVABILITY_URL });
    const { socket } = call(port);
    socket.pause();
    socket.write(postOf(query, accept, 'observability-authorization: Bearer token'));
    await expect.poll(open).toBe(1);
    await expect.poll(open).toBe(0);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);

it('a caller who reads what comes keeps its stream', async () => {
  const OBSERVABILITY_URL = await startUpstream();
  const { port, open } = await start({ stallMs: 100 }, { OBSERVABILITY_URL });
  const caller = call(port);
  const headers = ['accept: text/event-stream', 'authorization: Bearer token'];
  caller.socket.write(postOf('subscription { alerts { id } }', ...headers));
  await expect.poll(caller.text).toContain('{"data":{"alerts":[{"id":"a0"}');
  await pause(1000);
  expect(await open()).toBe(1);
});

it('a caller who waits for an answer keeps its connection, however long that takes', async () => {
  const { origin } = await serve((_, response) => {
    setTimeout(() => response.end(JSON.stringify({ data: [{ id: 'a1', message: 'late' }] })), 1000);
    response.setHeader('content-type', 'application/json');
  });
  const { port } = await start({ stallMs: 100 }, { OBSERVABILITY_URL: origin });
  const caller = call(port);
  caller.socket.write(postOf('{ alerts { message } }', 'authorization: Bearer token'));
  await expect.poll(caller.text).toContain('{"data":{"alerts":[{"message":"late"}]}}');
});

describe('an idle connection', () => {
  it('is kept for KEEP_ALIVE_MS, however short the time for a request is', async () => {
    const { port } = await start({ requestTimeoutMs: 200 });
    const caller = call(port);
    caller.socket.write(postOf('{ __typename }'));
    await expect.poll(caller.text).toContain('{"data":{"__typename":"Query"}}');
    expect(caller.text()).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
    await pause(1000);
    caller.socket.write(postOf('{ a: __typename }'));
    await expect.poll(caller.text).toContain('{"data":{"a":"Query"}}');
  });

  it('is closed in order after that', async () => {
    const { port } = await start({}, { KEEP_ALIVE_MS: '1' });
    const caller = call(port);
    caller.socket.write(postOf('{ __typename }'));
    expect(await caller.closed).toBeUndefined();
    expect(caller.statuses()).toEqual([200]);
  });
});
