import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialIdentity } from '../../src/upstream/credential-identity.ts';
import { createStanding, type SharedProofs } from '../../src/upstream/gate/standing.ts';
import { holderOf } from '../../src/upstream/holder.ts';
import { createWants } from '../../src/upstream/reads/wants.ts';
import { holdTime } from '../support/pacing/time.ts';
import { answerOf, createTestCaller, readOf } from '../support/upstream/calls.ts';

it.each([
  ['Bearer abc', 'BEARER    abc', true],
  ['Basic a2V5OnM/Pz8+', 'basic  a2V5OnM_Pz8-', true],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYw', true],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYx==', true],
  ['Bearer abc', 'Bearer ABC', false],
  ['Bearer abc', 'Bearer abc=', false],
  ['Bearer YWJj', 'Basic YWJj', false],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYzE=', false],
  ['Bearer', 'Basic', false],
  ['Basic name=one', 'Basic name=two', false],
  ['Basic !!!', 'Basic ...', false],
])('%j and %j are one credential: %s', (one, other, isOne) => {
  expect(credentialIdentity(one) === credentialIdentity(other)).toBe(isOne);
});

describe('a credential', () => {
  const start = (known: readonly string[] = []) => {
    const time = holdTime();
    onTestFinished(time.release);
    const told: string[] = [];
    const shared: SharedProofs = {
      tell: (credential) => void told.push(`tell ${credential}`),
      forget: (credential) => void told.push(`forget ${credential}`),
      has: async (credential) => known.includes(credential),
    };
    const standing = createStanding(shared);
    const changes: string[] = [];
    standing.onChange((holder) => void changes.push(holder));
    return {
      ...{ standing, told, changes },
      answer: (status: number, credential = 'Bearer one') =>
        standing.step(readOf(createTestCaller(), { credential }), async () =>
          answerOf('{}', status),
        ),
      /** Whether it is proven, and whether it is refused. */
      stateOf: (holder = 'Bearer one') => [standing.isProven(holder), standing.isRefused(holder)],
      pass: async (seconds: number): Promise<void> => {
        time.pass(seconds);
        // lru-cache looks at the clock once in a millisecond.
        await pause(5);
      },
    };
  };

  it.each([
    ...[200, 201, 424].map((status) => ({ status, proven: true })),
    ...[301, 400, 401, 403, 404, 429, 500, 503].map((status) => ({ status, proven: false })),
  ])('that is answered $status is proven: $proven', async ({ status, proven }) => {
    const { answer, stateOf } = start();
    await answer(status);
    expect([stateOf(), stateOf('Bearer two')]).toEqual([
      [proven, status === 401],
      [false, false],
    ]);
  });

  it('is proven for ten minutes after the last success, and replicas hear of it once a minute', async () => {
    const { answer, stateOf, pass, told, changes } = start();
    for (let count = 0; count < 4; count += 1) {
      await answer(200);
      await pass(30);
    }
    expect([told, changes]).toEqual([['tell Bearer one', 'tell Bearer one'], ['Bearer one']]);
    await pass(540);
    expect(stateOf()).toEqual([true, false]);
    await pass(60);
    expect(stateOf()).toEqual([false, false]);
  });

  it('is no longer proven after a 401, refused for ten seconds after another one, or until a success', async () => {
    const { answer, stateOf, pass, told } = start();
    const states = [];
    for (const status of [200, 401, 401]) {
      await answer(status);
      states.push(stateOf());
    }
    await pass(10);
    states.push(stateOf());
    for (const status of [401, 200]) await answer(status);
    expect([...states, stateOf()]).toEqual([
      ...[
        [true, false],
        [false, false],
        [false, true],
        [false, false],
        [true, false],
      ],
    ]);
    expect(told).toEqual(['tell Bearer one', 'forget Bearer one', 'tell Bearer one']);
  });

  it('is asked of replicas', async () => {
    const { standing } = start(['Bearer theirs']);
    const both = ['Bearer theirs', 'Bearer other'].map(
      (value) => ({ kind: 'given', value }) as const,
    );
    await Promise.all(both.map(standing.ask));
    expect(both.map((each) => standing.isProven(holderOf(each)))).toEqual([true, false]);
  });

  it('is forgotten as the oldest of very many, but no success for refused ones', async () => {
    const { answer, stateOf } = start();
    await answer(200, 'Bearer real');
    for (let count = 0; count < 10_001; count += 1) await answer(401, `Bearer ${count}`);
    expect(['Bearer 0', 'Bearer 1', 'Bearer real'].map(stateOf)).toEqual([
      ...[
        [false, false],
        [false, true],
        [true, false],
      ],
    ]);
  });
});

describe('reads that are wanted', () => {
  const start = () => {
    const proven = new Set<string>();
    const clock = { now: 0 };
    const wants = createWants({ isProven: (holder) => proven.has(holder), now: () => clock.now });
    const noteMany = (holder: string, count: number): void => {
      for (let each = 1; each <= count; each += 1) wants.note(holder, `/${each}`);
    };
    return { proven, clock, wants, noteMany };
  };

  it('are so for a minute after they were asked for last', () => {
    const { clock, wants } = start();
    wants.note('one', '/1');
    wants.note('one', '/2');
    clock.now = 10_000;
    wants.note('one', '/1');
    expect([wants.leftMs('one', '/1'), wants.leftMs('one', '/2')]).toEqual([60_000, 50_000]);
    clock.now = 59_999;
    expect([wants.count('one'), wants.count('two')]).toEqual([2, 0]);
    clock.now = 60_000;
    expect([wants.count('one'), wants.leftMs('one', '/2'), wants.size]).toEqual([1, 0, 1]);
  });

  it('are 5000 of one credential, and 20 000 of those without a success, which displace none of others', () => {
    const { proven, wants, noteMany } = start();
    noteMany('early', 10);
    proven.add('early');
    wants.note('early', '/11');
    noteMany('invented1', 5001);
    expect(['/1', '/2'].map((path) => wants.leftMs('invented1', path))).toEqual([0, 60_000]);
    for (let each = 2; each <= 10; each += 1) noteMany(`invented${each}`, 5000);
    expect(wants.size).toBe(20_011);
    expect(['early', 'invented6', 'invented7'].map(wants.count)).toEqual([11, 0, 5000]);
  });

  it('are 200 000 of all others', () => {
    const { proven, wants, noteMany } = start();
    for (let each = 1; each <= 41; each += 1) {
      proven.add(`user${each}`);
      noteMany(`user${each}`, 5000);
    }
    expect([wants.size, wants.count('user1'), wants.count('user2')]).toEqual([200_000, 0, 5000]);
  });
});
