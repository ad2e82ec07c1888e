import { describe, expect, it } from 'vitest';
import { createRestartDelay } from '../src/restart-delay.ts';

describe('the delay before a worker is replaced', () => {
  it('doubles from 100 milliseconds to 10 seconds, and is none for one that has served long', () => {
    const delay = createRestartDelay();
    const young = () => delay(9999);
    const doubling = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
    expect(doubling.map(young)).toEqual(doubling);
    expect(delay(10_000)).toBe(0);
    expect([young(), young()]).toEqual([100, 200]);
  });
});
