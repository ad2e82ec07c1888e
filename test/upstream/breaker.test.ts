import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/upstream/error.ts';
import {
  type CallOutcome,
  createBreaker,
  type Settle,
} from '../../src/upstream/sending/breaker.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../../src/upstream/sending/breaker-step.ts';
import { rowsOf } from '../support/rows.ts';

const outcomes: Readonly<Record<string, CallOutcome>> = {
  ...{ fails: 'failure', 'cannot connect': 'cannot-connect' },
  ...{ succeeds: 'success', 'tells nothing': 'unknown' },
};
const outcome = `(${Object.keys(outcomes).join('|')})`;

/**
 * Carries out a script about a breaker that opens with the third failure, for ten seconds: calls of callers, each of a path
 * of its own if none is named, and what is to be true in between.
 */
const carryOut = (script: string): void => {
  let time = 1000;
  let paths = 0;
  const breaker = createBreaker({
    ...{ failures: 3, halfOpenMs: 10_000, onChange: () => undefined, now: () => time },
  });
  const underWay = new Map<string, Settle>();
  const send = (holder: string, path?: string): Settle | undefined => {
    paths += 1;
    return breaker.allow({ holder, path: path ?? `/${paths}` });
  };
  const steps: readonly (readonly [string, (...parts: string[]) => void])[] = [
    [
      `(?:(\\d+) times )?(\\w+) ${outcome}(?: on (\\w+))?`,
      (times = '1', who = '', how = '', path) => {
        for (let each = 0; each < Number(times); each += 1) {
          send(who, path)?.(outcomes[how] ?? 'unknown');
        }
      },
    ],
    [
      '(\\w+) is sent',
      (who = '') => {
        const settle = send(who);
        expect(settle, script).toBeDefined();
        if (settle) underWay.set(who, settle);
      },
    ],
    [
      '(\\w+) is refused(?: for (\\d+) s)?',
      (who = '', seconds) => {
        expect(send(who), script).toBeUndefined();
        if (seconds) expect(breaker.retryAfterSeconds).toBe(Number(seconds));
      },
    ],
    [
      `that of (\\w+) ${outcome}`,
      (who = '', how = '') => underWay.get(who)?.(outcomes[how] ?? 'unknown'),
    ],
    [
      '([\\d.]+) s',
      (seconds) => {
        time += Number(seconds) * 1000;
      },
    ],
    ['(open|half-open|closed)', (state) => expect(breaker.state, script).toBe(state)],
  ];
  for (const step of script.split(', ')) {
    const [pattern = '', act] = steps.find(([each]) => RegExp(`^${each}$`).test(step)) ?? [];
    if (!act) throw new Error(`No such step: ${step}`);
    act(...(RegExp(`^${pattern}$`).exec(step)?.slice(1) ?? []));
  }
};

const opened = 'ann fails, bob fails, ann fails, open';
const tried = `${opened}, 10 s, ann is sent`;

describe('a breaker', () => {
  it.each(
    rowsOf(`
  opens with failures of two callers
    2 times ann fails, closed, bob fails, open, cid is refused for 10 s
  opens with failures beside calls that tell nothing
    ann fails, cid tells nothing, bob fails, closed, ann fails, open
  opens with connections that one caller cannot make
    2 times ann cannot connect, closed, ann cannot connect, open
  opens with failures of both kinds
    ann fails, bob cannot connect, closed, ann fails, open
  opens with connections that cannot be made for one path
    2 times ann cannot connect on a, closed, bob cannot connect on a, open
  opens with failures on a second path
    ann fails on a, bob fails on a, closed, bob fails on b, open
  stays closed after failures of one path
    30 times ann fails on a, 30 times bob fails on a, closed, bob is sent
  stays closed after failures of one caller
    50 times ann fails, closed, 2 times ann cannot connect, closed, bob is sent
  stays closed after failures with a success in between
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
  )('%s', (_, script) => carryOut(script));
});

describe('of the upstream’s health', () => {
  it.each<readonly [outcome: CallOutcome, statuses: readonly number[]]>([
    ['success', [200, 302, 400, 401, 404, 408, 424, 429, 500, 501, 505, 527, 528, 529]],
    ['failure', [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530]],
  ])('a read tells %s by %o', (expected, statuses) => {
    for (const status of statuses) {
      const told = [false, true].map((write) => outcomeOfAnswer(write, { status, headers: {} }));
      expect([status, ...told]).toEqual([
        ...[status, expected, expected === 'failure' ? 'unknown' : expected],
      ]);
    }
  });

  it.each<readonly [headers: Record<string, string>, CallOutcome]>([
    [{ 'retry-after': '60' }, 'success'],
    [{ 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 'success'],
    [{ 'retry-after': 'soon' }, 'failure'],
    // It stands on every answer.
    [{ 'ratelimit-reset': '9' }, 'failure'],
  ])('a 503 with %o tells %s', (headers, expected) => {
    expect(outcomeOfAnswer(false, { status: 503, headers })).toBe(expected);
  });

  it.each<readonly [CallOutcome, Pick<Failure, 'reason' | 'cause' | 'inFlightMs'>]>([
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
  ])('a read without an answer tells %s by %o', (read, facts) => {
    expect(outcomeOfFailure({ ...facts, write: false })).toBe(read);
    const write = read === 'success' ? 'success' : 'unknown';
    expect(outcomeOfFailure({ ...facts, write: true })).toBe(write);
  });
});
