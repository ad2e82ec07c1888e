import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestCaller, readOf } from '../support/upstream/calls.ts';
import { limited, pass, startPace } from '../support/upstream/pace-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('of those who wait for one read, each', () => {
  it('keeps its own time, and is refused by itself', async () => {
    const { go, sent, use } = startPace();
    await use(2);
    await pass(1000);
    const long = go(readOf());
    const short = go(readOf(createTestCaller(), { latest: 9999 }));
    await pass(0);
    expect(short.outcome).toMatchObject({ reason: 'no-slot', retryAfterSeconds: 9 });
    await pass(9000);
    sent[0]?.answer();
    await pass(0);
    expect([sent.length, long.outcome]).toEqual([1, 200]);
  });

  it('is refused by itself when a write comes between', async () => {
    const { go, another, sent, use } = startPace({ calls: 1 });
    await use(1);
    const short = go(readOf(createTestCaller(), { latest: 15_000 }));
    const long = go(readOf());
    await pass(1000);
    go(another({ priority: 'write' }));
    await pass(0);
    expect(short.outcome).toMatchObject({ reason: 'no-slot', retryAfterSeconds: 19 });
    await pass(9000);
    sent[0]?.answer();
    await pass(10_000);
    sent[1]?.answer();
    await pass(0);
    expect(long.outcome).toBe(200);
  });

  it('may leave, and the read is given up with the last', async () => {
    const { go, another, sent, use } = startPace({ calls: 1 });
    await use(1);
    const callers = [createTestCaller(), createTestCaller()];
    for (const caller of callers) go(readOf(caller));
    callers[0]?.leave();
    const late = go(another({ latest: 12_000 }));
    await pass(0);
    expect(late.outcome).toMatchObject({ retryAfterSeconds: 20 });
    callers[1]?.leave();
    go(another({ latest: 12_000, path: '/in-time' }));
    await pass(10_000);
    expect(sent.map(({ call }) => call.path)).toEqual(['/in-time']);
  });

  it('may join while the read waits again after a 429', async () => {
    const { go, sent } = startPace();
    const first = go(readOf());
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '5' }));
    await pass(1000);
    const joined = go(readOf());
    await pass(4000);
    expect(sent).toHaveLength(2);
    sent[1]?.answer();
    await pass(0);
    expect([first.outcome, joined.outcome]).toEqual([200, 200]);
  });
});

it.each(['refresh', 'renewal'] as const)(
  'who joins a %s raises it: it goes into the slots kept free',
  async (priority) => {
    const { go, another, sent, use } = startPace({ calls: 10 });
    await use(8);
    const low = go(another({ priority, path: '/low' }));
    go(another({ priority, path: '/stays' }));
    await pass(0);
    expect(sent).toHaveLength(0);
    const joined = go(another({ path: '/low' }));
    await pass(0);
    expect(sent.map(({ call }) => call.path)).toEqual(['/low']);
    sent[0]?.answer();
    await pass(0);
    expect([low.outcome, joined.outcome]).toEqual([200, 200]);
  },
);

describe('a 429 that names longer than can be waited', () => {
  it.each([
    ['of a read alone', { fresh: true }],
    ['of a read that others could join', {}],
  ])('is the failure that is told at once: %s', async (_, changes) => {
    const { go, sent } = startPace();
    const told = go(readOf(createTestCaller(), changes));
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '31' }));
    await pass(5);
    expect(told.outcome).toMatchObject({ reason: 'status', status: 429, retryAfterSeconds: 31 });
    expect(sent).toHaveLength(1);
  });

  it('is told to whose time is too short alone', async () => {
    const { go, sent } = startPace();
    const short = go(readOf(createTestCaller(), { latest: 4000 }));
    const long = go(readOf());
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '5' }));
    await pass(5);
    expect(short.outcome).toMatchObject({ reason: 'status', status: 429, retryAfterSeconds: 5 });
    await pass(5000);
    sent[1]?.answer();
    await pass(0);
    expect(long.outcome).toBe(200);
  });
});

it.each([
  ['a 429', 429],
  ['a 503', 503],
])('an older answer is shown where %s asks for a pause', async (_, status) => {
  const { go, sent } = startPace({ isCached: true });
  go(readOf());
  await pass(0);
  sent[0]?.answer();
  await pass(5000);
  const told = go(readOf());
  await pass(0);
  sent[1]?.answer(limited({ 'retry-after': '5' }, status));
  await pass(0);
  expect(told.outcome).toBe(200);
});
