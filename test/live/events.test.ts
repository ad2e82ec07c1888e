import { afterEach, describe, expect, it } from 'vitest';
import {
  pass,
  pipePath,
  pipeQuery,
  pipeSubscription,
  pipesSubscription,
  readsOf,
  servicePath,
  startLive,
  stopPipe,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const running = { data: { pipe: { name: 'pipe 0', state: 'Running' } } };
const withState = (state: string) => ({ data: { pipe: { name: 'pipe 0', state } } });

const others = { 'management-authorization': `Basic ${btoa('other:key')}` };

describe('a subscription', () => {
  it('sends the first event at once, and a further one for what was changed outside, with the next poll', async () => {
    const clock = stopTime();
    stack = await startLive();
    const pipe = await subscribe(stack.url, pipeSubscription());
    expect(await clock.until(pipe.event(1))).toEqual(running);
    stack.world.states[0] = 'Failed';
    await pass(clock, 4000);
    expect(pipe.events).toHaveLength(1);
    await pass(clock, 2000);
    expect(pipe.events).toEqual([running, withState('Failed')]);
    pipe.leave();
  });

  it('sends nothing while nothing changes that was selected', async () => {
    const clock = stopTime();
    stack = await startLive();
    const pipe = await subscribe(stack.url, pipeSubscription().replace('name state', 'name'));
    await clock.until(pipe.event(1));
    stack.world.states[0] = 'Failed';
    await pass(clock, 20_000);
    expect(pipe.events).toHaveLength(1);
    expect(readsOf(stack.calls, pipePath())).toBeGreaterThanOrEqual(4);
    pipe.leave();
  });

  it.each([
    ['the same credential', {}],
    ['another credential', others],
  ])(
    'shows a write of the gateway to a subscriber with %s without waiting for the next poll',
    async (_, headers) => {
      stack = await startLive({
        gateway: { pollMs: { management: 600_000, observability: 600_000 } },
      });
      const first = await subscribe(stack.url, pipeSubscription());
      const second = await subscribe(stack.url, pipeSubscription(), { headers });
      await Promise.all([first.event(1), second.event(1)]);
      const stopped = await stack.query(stopPipe());
      expect(stopped.body.data.stopPipe.pipe).toEqual({ state: 'Stopping' });
      const events = await Promise.all([first.event(2), second.event(2)]);
      expect(events).toEqual([withState('Stopping'), withState('Stopping')]);
      first.leave();
      second.leave();
    },
  );

  it('takes what other requests have read, and is not polled for it then', async () => {
    const clock = stopTime();
    stack = await startLive();
    const pipe = await subscribe(stack.url, pipeSubscription());
    await clock.until(pipe.event(1));
    await pass(clock, 4000);
    stack.world.states[0] = 'Failed';
    await clock.until(stack.query(pipeQuery));
    expect(await clock.until(pipe.event(2))).toEqual(withState('Failed'));
    const reads = stack.calls.length;
    expect(reads).toBe(2);
    await pass(clock, 4000);
    expect(stack.calls).toHaveLength(reads);
    pipe.leave();
  });

  it('costs two hundred subscribers the calls of one', async () => {
    const callsOf = async (subscribers: number): Promise<number> => {
      const clock = stopTime();
      stack = await startLive();
      const pipes = await Promise.all(
        Array.from({ length: subscribers }, () => subscribe(stack.url, pipeSubscription())),
      );
      await clock.until(Promise.all(pipes.map((pipe) => pipe.event(1))));
      await pass(clock, 12_000);
      stack.world.states[0] = 'Failed';
      const last = await clock.until(Promise.all(pipes.map((pipe) => pipe.event(2))));
      expect(last).toEqual(pipes.map(() => withState('Failed')));
      expect(stack.gateway.streams()).toEqual({ streams: subscribers, reads: 1, credentials: 1 });
      for (const pipe of pipes) pipe.leave();
      return stack.calls.length;
    };
    const ofOne = await callsOf(1);
    await stack.close();
    expect(await callsOf(200)).toBe(ofOne);
  });

  it('reads one list for several pipes of a service', async () => {
    const clock = stopTime();
    stack = await startLive();
    const pipes = [];
    for (const index of [0, 1, 2]) {
      const pipe = await subscribe(stack.url, pipeSubscription(index));
      await clock.until(pipe.event(1));
      pipes.push(pipe);
    }
    expect(stack.gateway.streams()).toEqual({ streams: 3, reads: 2, credentials: 1 });
    stack.world.states.fill('Failed');
    await clock.until(Promise.all(pipes.map((pipe) => pipe.event(2))));
    expect(stack.gateway.streams().reads).toBeLessThanOrEqual(2);
    for (const pipe of pipes) pipe.leave();
  });

  it('polls all that a credential watches with three of its ten calls', async () => {
    const clock = stopTime();
    stack = await startLive();
    const service = await subscribe(
      stack.url,
      pipesSubscription.replace('name state', 'name state service { name }'),
    );
    await clock.until(service.event(1));
    const times: number[] = [];
    for (let passed = 0; passed < 60_000; passed += 100) {
      const before = stack.calls.length;
      await pass(clock, 100);
      for (let call = before; call < stack.calls.length; call += 1) times.push(performance.now());
    }
    const within = times.map(
      (from) => times.filter((at) => at >= from && at < from + 9_900).length,
    );
    expect(Math.max(...within)).toBe(3);
    expect(readsOf(stack.calls, servicePath)).toBeGreaterThan(6);
    expect(readsOf(stack.calls, `${servicePath}/pipes`)).toBeGreaterThan(6);
    service.leave();
  });

  it('gives no further polls to who leaves and subscribes again', async () => {
    const clock = stopTime();
    stack = await startLive({
      gateway: { pollMs: { management: 500, observability: 500 } },
      config: { managementRate: { calls: 20, windowMs: 30_000 } },
    });
    for (let turn = 0; turn < 3; turn += 1) {
      const pipe = await subscribe(stack.url, pipeSubscription());
      await clock.until(pipe.event(1));
      await clock.until(stack.query(stopPipe()));
      await pass(clock, 3000);
      pipe.leave();
      await clock.still(() => stack.gateway.streams().streams === 0);
      expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    }
    // Those of the first events, and 30 % of the calls of a window.
    expect(readsOf(stack.calls, pipePath())).toBeLessThanOrEqual(3 + 6);
    await pass(clock, 31_000);
    const before = readsOf(stack.calls, pipePath());
    const pipe = await subscribe(stack.url, pipeSubscription());
    await clock.until(pipe.event(1));
    await pass(clock, 31_000);
    expect(readsOf(stack.calls, pipePath()) - before).toBeGreaterThanOrEqual(1 + 5);
    pipe.leave();
  });

  it('works without a memory, of which ordinary requests see nothing', async () => {
    const clock = stopTime();
    stack = await startLive({ config: { readCacheBytes: 0 } });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await clock.until(pipe.event(1));
    await clock.until(stack.query(pipeQuery));
    await clock.until(stack.query(pipeQuery));
    expect(stack.calls).toHaveLength(3);
    stack.world.states[0] = 'Failed';
    expect(await clock.until(pipe.event(2))).toEqual(withState('Failed'));
    expect(stack.calls).toHaveLength(4);
    pipe.leave();
  });

  it('lets go of everything once the last subscriber has left', async () => {
    const clock = stopTime();
    stack = await startLive();
    const one = await subscribe(stack.url, pipeSubscription());
    const two = await subscribe(stack.url, pipeSubscription());
    await clock.until(Promise.all([one.event(1), two.event(1)]));
    one.leave();
    await clock.still(() => stack.gateway.streams().streams === 1);
    expect(stack.gateway.streams()).toEqual({ streams: 1, reads: 1, credentials: 1 });
    two.leave();
    await clock.still(() => stack.gateway.streams().streams === 0);
    expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    const calls = stack.calls.length;
    await pass(clock, 20_000);
    expect(stack.calls).toHaveLength(calls);
  });

  it('lets go of what its newest event does not use', async () => {
    const clock = stopTime();
    stack = await startLive();
    const alerts = await subscribe(
      stack.url,
      'subscription { alerts { name dashboard { name } } }',
    );
    await clock.until(alerts.event(1));
    expect(stack.gateway.streams().reads).toBe(2);
    stack.world.alerts.splice(0, 1);
    expect(await clock.until(alerts.event(2))).toEqual({ data: { alerts: [] } });
    expect(stack.gateway.streams().reads).toBe(1);
    alerts.leave();
  });
});
