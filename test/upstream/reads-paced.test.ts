import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latency, startWorld, type World } from '../support/upstream/reads-world.ts';
import type { Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const windowMs = 4000;
/** One call each four seconds: alerts are fresh for three. */
const rate = { observabilityRate: { calls: 1, windowMs }, maxRetries: 0 };

let world: World;
beforeEach(() => {
  world = startWorld(rate);
});
afterEach(() => world.close());

const restart = async (options: Parameters<typeof startWorld>[0]): Promise<void> => {
  await world.close();
  world = startWorld(options);
};

const token = { observability: 'Bearer token' };
const alerts = ({ observability }: Request) => observability.listAlerts();
/** What the call with that number has read. */
const readBy = (number: number) => [{ name: `Bearer token ${number}` }];
const alertsPath = 'GET /api/v2/alerts';

/** Reads, and lets time pass until the next call can be sent in so many milliseconds. */
const readUntil = async (left: number) => {
  await world.once(token, alerts);
  // It was answered a moment before.
  await world.clock.advance(windowMs - 1 - left);
  world.calls();
};

it.each([
  ['read anew', 0, 400],
  ['read anew', 300, 150],
  ['read anew', 600, 0],
  ['shown', 0, 600],
  ['shown', 300, 300],
  ['shown', 600, 100],
])(
  'what is no longer fresh is %s, by half a second in all: %i ms after its request came it would wait for %i ms',
  async (what, late, left) => {
    await readUntil(left + late);
    const request = world.ask(token);
    await world.clock.advance(late);
    const isShown = what === 'shown';
    const read = await world.until(alerts(request), isShown ? 0 : left + latency + 2);
    expect(read).toMatchObject(readBy(isShown ? 1 : 2));
    expect(request.caller.ages.stalestSeconds).toBe(isShown ? 3 : undefined);
    expect(world.calls()).toEqual(isShown ? [] : [alertsPath]);
  },
);

describe('what was shown so is renewed', () => {
  it('once, on the account of nobody, for all who ask', async () => {
    await readUntil(800);
    const requests = Array.from({ length: 5 }, () => world.ask(token));
    for (const request of requests) {
      expect(await world.until(alerts(request), 10)).toMatchObject(readBy(1));
    }
    await world.clock.advance(2 * windowMs);
    expect(world.calls()).toEqual([alertsPath]);
    for (const { caller } of requests) {
      expect(caller.budget.taken).toBe(0);
      expect(caller.calls.list().map(({ cache }) => cache)).toEqual(['stale']);
    }
  });

  it.each([
    ['502', 502, {}, true],
    ['429', 429, { 'retry-after': '4' }, true],
    ['502', 502, {}, false],
  ])(
    'and sent again after a %s only where somebody has joined who is not to see what was read before',
    async (_, status, headers, isJoined) => {
      await restart({ ...rate, maxRetries: 1 });
      await readUntil(800);
      world.answerNext((received) => received.answer({ message: 'no' }, status, headers));
      await world.until(alerts(world.ask(token)), 10);
      const joined = isJoined ? alerts(world.ask({ ...token, maxAge: 0 })) : undefined;
      await world.clock.advance(3 * windowMs);
      if (joined) expect(await joined).toMatchObject(readBy(3));
      expect(world.calls()).toEqual(isJoined ? [alertsPath, alertsPath] : [alertsPath]);
    },
  );

  it('again, where that cannot be read, and is shown until then', async () => {
    await readUntil(800);
    world.answerNext((received) => received.answer('<p>'));
    for (const milliseconds of [1000, windowMs]) {
      expect(await world.until(alerts(world.ask(token)), 0)).toMatchObject(readBy(1));
      await world.clock.advance(milliseconds);
      expect(world.calls()).toEqual([alertsPath]);
    }
  });
});

it.each([60_000, 5000])(
  'what is no longer fresh is shown where no slot is left to send it again, in a window of %i ms',
  async (window) => {
    await restart({ observabilityRate: { calls: 2, windowMs: window }, maxRetries: 2 });
    await world.once(token, alerts);
    await world.clock.advance(4000);
    world.answerNext((received) => received.answer({ message: 'no' }, 502));
    const request = world.ask(token);
    expect(await world.until(alerts(request), 400)).toMatchObject(readBy(1));
    expect(request.caller.ages.stalestSeconds).toBe(4);
    expect(world.calls()).toHaveLength(2);
  },
);

it('a record has the identifiers of its path as the caller wrote them, whatever is kept or under way', async () => {
  const small = {
    organizationId: '0a9a0000-0000-4000-8000-00000000000a',
    serviceId: '0a9a0000-0000-4000-8000-00000000000b',
  };
  const spellings = [small, { ...small, organizationId: small.organizationId.toUpperCase() }];
  const key = { management: 'Basic a2V5OnNlY3JldA==' };
  for (const milliseconds of [latency + 1, 0]) {
    const lists = spellings.map((ids) => world.ask(key).management.listPipes(ids));
    expect(await world.until(Promise.all(lists), milliseconds)).toMatchObject(
      spellings.map((ids) => [ids]),
    );
  }
});
