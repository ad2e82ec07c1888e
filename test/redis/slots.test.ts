import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mostWithin } from '../support/pacing/exact-upstream.ts';
import { startLogs, takeAll, takeOne } from '../support/redis/shared-logs.ts';
import { redisPath } from '../support/redis.ts';

const rate = { calls: 10, windowMs: 10_000 };

describe.skipIf(redisPath === undefined)('logs over one Redis', () => {
  it('of three replicas give no more than the limit in any window, and no less', async () => {
    const windowMs = 200;
    const { all } = await startLogs({ rate: { calls: 10, windowMs }, replicas: 3 });
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
  });

  it('leave a reserve free for those who are to have it', async () => {
    const { one, other } = await startLogs({ rate });
    const low = [...(await takeAll(one.log, 2)), ...(await takeAll(other.log, 2))];
    expect([low.length, (await takeAll(other.log)).length]).toEqual([8, 2]);
  });

  it('keep the longest hold together', async () => {
    const { one, other } = await startLogs({ rate });
    one.log.holdFor(60_000);
    await one.log.refresh();
    other.log.holdFor(10);
    await other.log.refresh();
    await pause(20);
    expect([one.log.isHeld, other.log.isHeld]).toEqual([true, true]);
    expect([await other.log.take(0), other.log.left]).toEqual([undefined, 0]);
    const [next = 0] = other.log.freeTimes();
    expect(next).toBeGreaterThan(performance.now() + 30_000);
  });

  it('learn together how many calls the upstream has left', async () => {
    const { one, other } = await startLogs({ rate });
    one.log.learnLeft(3, 60_000);
    await one.log.refresh();
    expect(await takeAll(other.log)).toHaveLength(3);
    one.log.learnLeft(8, 60_000);
    await one.log.refresh();
    expect(one.log.left).toBe(0);
  });

  it('have the slots of a process that was killed back after its longest call and a window', async () => {
    const few = { rate: { calls: 2, windowMs: 100 }, longestCallMs: 200 };
    const { one, other } = await startLogs(few);
    expect(await takeAll(one.log)).toHaveLength(2);
    one.kill();
    expect(await other.log.take(0)).toBeUndefined();
    await takeOne(other.log);
    await takeOne(other.log);
  });

  it('keep the slots of calls that take long', async () => {
    const few = { rate: { calls: 1, windowMs: 100 }, longestCallMs: 1000 };
    const { one, other } = await startLogs(few);
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
    const { one, other } = await startLogs({ rate });
    for (const slot of await takeAll(one.log)) slot.giveBack();
    await one.close();
    expect(await takeAll(other.log)).toHaveLength(10);
  });

  it('leave nothing in Redis once all is over', async () => {
    const { redis, one, other } = await startLogs({ rate: { calls: 5, windowMs: 100 } });
    for (const slot of await takeAll(one.log)) slot.answered();
    other.log.holdFor(50);
    const kinds = async () =>
      (await redis.dump()).map(({ name, expiresIn }) => [
        ...[String(name).split(':')[1], expiresIn > 0],
      ]);
    await expect.poll(kinds).toEqual([['era', true]]);
  });
});
