import { once } from 'node:events';
import { type IncomingMessage, request as open } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentials, data, result } from '../support/harness.ts';
import { openLive, pipeIds, pipePath, pipeSubscription, soon } from '../support/live-world.ts';
import { until } from '../support/process/run-main.ts';
import { subscribe } from '../support/subscribe.ts';

it.each([
  ['POST', ''],
  ['POST', '*/*'],
  ['POST', 'application/graphql-response+json, application/json;q=0.9'],
  ['POST', 'text/event-stream;q=0, application/json'],
  ['POST', 'multipart/mixed'],
  ['GET', 'multipart/mixed;deferSpec=20220824'],
])(
  'a subscription by %s with accept %j is told to accept a stream of events, before anything starts',
  async (method, accept) => {
    const { url, calls, gateway } = await openLive();
    const { response } = await subscribe(url, pipeSubscription(), {
      method: method as 'GET',
      headers: { accept },
    });
    expect(response.statusCode).toBe(406);
    const body = JSON.parse((await response.toArray()).join(''));
    expect(body.errors).toEqual([
      {
        message: expect.stringMatching(/"accept: text\/event-stream"/),
        extensions: { code: 'BAD_REQUEST', requestId: expect.stringMatching(/./) },
      },
    ]);
    expect([calls, gateway.streams().streams]).toEqual([[], 0]);
  },
);

it.each(['GET', 'POST'] as const)(
  'a subscription by %s is a stream that nothing on its way keeps',
  async (method) => {
    const { url } = await openLive();
    const pipe = await subscribe(url, pipeSubscription(), { method });
    onTestFinished(pipe.leave);
    await pipe.event(1);
    expect(pipe.response.statusCode).toBe(200);
    expect(pipe.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(pipe.response.headers).not.toHaveProperty('age');
  },
);

const condition = (name = 'Anonymous Subscription') =>
  `${name} must not use \`@skip\` or \`@include\` directives in the top level selection.`;
it.each([
  ['{ pipe { name } }', 'Field "pipe" argument "organizationId" of type "ID!" is required'],
  ['{ a: alerts { id } b: alerts { id } }', 'must select only one top level field'],
  ['($b: Boolean!) { alerts @include(if: $b) { id } }', condition()],
  ['{ ...F @include(if: true) } fragment F on Subscription { alerts { id } }', condition()],
  [
    'Named ($b: Boolean!) { ...F } fragment F on Subscription { alerts @skip(if: $b) { id } }',
    condition('Subscription "Named"'),
  ],
  [
    `{ alerts(filter: {nameContains: "${'x'.repeat(1001)}"}) { id } }`,
    'The argument filter may have a text of at most 1000 characters; this one has 1001.',
    'LIMIT_EXCEEDED',
  ],
  [
    '($t: String) { alerts(filter: {nameContains: $t}) { id } }',
    'The variable $t may have a text of at most 1000 characters; this one has 1001.',
    'LIMIT_EXCEEDED',
  ],
])(
  'no valid subscription: %.100s',
  async (document, message, code = 'GRAPHQL_VALIDATION_FAILED') => {
    const { url, calls, complaints, gateway } = await openLive();
    const variables = { b: false, t: 'x'.repeat(1001) };
    const stream = await subscribe(url, `subscription ${document}`, { variables });
    await stream.ended;
    const extensions = { code };
    expect(stream.events).toHaveLength(1);
    const expected = { message: expect.stringContaining(message), extensions };
    expect(stream.events[0].errors[0]).toMatchObject(expected);
    expect([stream.isComplete, calls, complaints()]).toEqual([true, [], '']);
    expect(gateway.streams().streams).toBe(0);
  },
);

it('a subscription may have conditions below its root', async () => {
  const { url } = await openLive();
  const document =
    'subscription ($b: Boolean!) { alerts { id ... @skip(if: $b) { name @include(if: $b) } } }';
  const alerts = await subscribe(url, document, { variables: { b: true } });
  onTestFinished(alerts.leave);
  expect((await alerts.event(1)).data).toEqual({ alerts: [{ id: 'a1' }] });
});

it('each event is explained by itself to those who ask', async () => {
  const { open, world } = await openLive({ ...soon, config: { ...soon.config, explain: true } });
  const pipe = await open(pipeSubscription(), { 'sluice-explain': '1' });
  for (const [number, cache] of ['miss', 'fresh'].entries()) {
    const { extensions } = await pipe.event(number + 1);
    expect(extensions.upstream).toMatchObject([{ path: pipePath(), cache }]);
    world.states[0] = 'Failed';
  }
});

it('an event that is larger than a response may be is given up half-way', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `${index}`);
  const tiles = ids.map((id) => ({ id, name: 'tile' }));
  const alerts = ids.map((id) => ({ id, dashboard: id }));
  const { open, calls } = await openLive({
    config: { observabilityRate: undefined, maxResponseSize: 5000, maxUpstreamCalls: 1000 },
    observability: ({ path }) =>
      data(path.endsWith('/alerts') ? alerts : { id: path.split('/').at(-1), tiles }),
  });
  const stream = await open('subscription { alerts { dashboard { tiles { id name } } } }');
  expect((await stream.event(1)).errors).toMatchObject([
    { extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize' } },
  ]);
  // Of two hundred dashboards.
  expect(calls.length).toBeLessThan(30);
});

describe('a client that reads slowly', () => {
  /** Subscribes to a pipe whose name is so long, and different each time, and reads nothing until somebody asks. */
  const openLarge = async (bytes: number, stallMs: number) => {
    let version = 0;
    const live = await openLive({
      ...soon,
      gateway: { ...soon.gateway, stallMs },
      management: () => {
        version += 1;
        return result({ id: pipeIds[0], name: `${version} ${'x'.repeat(bytes)}` });
      },
    });
    const types = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const options = { method: 'POST', headers: { ...credentials, ...types } };
    const request = open(live.url, options).on('error', () => undefined);
    request.end(JSON.stringify({ query: pipeSubscription() }));
    const [response]: IncomingMessage[] = await once(request, 'response');
    onTestFinished(() => void request.destroy());
    return { ...live, response, version: () => version };
  };

  it('is sent the newest value, and no queue of older ones', async () => {
    const { version, response } = await openLarge(200_000, 60_000);
    // The sockets' own buffers hold some megabytes; what comes then waits for the client.
    await until(() => version() >= 150);
    const seen = version();
    let text = '';
    const versionsIn = () => [...text.matchAll(/"name":"(\d+) x/g)].map(([, each]) => Number(each));
    response?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await until(() => Number(versionsIn().at(-1)) >= seen);
    const versions = versionsIn();
    const steps = versions.map((each, index) => each - (versions[index - 1] ?? 0));
    expect(versions.length).toBeLessThan(seen);
    expect(Math.max(...steps)).toBeGreaterThan(20);
  });

  it('loses its stream where it has stopped to read', async () => {
    const live = await openLarge(500_000, 500);
    await until(() => live.gateway.streams().streams === 1);
    await until(() => live.gateway.streams().streams === 0);
    expect(live.log()).toContain('client left');
  });
});
