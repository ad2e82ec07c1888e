import { afterEach, describe, expect, it } from 'vitest';
import {
  organizationId,
  pass,
  pipePath,
  pipeSubscription,
  pipesSubscription,
  readsOf,
  servicePath,
  startLive,
  stopPipe,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const nothing = { streams: 0, reads: 0, credentials: 0 };
const soon = { pollMs: { management: 100, observability: 100 } };
const unpacedSoon = { gateway: soon, config: { managementRate: undefined } };

const lines = (message: string) =>
  stack
    .log()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line));

describe('a stream whose upstream fails', () => {
  it.each([
    ['is down', 503, 'UPSTREAM_UNAVAILABLE'],
    ['has put the service to sleep', 424, 'SERVICE_NOT_RUNNING'],
  ])(
    'that %s is shown once it has lasted for 30 s; polls become rarer, and then go on',
    async (_, status, code) => {
      const clock = stopTime();
      stack = await startLive();
      const pipe = await subscribe(stack.url, pipeSubscription());
      await clock.until(pipe.event(1));
      stack.world.fail(`GET ${pipePath()}`, status);
      await pass(clock, 30_000);
      expect(pipe.events).toHaveLength(1);
      await pass(clock, 50_000);
      // After 5, 10, 20 and 40 s.
      expect(stack.world.failed).toHaveLength(4);
      expect(pipe.events).toHaveLength(2);
      expect(pipe.events[1]).toMatchObject({
        data: { pipe: null },
        errors: [{ path: ['pipe'], extensions: { code } }],
      });
      stack.world.fail(`GET ${pipePath()}`, undefined);
      stack.world.states[0] = 'Failed';
      expect((await clock.until(pipe.event(3))).data.pipe.state).toBe('Failed');
      pipe.leave();
    },
  );

  it.each([
    [401, 'UNAUTHENTICATED', 'credential refused'],
    [403, 'FORBIDDEN', 'credential refused'],
    [404, 'NOT_FOUND', 'nothing to watch'],
  ])('is told of a %d once, as %s, and ended', async (status, code, ended) => {
    stack = await startLive(unpacedSoon);
    const one = await subscribe(stack.url, pipeSubscription());
    const two = await subscribe(stack.url, pipeSubscription());
    await Promise.all([one.event(1), two.event(1)]);
    stack.world.fail(`GET ${pipePath()}`, status);
    await Promise.all([one.ended, two.ended]);
    for (const { events, isComplete } of [one, two]) {
      expect(isComplete).toBe(true);
      expect(events.at(-1)).toMatchObject({
        data: { pipe: null },
        errors: [{ path: ['pipe'], extensions: { code } }],
        extensions: { ended },
      });
    }
    expect(stack.gateway.streams()).toEqual(nothing);
    // The one poll: neither asks again by itself.
    expect(stack.world.failed).toEqual([`GET ${pipePath()}`]);
    expect(lines('subscription').map((line) => line.ended)).toEqual([ended, ended]);
    expect(lines('subscription').map((line) => line.codes)).toEqual([[code], [code]]);
  });

  it('begins with the error of what may pass, and shows the data once it has passed', async () => {
    stack = await startLive(unpacedSoon);
    stack.world.fail(`GET ${pipePath()}`, 503);
    const pipe = await subscribe(stack.url, pipeSubscription());
    const first = await pipe.event(1);
    expect(first.errors[0].extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    stack.world.fail(`GET ${pipePath()}`, undefined);
    expect(await pipe.event(2)).toEqual({ data: { pipe: { name: 'pipe 0', state: 'Running' } } });
    pipe.leave();
  });

  it('ends after its first event where the thing does not exist', async () => {
    stack = await startLive();
    stack.world.fail(`GET ${pipePath()}`, 404);
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.ended;
    expect(pipe.isComplete).toBe(true);
    expect(pipe.events.map(({ errors }) => errors[0].extensions.code)).toEqual(['NOT_FOUND']);
    expect(stack.gateway.streams()).toEqual(nothing);
  });

  it('ends after its first event where nothing was read that could change', async () => {
    stack = await startLive();
    const organization = await subscribe(
      stack.url,
      `subscription { organization(id: "${organizationId}") { id } }`,
    );
    await organization.ended;
    expect([organization.isComplete, organization.events]).toEqual([
      true,
      [
        {
          data: { organization: { id: organizationId } },
          extensions: { ended: 'nothing to watch' },
        },
      ],
    ]);
  });

  it('ends after its first event where the credential is missing, without a call', async () => {
    stack = await startLive();
    const headers = { 'management-authorization': 'Bearer wrong' };
    const pipe = await subscribe(stack.url, pipeSubscription(), { headers });
    await pipe.ended;
    expect(pipe.isComplete).toBe(true);
    expect(pipe.events.map(({ errors }) => errors[0].extensions.code)).toEqual(['UNAUTHENTICATED']);
    expect(stack.calls).toEqual([]);
    expect(stack.gateway.streams()).toEqual(nothing);
  });

  it.each([401, 403])(
    'ends after its first event where a %i is the answer to a part of it',
    async (status) => {
      stack = await startLive(unpacedSoon);
      stack.world.fail(`GET ${servicePath}`, status);
      const query = pipesSubscription.replace('name state', 'state service { name }');
      const pipes = await subscribe(stack.url, query);
      await pipes.ended;
      expect([pipes.isComplete, pipes.events.length]).toEqual([true, 1]);
      expect(pipes.events[0].data.pipes[0]).toEqual({ state: 'Running', service: null });
      expect(pipes.events[0].extensions.ended).toBe('credential refused');
      expect(stack.gateway.streams()).toEqual(nothing);
    },
  );

  it('goes on where a part of it does not exist, without asking for that again', async () => {
    stack = await startLive(unpacedSoon);
    stack.world.fail(`GET ${servicePath}`, 404);
    const pipes = await subscribe(
      stack.url,
      pipesSubscription.replace('name state', 'state service { name }'),
    );
    const first = await pipes.event(1);
    expect(first.data.pipes[0]).toEqual({ state: 'Running', service: null });
    expect(first.extensions).toBeUndefined();
    const asked = readsOf(stack.calls, servicePath);
    stack.world.states.fill('Failed');
    const second = await pipes.event(2);
    expect(second.data.pipes[0]).toEqual({ state: 'Failed', service: null });
    expect(second.errors).toHaveLength(3);
    expect(readsOf(stack.calls, servicePath)).toBe(asked);
    pipes.leave();
  });

  it('says in its last event that it is over, also where that event tells nothing else', async () => {
    const clock = stopTime();
    stack = await startLive();
    const one = await subscribe(stack.url, pipeSubscription());
    await clock.until(one.event(1));
    await pass(clock, 500);
    stack.world.fail(`GET ${pipePath()}`, 401);
    const headers = { 'cache-control': 'no-cache' };
    const two = await subscribe(stack.url, pipeSubscription(), { headers });
    await clock.until(Promise.all([one.ended, two.ended]));
    const ended = 'credential refused';
    expect(one.events.map(({ extensions }) => extensions)).toEqual([undefined, { ended }]);
    expect(two.events.map(({ extensions }) => extensions)).toEqual([undefined, { ended }]);
    expect(two.events.map(({ errors }) => errors[0].extensions.code)).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ]);
  });

  it('looks again after a write of which nobody knows what became', async () => {
    stack = await startLive({
      gateway: { pollMs: { management: 600_000, observability: 600_000 } },
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.event(1);
    const { world } = stack;
    world.fail(`PATCH ${pipePath()}/state`, 500);
    world.states[0] = 'Stopping';
    await stack.query(stopPipe());
    expect((await pipe.event(2)).data.pipe.state).toBe('Stopping');
    pipe.leave();
  });
});

describe('a stream that is ended', () => {
  it('is complete after its lifetime', async () => {
    stack = await startLive({ gateway: { streamLifetimeMs: 300 } });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.ended;
    expect([pipe.isComplete, pipe.events.length]).toEqual([true, 1]);
    expect(stack.gateway.streams()).toEqual(nothing);
    expect(lines('subscription')[0]).toMatchObject({ ended: 'lifetime over', events: 1 });
  });

  it('is complete when the gateway stops, also one that waits for its first event', async () => {
    let hold = Promise.resolve();
    stack = await startLive();
    const { management } = stack.world;
    await stack.close();
    stack = await startLive({
      management: async (call) => {
        await hold;
        return management(call);
      },
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await pipe.event(1);
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    const waiting = await subscribe(stack.url, pipeSubscription(1));
    await until(() => stack.calls.length === 2);
    const closed = stack.gateway.close();
    await Promise.all([pipe.ended, waiting.ended]);
    expect([pipe.isComplete, waiting.isComplete]).toEqual([true, true]);
    expect(waiting.events).toEqual([]);
    held.resolve();
    await closed;
    expect(stack.gateway.streams()).toEqual(nothing);
  });

  it('leaves a line in the log: what it was, its events, its calls, and why it ended', async () => {
    stack = await startLive();
    const pipe = await subscribe(stack.url, pipeSubscription().replace('{', 'Live {'));
    await pipe.event(1);
    pipe.leave();
    await until(() => lines('subscription').length === 1);
    const [{ requestId, operationHash, milliseconds, ...line }] = lines('subscription');
    expect(line).toMatchObject({
      operationName: 'Live',
      operationType: 'subscription',
      events: 1,
      upstreamCalls: 1,
      codes: [],
      ended: 'client left',
    });
    expect([typeof requestId, operationHash.length, milliseconds > 0]).toEqual([
      'string',
      64,
      true,
    ]);
    expect(lines('operation')).toEqual([]);
  });
});
