import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { holderOf } from '../../src/upstream/holder.ts';
import { createStanding, type SharedProofs } from '../../src/upstream/standing.ts';
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
  [200, true],
  [201, true],
  [424, true],
  ...[301, 400, 401, 403, 404, 429, 500, 503].map((status) => [status, false] as const),
])('after %i a credential is proven: %s', async (status, proven) => {
  const { answer, isProven, standing } = start();
  await answer(status);
  expect([isProven('Bearer one'), isProven('Bearer two')]).toEqual([proven, false]);
  expect(standing.refused('Bearer one') !== undefined).toBe(status === 401);
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
  expect(standing.refused('Bearer one')).toEqual({ seconds: 10, wasProven: false });
  expect(told).toEqual([]);
  await pass(10);
  expect(standing.refused('Bearer one')).toBeUndefined();
  await answer(200);
  await answer(401);
  await answer(401);
  expect(standing.refused('Bearer one')).toMatchObject({ wasProven: true });
  expect(standing.isProven('Bearer one')).toBe(false);
  expect(told).toEqual(['tell Bearer one', 'forget Bearer one']);
  await answer(200);
  expect(standing.refused('Bearer one')).toBeUndefined();
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
  expect(standing.refused('Bearer 0')).toBeUndefined();
  expect(standing.refused('Bearer 1')).toBeDefined();
  expect(isProven('Bearer real')).toBe(true);
});
