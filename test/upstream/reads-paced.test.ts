import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latency, startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Asking, Request } from '../support/upstream/simulated.ts';
import type { Received } from '../support/upstream/simulated-transport.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const windowMs = 4000;
/** One call each four seconds: alerts are fresh for three. */
const rate = { observabilityRate: { calls: 1, windowMs }, maxRetries: 0 };
const refused = { failure: { reason: 'no-slot' } };

let world: World;
beforeEach(() => {
  world = startWorld(rate);
});
afterEach(() => world.close());

const token = { observability: 'Bearer token' };
const alerts = ({ observability }: Request) => observability.listAlerts();
const alert = ({ observability }: Request) => observability.getAlert({ alertId: 'a1' });
const dashboards = ({ observability }: Request) => observability.listDashboards();
const nameOf = (records: readonly { readonly name?: unknown }[]) => records[0]?.name;

const first = [{ name: 'Bearer token 1' }];
const second = [{ name: 'Bearer token 2' }];

/** Reads, and lets time pass until the next call can be sent in so many milliseconds. */
const readUntil = async (left: number) => {
  await world.once(token, alerts);
  // It was answered a moment before.
  await world.clock.advance(windowMs - 1 - left);
  world.calls();
};

describe('a read that is no longer fresh', () => {
  it.each([
    [0, 0],
    [0, 400],
    [300, 150],
    [600, 0],
    [5000, 0],
  ])(
    'is read anew where that takes no longer than half a second in all: %i ms after the request came it waits for %i ms',
    async (late, left) => {
      await readUntil(left + late);
      const request = world.ask(token);
      await world.clock.advance(late);
      const read = await world.until(alerts(request), left + latency + 2);
      expect(read).toMatchObject(second);
      expect(request.caller.ages.stalestSeconds).toBeUndefined();
      expect(world.calls()).toEqual(['GET /api/v2/alerts']);
    },
  );

  it.each([
    [0, 600],
    [0, 900],
    [300, 300],
    [600, 100],
  ])(
    'is shown at once where that would take longer: %i ms after the request came it would wait for %i ms',
    async (late, left) => {
      await readUntil(left + late);
      const request = world.ask(token);
      await world.clock.advance(late);
      expect(await world.until(alerts(request), 0)).toMatchObject(first);
      expect(request.caller.ages.stalestSeconds).toBe(3);
      expect(world.calls()).toEqual([]);
    },
  );

  it('is not shown to who asks for nothing that old', async () => {
    await readUntil(700);
    const ask = (asking: Partial<Asking>) => world.ask({ ...token, timeoutMs: 1500, ...asking });
    for (const maxAge of [0, 1, 3]) {
      const reading = alerts(ask({ maxAge }));
      await expect(world.until(reading, 0)).rejects.toMatchObject(refused);
    }
    expect(await world.until(alerts(ask({ maxAge: 4 })), 0)).toMatchObject(first);
  });
});

describe('while it waits for a call of its own, no longer than half a second,', () => {
  const sendLater = async (does: (request: Request) => Promise<unknown>) => {
    await readUntil(400);
    const reading = alerts(world.ask(token));
    await world.clock.advance(100);
    const later = does(world.ask(token));
    await world.clock.advance(0);
    return { reading, later };
  };

  it('what has nothing to show goes first, and it is shown as it is', async () => {
    const { reading, later } = await sendLater(alert);
    expect(await world.until(reading, 0)).toMatchObject(first);
    await world.until(later, 400);
    expect(world.calls()).toEqual(['GET /api/v2/alerts/a1']);
  });

  it('a write goes first, and nothing is shown that was read before that', async () => {
    const { reading, later } = await sendLater(({ observability }) =>
      observability.replaceAlert({ alertId: 'a1' }, { name: 'new' }),
    );
    await world.until(later, 400);
    expect(await world.until(reading, windowMs + 100)).toMatchObject([{ name: 'Bearer token 3' }]);
    expect(world.calls()).toEqual(['PUT /api/v2/alerts/a1', 'GET /api/v2/alerts']);
  });
});

describe('what was shown so is renewed', () => {
  it('once, on the account of nobody, for all who ask', async () => {
    await readUntil(800);
    const requests = Array.from({ length: 5 }, () => world.ask(token));
    for (const request of requests) {
      expect(await world.until(alerts(request), 10)).toMatchObject(first);
    }
    await world.clock.advance(2 * windowMs);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
    for (const { caller } of requests) {
      expect(caller.budget.taken).toBe(0);
      expect(caller.calls.list().map(({ cache }) => cache)).toEqual(['stale']);
    }
  });

  it('after its request has left, and after its time is up', async () => {
    await readUntil(900);
    const request = world.ask({ ...token, timeoutMs: 1600 });
    await world.until(alerts(request), 0);
    request.leave();
    await world.clock.advance(1000);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });

  it('after those that have nothing to show', async () => {
    await readUntil(800);
    await world.until(alerts(world.ask(token)), 10);
    const reading = alert(world.ask(token));
    await world.clock.advance(1000);
    expect(world.calls()).toEqual(['GET /api/v2/alerts/a1']);
    expect(await reading).toMatchObject({ name: 'Bearer token 2' });
    await world.clock.advance(windowMs);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });

  it('before others, and still once, where somebody joins who has nothing to show', async () => {
    await world.close();
    world = startWorld({ observabilityRate: { calls: 2, windowMs: 10_000 }, maxRetries: 0 });
    await world.once(token, alerts);
    await world.once(token, dashboards);
    await world.clock.advance(9000);
    world.calls();
    expect(nameOf(await world.until(alerts(world.ask(token)), 0))).toBe('Bearer token 1');
    expect(nameOf(await world.until(dashboards(world.ask(token)), 0))).toBe('Bearer token 2');
    const joined = dashboards(world.ask({ ...token, maxAge: 0 }));
    await world.clock.advance(950);
    expect(world.calls()).toEqual(['GET /api/v2/dashboards']);
    await world.clock.advance(1000);
    expect(nameOf(await joined)).toBe('Bearer token 3');
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });

  it.each([
    ['502', 502, {}],
    ['503', 503, {}],
    ['429', 429, { 'retry-after': '4' }],
    ['503 that says when to come back', 503, { 'retry-after': '4' }],
  ])(
    'and sent again after a %s, where somebody has joined who is not to see what was read before',
    async (_, status, headers) => {
      await world.close();
      world = startWorld({ ...rate, maxRetries: 1 });
      await readUntil(800);
      world.answerNext((received) => received.answer({ message: 'no' }, status, headers));
      await world.until(alerts(world.ask(token)), 10);
      const joined = alerts(world.ask({ ...token, maxAge: 0 }));
      expect(nameOf(await world.until(joined, 2 * windowMs))).toBe('Bearer token 3');
      expect(world.calls()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts']);
    },
  );

  it('and not sent again where nobody has joined', async () => {
    await world.close();
    world = startWorld({ ...rate, maxRetries: 1 });
    await readUntil(800);
    world.answerNext((received) => received.answer({ message: 'no' }, 502));
    await world.until(alerts(world.ask(token)), 10);
    await world.clock.advance(3 * windowMs);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });

  it.each([
    ['has failed', (received: Received) => received.answer({ message: 'no' }, 500)],
    ['cannot be read', (received: Received) => received.answer('<p>')],
  ])('again, where that %s, and is shown until then', async (_, answering) => {
    await readUntil(800);
    world.answerNext(answering);
    await world.until(alerts(world.ask(token)), 1000);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
    expect(await world.until(alerts(world.ask(token)), 0)).toMatchObject(first);
    await world.clock.advance(windowMs);
    expect(world.calls()).toEqual(['GET /api/v2/alerts']);
  });
});

describe('a read that is no longer fresh is shown', () => {
  const expectShown = async (milliseconds: number) => {
    const request = world.ask(token);
    expect(await world.until(alerts(request), milliseconds)).toMatchObject(first);
    expect(request.caller.ages.stalestSeconds).toBe(4);
  };

  it.each([
    ['502', 60_000],
    ['503', 60_000],
    // So soon that a pause would do.
    ['502', 5000],
  ] as const)(
    'where no slot is left to send it again after a %s, in a window of %i ms',
    async (status, window) => {
      await world.close();
      const observabilityRate = { calls: 2, windowMs: window };
      world = startWorld({ observabilityRate, maxRetries: 2 });
      await world.once(token, alerts);
      await world.clock.advance(4000);
      world.answerNext((received) => received.answer({ message: 'no' }, Number(status)));
      await expectShown(400);
      expect(world.calls()).toHaveLength(2);
    },
  );

  it('while the breaker is open', async () => {
    await world.close();
    world = startWorld({ breakerFailures: 1, maxRetries: 0 });
    await world.once(token, alerts);
    await world.clock.advance(4000);
    world.answerNext((received) => received.fail('unreachable'));
    await expect(world.once(token, dashboards)).rejects.toThrow();
    await expectShown(0);
    expect(world.calls()).toHaveLength(2);
  });
});

it('a record has the identifiers of its path as the caller wrote them, whatever is kept or under way', async () => {
  const key = { management: 'Basic a2V5OnNlY3JldA==' };
  const small = {
    organizationId: '0a9a0000-0000-4000-8000-00000000000a',
    serviceId: '0a9a0000-0000-4000-8000-00000000000b',
  };
  const spellings = [small, { ...small, organizationId: small.organizationId.toUpperCase() }];
  const read = () => spellings.map((ids) => world.ask(key).management.listPipes(ids));
  for (const milliseconds of [latency + 1, 0]) {
    const lists = await world.until(Promise.all(read()), milliseconds);
    expect(lists).toMatchObject(spellings.map((ids) => [ids]));
  }
});
