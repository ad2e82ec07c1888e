import { request as open } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials } from '../../support/harness.ts';
import {
  ofService,
  openLive,
  pipeSubscription,
  pipesSubscription,
  stopPipe,
} from '../../support/live-world.ts';
import { until } from '../../support/process/run-main.ts';
import { createRandom } from '../../support/random/random.ts';

const warnings: unknown[] = [];
const note = (warning: unknown) => warnings.push(warning);
beforeAll(() => process.on('warning', note).on('unhandledRejection', note));
afterAll(() => process.off('warning', note).off('unhandledRejection', note));

/** What keeps the process busy. */
const busyWith = (kind: 'Timeout' | 'TCPSocketWrap'): number =>
  process.getActiveResourcesInfo().filter((name) => name === kind).length;

const keyOf = (key: number) => ({ 'management-authorization': `Basic ${btoa(`key:${key}`)}` });
const queries: readonly [string, ...string[]] = [
  pipeSubscription(0),
  pipeSubscription(1),
  pipesSubscription.replace('state', 'state service { name }'),
  'subscription { alerts { name dashboard { name } } }',
];

it.each([
  ['without limits', undefined],
  ['within limits, so that many wait for their turn', { calls: 10, windowMs: 1000 }],
])(
  'leaves nothing behind of five hundred subscribers who leave at random moments, %s',
  async (_, rate) => {
    const random = createRandom(27);
    const stack = await openLive({
      gateway: { pollMs: { management: 100, observability: 100 } },
      config: { managementRate: rate, observabilityRate: rate },
    });
    const stays = `subscription { service(${ofService}) { name } }`;
    const stream = await stack.open(stays, keyOf(9));
    await stream.event(1);
    // The connections to the upstreams stay open.
    await stack.query(stopPipe());
    await stack.query('{ alerts { name } }');
    const [timers, sockets] = [busyWith('Timeout'), busyWith('TCPSocketWrap')];

    const types = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const sendAndLeave = async (): Promise<void> => {
      const headers = { ...credentials, ...keyOf(random.below(3)), ...types };
      const request = open(stack.url, { agent: false, method: 'POST', headers });
      request.on('error', () => undefined);
      request.on('response', (response) => response.on('error', () => undefined).resume());
      request.end(JSON.stringify({ query: random.pick(queries) }));
      await pause(random.below(400));
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.destroy();
      await closed;
    };
    const busy = { isOver: false };
    const changing = (async () => {
      while (!busy.isOver) {
        stack.world.states[random.below(3)] = `State ${random.below(1000)}`;
        if (random.below(4) === 0) await stack.query(stopPipe(random.below(3)));
        await pause(20);
      }
    })();
    const leaving = Array.from({ length: 50 }, async () => {
      for (let turn = 0; turn < 10; turn += 1) await sendAndLeave();
    });
    await Promise.all(leaving);
    busy.isOver = true;
    await changing;

    const [own] = Object.values(keyOf(9));
    const polls = (): number =>
      stack.calls.filter(({ headers }) => headers.authorization === own).length;
    // Sockets to upstreams stay open for some seconds.
    const last = polls() + 100;
    const held = () => ({
      ...stack.gateway.streams(),
      moreSockets: busyWith('TCPSocketWrap') > sockets,
      moreTimers: busyWith('Timeout') > timers + 5,
    });
    const quiet = { streams: 1, reads: 1, credentials: 1, moreSockets: false, moreTimers: false };
    await until(() => JSON.stringify(held()) === JSON.stringify(quiet) || polls() >= last);
    expect(held()).toEqual(quiet);
    // Nobody is polled for any longer but the one who stays.
    const [before, others] = [polls(), stack.calls.length - polls()];
    await until(() => polls() >= before + 5);
    expect(stack.calls.length - polls()).toBe(others);
    // Those who left before their subscription was read have no line.
    const lines = stack.lines('subscription').length;
    expect(lines).toBeGreaterThan(100);
    expect(lines).toBeLessThanOrEqual(500);
    stream.leave();
    await expect.poll(() => stack.lines('subscription').length).toBe(lines + 1);
    expect(stack.gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
    expect(warnings).toEqual([]);
  },
);
