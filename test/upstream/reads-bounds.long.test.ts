import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isLong } from '../support/random/runs.ts';
import { startWorld, type World } from '../support/upstream/reads-world.ts';
import type { Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

/** What is in use of the heap and in buffers, in bytes. */
const bytesInUse = (): number => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The second time waits for the first one's sweepers.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

let world: World;
afterEach(() => world.close());

const alerts = ({ observability }: Request) => observability.listAlerts();

it('no other upstream that is given the same credential is answered with a kept read', async () => {
  world = startWorld();
  const same = { management: 'Basic b25lOng=', observability: 'Basic b25lOng=' };
  await world.once(same, alerts);
  await world.once(same, ({ management }) => management.listOrganizations());
  expect(world.calls()).toEqual(['GET /api/v2/alerts', 'GET /v1/organizations']);
});

it.each([
  ['kept', 4 * 1024 * 1024, 1],
  ['not kept', 4 * 1024 * 1024 + 1, 2],
])('a body is %s where it has %i bytes', async (_, bytes, sent) => {
  world = startWorld();
  const body = `${'{"data":[{"id":"a1","name":"'.padEnd(bytes - 4, 'x')}"}]}`;
  world.answerAll((received) => received.answer(body));
  for (let time = 0; time < 2; time += 1) await world.once({ observability: 'Bearer one' }, alerts);
  expect(world.calls()).toHaveLength(sent);
});

describe.runIf(isLong)('ten thousand credentials', () => {
  /** Has each do that, a hundred at a time. */
  const all = async (does: (request: Request) => Promise<unknown>): Promise<void> => {
    for (let group = 0; group < 100; group += 1) {
      const requests = Array.from({ length: 100 }, (_, index) => {
        const name = `${group}-${index}`;
        return world.ask({ management: `Basic ${btoa(name)}`, observability: `Bearer ${name}` });
      });
      // Those without a success have three quarters of the connections together.
      await world.until(Promise.all(requests.map(does)), 200);
    }
  };

  it('that are invented leave nothing in memory, and little elsewhere', async () => {
    world = startWorld({
      managementRate: { calls: 10, windowMs: 10_000 },
      observabilityRate: { calls: 100, windowMs: 60_000 },
    });
    world.answerAll((received) => received.answer({ error: 'no', message: 'no' }, 401));
    const before = bytesInUse();
    await all(async (request) => {
      const write = request.observability.deleteDashboard({ dashboardId: 'd1' });
      await Promise.allSettled([alerts(request), write]);
    });
    expect(world.calls()).toHaveLength(20_000);
    // Whatever is kept has a timer that takes it away.
    expect(world.clock.timers).toBe(0);
    expect(bytesInUse() - before).toBeLessThan(60_000_000);
  });

  it('that are known hold no more than READ_CACHE_MB allows', async () => {
    const bound = 16 * 1024 * 1024;
    world = startWorld({ readCacheBytes: bound });
    const long = 'x'.repeat(10_000);
    world.answerAll((received) => received.answer({ data: [{ id: 'a1', name: long }] }));
    const before = bytesInUse();
    await all(alerts);
    expect(world.calls()).toHaveLength(10_000);
    // And the gate knows each of them, by some hundreds of bytes.
    expect(bytesInUse() - before).toBeLessThan(1.5 * bound + 10_000 * 1000);
    await world.once({ observability: 'Bearer 99-99' }, alerts, 0);
    expect(world.calls()).toEqual([]);
  });
});
