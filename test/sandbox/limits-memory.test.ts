import { describe, expect, it } from 'vitest';
import { createLimiter, REMEMBERED } from '../../sandbox/limits.ts';
import { createClock, open } from '../support/sandbox/harness.ts';

describe('what is remembered for the limits', () => {
  const start = () => {
    const clock = createClock();
    return { clock, limiter: createLimiter({ requests: 10, windowMs: 10_000 }, clock.read) };
  };

  it('is forgotten once the window of a credential has ended', () => {
    const { clock, limiter } = start();
    for (let index = 0; index < 50; index += 1) limiter.count(`early ${index}`);
    clock.advance(6000);
    for (let index = 0; index < 20; index += 1) limiter.count(`late ${index}`);
    expect(limiter.size()).toBe(70);
    clock.advance(4000);
    limiter.count('next');
    expect(limiter.size()).toBe(21);
  });

  it('is forgotten behind a credential that has come again, too', () => {
    const { clock, limiter } = start();
    limiter.count('comes again');
    clock.advance(1000);
    limiter.count('does not');
    clock.advance(9000);
    limiter.count('comes again');
    clock.advance(1000);
    limiter.count('next');
    expect(limiter.size()).toBe(2);
  });

  it('is bounded within a window: the credential whose window is the oldest goes first', () => {
    const { limiter } = start();
    limiter.count('oldest');
    for (let index = 1; index < REMEMBERED; index += 1) limiter.count(`early ${index}`);
    expect([limiter.count('oldest').remaining, limiter.size()]).toEqual([8, REMEMBERED]);

    const sizes = new Set<number>();
    for (let index = 0; index < 10 * REMEMBERED; index += 1) {
      limiter.count(`late ${index}`);
      sizes.add(limiter.size());
    }
    expect([...sizes]).toEqual([REMEMBERED]);
    expect(limiter.count(`late ${10 * REMEMBERED - 1}`).remaining).toBe(8);
    expect(limiter.count('oldest').remaining).toBe(9);
  });

  it('is bounded for callers with invented tokens, too', async () => {
    const { observability } = await open({ limits: true, clock: createClock().read });
    const remaining = async (header?: string) => {
      const { headers } = await observability('GET', '/api/v2/alerts', undefined, header);
      return headers.get('ratelimit-remaining');
    };
    expect(await remaining()).toBe('99');
    for (let index = 1; index < REMEMBERED; index += 1) await remaining(`Bearer invented-${index}`);
    expect(await remaining()).toBe('98');
    await remaining('Bearer one-more');
    expect(await remaining()).toBe('99');
  });
});
