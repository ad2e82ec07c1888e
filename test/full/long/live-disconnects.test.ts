import { request as open } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { credentials } from '../../support/harness.ts';
import {
  organizationId,
  pipeSubscription,
  pipesSubscription,
  serviceId,
  startLive,
  stopPipe,
} from '../../support/live-world.ts';
import { createRandom } from '../../support/random/random.ts';
import { subscribe } from '../../support/subscribe.ts';

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

/** What keeps the process busy. */
const busyWith = (kind: 'Timeout' | 'TCPSocketWrap'): number =>
  process.getActiveResourcesInfo().filter((name) => name === kind).length;

const keyOf = (key: number): string => `Basic ${btoa(`key:${key}`)}`;
const staying = keyOf(9);
const queries: readonly [string, ...string[]] = [
  pipeSubscription(0),
  pipeSubscription(1),
  pipesSubscription.replace('state', 'state service { name }'),
  'subscription { alerts { name dashboard { name } } }',
];
const stays = `subscription { service(organizationId: "${organizationId}", serviceId: "${serviceId}") { name } }`;

it.each([
  ['without limits', undefined],
  ['within limits, so that many wait for their turn', { calls: 10, windowMs: 1000 }],
])(
  'leaves nothing behind of five hundred subscribers who leave at random moments, %s',
  async (_, rate) => {
    const random = createRandom(27);
    const stack = await startLive({
      gateway: { pollMs: { management: 100, observability: 100 } },
      config: { managementRate: rate, observabilityRate: rate },
    });
    onTestFinished(() => stack.close());
    const sendAndLeave = async (): Promise<void> => {
      const key = { 'management-authorization': keyOf(random.below(3)) };
      const types = { accept: 'text/event-stream', 'content-type': 'application/json' };
      const headers = { ...credentials, ...key, ...types };
      const request = open(stack.url, { agent: false, method: 'POST', headers });
      request.on('error', () => undefined);
      request.on('response', (response) => response.on('error', () => undefined).resume());
      request.end(JSON.stringify({ query: random.pick(queries) }));
      await pause(random.below(400));
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.destroy();
      await closed;
    };
    const stream = await subscribe(stack.url, stays, {
      headers: { 'management-authorization': staying },
    });
    await stream.event(1);
    // The connections to the upstreams stay open.
    await stack.query(stopPipe());
    await stack.query('{ alerts { name } }');

    const [timers, sockets] = [busyWith('Timeout'), busyWith('TCPSocketWrap')];
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

    const polls = (): number =>
      stack.calls.filter(({ headers }) => headers.authorization === staying).length;
    /** Waits until it holds, for so many polls of the one who stays at most. */
    const within = async (most: number, holds: () => boolean): Promise<void> => {
      const last = polls() + most;
      while (!holds() && polls() < last) await pause(10);
    };
    const isGone = (): boolean =>
      stack.gateway.streams().streams === 1 &&
      busyWith('TCPSocketWrap') <= sockets &&
      busyWith('Timeout') <= timers + 5;
    // Sockets to upstreams stay open for some seconds.
    await within(100, isGone);
    expect(stack.gateway.streams()).toEqual({ streams: 1, reads: 1, credentials: 1 });
    expect(busyWith('TCPSocketWrap')).toBeLessThanOrEqual(sockets);
    expect(busyWith('Timeout')).toBeLessThanOrEqual(timers + 5);
    // Nobody is polled for any longer but the one who stays.
    const others = stack.calls.length - polls();
    await within(5, () => false);
    expect(stack.calls.length - polls()).toBe(others);
    stream.leave();
    const lines = () => stack.log().split('"msg":"subscription"').length - 1;
    const told = lines();
    await expect.poll(lines).toBe(told + 1);
    expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    // Those who left before their subscription was read have no line.
    expect(told).toBeGreaterThan(100);
    expect(told).toBeLessThanOrEqual(500);
    expect(warnings).toEqual([]);
  },
);
