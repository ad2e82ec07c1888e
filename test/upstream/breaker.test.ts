import { expect, it } from 'vitest';
import type { Failure } from '../../src/upstream/error.ts';
import { createBreaker, type HealthSign, type Settle } from '../../src/upstream/sending/breaker.ts';
import { signOfAnswer, signOfFailure } from '../../src/upstream/sending/breaker-step.ts';
import { carryOut, present, rowsOf } from '../support/rows.ts';

const signs: Readonly<Record<string, HealthSign>> = {
  ...{ fails: 'failure', 'cannot connect': 'cannot-connect' },
  ...{ succeeds: 'success', 'tells nothing': 'unknown' },
};
const how = Object.keys(signs).join('|');

/**
 * Carries out a script about a breaker that opens with the third failure, for ten seconds: calls of callers, each of a path
 * of its own if none is named, and what is to be true in between.
 */
const carryOutScript = (script: string): Promise<void> => {
  let time = 1000;
  let paths = 0;
  const breaker = createBreaker({
    ...{ failures: 3, halfOpenMs: 10_000, onChange: () => undefined, now: () => time },
  });
  const underWay = new Map<string, Settle>();
  const send = (holder = '', path?: string): Settle | undefined => {
    paths += 1;
    return breaker.allow({ holder, path: path ?? `/${paths}` });
  };
  return carryOut(script, [
    [
      RegExp(`^(?:(\\d+) times )?(\\w+) (${how})(?: on (\\w+))?$`),
      (times = '1', who, what = '', path) => {
        for (let each = 0; each < Number(times); each += 1) {
          present(send(who, path))(present(signs[what]));
        }
      },
    ],
    [
      /^(\w+) is sent$/,
      (who = '') => {
        const settle = send(who);
        expect(settle, script).toBeDefined();
        if (settle) underWay.set(who, settle);
      },
    ],
    [
      /^(\w+) is refused(?: for (\d+) s)?$/,
      (who, seconds) => {
        expect(send(who), script).toBeUndefined();
        if (seconds) expect(breaker.retryAfterSeconds).toBe(Number(seconds));
      },
    ],
    [
      RegExp(`^that of (\\w+) (${how})$`),
      (who = '', what = '') => present(underWay.get(who))(present(signs[what])),
    ],
    [
      /^([\d.]+) s$/,
      (seconds) => {
        time += Number(seconds) * 1000;
      },
    ],
    [/^(open|half-open|closed)$/, (state) => expect(breaker.state, script).toBe(state)],
  ]);
};

const opened = 'ann fails, bob fails, ann fails, open';
const tried = `${opened}, 10 s, ann is sent`;

// When it opens, and when it does not, for whom: test/failures/breaker.test.ts.
it.each(
  rowsOf(`
  counts failures of both kinds, and none of calls that tell nothing
    ann fails, cid tells nothing, bob cannot connect, closed, ann fails, open
  opens with connections that cannot be made for one path
    2 times ann cannot connect on a, closed, bob cannot connect on a, open
  opens with failures on a second path, and not with those of one
    30 times ann fails on a, 30 times bob fails on a, closed, bob fails on b, open
  counts anew after a success
    ann fails, bob fails, cid succeeds, ann fails, bob fails, closed
  tells when to come back
    ${opened}, 0.001 s, ann is refused for 10 s, 8.999 s, bob is refused for 1 s
  lets one call try
    ${tried}, half-open, bob is refused for 1 s, that of ann succeeds, closed
  stays open no longer for what fails that was sent before
    cid is sent, ${opened}, 9 s, that of cid cannot connect, 1 s, ann is sent
  closes when a call that was sent before is answered, and counts anew
    cid is sent, ${opened}, that of cid succeeds, closed, ann fails, bob fails, closed
  does not take for its try what was sent before
    cid is sent, ${tried}, that of cid cannot connect, half-open, bob is refused,
    that of ann succeeds, closed
  takes a try for a call like others when it has closed meanwhile
    cid is sent, ${tried}, that of cid succeeds, that of ann cannot connect, closed,
    2 times bob cannot connect, open
  lets another try if one tells nothing
    ${tried}, that of ann tells nothing, open, ann is sent
  keeps all back for the whole time if the try cannot connect
    ${tried}, that of ann cannot connect, 9.999 s, ann is refused, bob is refused, 0.001 s,
    bob is sent
  keeps back who has tried and failed, tells him how long, and lets another try at once
    ${tried}, 5 s, that of ann fails, 1 s, ann is refused for 9 s, 9 s, ann is sent,
    that of ann tells nothing, bob succeeds, closed
  keeps all back for the whole time if another fails too
    ${tried}, that of ann fails, bob fails, 9.999 s, ann is refused, cid is refused, 0.001 s,
    cid is sent
  does not do so if the same fails again
    ${tried}, that of ann fails, 10 s, ann fails, bob is sent
  `),
)('a breaker %s', (_, script) => carryOutScript(script));

const retryAfter = (value: string) => ({ status: 503, headers: { 'retry-after': value } });
type Answers = readonly (number | Parameters<typeof signOfAnswer>[1])[];
it.each<readonly [tells: HealthSign, answers: Answers]>([
  ['success', [200, 302, 400, 401, 404, 408, 424, 429, 500, 501, 505, 527, 528, 529]],
  ['success', [retryAfter('60'), retryAfter('Thu, 01 Jan 2099 00:00:00 GMT')]],
  ['failure', [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530]],
  // The second header stands on every answer.
  ['failure', [retryAfter('soon'), { status: 503, headers: { 'ratelimit-reset': '9' } }]],
])('of the health of an upstream tell as a %s: %o', (tells, answers) => {
  for (const each of answers) {
    const answer = typeof each === 'number' ? { status: each, headers: {} } : each;
    const told = [false, true].map((write) => signOfAnswer(write, answer));
    expect([answer, ...told]).toEqual([answer, tells, tells === 'failure' ? 'unknown' : tells]);
  }
});

type Facts = Pick<Failure, 'reason' | 'cause' | 'inFlightMs'>;
it.each<readonly [tells: HealthSign, facts: Facts]>([
  ['cannot-connect', { reason: 'unreachable', cause: 'ECONNREFUSED' }],
  ['cannot-connect', { reason: 'unreachable', cause: 'CERT_HAS_EXPIRED' }],
  ['cannot-connect', { reason: 'timeout', cause: 'UND_ERR_CONNECT_TIMEOUT' }],
  ['unknown', { reason: 'queue-full' }],
  ['unknown', { reason: 'timeout' }],
  ['unknown', { reason: 'unreachable', cause: 'UND_ERR_DESTROYED' }],
  ['unknown', { reason: 'unreachable', cause: 'EMFILE' }],
  ['unknown', { reason: 'unreachable', cause: 'ENFILE' }],
  ['failure', { reason: 'cut-off', cause: 'UND_ERR_SOCKET', inFlightMs: 0 }],
  ['unknown', { reason: 'timeout', inFlightMs: 9_999 }],
  ['failure', { reason: 'timeout', inFlightMs: 10_000 }],
  ['unknown', { reason: 'aborted', inFlightMs: 9_999 }],
  ['failure', { reason: 'aborted', inFlightMs: 10_000 }],
  ['success', { reason: 'bad-response', inFlightMs: 5 }],
])('of it a read without an answer tells %s by %o', (read, facts) => {
  expect(signOfFailure({ ...facts, write: false })).toBe(read);
  const write = read === 'success' ? 'success' : 'unknown';
  expect(signOfFailure({ ...facts, write: true })).toBe(write);
});
