import { describe, expect, it } from 'vitest';
import { mostWithin, windowKinds } from '../../support/pacing/exact-upstream.ts';
import { redisPath } from '../../support/redis.ts';
import { startBeforeExact } from '../../support/replicas/exact.ts';
import { createHolders, startLoad } from '../../support/replicas/load.ts';

const rate = { calls: 10, windowMs: 1000 };
const holders = createHolders(20);

describe.skipIf(redisPath === undefined).each(windowKinds)(
  'an upstream whose windows are %s, with 60 ms of jitter each way,',
  (kind) => {
    it('answers 1 000 calls of three replicas without a 429, the limit in each window', async () => {
      const { url, upstream, calls } = await startBeforeExact(rate, kind);
      const load = startLoad({ url, holders, parallel: 5, calls: 5 }, 2);
      await load.done;
      expect([load.faults, upstream.refused]).toEqual([[], []]);
      expect(calls).toHaveLength(1000);
      for (const holder of holders) {
        expect(mostWithin(rate.windowMs, upstream.counted.get(holder) ?? [])).toBe(rate.calls);
      }
    });
  },
);
