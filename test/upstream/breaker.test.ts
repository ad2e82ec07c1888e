import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Breaker,
  type CallOutcome,
  createBreaker,
  type Settle,
} from '../../src/upstream/sending/breaker.ts';

const [ann, bob, cid] = ['Basic ann', 'Basic bob', 'Basic cid'];

let time: number;
let paths = 0;
let breaker: Breaker;
let changes: string[];

beforeEach(() => {
  time = 1_000;
  changes = [];
  breaker = createBreaker({
    failures: 3,
    halfOpenMs: 10_000,
    onChange: (state) => changes.push(state),
    now: () => time,
  });
});

type Told = readonly [outcome: CallOutcome, credential: string, path?: string];

/** Sends a call of that credential, of a path of its own if none is named; `undefined` where it must not be sent. */
const send = (holder: string, path?: string): Settle | undefined => {
  paths += 1;
  return breaker.allow({ holder, path: path ?? `/${paths}` });
};

const areSent = (...credentials: readonly string[]): readonly boolean[] =>
  credentials.map((credential) => send(credential) !== undefined);

/** Sends calls, one after the other, and tells what each came to. */
const tell = (...told: readonly Told[]): void => {
  for (const [outcome, credential, path] of told) send(credential, path)?.(outcome);
};

describe('a closed breaker', () => {
  it.each<readonly [title: string, told: readonly Told[]]>([
    [
      'failures of two callers in a row',
      [
        ['failure', ann],
        ['failure', ann],
        ['failure', bob],
      ],
    ],
    [
      'failures with calls in between that tell nothing',
      [
        ['failure', ann],
        ['unknown', cid],
        ['failure', bob],
        ['failure', ann],
      ],
    ],
    [
      'connections that cannot be made, of one caller',
      [
        ['cannot-connect', ann],
        ['cannot-connect', ann],
        ['cannot-connect', ann],
      ],
    ],
    [
      'failures of one kind and another, of two callers',
      [
        ['failure', ann],
        ['cannot-connect', bob],
        ['failure', ann],
      ],
    ],
    [
      'connections that cannot be made, for one path',
      [
        ['cannot-connect', ann, '/same'],
        ['cannot-connect', bob, '/same'],
        ['cannot-connect', ann, '/same'],
      ],
    ],
    [
      'failures of two callers, of one path and then of another',
      [
        ['failure', ann, '/same'],
        ['failure', bob, '/same'],
        ['failure', bob, '/other'],
      ],
    ],
  ])('opens with the last of %s', (_, told) => {
    tell(...told.slice(0, -1));
    expect(breaker.state).toBe('closed');
    tell(...told.slice(-1));
    expect(breaker.state).toBe('open');
    expect(areSent(ann, bob, cid)).toEqual([false, false, false]);
  });

  it.each<readonly [title: string, told: readonly Told[]]>([
    [
      'failures of one path, however many callers ask for it',
      Array.from({ length: 50 }, (_, index): Told => ['failure', `Basic ${index}`, '/same']),
    ],
    ['failures of one caller, however many', Array<Told>(50).fill(['failure', ann])],
    [
      'failures of one caller and connections that cannot be made, fewer than it takes',
      [...Array<Told>(50).fill(['failure', ann]), ['cannot-connect', ann], ['cannot-connect', ann]],
    ],
    [
      'failures with a success in between',
      [
        ['failure', ann],
        ['failure', bob],
        ['success', cid],
        ['failure', ann],
        ['failure', bob],
      ],
    ],
    ['calls that tell nothing', Array<Told>(50).fill(['unknown', ann])],
  ])('stays closed after %s', (_, told) => {
    tell(...told);
    expect(breaker.state).toBe('closed');
    expect(areSent(bob)).toEqual([true]);
    expect(changes).toEqual([]);
  });
});

const open = (): void => tell(['failure', ann], ['failure', bob], ['failure', ann]);

describe('an open breaker', () => {
  /** Two calls of that caller that were sent before it opened. */
  let before: readonly (Settle | undefined)[];
  beforeEach(() => {
    before = [send(cid), send(cid)];
    open();
  });

  it.each([
    [0, 10],
    [1, 10],
    [1_000, 9],
    [9_000, 1],
    [9_999, 1],
  ])('after %i ms tells to come back in %i seconds', (milliseconds, seconds) => {
    time += milliseconds;
    expect(areSent(ann)).toEqual([false]);
    expect(breaker.retryAfterSeconds).toBe(seconds);
  });

  it('lets one call try once its time is over', () => {
    time += 10_000;
    const trying = send(ann);
    expect(areSent(bob, ann)).toEqual([false, false]);
    expect(breaker.retryAfterSeconds).toBe(1);
    trying?.('success');
    expect(changes).toEqual(['open', 'half-open', 'closed']);
  });

  it('stays open no longer for what fails that was sent before', () => {
    time += 9_000;
    for (const settle of before) settle?.('cannot-connect');
    time += 1_000;
    expect(areSent(ann)).toEqual([true]);
  });

  it('closes when a call that was sent before is answered', () => {
    before[0]?.('success');
    expect(breaker.state).toBe('closed');
  });

  it('begins to count anew when it has closed', () => {
    before[0]?.('success');
    tell(['failure', ann], ['failure', bob]);
    expect(breaker.state).toBe('closed');
  });

  it.each<CallOutcome>(['failure', 'cannot-connect', 'unknown'])(
    'does not take for its try what was sent before: %s',
    (outcome) => {
      time += 10_000;
      const trying = send(ann);
      before[0]?.(outcome);
      expect(breaker.state).toBe('half-open');
      expect(areSent(bob)).toEqual([false]);
      trying?.('success');
      expect(breaker.state).toBe('closed');
    },
  );

  it('takes a try for a call like others when it has closed meanwhile', () => {
    time += 10_000;
    const trying = send(ann);
    before[0]?.('success');
    trying?.('cannot-connect');
    expect(breaker.state).toBe('closed');
    before[1]?.('cannot-connect');
    tell(['cannot-connect', bob]);
    expect(breaker.state).toBe('open');
  });
});

describe('a try', () => {
  let trying: Settle | undefined;
  beforeEach(() => {
    open();
    time += 10_000;
    trying = send(ann);
  });

  it('that tells nothing lets the next call try, the same caller’s too', () => {
    trying?.('unknown');
    expect(breaker.state).toBe('open');
    expect(areSent(ann)).toEqual([true]);
  });

  it('that cannot connect keeps all back for the whole time', () => {
    trying?.('cannot-connect');
    time += 9_999;
    expect(areSent(ann, bob)).toEqual([false, false]);
    time += 1;
    expect(areSent(bob)).toEqual([true]);
  });

  it('that fails keeps its own caller back, and lets another try at once', () => {
    trying?.('failure');
    time += 9_999;
    expect(areSent(ann)).toEqual([false]);
    expect(breaker.retryAfterSeconds).toBe(1);
    tell(['success', bob]);
    expect(breaker.state).toBe('closed');
  });

  it('that fails tells its own caller how long', () => {
    time += 5_000;
    trying?.('failure');
    time += 1_000;
    expect(areSent(ann)).toEqual([false]);
    expect(breaker.retryAfterSeconds).toBe(9);
    time += 9_000;
    expect(areSent(ann)).toEqual([true]);
  });

  it('of another caller that fails too keeps all back for the whole time', () => {
    trying?.('failure');
    tell(['failure', bob]);
    time += 9_999;
    expect(areSent(ann, bob, cid)).toEqual([false, false, false]);
    time += 1;
    expect(areSent(cid)).toEqual([true]);
  });

  it('of the same caller that fails again does not', () => {
    trying?.('failure');
    time += 10_000;
    tell(['failure', ann]);
    expect(areSent(bob)).toEqual([true]);
  });
});
