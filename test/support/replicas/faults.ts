import { namePrefix } from '../../../src/redis/connection.ts';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { untilShared } from '../redis/shared-logs.ts';
import type { startBeforeExact } from './replicas.ts';

/** Milliseconds of `performance.now()` within which replicas go from sharing their limits to their own parts, or back. */
interface Switch {
  readonly from: number;
  readonly to: number;
}

/** A time of the clock on the wall, as a log has it, as one of `performance.now()`. */
const ofClock = (milliseconds: number): number => milliseconds - performance.timeOrigin;

/** The most calls that any window held which has a switch in it, and that any other held. */
const mostCalls = (windowMs: number, times: readonly number[], switches: readonly Switch[]) => {
  const windows = times.map((from) => {
    const to = from + windowMs;
    return {
      calls: times.filter((at) => at >= from && at < to).length,
      hasSwitch: switches.some((each) => each.from < to && each.to >= from),
    };
  });
  const most = (hasSwitch: boolean): number =>
    Math.max(
      0,
      ...windows.filter((each) => each.hasSwitch === hasSwitch).map(({ calls }) => calls),
    );
  return { withSwitch: most(true), withoutSwitch: most(false) };
};

/** 2N − N/3 of ten calls, where each has three for itself: ten of those that are shared, and three each of the two others. */
export const mostWithSwitch = 16;

export const faultKinds = ['hang', 'kill', 'flush'] as const;

/**
 * What happens to Redis, and between which times the replicas may have gone from one way to the other.
 *
 * @param working waits until calls were made in whole windows
 */
export const createFaults = (
  { redis, untilRedisIs, replicas, upstream }: Awaited<ReturnType<typeof startBeforeExact>>,
  rate: Rate,
  working: () => Promise<void>,
) => {
  const switches: Switch[] = [];
  const switching = async (work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await work();
    switches.push({ from, to: performance.now() });
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
    /** The most calls of any credential in a window with a switch in it, and in any other. */
    most: () => {
      // Whatever else made a replica go by itself for a moment.
      const changes = replicas
        .flatMap(({ lines }) => lines('Redis'))
        .map(
          ({ time }): Switch => ({ from: ofClock(Number(time)) - 5, to: ofClock(Number(time)) }),
        );
      const most = [...upstream.counted.values()].map((times) =>
        mostCalls(rate.windowMs, times, [...switches, ...changes]),
      );
      return {
        withSwitch: Math.max(...most.map(({ withSwitch }) => withSwitch)),
        withoutSwitch: Math.max(...most.map(({ withoutSwitch }) => withoutSwitch)),
      };
    },
  };
};
