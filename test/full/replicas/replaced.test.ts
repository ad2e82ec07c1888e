import { describe, expect, it } from 'vitest';
import { mostWithin, windowKinds } from '../../support/pacing/exact-upstream.ts';
import { redisPath } from '../../support/redis.ts';
import { startBeforeExact } from '../../support/replicas/exact.ts';
import { createHolders, startLoad } from '../../support/replicas/load.ts';

const rate = { calls: 10, windowMs: 1000 };
const holders = createHolders(10);

describe.skipIf(redisPath === undefined)(
  'while all replicas are replaced, one after the other,',
  () => {
    it.each(windowKinds)(
      'no request fails, and an upstream whose windows are %s refuses no call',
      async (kind) => {
        const { url, upstream, replicas, replace } = await startBeforeExact(rate, kind);
        const first = [...replicas];
        const load = startLoad({ url, holders, parallel: 5, calls: 5 });
        for (const index of first.keys()) {
          const answered = load.answered();
          await replace(index);
          await expect.poll(load.answered).toBeGreaterThan(answered + holders.length);
        }
        await load.end();
        expect([load.faults, upstream.refused]).toEqual([[], []]);
        expect(replicas.filter((replica) => first.includes(replica))).toEqual([]);
        for (const holder of holders) {
          expect(mostWithin(rate.windowMs, upstream.counted.get(holder) ?? [])).toBe(rate.calls);
        }
      },
    );
  },
);
