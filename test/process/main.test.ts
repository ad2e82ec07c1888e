import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { answerIn, call, headOf } from '../support/http/raw.ts';
import { drawPort } from '../support/ports.ts';
import { answered, run, sendAlerts, startMain } from '../support/process/run-main.ts';
import { startServer } from '../support/servers.ts';

const query = '{ alerts { name } }';

/** The gateway in front of one backend, which answers when it is told to. */
const start = async (command?: readonly [string, ...string[]]) => {
  const held = Promise.withResolvers<ServerResponse>();
  const gateway = await startMain(held.resolve, {}, command);
  const { origin } = new URL(gateway.url);
  /** A GET of which half has arrived, so that its connection counts as busy; the function sends the rest. */
  const half = async (target: string) => {
    const { socket, text, closed } = call(gateway.port);
    const bytes = headOf(`GET ${target} HTTP/1.1`, 'connection: close');
    socket.write(bytes.slice(0, -2));
    // Answered later than the half has arrived.
    await (await fetch(`${origin}/healthz`)).text();
    return async () => {
      socket.write('\r\n');
      await closed;
      return answerIn(text());
    };
  };
  return { ...gateway, ask: () => gateway.ask(query), half, origin, held: held.promise };
};

it('is one process, says where it listens, answers, and logs nothing of the request', async () => {
  const { child, logged, lines, ask, port, held, ended } = await start();
  const listening = await logged('listening');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  // RFC 3339, in UTC.
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const versions = { version, node: process.versions.node };
  const at = { host: '127.0.0.1', port, path: '/graphql' };
  expect(listening).toEqual({ level: 'info', time, ...versions, ...at, msg: 'listening' });
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).toBe('');
  }
  const asked = ask();
  sendAlerts(await held);
  expect(await asked).toEqual(answered);
  child.kill('SIGTERM');
  const { code, text, errors } = await ended;
  expect([code, errors]).toEqual([0, '']);
  expect(text).not.toMatch(/token|alerts|lag/);
  expect(lines('upstream call')).toEqual([]);
  expect(lines('stopped')).toEqual([{ level: 'info', time, version, msg: 'stopped' }]);
});

describe('LOG_LEVEL', () => {
  it('LOG_LEVEL=debug adds a line for each call', async () => {
    const { ask, logged } = await startMain(sendAlerts, { LOG_LEVEL: 'debug' });
    expect(await ask(query, { 'x-request-id': 'request-7' })).toEqual(answered);
    expect(await logged('upstream call')).toEqual({
      ...{ level: 'debug', time: expect.any(String), msg: 'upstream call' },
      ...{ upstream: 'observability', operation: 'listAlerts', method: 'GET', status: 200 },
      ...{ milliseconds: expect.any(Number), requestId: 'request-7' },
    });
  });

  it.each([
    ['warn', ['unknown setting, similar to a known one', 'upstream call failed']],
    ['error', []],
    ['silent', []],
  ])('LOG_LEVEL=%s logs these alone: %j', async (level, messages) => {
    const port = drawPort();
    const nowhere = 'http://127.0.0.1:1';
    const urls = { MANAGEMENT_URL: nowhere, OBSERVABILITY_URL: nowhere };
    const { child, ended } = run({ ...urls, PORT: String(port), LOG_LEVEL: level, HOSTS: '' });
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/graphql?query=${query}`, {
        headers: { authorization: 'Bearer token' },
      }).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(ask).toBe(200);
    child.kill('SIGTERM');
    const { code, text } = await ended;
    const told = text
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line).msg);
    expect([code, [...new Set(told)]]).toEqual([0, messages]);
  });
});

/** A module that runs a statement, with nobody to catch what it throws, whenever SIGURG comes. */
const running = (statement: string): readonly [string, ...string[]] => {
  const source = `process.on('SIGURG', () => { setImmediate(() => { ${statement} }) })`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(source)}`;
  return [process.execPath, preload, 'src/main.ts'];
};

describe('on a signal', () => {
  it.each([
    [['SIGTERM']],
    // npm passes on what its process group gets.
    [['SIGINT', 'SIGINT']],
    // A terminal that is closed may send several.
    [['SIGTERM', 'SIGHUP', 'SIGHUP']],
  ])('on %j it answers what is under way, takes nothing new, and says so', async (signals) => {
    const emit = `for (const signal of ${JSON.stringify(signals)}) process.emit(signal, signal)`;
    const { child, ask, half, held, port, logged, ended } = await start(running(emit));
    const asked = ask();
    const response = await held;
    const [ready, alive] = [await half('/readyz'), await half('/healthz')];
    child.kill('SIGURG');
    await logged('stopping');
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    const { status, body, head } = await ready();
    expect([status, body]).toEqual([503, expect.objectContaining({ status: 'draining' })]);
    expect(head).toContain("content-security-policy: default-src 'none'; frame-ancestors 'none'");
    expect((await alive()).status).toBe(200);
    sendAlerts(response);
    expect(await asked).toEqual(answered);
    expect(await ended).toMatchObject({ code: 0, signal: null, errors: '' });
  });

  it('on a signal it ends at once while it waits for Redis, before it listens', async () => {
    const redis = createServer();
    const { port, close } = await startServer(redis);
    onTestFinished(close);
    const urls = { MANAGEMENT_URL: 'http://a.invalid', OBSERVABILITY_URL: 'http://b.invalid' };
    const REDIS_URL = `redis://127.0.0.1:${port}`;
    const { child, ended } = run({ ...urls, REDIS_URL, CACHE_SECRET: 's'.repeat(32) });
    await once(redis, 'connection');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, signal: null, text: '', errors: '' });
  });

  it('on a second signal it ends at once', async () => {
    const { child, ask, held, logged, ended } = await start();
    const asked = ask().catch(() => 'cut off');
    await held;
    child.kill('SIGTERM');
    await logged('stopping');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 1 });
    expect(await asked).toBe('cut off');
  });
});

describe.skipIf(process.platform === 'win32')('what nobody caught', () => {
  /** Starts a gateway that runs the statement; the returned function waits for its lines of level error or fatal. */
  const startWith = async (statement: string) => {
    const gateway = await start(running(statement));
    const lines = () => gateway.output.text.match(/^.*"level":"(?:error|fatal)".*$/gm) ?? [];
    const runUntil = async (count: number) => {
      gateway.child.kill('SIGURG');
      await expect.poll(() => lines().length).toBe(count);
    };
    return { ...gateway, lines, runUntil };
  };
  const secret = expect.not.stringContaining('canary');

  it.each(['new Error("can" + "ary")', '"can" + "ary"'])(
    'a rejection with %s is counted and logged, and the process goes on',
    async (reason) => {
      const { child, runUntil, origin, ended } = await startWith(`Promise.reject(${reason})`);
      for (const uncaughtErrors of [1, 2]) {
        await runUntil(uncaughtErrors);
        const ready = await fetch(`${origin}/readyz`);
        expect([ready.status, await ready.json()]).toMatchObject([200, { uncaughtErrors }]);
      }
      child.kill('SIGTERM');
      const { code, text, errors } = await ended;
      expect([code, text + errors]).toEqual([0, secret]);
    },
  );

  it('an exception is counted and logged, what runs is answered, and the process ends once, with 1', async () => {
    const gateway = await startWith('throw new Error("can" + "ary")');
    const ready = await gateway.half('/readyz');
    const asked = gateway.ask();
    const response = await gateway.held;
    for (const count of [1, 2]) await gateway.runUntil(count);
    expect((await ready()).body).toMatchObject({ status: 'draining', uncaughtErrors: 2 });
    gateway.child.kill('SIGTERM');
    await gateway.logged('stopping');
    sendAlerts(response);
    expect(await asked).toEqual(answered);
    const { code, text, errors } = await gateway.ended;
    expect([code, text + errors]).toEqual([1, secret]);
    expect(text.trim().split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(text.match(/"msg":"stopped"/g)).toHaveLength(1);
    expect(gateway.lines()).toHaveLength(2);
  });
});

describe('a gateway that is told to stop is not kept by', () => {
  const head = (framing: string) =>
    headOf('POST /graphql HTTP/1.1', 'content-type: application/json', framing);
  it.each([
    ['a client that sends nothing', ''],
    ['half a body', `${head('content-length: 1000')}{"query":`],
    ['half a chunk', `${head('transfer-encoding: chunked')}5\r\n{"que\r\n`],
  ])('a gateway that is told to stop is not kept by %s', async (_, sent) => {
    const gateway = await startGateway({ DRAIN_MS: '50' });
    const { socket, closed } = call(gateway.port);
    socket.write(sent);
    // The server has seen the connection once it answers another.
    expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
    await gateway.close();
    await closed;
    expect(gateway.server.listening).toBe(false);
  });
});
