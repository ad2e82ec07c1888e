import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialIdentity } from '../../src/upstream/credential-identity.ts';
import { createCredentialStatus } from '../../src/upstream/gate/credential-status.ts';
import { createRecentlyAsked } from '../../src/upstream/reads/recently-asked.ts';
import { holdTime } from '../support/pacing/time.ts';
import { answerOf, createTestCaller, readOf } from '../support/upstream/calls.ts';

it.each([
  ['Bearer abc', 'BEARER    abc', true],
  ['Basic a2V5OnM/Pz8+', 'basic  a2V5OnM_Pz8-', true],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYw', true],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYx==', true],
  ['Bearer abc', 'Bearer ABC', false],
  ['Bearer YWJj', 'Basic YWJj', false],
  ['Basic a2V5OnNlYw==', 'Basic a2V5OnNlYzE=', false],
  ['Basic !!!', 'Basic ...', false],
])('%j and %j are one credential: %s', (one, other, isOne) => {
  expect(credentialIdentity(one) === credentialIdentity(other)).toBe(isOne);
});

const startStatus = () => {
  const credentialStatus = createCredentialStatus('management');
  let changes = 0;
  credentialStatus.onChange(() => {
    changes += 1;
  });
  const answer = (status: number, credential = 'Bearer one') =>
    credentialStatus.step(readOf(createTestCaller(), { credential }), async () =>
      answerOf('{}', status),
    );
  const stateOf = (holder = 'Bearer one'): string => {
    if (credentialStatus.isRefused(holder)) return 'refused';
    return credentialStatus.isProven(holder) ? 'proven' : 'unknown';
  };
  return { answer, stateOf, changes: () => changes };
};

/** What an upstream answers, and times that pass. */
type Step = number | { readonly seconds: number };
const passes = (seconds: number): Step => ({ seconds });

describe('a credential is', () => {
  it.each<readonly [title: string, steps: readonly Step[], state: string, changes: number]>([
    ...[200, 424].map((each) => [`proven by a ${each}`, [each], 'proven', 1] as const),
    ...[301, 403, 429, 500].map(
      (each) => [`not proven by a ${each}`, [each], 'unknown', 0] as const,
    ),
    ['proven for ten minutes', [200, passes(30), 200, passes(599)], 'proven', 1],
    ['proven no longer', [200, passes(30), 200, passes(600)], 'unknown', 1],
    ['no longer proven after a 401', [200, 401], 'unknown', 2],
    ['refused by another 401', [200, 401, 401], 'refused', 3],
    ['refused for ten seconds', [401, passes(10)], 'unknown', 1],
    ['refused until a success', [401, 200], 'proven', 2],
  ])('%s', async (_, steps, state, count) => {
    const time = holdTime();
    onTestFinished(time.release);
    const { answer, stateOf, changes } = startStatus();
    for (const step of steps) {
      if (typeof step === 'number') await answer(step);
      else {
        time.pass(step.seconds);
        // lru-cache looks at the clock once in a millisecond.
        await pause(5);
      }
    }
    expect([stateOf(), changes(), stateOf('Bearer two')]).toEqual([state, count, 'unknown']);
  });

  it('forgotten, if it was refused, once ten thousand others are; a proven one is not', async () => {
    const { answer, stateOf } = startStatus();
    await answer(200, 'Bearer real');
    for (let count = 0; count < 10_001; count += 1) await answer(401, `Bearer ${count}`);
    const states = ['Bearer 0', 'Bearer 1', 'Bearer real'].map(stateOf);
    expect(states).toEqual(['unknown', 'refused', 'proven']);
  });
});

describe('reads that were asked for lately', () => {
  const start = () => {
    const proven = new Set<string>();
    const clock = { now: 0 };
    const asked = createRecentlyAsked({
      isProven: (holder) => proven.has(holder),
      now: () => clock.now,
    });
    const noteMany = (holder: string, count: number): void => {
      for (let each = 1; each <= count; each += 1) asked.note(holder, `/${each}`);
    };
    return { proven, clock, asked, noteMany };
  };

  it('are 5000 of one credential, and 20 000 of those without a success, which displace none of others', () => {
    const { proven, asked, noteMany } = start();
    noteMany('early', 10);
    proven.add('early');
    asked.note('early', '/11');
    noteMany('invented1', 5001);
    expect(['/1', '/2'].map((path) => asked.leftMs('invented1', path))).toEqual([0, 60_000]);
    for (let each = 2; each <= 10; each += 1) noteMany(`invented${each}`, 5000);
    expect(asked.size).toBe(20_011);
    expect(['early', 'invented6', 'invented7'].map(asked.count)).toEqual([11, 0, 5000]);
  });

  it('are 200 000 of all others', () => {
    const { proven, asked, noteMany } = start();
    for (let each = 1; each <= 41; each += 1) {
      proven.add(`user${each}`);
      noteMany(`user${each}`, 5000);
    }
    expect([asked.size, asked.count('user1'), asked.count('user2')]).toEqual([200_000, 0, 5000]);
  });
});
