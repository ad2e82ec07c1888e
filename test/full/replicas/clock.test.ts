import { Redis as Client } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { json, result } from '../../support/harness.ts';
import { pipePath, pipeQuery } from '../../support/live-world.ts';
import { createExactUpstream, documentOf } from '../../support/pacing/exact-upstream.ts';
import { startTwoOverRedis } from '../../support/redis/stacks.ts';
import { eraOf, type Redis, redisPath, startAgedRedis } from '../../support/redis.ts';

/** Where Redis has by how many seconds its clock is wrong. */
const name = 'clock';

/** Moves the clock, and what expires by it. */
const move = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key) - ARGV[1] * 1000
  if left <= 0 then redis.call('DEL', key) else redis.call('PEXPIRE', key, left) end
end
redis.call('SET', '${name}', ARGV[1])
`;

/**
 * Gives all scripts of this process another clock. The returned function moves it on, by a number of seconds. Must be called
 * before Redis holds anything.
 */
const createClock = (redis: Redis): ((seconds: number) => Promise<void>) => {
  const { callBuffer } = Client.prototype;
  const call = vi.spyOn(Client.prototype, 'callBuffer');
  call.mockImplementation(function (this: Client, command: string, ...args: unknown[]) {
    const [script, ...rest] = args;
    const moved = String(script).replace(
      "redis.call('TIME')",
      `$&\ntime[1] = time[1] + (redis.call('GET', '${name}') or 0)`,
    );
    return Reflect.apply(callBuffer, this, [command, moved, ...rest]);
  });
  onTestFinished(() => call.mockRestore());
  return async (seconds) => {
    await redis.command('EVAL', move, '0', String(seconds));
  };
};

const read = `GET ${pipePath()}`;

describe.skipIf(redisPath === undefined).each([-3600, 3600])(
  'when the clock of Redis jumps by %i seconds',
  (seconds) => {
    const start = async () => {
      const redis = await startAgedRedis();
      return { redis, jump: createClock(redis) };
    };
    it('nothing that was read before answers, with no-cache or without', async () => {
      const { redis, jump } = await start();
      const { one, other, calls, world } = await startTwoOverRedis({ redis });
      const stateAt = async (stack: typeof one, headers = {}) =>
        (await stack.query(pipeQuery, { headers })).body.data.pipe.state;
      /** On a busy machine an answer may be too old for the other at first. */
      const expectShared = () =>
        expect
          .poll(async () => {
            calls();
            await stateAt(one, { 'cache-control': 'no-cache' });
            await stateAt(other);
            return calls();
          })
          .toEqual([read]);
      await expectShared();
      const before = await eraOf(redis);
      world.states[0] = 'Stopped';
      await jump(seconds);
      expect(await stateAt(one)).toBe('Stopped');
      expect(await stateAt(other)).toBe('Stopped');
      expect(await eraOf(redis)).not.toEqual(before);
      world.states[0] = 'Running';
      for (const stack of [one, other]) {
        expect(await stateAt(stack, { 'cache-control': 'no-cache' })).toBe('Running');
      }
      await expectShared();
    });

    it('a hold lasts as long as it was to', async () => {
      const { redis, jump } = await start();
      const times: number[] = [];
      const { one, other } = await startTwoOverRedis({
        redis,
        management: () => {
          times.push(performance.now());
          const limited = { ...json({}, 429), headers: { 'retry-after': '5' } };
          return times.length === 1 ? limited : result([]);
        },
        config: { managementRate: { calls: 10, windowMs: 1000 } },
      });
      const held = one.query(documentOf(1));
      await expect.poll(() => times.length).toBe(1);
      await one.query('{ __typename }');
      await jump(seconds);
      expect((await other.query(documentOf(1))).body.errors).toBeUndefined();
      await held;
      const [first = 0, ...later] = times;
      expect(Math.min(...later) - first).toBeGreaterThanOrEqual(5000);
    });

    it('two gateways get no 429, and have nobody wait much longer than a window', async () => {
      const rate = { calls: 10, windowMs: 3000 };
      const upstream = createExactUpstream(rate, 0);
      const { redis, jump } = await start();
      const { one, other } = await startTwoOverRedis({
        redis,
        management: upstream.answering,
        config: { managementRate: rate, pacingWaitMs: rate.windowMs + 2000 },
      });
      await one.query(documentOf(10));
      await jump(seconds);
      const later = await Promise.all([other.query(documentOf(4)), one.query(documentOf(4))]);
      expect(later.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
      expect(upstream.refused).toEqual([]);
    });
  },
);
