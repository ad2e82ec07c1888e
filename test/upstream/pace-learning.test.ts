import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answerOf,
  createTestBudget,
  createTestCaller,
  readOf,
  writeOf,
} from '../support/upstream/calls.ts';
import { limited, pass, startPace } from '../support/upstream/pace-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const two = { credential: 'Bearer two', holder: 'Bearer two' };

describe('a credential is held back', () => {
  it.each([
    ['until the time that a 429 names', limited({ 'x-ratelimit-reset': '4.5' }), 4500],
    ['until the time that a 503 names', limited({ 'retry-after': '4' }, 503), 4000],
    ['for a window by a 429 that names none', limited(), 10_000],
    ['for a second by a 429 that names 0', limited({ 'x-ratelimit-reset': '0' }), 1000],
    [
      'for as long as a 429 says, though no call be left',
      limited({ 'retry-after': '2', 'ratelimit-remaining': '0' }),
      2000,
    ],
  ])('%s: its read is sent once more then, and nothing else before', async (_, answer, later) => {
    const { go, another, sent } = startPace({ calls: 10 });
    const told = go(another());
    await pass(0);
    sent[0]?.answer(answer);
    await pass(100);
    const others = [go(another()), go(writeOf())];
    await pass(later - 101);
    expect(sent).toHaveLength(1);
    await pass(1);
    expect(sent).toHaveLength(4);
    for (const each of sent.slice(1)) each.answer();
    await pass(0);
    expect([told, ...others].map(({ outcome }) => outcome)).toEqual([200, 200, 200]);
  });

  it('alone, no other', async () => {
    const { go, another, sent } = startPace();
    go(another());
    await pass(0);
    sent[0]?.answer(limited());
    await pass(0);
    go(another(two));
    await pass(0);
    expect(sent).toHaveLength(2);
  });

  it('and a second 429 of a read is its failure', async () => {
    const { go, another, sent } = startPace();
    const told = go(another());
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '1' }));
    await pass(1000);
    sent[1]?.answer(limited({ 'retry-after': '1' }));
    await pass(20_000);
    expect(told.outcome).toMatchObject({ reason: 'status', status: 429, retryAfterSeconds: 1 });
    expect(sent).toHaveLength(2);
  });

  it('and what waits is refused at once where that takes it out of its time', async () => {
    const { go, another, sent } = startPace({ calls: 1 });
    go(another());
    const waiting = go(another({ latest: 15_000 }));
    await pass(1000);
    sent[0]?.answer(limited({ 'retry-after': '20' }));
    await pass(0);
    expect(waiting.outcome).toMatchObject({ reason: 'no-slot', retryAfterSeconds: 20 });
  });

  it('and a read that cannot wait for a window is told that wait by a 429 that names none', async () => {
    const { go, another, sent } = startPace({ windowMs: 60_000 });
    const told = go(another());
    await pass(0);
    sent[0]?.answer(limited());
    await pass(0);
    expect(told.outcome).toMatchObject({ status: 429, retryAfterSeconds: 60 });
  });

  it('and a write is not sent again', async () => {
    const { go, sent } = startPace();
    const told = go(writeOf());
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '1' }));
    await pass(20_000);
    expect(told.outcome).toMatchObject({ write: true, status: 429, retryAfterSeconds: 1 });
    expect(sent).toHaveLength(1);
  });

  it('and what has its slot, but waits for others of its operation, is not sent before either', async () => {
    const { go, sent, left } = startPace({ calls: 10 });
    const caller = createTestCaller({ budget: createTestBudget(100, 2) });
    const told = [1, 2, 3, 4, 5].map((path) => go(readOf(caller, { path: `/${path}` })));
    await pass(0);
    expect(sent).toHaveLength(2);
    sent[0]?.answer(limited({ 'retry-after': '5' }));
    sent[1]?.answer();
    await pass(4999);
    expect(sent).toHaveLength(2);
    await pass(1);
    for (let next = 2; next < 6; next += 1) {
      sent[next]?.answer();
      await pass(0);
    }
    expect(told.map(({ outcome }) => outcome)).toEqual(Array(5).fill(200));
    expect(sent).toHaveLength(6);
    expect(left()).toBe(4);
  });

  it('and what waits for others of its operation is given up with its caller', async () => {
    const { go, sent } = startPace({ calls: 10 });
    const caller = createTestCaller({ budget: createTestBudget(100, 1) });
    const told = [go(readOf(caller, { path: '/1' })), go(readOf(caller, { path: '/2' }))];
    await pass(0);
    sent[0]?.answer(limited({ 'retry-after': '5' }));
    await pass(1000);
    caller.leave();
    await pass(10_000);
    expect(told.map(({ outcome }) => outcome)).toMatchObject([{}, { reason: 'aborted' }]);
    expect(sent).toHaveLength(1);
  });
});

describe("the upstream's own count", () => {
  it('is taken where it is smaller than ours', async () => {
    const { go, another, sent, left } = startPace({ calls: 10 });
    go(another());
    await pass(0);
    sent[0]?.answer({
      ...answerOf(),
      headers: { 'ratelimit-remaining': '3', 'ratelimit-reset': '7' },
    });
    await pass(0);
    expect(left()).toBe(3);
    await pass(7000);
    expect(left()).toBe(9);
  });

  it('is taken for a window where it does not say for how long it holds', async () => {
    const { go, another, sent, left } = startPace({ calls: 10 });
    go(another());
    await pass(0);
    sent[0]?.answer({ ...answerOf(), headers: { 'ratelimit-remaining': '3' } });
    await pass(9999);
    expect(left()).toBe(3);
    await pass(1);
    expect(left()).toBe(10);
  });
});

it('10 000 invented credentials are forgotten once their windows are over', async () => {
  const { pace } = startPace({ windowMs: 1000 });
  for (let each = 0; each < 10_000; each += 1) {
    const name = `Bearer invented-${each}`;
    await pace.step(readOf(undefined, { credential: name, holder: name }), async () => answerOf());
  }
  expect(pace.size).toBe(10_000);
  await pass(1000);
  await pace.step(readOf(), async () => answerOf());
  expect(pace.size).toBe(1);
});

it('of more than 20 000 credentials in a window the one is forgotten that has not called for longest', async () => {
  const { pace } = startPace({ calls: 2 });
  const call = (name: string) =>
    pace.step(readOf(undefined, { credential: name, holder: name }), async () => answerOf());
  for (const name of ['first', 'second']) await call(name);
  for (let each = 2; each < 20_000; each += 1) await call(`invented-${each}`);
  for (const name of ['first', 'one more']) await call(name);
  expect([pace.size, pace.left('first'), pace.left('second')]).toEqual([20_000, 0, 2]);
});

it('of more than 20 000 credentials none is forgotten that waits or is held back, if there are others', async () => {
  const { go, another, pace, sent } = startPace({ calls: 1 });
  const call = (holder: string) => another({ credential: holder, holder });
  go(call('waits'));
  const waiting = go(call('waits'));
  const held = go({ ...call('held'), latest: 5000 });
  await pass(0);
  sent[1]?.answer(limited({ 'retry-after': '200' }));
  await pass(0);
  expect(held.outcome).toMatchObject({ status: 429 });
  for (let each = 2; each <= 20_000; each += 1) {
    await pace.step(call(`invented-${each}`), async () => answerOf());
  }
  const left = ['waits', 'held', 'invented-2', 'invented-3'].map((holder) => pace.left(holder));
  expect([pace.size, ...left]).toEqual([20_000, 0, 0, 1, 0]);
  sent[0]?.answer();
  await pass(10_000);
  sent[2]?.answer();
  await pass(0);
  expect(waiting.outcome).toBe(200);
});

it('a credential is not forgotten while it is held back', async () => {
  const { go, another, pace, sent, left } = startPace({ windowMs: 1000 });
  go(another({ latest: 5000 }));
  await pass(0);
  sent[0]?.answer(limited({ 'retry-after': '200' }));
  await pass(2500);
  await pace.step(readOf(undefined, two), async () => answerOf());
  expect([pace.size, left()]).toEqual([2, 0]);
});
