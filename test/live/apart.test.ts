import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { credentials, data, json, result } from '../support/harness.ts';
import { pipePath, pipeSubscription, startLive, stopPipe } from '../support/live-world.ts';
import { until } from '../support/process/run-main.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const soon = { pollMs: { management: 50, observability: 50 } };
const unpaced = { managementRate: undefined };
const pipeNamed = (name: string, state = 'Running') =>
  result({ id: '5b1f0000-0000-4000-8000-000000000011', name, state });

describe('subscribers with different credentials', () => {
  it('never share what is read or polled', async () => {
    let round = 0;
    stack = await startLive({
      gateway: soon,
      config: unpaced,
      management: ({ headers }) => pipeNamed(`${headers.authorization} ${round}`),
    });
    const keys = ['a:1', 'a:2', 'b:1'].map((key) => `Basic ${btoa(key)}`);
    const streams = await Promise.all(
      keys.map((key) =>
        subscribe(stack.url, pipeSubscription(), { headers: { 'management-authorization': key } }),
      ),
    );
    await Promise.all(streams.map((stream) => stream.event(1)));
    round = 1;
    await Promise.all(streams.map((stream) => stream.event(2)));
    expect(stack.gateway.streams()).toEqual({ streams: 3, reads: 3, credentials: 3 });
    expect(streams.map(({ events }) => events.map(({ data }) => data.pipe.name))).toEqual(
      keys.map((key) => [`${key} 0`, `${key} 1`]),
    );
    for (const stream of streams) stream.leave();
  });

  it('get their error each, and the others stay', async () => {
    const revoked = `Basic ${btoa('revoked:key')}`;
    let isRevoked = false;
    stack = await startLive({
      gateway: soon,
      config: unpaced,
      management: ({ headers: { authorization } }) =>
        isRevoked && authorization === revoked
          ? json({ status: 401, error: `${authorization} is revoked` }, 401)
          : pipeNamed('pipe'),
    });
    const headers = { 'management-authorization': revoked };
    const one = await subscribe(stack.url, pipeSubscription(), { headers });
    const two = await subscribe(stack.url, pipeSubscription());
    await Promise.all([one.event(1), two.event(1)]);
    isRevoked = true;
    await one.ended;
    const [{ message, extensions }] = one.events[1].errors;
    expect(extensions.code).toBe('UNAUTHENTICATED');
    expect(message + stack.log()).not.toContain(revoked.slice('Basic '.length));
    expect(stack.gateway.streams()).toEqual({ streams: 1, reads: 1, credentials: 1 });
    two.leave();
  });
});

it('a poll has a request id of its own, and no trace of a subscriber', async () => {
  stack = await startLive({ gateway: soon, config: unpaced });
  const headers = {
    'x-request-id': 'of-the-subscriber',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=value',
  };
  const pipe = await subscribe(stack.url, pipeSubscription(), { headers });
  await until(() => stack.calls.length >= 3);
  pipe.leave();
  const [first, ...polls] = stack.calls.map((call) => call.headers);
  expect(first).toMatchObject(headers);
  for (const { traceparent, tracestate } of polls) {
    expect([traceparent, tracestate]).toEqual([undefined, undefined]);
  }
  const ids = stack.calls.map((call) => call.headers['x-request-id']);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('a stream that goes on', () => {
  it('outlives the time of an operation and of a silent connection', async () => {
    stack = await startLive({
      gateway: { ...soon, requestTimeoutMs: 400, stallMs: 400, streamLifetimeMs: 3000 },
      config: { ...unpaced, operationTimeoutMs: 400 },
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.event(1);
    await pipe.ended;
    expect(pipe.isComplete).toBe(true);
    expect(stack.log()).toContain('lifetime over');
  });

  it('is ended where its client has stopped to read', async () => {
    let version = 0;
    stack = await startLive({
      gateway: { ...soon, stallMs: 500 },
      config: unpaced,
      management: () => {
        version += 1;
        return pipeNamed(`${version} ${'x'.repeat(500_000)}`);
      },
    });
    const url = new URL(stack.url);
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const body = JSON.stringify({ query: pipeSubscription() });
    const headers = {
      host: 'gateway',
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'content-length': body.length,
      ...credentials,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write([`POST ${url.pathname} HTTP/1.1`, ...lines, '', body].join('\r\n'));
    await until(() => stack.gateway.streams().streams === 1);
    await until(() => stack.gateway.streams().streams === 0);
    expect(stack.log()).toContain('client left');
    socket.destroy();
  });

  it('does not show what may pass, and what a write has changed only once it is known', async () => {
    let isBroken = false;
    let state = 'Running';
    stack = await startLive({
      gateway: { pollMs: { management: 300, observability: 300 } },
      config: { ...unpaced, maxRetries: 0 },
      management: ({ method }) => {
        if (method === 'PATCH') {
          isBroken = true;
          state = 'Stopping';
        } else if (isBroken) return json({ status: 503, error: 'down' }, 503);
        return pipeNamed('pipe', state);
      },
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.event(1);
    await stack.query(stopPipe());
    await until(() => stack.calls.filter(({ path }) => path === pipePath()).length >= 3);
    isBroken = false;
    expect(await pipe.event(2)).toEqual({ data: { pipe: { name: 'pipe', state: 'Stopping' } } });
    expect(pipe.events).toHaveLength(2);
    pipe.leave();
  });

  it('tells of an event that is larger than a response may be', async () => {
    let name = 'pipe';
    stack = await startLive({
      gateway: soon,
      config: { ...unpaced, maxResponseSize: 1000 },
      management: () => pipeNamed(name),
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.event(1);
    name = 'x'.repeat(2000);
    expect((await pipe.event(2)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed: 1000 } },
    ]);
    name = 'short again';
    expect((await pipe.event(3)).data.pipe.name).toBe('short again');
    pipe.leave();
  });

  it('gives an event up half-way that is larger than a response may be', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `${index}`);
    const tiles = ids.map((id) => ({ id, name: 'tile' }));
    stack = await startLive({
      config: { observabilityRate: undefined, maxResponseSize: 5000, maxUpstreamCalls: 1000 },
      observability: ({ path }) =>
        data(
          path.endsWith('/alerts')
            ? ids.map((id) => ({ id, name: 'alert', state: 'OK', dashboard: id }))
            : { id: path.split('/').at(-1), name: 'dashboard', tiles },
        ),
    });
    const alerts = await subscribe(
      stack.url,
      'subscription { alerts { dashboard { tiles { id name } } } }',
    );
    expect(await alerts.event(1)).toMatchObject({
      errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed: 5000 } }],
    });
    // Of two hundred dashboards.
    expect(stack.calls.length).toBeLessThan(20);
    alerts.leave();
  });
});
