import { beforeEach, expect, it } from 'vitest';
import type { Failure } from '../../src/upstream/error.ts';
import { createBreaker, type HealthSign, type Settle } from '../../src/upstream/sending/breaker.ts';
import { signOfAnswer, signOfFailure } from '../../src/upstream/sending/breaker-step.ts';
import { present, type Step } from '../support/steps.ts';

let breaker: ReturnType<typeof createBreaker>;
let time = 1000;
let paths = 0;
/** It opens with the third failure, for ten seconds. */
beforeEach(() => {
  const now = () => time;
  breaker = createBreaker({ failures: 3, halfOpenMs: 10_000, onChange: () => undefined, now });
});

/** What a caller does; each call has a path of its own if none is named. */
const callerOf = (holder: string) => {
  let underWay: Settle | undefined;
  const send = (path?: string): Settle | undefined => {
    paths += 1;
    return breaker.allow({ holder, path: path ?? `/${paths}` });
  };
  const call = (sign: HealthSign, path?: string) => () => present(send(path))(sign);
  const isRefused: Step = () => expect(send()).toBeUndefined();
  return {
    fails: call('failure'),
    failsOn: (path: string) => call('failure', path),
    cannotConnect: call('cannot-connect'),
    cannotConnectOn: (path: string) => call('cannot-connect', path),
    succeeds: call('success'),
    tellsNothing: call('unknown'),
    isSent: () => {
      underWay = present(send());
    },
    ends: (sign: HealthSign) => () => present(underWay)(sign),
    isRefused,
    isRefusedFor: (seconds: number) => () => {
      isRefused();
      expect(breaker.retryAfterSeconds).toBe(seconds);
    },
  };
};
const [ann, bob, cid] = [callerOf('ann'), callerOf('bob'), callerOf('cid')];
const times = (count: number, step: Step) => () => {
  for (let each = 0; each < count; each += 1) step();
};
const pass = (seconds: number) => () => {
  time += seconds * 1000;
};
const is = (state: string) => () => expect(breaker.state).toBe(state);
const [open, halfOpen, closed] = [is('open'), is('half-open'), is('closed')];
const opened = [ann.fails, bob.fails, ann.fails, open];
const tried = [...opened, pass(10), ann.isSent];
const play = (...steps: readonly Step[]): void => {
  for (const step of steps) step();
};

// When it opens, and when it does not, for whom: test/failures/breaker.test.ts.
it('a breaker counts failures of both kinds, and none of calls that tell nothing', () =>
  play(ann.fails, cid.tellsNothing, bob.cannotConnect, closed, ann.fails, open));
it('a breaker opens with connections that cannot be made for one path', () =>
  play(times(2, ann.cannotConnectOn('a')), closed, bob.cannotConnectOn('a'), open));
it('a breaker opens with failures on a second path, and not with those of one', () =>
  play(times(30, ann.failsOn('a')), times(30, bob.failsOn('a')), closed, bob.failsOn('b'), open));
it('a breaker counts anew after a success', () =>
  play(ann.fails, bob.fails, cid.succeeds, ann.fails, bob.fails, closed));
it('a breaker tells when to come back', () =>
  play(...opened, pass(0.001), ann.isRefusedFor(10), pass(8.999), bob.isRefusedFor(1)));
it('a breaker lets one call try', () =>
  play(...tried, halfOpen, bob.isRefusedFor(1), ann.ends('success'), closed));
it('a breaker stays open no longer for what fails that was sent before', () =>
  play(cid.isSent, ...opened, pass(9), cid.ends('cannot-connect'), pass(1), ann.isSent));
it('a breaker closes when a call that was sent before is answered, and counts anew', () =>
  play(cid.isSent, ...opened, cid.ends('success'), closed, ann.fails, bob.fails, closed));
it('a breaker does not take for its try what was sent before', () => {
  play(cid.isSent, ...tried);
  play(cid.ends('cannot-connect'), halfOpen, bob.isRefused, ann.ends('success'), closed);
});
it('a breaker takes a try for a call like others when it has closed meanwhile', () => {
  play(cid.isSent, ...tried, cid.ends('success'));
  play(ann.ends('cannot-connect'), closed, times(2, bob.cannotConnect), open);
});
it('a breaker lets another try if one tells nothing', () =>
  play(...tried, ann.ends('unknown'), open, ann.isSent));
it('a breaker keeps all back for the whole time if the try cannot connect', () => {
  play(...tried, ann.ends('cannot-connect'));
  play(pass(9.999), ann.isRefused, bob.isRefused, pass(0.001), bob.isSent);
});
it('a breaker keeps back who has tried and failed, tells him how long, and lets another try at once', () => {
  play(...tried, pass(5), ann.ends('failure'), pass(1));
  play(ann.isRefusedFor(9), pass(9), ann.isSent, ann.ends('unknown'), bob.succeeds, closed);
});
it('a breaker keeps all back for the whole time if another fails too', () => {
  play(...tried, ann.ends('failure'));
  play(bob.fails, pass(9.999), ann.isRefused, cid.isRefused, pass(0.001), cid.isSent);
});
it('a breaker does not do so if the same fails again', () =>
  play(...tried, ann.ends('failure'), pass(10), ann.fails, bob.isSent));

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
