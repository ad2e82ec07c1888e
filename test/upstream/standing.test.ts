import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createStanding, type SharedProofs } from '../../src/upstream/gate/standing.ts';
import { holderOf } from '../../src/upstream/holder.ts';
import { holdTime } from '../support/pacing/time.ts';
import { answerOf, createTestCaller, readOf } from '../support/upstream/calls.ts';

const minute = 60;

const start = (known: readonly string[] = []) => {
  const time = holdTime();
  onTestFinished(time.release);
  /** lru-cache looks at the clock once in a millisecond. */
  const pass = async (seconds: number): Promise<void> => {
    time.pass(seconds);
    await pause(5);
  };
  const told: string[] = [];
  const shared: SharedProofs = {
    tell: (credential) => void told.push(`tell ${credential}`),
    forget: (credential) => void told.push(`forget ${credential}`),
    has: async (credential) => known.includes(credential),
  };
  const standing = createStanding(shared);
  const changes: string[] = [];
  standing.onChange((holder) => void changes.push(holder));
  const answer = (status: number, credential = 'Bearer one') =>
    standing.step(readOf(createTestCaller(), { credential }), async () => answerOf('{}', status));
  return { ...{ pass, standing, told, changes, answer }, isProven: standing.isProven };
};

it.each([
  ...[200, 201, 424].map((status) => ({ status, proven: true })),
  ...[301, 400, 401, 403, 404, 429, 500, 503].map((status) => ({ status, proven: false })),
])('after $status a credential is proven: $proven', async ({ status, proven }) => {
  const { answer, isProven, standing } = start();
  await answer(status);
  expect([isProven('Bearer one'), isProven('Bearer two')]).toEqual([proven, false]);
  expect(standing.isRefused('Bearer one')).toBe(status === 401);
});

it('is proven for ten minutes after the last success, and replicas hear of it once a minute', async () => {
  const { answer, isProven, pass, told, changes } = start();
  for (let count = 0; count < 4; count += 1) {
    await answer(200);
    await pass(minute / 2);
  }
  expect([told, changes]).toEqual([['tell Bearer one', 'tell Bearer one'], ['Bearer one']]);
  await pass(9 * minute);
  expect(isProven('Bearer one')).toBe(true);
  await pass(minute);
  expect(isProven('Bearer one')).toBe(false);
});

it('is refused for ten seconds after a 401, or until a success', async () => {
  const { answer, standing, pass, told } = start();
  await answer(401);
  expect(standing.isRefused('Bearer one')).toBe(true);
  await pass(10);
  expect([standing.isRefused('Bearer one'), told]).toEqual([false, []]);
  await answer(401);
  await answer(200);
  expect(standing.isRefused('Bearer one')).toBe(false);
});

it('is no longer proven after a 401, and refused after another one', async () => {
  const { answer, standing, isProven, told } = start();
  await answer(200);
  await answer(401);
  expect([isProven('Bearer one'), standing.isRefused('Bearer one')]).toEqual([false, false]);
  await answer(401);
  expect([isProven('Bearer one'), standing.isRefused('Bearer one')]).toEqual([false, true]);
  expect(told).toEqual(['tell Bearer one', 'forget Bearer one']);
});

it('asks replicas of what it does not know', async () => {
  const { standing, isProven } = start(['Bearer theirs']);
  const theirs = { kind: 'given', value: 'Bearer theirs' } as const;
  const other = { kind: 'given', value: 'Bearer other' } as const;
  await Promise.all([standing.ask(theirs), standing.ask(other)]);
  expect([isProven(holderOf(theirs)), isProven(holderOf(other))]).toEqual([true, false]);
});

it('forgets the oldest of very many credentials, and no success for refused ones', async () => {
  const { answer, standing, isProven } = start();
  await answer(200, 'Bearer real');
  for (let count = 0; count < 10_001; count += 1) await answer(401, `Bearer ${count}`);
  expect(standing.isRefused('Bearer 0')).toBe(false);
  expect(standing.isRefused('Bearer 1')).toBe(true);
  expect(isProven('Bearer real')).toBe(true);
});
