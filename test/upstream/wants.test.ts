import { expect, it } from 'vitest';
import { createWants } from '../../src/upstream/reads/wants.ts';

const startWants = () => {
  const proven = new Set<string>();
  const clock = { now: 0 };
  const wants = createWants({
    isProven: (holder) => proven.has(holder),
    now: () => clock.now,
  });
  const noteMany = (holder: string, count: number): void => {
    for (let each = 1; each <= count; each += 1) wants.note(holder, `/${each}`);
  };
  return { proven, clock, wants, noteMany };
};

it('a read is wanted for a minute after it was asked for last', () => {
  const { clock, wants } = startWants();
  wants.note('one', '/1');
  wants.note('one', '/2');
  clock.now = 10_000;
  wants.note('one', '/1');
  expect([wants.leftMs('one', '/1'), wants.leftMs('one', '/2')]).toEqual([60_000, 50_000]);
  clock.now = 59_999;
  expect([wants.count('one'), wants.count('two')]).toEqual([2, 0]);
  clock.now = 60_000;
  expect([wants.count('one'), wants.leftMs('one', '/2'), wants.size]).toEqual([1, 0, 1]);
  clock.now = 70_000;
  expect([wants.count('one'), wants.size]).toEqual([0, 0]);
});

it('of one credential 5000 reads are known, those that were asked for last', () => {
  const { wants, noteMany } = startWants();
  noteMany('one', 5001);
  expect([wants.count('one'), wants.size]).toEqual([5000, 5000]);
  expect([wants.leftMs('one', '/1'), wants.leftMs('one', '/2')]).toEqual([0, 60_000]);
});

it('of credentials without a success 20 000 reads are known, and they displace none of others', () => {
  const { proven, wants, noteMany } = startWants();
  noteMany('early', 10);
  proven.add('early');
  wants.note('early', '/11');
  for (let each = 1; each <= 10; each += 1) noteMany(`invented${each}`, 5000);
  expect(wants.size).toBe(20_011);
  expect(['early', 'invented6', 'invented7'].map(wants.count)).toEqual([11, 0, 5000]);
});

it('of all others 200 000 reads are known', () => {
  const { proven, wants, noteMany } = startWants();
  for (let each = 1; each <= 41; each += 1) {
    proven.add(`user${each}`);
    noteMany(`user${each}`, 5000);
  }
  expect([wants.size, wants.count('user1'), wants.count('user2')]).toEqual([200_000, 0, 5000]);
});
