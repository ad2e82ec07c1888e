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
  const values: unknown[] = [];
  let isUp = true;
  let onRun: (() => void) | undefined;
  let beat: (() => Promise<void>) | undefined;
  let tellFirst: ((run: RedisConnection['run'], id: string) => Promise<void>) | undefined;
  const run: RedisConnection['run'] = async (_, keys, args) => {
    if (!isUp) throw new RedisUnavailable('down');
    onRun?.();
    told.push(keys);
    values.push(args[1]);
    return 0;
  };
  const untold = createUntold(
    {
      run,
      beforeUp: (listener) => {
        tellFirst = (each, id) => listener(each, { id, bornAt: 0 });
      },
      onBeat: (does) => {
        beat = does;
      },
    },
    'lost',
  );
  return {
    untold,
    told: () => told.splice(0),
    values,
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
      onRun = () => {
        onRun = undefined;
        does();
      };
    },
  };
};

describe('a change', () => {
  it('is told at once, with marks that are others each time', async () => {
    const { untold, told, values } = start();
    await untold.tell({ marks: ['a', 'b'], uncertain: ['c'] });
    await untold.tell({ marks: ['a'], uncertain: [] });
    expect(told()).toEqual([['a', 'b', 'c'], ['a']]);
    expect(new Set(values).size).toBe(2);
    expect(untold.isEmpty).toBe(true);
  });

  it('is remembered while Redis is out of reach, each name once, and told first when it is back', async () => {
    const { untold, told, down, up } = start();
    down();
    await untold.tell({ marks: ['a', 'b'], uncertain: ['c'] });
    await untold.tell({ marks: ['b'], uncertain: [] });
    expect([told(), untold.isEmpty]).toEqual([[], false]);
    await up();
    expect([told(), untold.isEmpty]).toEqual([[['a', 'b', 'c']], true]);
  });

  it('is told again where it came again while it was told', async () => {
    const { untold, told, down, up, onNextRun } = start();
    down();
    await untold.tell({ marks: ['a', 'b'], uncertain: [] });
    onNextRun(() => {
      down();
      void untold.tell({ marks: ['b'], uncertain: [] });
    });
    await expect(up().then(() => up())).rejects.toThrow();
    expect(untold.isEmpty).toBe(false);
    told();
    await up();
    expect([told(), untold.isEmpty]).toEqual([[['b']], true]);
  });

  it('that is uncertain is told again in another era, which knows nothing of it', async () => {
    const { untold, told, up } = start();
    await up();
    await untold.tell({ marks: ['a'], uncertain: ['b'] });
    told();
    await up();
    expect(told()).toEqual([]);
    await up('another');
    expect([told(), untold.isEmpty]).toEqual([[['b']], true]);
  });

  it('is told with the next beat where it was remembered after all else was told, and once', async () => {
    const { untold, told, down, up, beat } = start();
    down();
    const telling = untold.tell({ marks: ['a'], uncertain: [] });
    await up();
    await telling;
    expect([told(), untold.isEmpty]).toEqual([[], false]);
    await beat();
    await beat();
    expect([told(), untold.isEmpty]).toEqual([[['a']], true]);
  });

  it('of more names than are remembered is told as a change of everything', async () => {
    const { untold, told, down, up } = start();
    down();
    for (let number = 0; number < 10_001; number += 1) {
      await untold.tell({ marks: [`${number}`], uncertain: [] });
    }
    await up();
    expect(told()).toEqual([['lost']]);
  });

  it('fails where the fault is another than that Redis is out of reach', async () => {
    const untold = createUntold(
      {
        run: () => Promise.reject(new TypeError('a fault')),
        beforeUp: () => undefined,
        onBeat: () => undefined,
      },
      'lost',
    );
    await expect(untold.tell({ marks: ['a'], uncertain: [] })).rejects.toThrow('a fault');
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
