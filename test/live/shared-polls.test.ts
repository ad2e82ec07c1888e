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

  it('are not used up by what another process had read', () => {
    let time = 0;
    const quota = createQuota(rate, () => time, 20);
    quota.take()(false);
    expect([quota.roomAt, quota.turnAt]).toEqual([-Infinity, -Infinity]);
    quota.take()(true);
    expect(quota.roomAt).toBe(10_000);
    time = 10_000;
    quota.take();
    expect(quota.roomAt).toBe(Infinity);
  });
});
