import { beforeEach, describe, expect, it } from 'vitest';
import { type Breaker, type CallOutcome, createBreaker } from '../../src/upstream/breaker.ts';

const [ann, bob, cid] = ['Basic ann', 'Basic bob', 'Basic cid'];

let time: number;
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

type Told = readonly [CallOutcome, string];

const tell = (...told: readonly Told[]): void => {
  for (const [outcome, credential] of told) breaker.settle(outcome, credential);
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
  ])('opens with the last of %s', (_, told) => {
    tell(...told.slice(0, -1));
    expect(breaker.state).toBe('closed');
    tell(...told.slice(-1));
    expect(breaker.state).toBe('open');
    expect([ann, bob, cid].map((credential) => breaker.allow(credential))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each<readonly [title: string, told: readonly Told[]]>([
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
    expect(breaker.allow(bob)).toBe(true);
    expect(changes).toEqual([]);
  });
});

const open = (): void => tell(['failure', ann], ['failure', bob], ['failure', ann]);

describe('an open breaker', () => {
  beforeEach(open);

  it.each([
    [0, 10],
    [1, 10],
    [1_000, 9],
    [9_000, 1],
    [9_999, 1],
  ])('after %i ms tells to come back in %i seconds', (milliseconds, seconds) => {
    time += milliseconds;
    expect(breaker.allow(ann)).toBe(false);
    expect(breaker.retryAfterSeconds).toBe(seconds);
  });

  it('lets one call try once its time is over', () => {
    time += 10_000;
    expect([breaker.allow(ann), breaker.allow(bob), breaker.allow(ann)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(breaker.retryAfterSeconds).toBe(1);
    tell(['success', ann]);
    expect(changes).toEqual(['open', 'half-open', 'closed']);
  });

  it('stays open no longer for what fails that was sent before', () => {
    time += 9_000;
    open();
    time += 1_000;
    expect(breaker.allow(ann)).toBe(true);
  });

  it('closes when a call that was sent before is answered', () => {
    tell(['success', cid]);
    expect(breaker.state).toBe('closed');
  });

  it('begins to count anew when it has closed', () => {
    tell(['success', cid], ['failure', ann], ['failure', bob]);
    expect(breaker.state).toBe('closed');
  });
});

describe('a try', () => {
  beforeEach(() => {
    open();
    time += 10_000;
    breaker.allow(ann);
  });

  it('that tells nothing lets the next call try, the same caller’s too', () => {
    tell(['unknown', ann]);
    expect(breaker.state).toBe('open');
    expect(breaker.allow(ann)).toBe(true);
  });

  it('that cannot connect keeps all back for the whole time', () => {
    tell(['cannot-connect', ann]);
    time += 9_999;
    expect([breaker.allow(ann), breaker.allow(bob)]).toEqual([false, false]);
    time += 1;
    expect(breaker.allow(bob)).toBe(true);
  });

  it('that fails keeps its own caller back, and lets another try at once', () => {
    tell(['failure', ann]);
    time += 9_999;
    expect(breaker.allow(ann)).toBe(false);
    expect(breaker.retryAfterSeconds).toBe(1);
    expect(breaker.allow(bob)).toBe(true);
    tell(['success', bob]);
    expect(breaker.state).toBe('closed');
  });

  it('that fails tells its own caller how long', () => {
    time += 5_000;
    tell(['failure', ann]);
    time += 1_000;
    expect(breaker.allow(ann)).toBe(false);
    expect(breaker.retryAfterSeconds).toBe(9);
    time += 9_000;
    expect(breaker.allow(ann)).toBe(true);
  });

  it('of another caller that fails too keeps all back for the whole time', () => {
    tell(['failure', ann]);
    breaker.allow(bob);
    tell(['failure', bob]);
    time += 9_999;
    expect([ann, bob, cid].map((credential) => breaker.allow(credential))).toEqual([
      false,
      false,
      false,
    ]);
    time += 1;
    expect(breaker.allow(cid)).toBe(true);
  });

  it('of the same caller that fails again does not', () => {
    tell(['failure', ann]);
    time += 10_000;
    breaker.allow(ann);
    tell(['failure', ann]);
    expect(breaker.allow(bob)).toBe(true);
  });
});
