import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import { type Answering, json, paced, startStack } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { worldOf } from '../support/world/worlds.ts';

const isFrom =
  (least: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= least;

interface Explained {
  readonly operation: string;
  readonly path: string;
  readonly status: number | null;
  readonly shared: boolean;
  readonly waitedMilliseconds: number;
  readonly cache: string;
  readonly ageSeconds: number | null;
}

describe('where calls are paced and reads kept, Sluice-Explain tells', () => {
  const upstream = createBackend(
    worldOf({
      organizations: 2,
      services: 3,
      pipesPerService: 1,
      dashboards: 1,
      tilesPerDashboard: 1,
      alerts: 1,
    }),
  );
  const alertsDocument = '{ alerts { name } }';
  const explained = { 'sluice-explain': '1' } as const;

  let clock: Clock;
  beforeEach(() => {
    clock = stopTime();
  });

  const open = async (
    config: Partial<Config> = {},
    observability: Answering = upstream.observability,
  ) => {
    const stack = await startStack({
      management: upstream.management,
      observability,
      config: { ...paced, ...config },
    });
    onTestFinished(() => stack.close());
    return {
      stack,
      ask: async (document: string, headers: Readonly<Record<string, string>> = {}) => {
        const { body } = await stack.query(document, { headers: { ...explained, ...headers } });
        const { upstream: calls, ...rest } = body.extensions;
        return { ...rest, calls: calls.map(facts), errors: body.errors };
      },
    };
  };
  const facts = ({ operation, status, shared, ...call }: Explained) => {
    const { waitedMilliseconds: waited, cache, ageSeconds } = call;
    return { operation, status, shared, waited, cache, ageSeconds };
  };
  /** What is told of the alerts. */
  const alertsOf = async ({ answer }: Awaited<ReturnType<typeof begin>>) =>
    (await answer).body.extensions.upstream
      .map(facts)
      .filter(({ operation }: Explained) => operation === 'listAlerts');
  const listed = { operation: 'listAlerts', status: 200, shared: false, waited: 0 };
  const one = { calls: 1, windowMs: 20_000 } as const;

  it('of a read that was sent for the request', async () => {
    const { ask } = await open();
    expect(await ask(alertsDocument)).toEqual({
      calls: [{ ...listed, cache: 'miss', ageSeconds: null }],
      budget: { management: 10, observability: 99 },
    });
  });

  it('of a read that memory had, and its age in whole seconds', async () => {
    const { ask, stack } = await open();
    await ask(alertsDocument);
    clock.advance(2999);
    expect(await ask(alertsDocument)).toEqual({
      calls: [{ ...listed, cache: 'fresh', ageSeconds: 2 }],
      budget: { management: 10, observability: 99 },
    });
    expect(stack.calls).toHaveLength(1);
  });

  it('of one in memory that serves several fields', async () => {
    const { ask } = await open();
    await ask(alertsDocument);
    expect(await ask('{ alerts { name } again: alerts { state } }')).toMatchObject({
      calls: [{ ...listed, shared: true, cache: 'fresh', ageSeconds: 0 }],
    });
  });

  it('of a read in memory that was shown since no call was left, and nothing of the one that was refused', async () => {
    const { ask, stack } = await open({ observabilityRate: one });
    await ask(alertsDocument);
    clock.advance(7000);
    expect(await ask('{ alerts { name } again: alerts { state } }')).toMatchObject({
      calls: [{ ...listed, shared: true, cache: 'stale', ageSeconds: 7 }],
      staleSeconds: 7,
    });
    expect(stack.calls).toHaveLength(1);
  });

  it('nothing of a read of another request that was joined, and not waited for in the end', async () => {
    const { ask, stack } = await open({ observabilityRate: one });
    await ask(alertsDocument);
    clock.advance(7000);
    const headers = { ...explained, 'cache-control': 'no-cache' };
    const waiting = await begin(stack, 'observability', 'alerts { name }', headers);
    expect((await ask(alertsDocument)).calls).toEqual([
      { ...listed, cache: 'stale', ageSeconds: 7 },
    ]);
    clock.advance(13_000);
    expect(await alertsOf(waiting)).toEqual([
      { ...listed, waited: 13_000, cache: 'miss', ageSeconds: null },
    ]);
  });

  it('of a read that was sent because the kept one was too old', async () => {
    const { ask } = await open();
    await ask(alertsDocument);
    clock.advance(7000);
    expect(await ask(alertsDocument)).toEqual({
      calls: [{ ...listed, cache: 'miss', ageSeconds: null }],
      budget: { management: 10, observability: 98 },
    });
  });

  it('of a read of another request, which was joined', async () => {
    const gate = createGate();
    const { stack } = await open({}, gate.answering);
    const first = await begin(stack, 'observability', 'alerts { name }', explained);
    const second = await begin(stack, 'observability', 'alerts { name }', explained);
    const held = await gate.arrived(1);
    clock.advance(1500);
    held.answer(await upstream.observability(held.call));
    expect(await alertsOf(first)).toEqual([{ ...listed, cache: 'miss', ageSeconds: null }]);
    expect(await alertsOf(second)).toEqual([
      { ...listed, shared: true, cache: 'shared', ageSeconds: null },
    ]);
    expect((await second.answer).body.extensions.budget).toEqual({
      management: 9,
      observability: 99,
    });
  });

  it('how long each call waited for its turn, its own one or one that was joined', async () => {
    const { ask, stack } = await open({ observabilityRate: one });
    await ask('{ alert(id: "alert-1") { name } }');
    const first = await begin(stack, 'observability', 'alerts { name }', explained);
    clock.advance(4000);
    const second = await begin(stack, 'observability', 'alerts { name }', explained);
    clock.advance(16_000);
    expect(await alertsOf(first)).toEqual([
      { ...listed, waited: 20_000, cache: 'miss', ageSeconds: null },
    ]);
    expect(await alertsOf(second)).toEqual([
      { ...listed, shared: true, waited: 16_000, cache: 'shared', ageSeconds: null },
    ]);
  });

  it('of each time that a read was sent, and how long that one waited', async () => {
    let calls = 0;
    const { ask } = await open({}, (call) => {
      calls += 1;
      return calls === 1
        ? { ...json({ message: 'slow down' }, 429), headers: { 'ratelimit-reset': '5' } }
        : upstream.observability(call);
    });
    const { calls: sent, errors } = await clock.until(ask(alertsDocument));
    expect(errors).toBeUndefined();
    expect(sent).toEqual([
      { ...listed, status: 429, cache: 'miss', ageSeconds: null },
      { ...listed, waited: expect.toSatisfy(isFrom(4000)), cache: 'miss', ageSeconds: null },
    ]);
  });

  it('nothing of a read that was refused', async () => {
    const { ask } = await open({ observabilityRate: one, pacingWaitMs: 1000 });
    await ask('{ alert(id: "alert-1") { name } }');
    const { calls, budget, errors } = await ask(alertsDocument);
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect({ calls, budget }).toEqual({ calls: [], budget: { management: 10, observability: 0 } });
  });

  it('of a write, which is never answered from memory', async () => {
    const { ask } = await open();
    const write = 'mutation { createDashboard(input: { name: "n" }) { dashboard { name } } }';
    for (const observability of [99, 98]) {
      expect(await ask(write)).toEqual({
        calls: [{ ...listed, operation: 'createDashboard', cache: 'miss', ageSeconds: null }],
        budget: { management: 10, observability },
      });
    }
  });
});
