import { describe, expect, it } from 'vitest';
import {
  openLogs,
  startLogs,
  takeAll,
  takeOne,
  untilShared,
} from '../../support/redis/shared-logs.ts';
import { redisPath, startRedis } from '../../support/redis.ts';

const rate = { calls: 10, windowMs: 10_000 };

const startTwo = (options: Partial<Parameters<typeof startLogs>[0]> = {}) =>
  startLogs({ rate, timeoutMs: 300, ...options });

describe.skipIf(redisPath === undefined)('while Redis', () => {
  it('hangs, each call waits for one command at most, and those that come later for none', async () => {
    const { redis, one } = await startTwo();
    await redis.hang();
    const before = one.counts.scripts;
    const takes = Array.from({ length: 8 }, () => one.log.take(0));
    const slots = await Promise.all(takes);
    expect(slots.filter(Boolean)).toHaveLength(5);
    expect(one.counts.scripts - before).toBe(8);
    expect(one.log.take(0)).toBeUndefined();
    await one.log.refresh();
    expect(one.counts.scripts - before).toBe(8);
  });

  it('is down, each replica keeps to its part, and counts all its calls on it', async () => {
    const { redis, one, other, untilBothAre } = await startTwo();
    await takeOne(one.log);
    await takeOne(one.log);
    await redis.kill();
    await untilBothAre('down');
    const counts = [(await takeAll(one.log)).length, (await takeAll(other.log)).length];
    expect([counts, one.log.left, one.log.freeTimes().length]).toEqual([[3, 5], 0, 5]);
  });

  it('is down, what the upstream says still counts, and the others hear of a hold afterwards', async () => {
    const { redis, one, other, untilBothAre } = await startTwo();
    await redis.hang();
    await untilBothAre('down');
    other.log.learnLeft(1, 60_000);
    expect(await takeAll(other.log)).toHaveLength(1);
    one.log.holdFor(60_000);
    expect(await one.log.take(0)).toBeUndefined();
    redis.resume();
    await untilBothAre('up');
    await other.log.refresh();
    expect(other.log.isHeld).toBe(true);
  });

  it('was down, it is told of the calls that were made meanwhile', async () => {
    const { redis, one, other, untilBothAre } = await startTwo();
    await redis.hang();
    await untilBothAre('down');
    expect(await takeAll(one.log)).toHaveLength(5);
    redis.resume();
    await untilBothAre('up');
    expect(await takeAll(other.log)).toHaveLength(5);
  });

  it('was down, it is told of slots that were given back meanwhile', async () => {
    const { redis, one, other, untilBothAre } = await startTwo();
    const slots = await takeAll(one.log);
    await redis.hang();
    for (const slot of slots) slot.giveBack();
    await untilBothAre('down');
    redis.resume();
    await untilBothAre('up');
    expect(await takeAll(other.log)).toHaveLength(10);
  });

  it('gives a slot too late, it gets it back', async () => {
    const { redis, one, other, untilBothAre } = await startTwo();
    await redis.hang();
    const slots = await Promise.all(Array.from({ length: 8 }, () => one.log.take(0)));
    await untilBothAre('down');
    redis.resume();
    await untilBothAre('up');
    const kept = slots.filter(Boolean).length;
    expect(kept).toBe(5);
    expect(await takeAll(other.log)).toHaveLength(10 - kept);
  });

  it.each(['flushed', 'started anew'])(
    'was %s, each keeps to its part until the calls from before count no more',
    async (what) => {
      const { redis, one, other, untilBothAre } = await startTwo({
        rate: { calls: 10, windowMs: 500 },
      });
      const before = await takeAll(one.log);
      if (what === 'flushed') await redis.flush();
      else await redis.restart();
      await untilBothAre(what === 'flushed' ? 'up' : 'down');
      // Whoever had calls makes no more.
      expect(await takeAll(one.log)).toHaveLength(0);
      expect(await takeAll(other.log)).toHaveLength(5);
      await untilBothAre('up');
      for (const slot of before) slot.answered();
      await untilShared(redis, { calls: 10, windowMs: 500 });
      // Those of the other are still under way.
      expect(await takeAll(one.log)).toHaveLength(5);
    },
  );

  it('was flushed, each keeps to its part, since another may have ended whose calls count', async () => {
    const rate = { calls: 10, windowMs: 500 };
    const { redis, one, other } = await startTwo({ rate });
    for (const slot of await takeAll(one.log)) slot.answered();
    one.kill();
    await redis.flush();
    await other.log.refresh();
    await other.untilRedisIs('up');
    expect(await takeAll(other.log)).toHaveLength(5);
    await untilShared(redis, rate);
    expect(await takeAll(other.log)).toHaveLength(5);
  });

  it('cannot be reached at the start, each keeps to its part, and they share it once it is there', async () => {
    const redis = await startRedis();
    await redis.kill();
    const [one, other] = await openLogs(2, { redis, rate: { calls: 10, windowMs: 100 } });
    if (!one || !other) throw new Error('there are not two');
    const slots = await takeAll(one.log);
    expect(slots).toHaveLength(5);
    await redis.restart();
    await Promise.all([one.untilRedisIs('up'), other.untilRedisIs('up')]);
    await untilShared(redis, { calls: 10, windowMs: 100 });
    expect([(await takeAll(other.log)).length, (await takeAll(one.log)).length]).toEqual([5, 0]);
  });
});
