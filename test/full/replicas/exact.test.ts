import { describe, expect, it, onTestFinished } from 'vitest';
import { type Call, data, startBackend } from '../../support/harness.ts';
import {
  createExactUpstream,
  mostWithin,
  windowKinds,
} from '../../support/pacing/exact-upstream.ts';
import { untilShared } from '../../support/redis/shared-logs.ts';
import { redisPath } from '../../support/redis.ts';
import { createHolders, startLoad } from '../../support/replicas/load.ts';
import { startReplicas } from '../../support/replicas/replicas.ts';

const rate = { calls: 10, windowMs: 1000 };
const holders = createHolders(20);

describe.skipIf(redisPath === undefined).each(windowKinds)(
  'an upstream whose windows are %s, with 60 ms of jitter each way,',
  (kind) => {
    it('answers 1 000 calls of three replicas without a 429, the limit in each window', async () => {
      const upstream = createExactUpstream(rate, kind, 60);
      const calls: Call[] = [];
      const management = await startBackend('management', calls, upstream.answering);
      onTestFinished(management.close);
      const observability = await startBackend('observability', calls, () => data([]));
      onTestFinished(observability.close);
      const { url, redis } = await startReplicas({
        MANAGEMENT_URL: management.origin,
        OBSERVABILITY_URL: observability.origin,
        MANAGEMENT_RATE: '10/1s',
        // This machine may be busy with other tests.
        REDIS_TIMEOUT_MS: '2000',
      });
      await untilShared(redis, rate);
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
