import { describe, expect, it } from 'vitest';
import { createQuota } from '../../src/live/quota.ts';

const rate = { calls: 20, windowMs: 10_000 };

const countRoom = (quota: ReturnType<typeof createQuota>): number => {
  let count = 0;
  while (quota.roomAt <= 0) {
    quota.take();
    count += 1;
  }
  return count;
};

describe('the polls of a credential', () => {
  it.each([
    [1, 6],
    [2, 3],
    [3, 2],
    [20, 1],
  ])('in each of %i processes are %i', (sharers, polls) => {
    expect(countRoom(createQuota(rate, () => 0, sharers))).toBe(polls);
  });

  it('of many processes together are still their share', () => {
    const sharers = 20;
    let sent = 0;
    let time = 0;
    const quota = createQuota(rate, () => time, sharers);
    for (time = 0; time < 100_000; time += 1000) {
      if (quota.roomAt > time) continue;
      quota.take()(true);
      sent += 1;
    }
    // Ten windows of 20 calls, of which polls may have 6 for all, so 60 in 20 processes.
    expect(sent).toBe(3);
  });

  it('are not used up by what another process had read', () => {
    let time = 0;
    const quota = createQuota(rate, () => time, 20);
    quota.take()(false);
    expect([quota.roomAt, quota.turnAt]).toEqual([-Infinity, -Infinity]);
    quota.take()(true);
    // A third of a call in each window is one in three and a third.
    expect(quota.roomAt).toBeCloseTo(10_000 / 0.3, 3);
    time = 34_000;
    quota.take();
    expect(quota.roomAt).toBe(Infinity);
  });
});
