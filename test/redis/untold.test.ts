import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectRedis,
  type RedisConnection,
  RedisUnavailable,
} from '../../src/redis/connection.ts';
import { createUntold } from '../../src/redis/untold.ts';
import { redisPath, startRedis } from '../support/redis.ts';

/** A connection that notes the names that it is told, or is out of reach. */
const start = () => {
  const told: (readonly string[])[] = [];
  let isUp = true;
  let onRun: (() => void) | undefined;
  let beat: (() => Promise<void>) | undefined;
  let tellFirst: ((run: RedisConnection['run'], id: string) => Promise<void>) | undefined;
  const run: RedisConnection['run'] = async (_, keys) => {
    if (!isUp) throw new RedisUnavailable('down');
    onRun?.();
    onRun = undefined;
    told.push(keys);
    return 0;
  };
  const connection: Pick<RedisConnection, 'run' | 'beforeUp' | 'onBeat'> = {
    run,
    beforeUp: (listener) => {
      tellFirst = (each, id) => listener(each, { id, bornAt: 0 });
    },
    onBeat: (does) => {
      beat = does;
    },
  };
  const untold = createUntold(connection, 'lost');
  return {
    tell: (marks: readonly string[], uncertain: readonly string[] = []) =>
      untold.tell({ marks, uncertain }),
    /** What was told since the last time that this was asked, and whether all is told. */
    told: () => [told.splice(0), untold.isEmpty],
    down: () => {
      isUp = false;
    },
    /** It is back, and what is to be told is told. */
    up: async (id = 'era') => {
      isUp = true;
      await tellFirst?.(run, id);
    },
    beat: async () => beat?.(),
    onNextRun: (does: () => void) => {
      onRun = does;
    },
  };
};

describe('a change', () => {
  it('is told again where it came again while it was told', async () => {
    const { tell, told, down, up, onNextRun } = start();
    down();
    await tell(['a', 'b']);
    onNextRun(() => {
      down();
      void tell(['b']);
    });
    await expect(up().then(() => up())).rejects.toThrow();
    expect(told()[1]).toBe(false);
    await up();
    expect(told()).toEqual([[['b']], true]);
  });

  it('that is uncertain is told again in another era, which knows nothing of it', async () => {
    const { tell, told, up } = start();
    await up();
    await tell(['a'], ['b']);
    told();
    await up();
    expect(told()[0]).toEqual([]);
    await up('another');
    expect(told()).toEqual([[['b']], true]);
  });

  it('is told with the next beat where it was remembered after all else was told, and once', async () => {
    const { tell, told, down, up, beat } = start();
    down();
    const telling = tell(['a']);
    await up();
    await telling;
    expect(told()).toEqual([[], false]);
    await beat();
    await beat();
    expect(told()).toEqual([[['a']], true]);
  });

  it('of more names than are remembered is told as a change of everything', async () => {
    const { tell, told, down, up } = start();
    down();
    for (let number = 0; number < 10_001; number += 1) await tell([`${number}`]);
    await up();
    expect(told()[0]).toEqual([['lost']]);
  });
});

it.skipIf(redisPath === undefined)(
  'a beat comes again and again while Redis is up, and none while it is down',
  async () => {
    const redis = await startRedis();
    const connection = connectRedis({ url: redis.url, timeoutMs: 1000, onChange: () => undefined });
    onTestFinished(connection.close);
    const states: string[] = [];
    connection.onBeat(async () => void states.push(connection.state));
    await expect.poll(() => states.length).toBe(2);
    await redis.kill();
    await expect.poll(() => connection.state).toBe('down');
    const { length } = states;
    await redis.restart();
    await expect.poll(() => states.length).toBeGreaterThan(length);
    expect(new Set(states)).toEqual(new Set(['up']));
  },
);
