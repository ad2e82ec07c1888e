import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beatScript } from '../../src/redis/era-scripts.ts';
import type { Stack } from '../support/harness.ts';
import { pipeQuery, stopPipe } from '../support/live-world.ts';
import { age } from '../support/redis/shared-logs.ts';
import { startTwoOverRedis } from '../support/redis/stacks.ts';
import { redisPath, startRedis } from '../support/redis.ts';

/** How many commands were sent to Redis for requests since the last time that this was asked. Beats belong to none. */
const countCommands = () => {
  const sent = vi.spyOn(Redis.prototype, 'callBuffer');
  onTestFinished(() => sent.mockRestore());
  return (): number => {
    const count = sent.mock.calls.filter(([, script]) => script !== beatScript).length;
    sent.mockClear();
    return count;
  };
};

const requests = {
  query: ({ query }: Stack) => query(pipeQuery, { headers: { 'cache-control': 'no-cache' } }),
  mutation: ({ query }: Stack) => query(stopPipe()),
};

describe.skipIf(redisPath === undefined)('while Redis hangs', () => {
  it.each(['query', 'mutation'] as const)(
    'the first request (a %s) waits for one command at most, those after it for none, and all are answered',
    async (first) => {
      const redis = await startRedis();
      await age(redis);
      const commands = countCommands();
      const { one, calls, untilRedisIs } = await startTwoOverRedis({
        redis,
        config: { managementRate: { calls: 40, windowMs: 1000 }, redisTimeoutMs: 300 },
      });
      await untilRedisIs('up');
      commands();
      for (const send of [requests.query, requests.mutation]) {
        expect((await send(one)).body.errors).toBeUndefined();
        // What they wait for while Redis answers: the slot and the memory that replicas share.
        expect(commands()).toBeGreaterThanOrEqual(2);
      }
      calls();

      await redis.hang();
      expect((await requests[first](one)).body.errors).toBeUndefined();
      expect(commands()).toBeLessThanOrEqual(1);
      expect(calls()).toHaveLength(1);
      await untilRedisIs('down');
      for (let round = 0; round < 3; round += 1) {
        for (const send of [requests.query, requests.mutation]) {
          expect((await send(one)).body.errors).toBeUndefined();
        }
      }
      expect(commands()).toBe(0);
      expect(calls()).toHaveLength(6);
    },
  );
});
