import { expect, it, onTestFinished } from 'vitest';
import { readsOf, startLive } from '../../support/live-world.ts';
import { until } from '../../support/process/run-main.ts';
import { type Subscription, subscribe } from '../../support/subscribe.ts';

const subscribers = 1000;

// What it costs in memory: live-memory.test.ts.
it('polls one list once for a thousand subscribers, and all of them learn of a change', async () => {
  const stack = await startLive({
    gateway: { pollMs: { management: 1000, observability: 1000 } },
    config: {
      maxConnections: 2 * subscribers,
      maxStreams: subscribers,
      maxStreamsPerCredential: subscribers,
      observabilityRate: undefined,
    },
  });
  onTestFinished(() => stack.close());
  const query = 'subscription { alerts { name state } }';
  const streams: Subscription[] = [];
  while (streams.length < subscribers) {
    const some = Array.from({ length: 50 }, () => subscribe(stack.url, query));
    streams.push(...(await Promise.all(some)));
  }
  await Promise.all(streams.map((stream) => stream.event(1)));
  expect(stack.gateway.streams()).toEqual({ streams: subscribers, reads: 1, credentials: 1 });
  const calls = stack.calls.length;
  const began = performance.now();
  await until(() => stack.calls.length >= calls + 3);
  const seconds = (performance.now() - began) / 1000;
  const [alert] = stack.world.alerts;
  if (!alert) throw new Error('no alert');
  alert.state = 'ALERT';
  const events = await Promise.all(streams.map((stream) => stream.event(2)));
  expect(new Set(events.map(({ data }) => data.alerts[0].state))).toEqual(new Set(['ALERT']));
  // One a second at most.
  expect(3).toBeLessThanOrEqual(seconds + 1);
  expect(readsOf(stack.calls, '/api/v2/alerts')).toBe(stack.calls.length);
  for (const stream of streams) stream.leave();
  await until(() => stack.gateway.streams().streams === 0);
  expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
}, 180_000);
