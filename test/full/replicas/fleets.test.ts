import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { redisPath } from '../../support/redis.ts';
import { createFaults, faultKinds } from '../../support/replicas/faults.ts';
import { startFleet } from '../../support/replicas/fleet.ts';

const rate = { calls: 10, windowMs: 1000 };
const replicas = [0, 1, 2];
const services = 60;
/** The reads of the page: the list, and the pipes of each service. */
const ofPage = services + 1;
/** 2N − N/3, where each has three for itself: ten of those that are shared, and three each of the two others. */
const mostWithSwitch = 16;

/** The reads until everything was read once. */
const untilAllRead = (reads: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return reads.filter((path) => seen.size < ofPage && seen.add(path));
};

describe.skipIf(redisPath === undefined)(
  'a page of a fleet, with viewers at three replicas,',
  () => {
    it('is read once for all of them, within the limit', async () => {
      const { untilWhole, reads, upstream } = await startFleet(services, rate, 'sliding');
      await Promise.all(replicas.map(untilWhole));
      expect(new Set(reads()).size).toBe(ofPage);
      expect(untilAllRead(reads()).length - ofPage).toBeLessThanOrEqual(2);
      expect(upstream.refused).toEqual([]);
    });

    it('shows a change at each as soon as it was made at another, while the page is read', async () => {
      const { untilWhole, stopPipe, stateOf, view, upstream } = await startFleet(
        services,
        rate,
        'sliding',
      );
      const viewing = Promise.all(replicas.map(untilWhole));
      for (const [index, number] of [1, 20, 40, 60].entries()) {
        const [one = 0, ...others] = replicas.map((replica) => (replica + index) % 3);
        expect((await stopPipe(one, number)).data.stopPipe.userErrors).toEqual([]);
        const states = others.map((other) => stateOf(other, number));
        expect(await Promise.all(states)).toEqual(['Stopped', 'Stopped']);
        const { data } = await view(others[0] ?? 0);
        const [pipe = { state: 'Stopped' }] = data.organization.services[number - 1]?.pipes ?? [];
        expect(pipe).toEqual({ state: 'Stopped' });
      }
      await viewing;
      expect(upstream.refused).toEqual([]);
    });

    it('is read no further than the others want it, a minute after the last viewer of one has left', async () => {
      const { view, stateOf, reads } = await startFleet(
        100,
        { calls: 10, windowMs: 10_000 },
        'sliding',
      );
      expect((await view(0)).errors?.length).toBeGreaterThan(80);
      const until = performance.now() + 61_000;
      while (performance.now() < until) {
        await stateOf(1, 100);
        await pause(5000);
      }
      const before = reads().length;
      expect(new Set(reads()).size).toBeGreaterThan(30);
      expect(new Set(reads()).size).toBeLessThan(70);
      for (let views = 0; views < 3; views += 1) {
        await stateOf(1, 100);
        await pause(5000);
      }
      const own = '/v1/organizations/organization-1/services/service-100/pipes';
      expect(new Set(reads().slice(before))).toEqual(new Set([own]));
    });

    it.each(faultKinds)(
      'is whole at each after a %s of Redis, within the limit but in windows with a switch',
      async (fault) => {
        const fleet = await startFleet(services, rate, 'counting');
        const faults = createFaults(fleet, rate, async () => {
          const sent = fleet.calls.length;
          await expect.poll(() => fleet.calls.length).toBeGreaterThan(sent + 2 * rate.calls);
        });
        const leaving = new AbortController();
        const looking = replicas.map(async (replica) => {
          while (!leaving.signal.aborted) {
            await fleet.view(replica);
            await pause(1000);
          }
        });
        await faults[fault]();
        leaving.abort();
        await Promise.all([...looking, ...replicas.map(fleet.untilWhole)]);
        const { withSwitch, withoutSwitch } = faults.most();
        expect(withoutSwitch).toBeLessThanOrEqual(rate.calls);
        expect(withSwitch).toBeLessThanOrEqual(mostWithSwitch);
      },
    );
  },
);
