import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { call, headOf, postOf } from '../support/http/raw.ts';
import { serve } from '../support/servers.ts';

/** A gateway, its number of open connections, and a client for exact bytes. */
const start = async (
  options: { readonly requestTimeoutMs?: number; readonly stallMs?: number },
  env: Readonly<Record<string, string>> = {},
) => {
  const { server, port, origin, lines } = await startGateway(env, options);
  const health = async () => (await fetch(`${origin}/healthz`)).status;
  const open = promisify(server.getConnections.bind(server));
  return { lines, health, open: () => open(), connect: () => call(port) };
};
type Caller = ReturnType<typeof call>;

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

const head = (...headers: readonly string[]): string =>
  headOf('POST /graphql HTTP/1.1', 'content-type: application/json', ...headers);

describe('a caller that is too slow is answered 408 and loses its connection, and the others are served:', () => {
  it.each([
    ['a head byte by byte', '', head().trimEnd()],
    ['a chunk byte by byte', `${head('transfer-encoding: chunked')}10000\r\n`, '{"query":"'],
    ['half a head', 'POST /graphql HTTP/1.1\r\nhost:', ''],
    ['nothing', '', ''],
    ['a second request', postOf('{__typename}') + head('content-length: 100000'), '{'],
  ])('a caller that is too slow is answered 408: %s', async (_, first, rest) => {
    const { connect, health } = await start({ requestTimeoutMs: 1200 });
    const caller = connect();
    caller.socket.write(first);
    const ended = rest === '' ? caller.closed : trickle(caller, rest);
    for (let asked = 0; asked < 3; asked += 1) expect(await health()).toBe(200);
    await ended;
    expect(caller.statuses().at(-1)).toBe(408);
    expect(caller.text()).toMatch(/\bHTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/i);
    expect(await health()).toBe(200);
  });
});

describe('connections beyond MAX_CONNECTIONS', () => {
  /** Whether a request on the connection is answered; it stays open. */
  const isServed = async (caller: Caller): Promise<boolean> => {
    const before = caller.text().length;
    caller.socket.write(headOf('GET /healthz HTTP/1.1'));
    const answered = new Promise((resolve) => caller.socket.once('data', resolve));
    await Promise.race([caller.closed, answered]);
    return caller.text().slice(before).startsWith('HTTP/1.1 200 OK\r\n');
  };

  it('connections beyond MAX_CONNECTIONS are refused, the others are served, and a place that is freed is usable again', async () => {
    const { connect, lines } = await start({}, { MAX_CONNECTIONS: '3' });
    const served = [connect(), connect(), connect()];
    for (const caller of served) expect(await isServed(caller)).toBe(true);
    for (const caller of [connect(), connect()]) {
      await caller.closed;
      expect(caller.text()).toBe('');
    }
    for (const caller of served) expect(await isServed(caller)).toBe(true);
    const msg = 'refused a connection, as too many are open';
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'warn', time: expect.any(String), maxConnections: 3, msg },
    ]);

    served[0]?.socket.destroy();
    await expect.poll(() => isServed(connect())).toBe(true);
    for (const caller of served.slice(1)) expect(await isServed(caller)).toBe(true);
  });
});

/** An upstream with these alerts, which answers after some time. */
const upstreamOf = async (alerts: readonly object[], afterMs = 0) => {
  const { origin } = await serve(async (_, response) => {
    await pause(afterMs);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: alerts }));
  });
  return { OBSERVABILITY_URL: origin };
};
/** More than the buffers of both ends of a connection hold. */
const many = Array.from({ length: 9 }, (_, at) => ({ id: `a${at}`, message: 'x'.repeat(1e6) }));
const authorization = 'authorization: Bearer token';

it.each([
  ['the response', '{ alerts { message } }', 'accept: application/json'],
  ['an event', 'subscription { alerts { message } }', 'accept: text/event-stream'],
  ['a part', '{ __typename ... @defer { alerts { message } } }', 'accept: multipart/mixed'],
])(
  'a caller who does not read %s loses its connection, and other callers are served',
  async (_, query, accept) => {
    const { connect, health, open } = await start({ stallMs: 500 }, await upstreamOf(many));
    const { socket } = connect();
    socket.pause();
    socket.write(postOf(query, accept, authorization));
    await expect.poll(open).toBe(1);
    await expect.poll(open).toBe(0);
    expect(await health()).toBe(200);
  },
);

it('a caller who reads what comes keeps its stream', async () => {
  const { connect, open } = await start({ stallMs: 100 }, await upstreamOf(many));
  const caller = connect();
  const headers = ['accept: text/event-stream', authorization];
  caller.socket.write(postOf('subscription { alerts { id } }', ...headers));
  await expect.poll(caller.text).toContain('{"data":{"alerts":[{"id":"a0"}');
  await pause(1000);
  expect(await open()).toBe(1);
});

it('a caller who waits for an answer keeps its connection, however long that takes', async () => {
  const late = [{ id: 'a1', message: 'late' }];
  const { connect } = await start({ stallMs: 100 }, await upstreamOf(late, 1000));
  const caller = connect();
  caller.socket.write(postOf('{ alerts { message } }', authorization));
  await expect.poll(caller.text).toContain('{"data":{"alerts":[{"message":"late"}]}}');
});

it('an idle connection is kept for KEEP_ALIVE_MS, however short the time for a request is', async () => {
  const caller = (await start({ requestTimeoutMs: 200 })).connect();
  caller.socket.write(postOf('{ __typename }'));
  await expect.poll(caller.text).toContain('{"data":{"__typename":"Query"}}');
  expect(caller.text()).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
  await pause(1000);
  caller.socket.write(postOf('{ a: __typename }'));
  await expect.poll(caller.text).toContain('{"data":{"a":"Query"}}');

  const other = (await start({}, { KEEP_ALIVE_MS: '1' })).connect();
  other.socket.write(postOf('{ __typename }'));
  expect(await other.closed).toBeUndefined();
  expect(other.statuses()).toEqual([200]);
});
