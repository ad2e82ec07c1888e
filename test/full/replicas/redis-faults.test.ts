import { describe, expect, it } from 'vitest';
import { redisPath } from '../../support/redis.ts';
import { startBeforeExact } from '../../support/replicas/exact.ts';
import { createFaults, faultKinds } from '../../support/replicas/faults.ts';
import { createHolders, startLoad } from '../../support/replicas/load.ts';

const rate = { calls: 10, windowMs: 1000 };
const holders = createHolders(8);
/** 2N − N/3, where each has three for itself: ten of those that are shared, and three each of the two others. */
const mostWithSwitch = 16;

describe.skipIf(redisPath === undefined)('three replicas under load, whose Redis', () => {
  it.each(faultKinds)(
    'meets with a %s and comes back, keep the limit but in windows with a switch, and answer all requests',
    async (fault) => {
      const started = await startBeforeExact(rate, 'counting');
      const load = startLoad({ url: started.url, holders, parallel: 5, calls: 5 });
      const faults = createFaults(started, rate, async () => {
        const answered = load.answered();
        await expect.poll(load.answered).toBeGreaterThan(answered + 6 * holders.length);
      });
      await faults[fault]();
      await faults[fault]();
      await load.end();
      expect(load.faults).toEqual([]);
      const { withSwitch, withoutSwitch } = faults.most();
      expect(withoutSwitch).toBe(rate.calls);
      expect(withSwitch).toBeLessThanOrEqual(mostWithSwitch);
    },
  );
});
