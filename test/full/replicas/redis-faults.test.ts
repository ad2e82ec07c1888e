import { describe, expect, it } from 'vitest';
import { namePrefix } from '../../../src/redis/connection.ts';
import { untilShared } from '../../support/redis/shared-logs.ts';
import { redisPath } from '../../support/redis.ts';
import { mostCalls, ofClock, type Switch } from '../../support/replicas/bounds.ts';
import { startBeforeExact } from '../../support/replicas/exact.ts';
import { createHolders, startLoad } from '../../support/replicas/load.ts';

const rate = { calls: 10, windowMs: 1000 };
const holders = createHolders(8);
/** 2N − N/3, where each has three for itself: ten of those that are shared, and three each of the two others. */
const mostWithSwitch = 16;

type Replicas = Awaited<ReturnType<typeof startBeforeExact>>;

/** What happens to Redis, and between which times the replicas may have gone from one way to the other. */
const createFaults = ({ redis, untilRedisIs }: Replicas, load: ReturnType<typeof startLoad>) => {
  const switches: Switch[] = [];
  const switching = async (work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await work();
    switches.push({ from, to: performance.now() });
  };
  /** Waits until calls were made in whole windows. */
  const working = async (): Promise<void> => {
    const answered = load.answered();
    await expect.poll(load.answered).toBeGreaterThan(answered + 6 * holders.length);
  };
  /** After a loss, replicas share again as soon as what was lost counts no more. */
  const sharing = async (): Promise<void> => {
    await untilShared(redis, rate);
    const [, bornAt] = String(await redis.command('GET', `${namePrefix}era`)).split(' ');
    const from = ofClock(Number(bornAt) + rate.windowMs + 1000);
    // Each replica learns of it with its next beat, within a second.
    switches.push({ from: from - 100, to: from + 1000 });
  };
  const down = (fault: () => Promise<unknown>): Promise<void> =>
    switching(async () => {
      await fault();
      await untilRedisIs('down');
    });
  return {
    switches,
    hang: async (): Promise<void> => {
      await down(redis.hang);
      await working();
      await switching(async () => {
        redis.resume();
        await untilRedisIs('up');
      });
      await working();
    },
    kill: async (): Promise<void> => {
      await down(redis.kill);
      await working();
      await switching(async () => {
        await redis.restart();
        await untilRedisIs('up');
      });
      await sharing();
      await working();
    },
    flush: async (): Promise<void> => {
      await switching(redis.flush);
      await sharing();
      await working();
    },
  };
};

describe.skipIf(redisPath === undefined)('three replicas under load, whose Redis', () => {
  it.each(['hang', 'kill', 'flush'] as const)(
    'meets with a %s and comes back, keep the limit but in windows with a switch, and answer all requests',
    async (fault) => {
      const started = await startBeforeExact(rate, 'counting');
      const { url, upstream, replicas } = started;
      const load = startLoad({ url, holders, parallel: 5, calls: 5 });
      const faults = createFaults(started, load);
      await faults[fault]();
      await faults[fault]();
      await load.end();
      expect(load.faults).toEqual([]);
      // Whatever else made a replica go by itself for a moment.
      const changes = replicas
        .flatMap(({ lines }) => lines('Redis'))
        .map(
          ({ time }): Switch => ({ from: ofClock(Number(time)) - 5, to: ofClock(Number(time)) }),
        );
      const switches = [...faults.switches, ...changes];
      const most = holders.map((holder) =>
        mostCalls(rate.windowMs, upstream.counted.get(holder) ?? [], switches),
      );
      expect(Math.max(...most.map(({ withoutSwitch }) => withoutSwitch))).toBe(rate.calls);
      expect(Math.max(...most.map(({ withSwitch }) => withSwitch))).toBeLessThanOrEqual(
        mostWithSwitch,
      );
    },
  );
});
