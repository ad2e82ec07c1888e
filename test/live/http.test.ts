import { once } from 'node:events';
import { request as open } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { credentials } from '../support/harness.ts';
import { pipePath, pipeSubscription, readsOf, startLive } from '../support/live-world.ts';
import { until } from '../support/process/run-main.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const soon = { pollMs: { management: 50, observability: 50 } };
const unpacedSoon = { gateway: soon, config: { managementRate: undefined } };

const ask = async (method: 'GET' | 'POST', accept: string | undefined) => {
  const url = new URL(stack.url);
  if (method === 'GET') url.searchParams.set('query', pipeSubscription());
  const request = open(url, {
    agent: false,
    method,
    headers: {
      ...credentials,
      ...(accept !== undefined && { accept }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
  });
  request.end(method === 'POST' ? JSON.stringify({ query: pipeSubscription() }) : undefined);
  const [response] = await once(request, 'response');
  const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
  return { status: response.statusCode, body };
};

describe('a subscription over HTTP', () => {
  it.each([
    ['POST', undefined],
    ['POST', '*/*'],
    ['POST', 'application/json'],
    ['POST', 'application/graphql-response+json, application/json;q=0.9'],
    ['POST', 'text/event-stream;q=0, application/json'],
    ['POST', 'multipart/mixed'],
    ['GET', 'application/json'],
    ['GET', 'multipart/mixed;deferSpec=20220824'],
  ] as const)(
    'by %s with accept: %s is told to accept a stream of events, before anything starts',
    async (method, accept) => {
      stack = await startLive();
      const { status, body } = await ask(method, accept);
      expect(status).toBe(406);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].message).toMatch(/"accept: text\/event-stream"/);
      expect(body.errors[0].extensions).toEqual({
        code: 'BAD_REQUEST',
        requestId: expect.stringMatching(/./),
      });
      expect(stack.calls).toEqual([]);
      expect(stack.gateway.streams().streams).toBe(0);
    },
  );

  it.each(['GET', 'POST'] as const)(
    'by %s is a stream that nothing on its way keeps',
    async (method) => {
      stack = await startLive();
      const pipe = await subscribe(stack.url, pipeSubscription(), { method });
      await pipe.event(1);
      expect(pipe.response.statusCode).toBe(200);
      expect(pipe.response.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      expect(pipe.response.headers).not.toHaveProperty('age');
      pipe.leave();
    },
  );

  it('that is no valid document is refused as a query would be', async () => {
    stack = await startLive();
    const pipe = await subscribe(stack.url, 'subscription { pipe { name } }');
    await pipe.ended;
    expect(pipe.events[0].errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(pipe.isComplete).toBe(true);
    expect(stack.gateway.streams().streams).toBe(0);
  });

  it('may select one root field alone', async () => {
    stack = await startLive();
    const pipe = await subscribe(stack.url, 'subscription { a: alerts { id } b: alerts { id } }');
    await pipe.ended;
    expect(pipe.events[0].errors[0].message).toMatch(/must select only one top level field/);
    expect(stack.calls).toEqual([]);
  });

  it.each([
    ['@skip', 'subscription { alerts @skip(if: false) { id } }'],
    ['@include', 'subscription { alerts @include(if: true) { id } }'],
    ['a variable', 'subscription ($b: Boolean!) { alerts @include(if: $b) { id } }'],
    ['a fragment', 'subscription ($b: Boolean!) { ... @skip(if: $b) { alerts { id } } }'],
    [
      'a spread',
      'subscription { ...F @include(if: true) } fragment F on Subscription { alerts { id } }',
    ],
    ['two fields', 'subscription ($b: Boolean!) { a: alerts @skip(if: $b) { id } alerts { id } }'],
    [
      'a field in a fragment',
      'subscription Named ($b: Boolean!) { ...F } fragment F on Subscription { alerts @skip(if: $b) { id } }',
    ],
  ])('may not have a condition at its root: %s', async (_, query) => {
    stack = await startLive();
    const alerts = await subscribe(stack.url, query, { variables: { b: false } });
    await alerts.ended;
    const name = query.includes('Named') ? 'Subscription "Named"' : 'Anonymous Subscription';
    expect(alerts.events[0].errors).toMatchObject([
      {
        message: `${name} must not use \`@skip\` or \`@include\` directives in the top level selection.`,
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
    expect(stack.calls).toEqual([]);
    expect(stack.complaints()).toBe('');
  });

  it('may have conditions below its root', async () => {
    stack = await startLive();
    const query =
      'subscription ($b: Boolean!) { alerts { id ... @skip(if: $b) { name @include(if: $b) } } }';
    const alerts = await subscribe(stack.url, query, { variables: { b: true } });
    expect((await alerts.event(1)).data).toEqual({ alerts: [{ id: 'a1' }] });
    alerts.leave();
  });

  it('explains each event by itself to those who ask', async () => {
    stack = await startLive(unpacedSoon);
    const headers = { 'sluice-explain': '1' };
    const pipe = await subscribe(stack.url, pipeSubscription(), { headers });
    const first = await pipe.event(1);
    expect(first.extensions.upstream).toMatchObject([{ path: pipePath(), cache: 'miss' }]);
    stack.world.states[0] = 'Failed';
    const second = await pipe.event(2);
    expect(second.extensions.upstream).toMatchObject([{ path: pipePath(), cache: 'fresh' }]);
    pipe.leave();
  });

  it('begins with a new read for those who ask for one', async () => {
    stack = await startLive();
    const query = pipeSubscription();
    const one = await subscribe(stack.url, query);
    await one.event(1);
    stack.world.states[0] = 'Failed';
    const two = await subscribe(stack.url, query, { headers: { 'cache-control': 'no-cache' } });
    expect((await two.event(1)).data.pipe.state).toBe('Failed');
    // It is news to the other one.
    expect((await one.event(2)).data.pipe.state).toBe('Failed');
    expect(readsOf(stack.calls, pipePath())).toBe(2);
    one.leave();
    two.leave();
  });

  it('sends the newest value to a client that reads slowly, and no queue of older ones', async () => {
    let version = 0;
    const filler = 'x'.repeat(200_000);
    stack = await startLive();
    await stack.close();
    const name = (): string => `${version} ${filler}`;
    stack = await startLive({
      ...unpacedSoon,
      management: async () => {
        version += 1;
        const result = { id: '5b1f0000-0000-4000-8000-000000000011', name: name() };
        const body = JSON.stringify({ status: 200, requestId: 'r', result });
        return { headers: { 'content-type': 'application/json' }, body };
      },
    });
    const url = new URL(stack.url);
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    const body = JSON.stringify({ query: pipeSubscription() });
    socket.write(
      [
        `POST ${url.pathname} HTTP/1.1`,
        'host: gateway',
        'accept: text/event-stream',
        'content-type: application/json',
        `content-length: ${body.length}`,
        ...Object.entries(credentials).map(([header, value]) => `${header}: ${value}`),
        '',
        body,
      ].join('\r\n'),
    );
    // The sockets' own buffers hold some megabytes; what comes then waits for the client.
    await until(() => version >= 150);
    const seen = version;
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const versions = () => [...text.matchAll(/"name":"(\d+) x/g)].map(([, each]) => Number(each));
    await until(() => (versions().at(-1) ?? 0) >= seen);
    const steps = versions().map((each, index, all) => each - (all[index - 1] ?? 0));
    expect(versions().length).toBeLessThan(seen);
    expect(Math.max(...steps)).toBeGreaterThan(20);
    socket.destroy();
  });
});

describe('the bounds on subscriptions', () => {
  it('leave room for others where one credential has all that it may', async () => {
    stack = await startLive();
    const streams = await Promise.all(
      Array.from({ length: 200 }, () => subscribe(stack.url, pipeSubscription())),
    );
    await Promise.all(streams.map((stream) => stream.event(1)));
    const refused = await subscribe(stack.url, pipeSubscription());
    await refused.ended;
    expect(refused.events[0].errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'streams', allowed: 200 } },
    ]);
    const other = await subscribe(stack.url, pipeSubscription(), {
      headers: {
        'management-authorization': `Basic ${btoa('other:secret')}`,
        'observability-authorization': '',
      },
    });
    expect((await other.event(1)).errors).toBeUndefined();
    for (const stream of [...streams, other]) stream.leave();
  });

  it('hold for a credential, however it is spelt, and for all', async () => {
    stack = await startLive({
      config: { maxStreams: 3, maxStreamsPerCredential: 2 },
    });
    const key = btoa('key:secret');
    const own = { 'management-authorization': `Basic ${key}`, 'observability-authorization': '' };
    const spelt = { ...own, 'management-authorization': `basic  ${key.replaceAll('=', '')}` };
    const other = { ...own, 'management-authorization': `Basic ${btoa('other:secret')}` };
    const third = { ...own, 'management-authorization': `Basic ${btoa('third:secret')}` };
    const one = await subscribe(stack.url, pipeSubscription(), { headers: own });
    const two = await subscribe(stack.url, pipeSubscription(), { headers: spelt });
    await Promise.all([one.event(1), two.event(1)]);
    const refused = await subscribe(stack.url, pipeSubscription(), { headers: own });
    await refused.ended;
    const { errors } = refused.events[0];
    expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', allowed: 2 } }]);
    const three = await subscribe(stack.url, pipeSubscription(), { headers: other });
    await three.event(1);
    const full = await subscribe(stack.url, pipeSubscription(), { headers: third });
    await full.ended;
    expect(full.events[0].errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', allowed: 3 } },
    ]);
    one.leave();
    await until(() => stack.gateway.streams().streams === 2);
    const four = await subscribe(stack.url, pipeSubscription(), { headers: third });
    expect((await four.event(1)).data.pipe.name).toBe('pipe 0');
    for (const each of [two, three, four]) each.leave();
  });

  it('leave a fifth of the connections to all else', async () => {
    stack = await startLive({ config: { maxConnections: 10, maxStreamsPerCredential: 10 } });
    const open = [];
    for (let number = 0; number < 8; number += 1) {
      open.push(await subscribe(stack.url, pipeSubscription()));
    }
    const refused = await subscribe(stack.url, pipeSubscription());
    await refused.ended;
    expect(refused.events[0].errors[0].extensions).toMatchObject({ allowed: 8 });
    expect((await stack.query('{ __typename }')).status).toBe(200);
    for (const each of open) each.leave();
  });
});
