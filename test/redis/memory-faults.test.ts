import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beatScript } from '../../src/redis/era-scripts.ts';
import { data } from '../support/harness.ts';
import { pipePath, pipeQuery, stopPipe } from '../support/live-world.ts';
import { holdTime } from '../support/pacing/time.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath } from '../support/redis.ts';

const read = `GET ${pipePath()}`;
const write = `PATCH ${pipePath()}/state`;

const startRead = async (redisTimeoutMs = 1000) => {
  const stacks = await startTwoOverRedis({ config: { redisTimeoutMs } });
  for (const stack of [stacks.one, stacks.other]) await stack.query(pipeQuery);
  expect(stacks.calls()).toEqual([read]);
  const stateAt = async (stack: (typeof stacks)['one']): Promise<string> =>
    (await stack.query(pipeQuery)).body.data.pipe.state;
  return { ...stacks, stateAt };
};

describe.skipIf(redisPath === undefined)('of two gateways over one Redis', () => {
  it('neither uses what was read before Redis was flushed', async () => {
    const { redis, one, other, calls, stateAt, world } = await startRead();
    world.states[0] = 'Stopped';
    await redis.flush();
    expect(await stateAt(one)).toBe('Stopped');
    expect(await stateAt(other)).toBe('Stopped');
    expect(calls().length).toBeLessThanOrEqual(2);
  });

  it('neither answers with what was before a mutation through the other, though one look takes too long', async () => {
    const { one, other, calls, stateAt } = await startRead(300);
    await one.query(stopPipe());
    const { callBuffer } = Redis.prototype;
    const command = vi.spyOn(Redis.prototype, 'callBuffer');
    onTestFinished(() => command.mockRestore());
    let hanging = 0;
    command.mockImplementation(function (this: Redis, ...asked: unknown[]) {
      if (hanging > 0 || asked[1] === beatScript) return Reflect.apply(callBuffer, this, asked);
      hanging += 1;
      return new Promise(() => undefined);
    });
    expect(await stateAt(other)).toBe('Stopping');
    expect(hanging).toBe(1);
    expect(calls()).toEqual([read, write]);
  });

  it.each(['kill', 'hang'] as const)(
    'each answers with what it has read itself while Redis is gone (%s), and never with what was before its own mutations',
    async (end) => {
      const { redis, one, other, calls, untilRedisIs, stateAt } = await startRead(100);
      await redis[end]();
      expect(await stateAt(one)).toBe('Running');
      await untilRedisIs('down');
      expect(await stateAt(other)).toBe('Running');
      expect(calls()).toEqual([]);
      await one.query(stopPipe());
      expect(await stateAt(one)).toBe('Stopping');
      expect(calls()).toEqual([read, write]);
    },
  );

  it('the other learns of mutations that were made while Redis hung before it answers again', async () => {
    const { redis, one, calls, untilRedisIs, stateAt, other } = await startRead(100);
    await redis.hang();
    // What is sent before may be done once Redis goes on.
    await untilRedisIs('down');
    await one.query(stopPipe());
    redis.resume();
    await untilRedisIs('up');
    calls();
    expect(await stateAt(other)).toBe('Stopping');
    expect(calls()).toEqual([read]);
  });

  it('each starts without Redis, and shares what is read after it has come', async () => {
    const { redis, one, other, calls, untilRedisIs } = await startRead(100);
    await redis.kill();
    await untilRedisIs('down');
    await redis.restart();
    await untilRedisIs('up');
    calls();
    await one.query(pipeQuery);
    await other.query(pipeQuery);
    expect(calls()).toEqual([read]);
  });

  it('neither shows anything older than three seconds, or stale, while Redis is gone', async () => {
    const document = '{ dashboards { name } }';
    const { redis, one, calls, untilRedisIs } = await startTwoOverRedis({
      observability: () => data([{ id: 'd', name: 'board' }]),
    });
    await redis.kill();
    await untilRedisIs('down');
    calls();
    const time = holdTime();
    const callsAfter = async (seconds: number) => {
      time.pass(seconds);
      await one.query(document);
      return calls().length;
    };
    try {
      expect(await callsAfter(0)).toBe(1);
      expect(await callsAfter(2.5)).toBe(0);
      // It would be fresh for five seconds.
      expect(await callsAfter(1)).toBe(1);
      expect(await callsAfter(20)).toBe(1);
    } finally {
      time.release();
    }
  });
});
