import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { paced, type Stack, startStack } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { createBackend } from '../support/world/backend.ts';
import { worldOf } from '../support/world/worlds.ts';

describe('where nobody may ask for explanations, the line of an operation tells', () => {
  const backend = createBackend(
    worldOf({
      organizations: 1,
      services: 1,
      pipesPerService: 1,
      dashboards: 1,
      tilesPerDashboard: 1,
      alerts: 1,
    }),
  );
  const alerts = '{ alerts { name } }';
  const one = { calls: 1, windowMs: 20_000 } as const;

  let clock: Clock;
  let stack: Stack;
  beforeEach(() => {
    clock = stopTime();
  });

  const open = async (config: Partial<Config> = {}): Promise<void> => {
    stack = await startStack({
      ...backend,
      config: { ...paced, explain: false, ...config },
    });
    onTestFinished(() => stack.close());
  };
  const linesOf = (message: string) =>
    stack
      .log()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line));
  const lastLine = () => linesOf('operation').at(-1);

  it('the calls that were sent, and how many are left to each credential', async () => {
    await open();
    await stack.query('{ alerts { name } organizations { name } }');
    expect(lastLine()).toMatchObject({
      upstreamCalls: 2,
      waitedMilliseconds: 0,
      kept: { fresh: 0, stale: 0 },
      callsLeft: { management: 9, observability: 99 },
    });
  });

  it('null for what is left of a credential that did not come, or whose calls are not counted', async () => {
    await open({ managementRate: undefined });
    await stack.query(alerts);
    expect(lastLine().callsLeft).toEqual({ management: null, observability: 99 });
    await stack.query(alerts, { headers: { 'observability-authorization': '' } });
    expect(lastLine().callsLeft).toEqual({ management: null, observability: null });
  });

  it('the reads that memory answered while they were fresh', async () => {
    await open();
    await stack.query(alerts);
    clock.advance(2000);
    await stack.query('{ alerts { name } again: alerts { state } }');
    expect(lastLine()).toMatchObject({ upstreamCalls: 0, kept: { fresh: 1, stale: 0 } });
  });

  it('the reads that memory answered when they were no longer fresh', async () => {
    await open({ observabilityRate: one });
    await stack.query(alerts);
    clock.advance(7000);
    await stack.query(alerts);
    expect(lastLine()).toMatchObject({
      upstreamCalls: 0,
      waitedMilliseconds: 0,
      kept: { fresh: 0, stale: 1 },
      callsLeft: { management: 10, observability: 0 },
    });
  });

  it('how long the call waited that waited longest, also where another request began its read', async () => {
    await open({ observabilityRate: one });
    await stack.query('{ alert(id: "alert-1") { name } }');
    const first = await begin(stack, 'observability', 'alerts { name }');
    clock.advance(4000);
    const second = await begin(stack, 'observability', 'alerts { name }');
    clock.advance(16_000);
    await Promise.all([first.answer, second.answer]);
    const waited = linesOf('operation').map((line) => [line.waitedMilliseconds, line.codes]);
    expect(waited.toSorted()).toEqual([
      [0, []],
      [16_000, []],
      [20_000, []],
    ]);
  });

  it('the wait of a call that was refused in the end, as a write took its turn', async () => {
    await open({ observabilityRate: one });
    await stack.query('{ alert(id: "alert-1") { name } }');
    const read = await begin(stack, 'observability', 'alerts { name }');
    clock.advance(3000);
    const write = stack.query(
      'mutation { createDashboard(input: { name: "n" }) { dashboard { name } } }',
    );
    await read.answer;
    expect(lastLine()).toMatchObject({ codes: ['RATE_LIMITED'], waitedMilliseconds: 3000 });
    clock.advance(17_000);
    await write;
    expect(lastLine()).toMatchObject({ upstreamCalls: 1, waitedMilliseconds: 17_000 });
  });

  it('of a subscription, what all of its events come to', async () => {
    await open();
    await stack.query(alerts);
    const stream = await subscribe(stack.url, 'subscription { alerts { name state } }');
    await stream.event(1);
    stream.leave();
    await clock.still(() => linesOf('subscription').length === 1);
    expect(linesOf('subscription')[0]).toMatchObject({
      events: 1,
      upstreamCalls: 0,
      waitedMilliseconds: 0,
      kept: { fresh: 1, stale: 0 },
      callsLeft: { management: 10, observability: 99 },
    });
  });
});
