import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mostWithin } from '../support/pacing/exact-upstream.ts';
import { age, openLogs, takeAll, takeOne } from '../support/redis/shared-logs.ts';
import { redisPath, startRedis } from '../support/redis.ts';

const rate = { calls: 10, windowMs: 10_000 };

const startLogs = async (count: number, options: Partial<Parameters<typeof openLogs>[1]> = {}) => {
  const redis = await startRedis();
  await age(redis);
  const [one, other, ...rest] = await openLogs(count, { redis, rate, ...options });
  if (!one || !other) throw new Error('two are needed');
  return { redis, one, other, all: [one, other, ...rest] };
};

describe.skipIf(redisPath === undefined)('logs over one Redis', () => {
  it.each([2, 3])(
    'of %i replicas give no more than the limit in any window, and no less',
    async (count) => {
      const windowMs = 200;
      const { all } = await startLogs(count, { rate: { calls: 10, windowMs } });
      const times: number[] = [];
      const work = async ({ log }: (typeof all)[number]): Promise<void> => {
        while (times.length < 60) {
          const slot = await takeOne(log);
          times.push(performance.now());
          await pause(Math.random() * 20);
          slot.answered();
        }
      };
      await Promise.all(all.flatMap((each) => Array.from({ length: 5 }, () => work(each))));
      expect(mostWithin(windowMs, times)).toBe(10);
    },
  );

  it('give each slot once, and tell when the next one is free', async () => {
    const { one, other } = await startLogs(2);
    expect(await takeAll(one.log)).toHaveLength(10);
    expect([await other.log.take(0), one.log.left, other.log.left]).toEqual([undefined, 0, 0]);
    const [next = 0] = other.log.freeTimes();
    expect(next).toBeGreaterThan(performance.now() + 5000);
  });

  it('count calls of different credentials and upstreams apart', async () => {
    const { redis, one } = await startLogs(2);
    const [others] = await openLogs(1, { redis, rate, credential: 'Bearer two' });
    await takeAll(one.log);
    expect(await others?.log.take(0)).toBeDefined();
  });

  it('leave a reserve free for those who are to have it', async () => {
    const { one, other } = await startLogs(2);
    const low = [...(await takeAll(one.log, 2)), ...(await takeAll(other.log, 2))];
    expect([low.length, (await takeAll(other.log)).length]).toEqual([8, 2]);
  });

  it('give a slot that was given back to any of them', async () => {
    const { one, other } = await startLogs(2);
    const [slot] = await takeAll(one.log);
    slot?.giveBack();
    expect(await takeOne(other.log)).toBeDefined();
    expect(await one.log.take(0)).toBeUndefined();
  });

  it('tell each other of slots that are free a window after the answer', async () => {
    const { one, other } = await startLogs(2, { rate: { calls: 1, windowMs: 300 } });
    const slot = await takeOne(one.log);
    slot.answered();
    const answeredAt = performance.now();
    await takeOne(other.log);
    expect(performance.now() - answeredAt).toBeGreaterThanOrEqual(300);
  });

  it('keep a hold together', async () => {
    const { one, other } = await startLogs(2);
    one.log.holdFor(60_000);
    await one.log.refresh();
    await other.log.refresh();
    expect(other.log.isHeld).toBe(true);
    expect([await other.log.take(0), other.log.left]).toEqual([undefined, 0]);
    const [next = 0] = other.log.freeTimes();
    expect(next).toBeGreaterThan(performance.now() + 30_000);
  });

  it('keep the longest hold', async () => {
    const { one, other } = await startLogs(2);
    one.log.holdFor(60_000);
    await one.log.refresh();
    other.log.holdFor(10);
    await other.log.refresh();
    await pause(20);
    expect([one.log.isHeld, other.log.isHeld]).toEqual([true, true]);
  });

  it('learn together how many calls the upstream has left', async () => {
    const { one, other } = await startLogs(2);
    one.log.learnLeft(3, 60_000);
    await one.log.refresh();
    expect(await takeAll(other.log)).toHaveLength(3);
    one.log.learnLeft(8, 60_000);
    await one.log.refresh();
    expect(one.log.left).toBe(0);
  });

  it('have the slots of a process that was killed back after its longest call and a window', async () => {
    const { one, other } = await startLogs(2, {
      rate: { calls: 2, windowMs: 100 },
      longestCallMs: 200,
    });
    expect(await takeAll(one.log)).toHaveLength(2);
    one.kill();
    expect(await other.log.take(0)).toBeUndefined();
    await takeOne(other.log);
    await takeOne(other.log);
  });

  it('keep the slots of calls that take long', async () => {
    const { one, other } = await startLogs(2, {
      rate: { calls: 1, windowMs: 100 },
      longestCallMs: 1000,
    });
    const slot = await takeOne(one.log);
    const until = performance.now() + 4000;
    while (performance.now() < until) {
      expect(await other.log.take(0)).toBeUndefined();
      await pause(20);
    }
    slot.answered();
    await takeOne(other.log);
  });

  it('tell Redis what has ended before they close', async () => {
    const { one, other } = await startLogs(2);
    const slots = await takeAll(one.log);
    for (const slot of slots) slot.giveBack();
    await one.close();
    expect(await takeAll(other.log)).toHaveLength(10);
  });

  it('leave nothing in Redis once all is over', async () => {
    const { redis, one, other } = await startLogs(2, { rate: { calls: 5, windowMs: 100 } });
    for (const slot of await takeAll(one.log)) slot.answered();
    other.log.holdFor(50);
    const kinds = async () =>
      (await redis.dump()).map(({ name, expiresIn }) => [
        String(name).split(':')[1],
        expiresIn > 0,
      ]);
    await expect.poll(kinds).toEqual([['era', true]]);
  });

  it('hide whose calls they count', async () => {
    const { redis, one } = await startLogs(2);
    await takeAll(one.log);
    one.log.holdFor(1000);
    await one.log.refresh();
    const dump = (await redis.dump()).flatMap(({ name, values }) => [name, ...values]).join('\n');
    for (const word of ['management', 'Bearer', 'bearer', 'one', 'secret']) {
      expect(dump).not.toContain(word);
    }
  });
});
