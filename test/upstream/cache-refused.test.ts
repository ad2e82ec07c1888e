import { afterEach, describe, expect, it, vi } from 'vitest';
import { startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

let world: World;
afterEach(() => world.close());

const token = { observability: 'Bearer token' };
const alerts = ({ observability }: Request) => observability.listAlerts();
const dashboard =
  (dashboardId: string) =>
  ({ observability }: Request) =>
    observability.getDashboard({ dashboardId });

/** Reads, lets what was read get older than it may be, and has the upstream refuse to read it anew. */
const readAndAge = async () => {
  const read = await world.once(token, alerts);
  await world.clock.advance(4000);
  world.calls();
  return read;
};

describe('a read that is no longer fresh is shown all the same, and says so, where a new one is refused:', () => {
  const expectStale = async (read: unknown, milliseconds = 0) => {
    const request = world.ask(token);
    expect(await world.until(alerts(request), milliseconds)).toEqual(read);
    expect(request.caller.ages.stalestSeconds).toBe(4);
    expect(request.caller.ages.oldestSeconds).toBe(4);
  };

  it.each([
    ['429', 429, {}, 1],
    ['429 that says when to come back', 429, { 'retry-after': '5' }, 1],
    ['503 that says when to come back', 503, { 'retry-after': '5' }, 1],
    ['429, and is not to be sent again', 429, {}, 0],
    [
      '503 that says when to come back, and is not to be sent again',
      503,
      { 'retry-after': '5' },
      0,
    ],
  ])('with %s', async (_, status, headers, maxRetries) => {
    world = startWorld({ observabilityRate: { calls: 100, windowMs: 60_000 }, maxRetries });
    const read = await readAndAge();
    world.answerNext((received) => received.answer({ message: 'later' }, status, headers));
    await expectStale(read, 100);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });

  it('for want of a slot', async () => {
    world = startWorld({ observabilityRate: { calls: 1, windowMs: 60_000 } });
    await expectStale(await readAndAge());
    expect(world.calls()).toEqual([]);
  });

  it.each([
    ['502', 60_000],
    ['503', 60_000],
    // So soon that a pause would do.
    ['502', 5000],
  ])(
    'for want of a slot after a %s, when it is to be sent again, in a window of %i ms',
    async (status, windowMs) => {
      world = startWorld({
        observabilityRate: { calls: 2, windowMs },
        maxRetries: 2,
      });
      const read = await readAndAge();
      world.answerNext((received) => received.answer({ message: 'no' }, Number(status)));
      await expectStale(read, 400);
      expect(world.calls()).toEqual(['GET /api/v2/alerts']);
    },
  );

  it('by the breaker', async () => {
    world = startWorld({ breakerFailures: 1, maxRetries: 0 });
    const read = await readAndAge();
    world.answerNext((received) => received.fail('unreachable'));
    await expect(world.once(token, dashboard('d1'))).rejects.toThrow();
    expect(world.upstreams.breakers().observability).toBe('open');
    const request = world.ask(token);
    expect(await world.until(alerts(request), 0)).toEqual(read);
    expect(request.caller.ages.stalestSeconds).toBe(4);
    expect(world.calls()).toEqual(['GET /api/v2/dashboards/d1']);
  });

  it('for want of a connection', async () => {
    world = startWorld({ upstreamConnections: 1 });
    const read = await readAndAge();
    // One has the connection, and the others are as many as may wait.
    const others = Array.from({ length: 251 }, (_, id) => dashboard(`d${id}`)(world.ask(token)));
    await expectStale(read);
    await world.until(Promise.all(others), 251 * 100);
  });
});

it('a read that is refused is shown as another has read it meanwhile, and is not renewed', async () => {
  world = startWorld({ maxRetries: 0 });
  await readAndAge();
  world.answerNext((received) => {
    setTimeout(() => received.answer({ message: 'later' }, 429), 100);
  });
  const refused = alerts(world.ask(token));
  await world.clock.advance(10);
  const other = await world.once({ ...token, maxAge: 0 }, alerts);
  expect(await world.until(refused, 200)).toEqual(other);
  await world.clock.advance(100);
  expect(world.calls()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts']);
});

describe('a read that is no longer fresh is not shown where a new one', () => {
  it.each([500, 502, 503, 504, 404])('fails with %i', async (status) => {
    world = startWorld({ maxRetries: 0 });
    await readAndAge();
    world.answerNext((received) => received.answer({ message: 'no' }, status));
    await expect(world.once(token, alerts)).rejects.toMatchObject({ failure: { status } });
  });

  it('is not answered', async () => {
    world = startWorld({ maxRetries: 0 });
    await readAndAge();
    world.answerNext((received) => received.fail('timeout'));
    await expect(world.once(token, alerts)).rejects.toMatchObject({
      failure: { reason: 'timeout' },
    });
  });
});
