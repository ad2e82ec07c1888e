import { request as open } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { credentials } from '../../support/harness.ts';
import {
  pipeSubscription,
  pipesSubscription,
  startLive,
  stopPipe,
} from '../../support/live-world.ts';
import { createRandom } from '../../support/random/random.ts';

const warnings: unknown[] = [];
const note = (warning: unknown) => warnings.push(warning);
beforeAll(() => {
  process.on('warning', note);
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('warning', note);
  process.off('unhandledRejection', note);
});

const intervalMs = 100;
const nothing = { streams: 0, reads: 0, credentials: 0 };

/** Timers that keep the process busy. */
const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('leaves nothing behind of five hundred subscribers who leave at random moments', async () => {
  const random = createRandom(27);
  const stack = await startLive({
    gateway: { pollMs: { management: intervalMs, observability: intervalMs } },
    config: { managementRate: undefined, observabilityRate: undefined },
  });
  onTestFinished(() => stack.close());
  const queries = [
    pipeSubscription(0),
    pipeSubscription(1),
    pipesSubscription.replace('state', 'state service { name }'),
    'subscription { alerts { name dashboard { name } } }',
  ];
  const sendAndLeave = async (): Promise<void> => {
    const query = queries[random.below(queries.length)] ?? '';
    const headers = {
      ...credentials,
      'management-authorization': `Basic ${btoa(`key:${random.below(3)}`)}`,
    };
    const request = open(stack.url, {
      agent: false,
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    request.on('response', (response) => response.on('error', () => undefined).resume());
    request.end(JSON.stringify({ query }));
    await pause(random.below(400));
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.destroy();
    await closed;
  };
  // The connections to the upstreams stay open.
  await stack.query(stopPipe());
  await stack.query('{ alerts { name } }');

  const timersBefore = timers();
  const leaving = Array.from({ length: 50 }, async () => {
    for (let turn = 0; turn < 10; turn += 1) await sendAndLeave();
  });
  const busy = { isOver: false };
  const changing = (async () => {
    while (!busy.isOver) {
      stack.world.states[random.below(3)] = `State ${random.below(1000)}`;
      if (random.below(4) === 0) await stack.query(stopPipe(random.below(3)));
      await pause(20);
    }
  })();
  await Promise.all(leaving);
  busy.isOver = true;
  await changing;

  const connections = (): Promise<number> =>
    new Promise((resolve) => stack.gateway.server.getConnections((_, count) => resolve(count)));
  // Connections that the server has not accepted yet may still bring requests. That of the last ordinary request is kept.
  for (let quiet = 0; quiet < 10; ) {
    await pause(50);
    const isQuiet = stack.gateway.streams().streams === 0 && (await connections()) <= 1;
    quiet = isQuiet ? quiet + 1 : 0;
  }
  expect(stack.gateway.streams()).toEqual(nothing);
  const calls = stack.calls.length;
  await pause(5 * intervalMs);
  expect(stack.calls).toHaveLength(calls);
  // Those who left before their subscription was read have no line.
  const lines = stack.log().split('"msg":"subscription"').length - 1;
  expect(lines).toBeGreaterThan(100);
  expect(lines).toBeLessThanOrEqual(500);
  expect(timers()).toBeLessThanOrEqual(timersBefore + 10);
  expect(warnings).toEqual([]);
}, 180_000);
