import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTurns, type Turn, type TurnsOptions } from '../../src/upstream/turns.ts';

/** Turns that note who is granted a place, and who is dismissed, in this order. */
const noting = (options: TurnsOptions) => {
  const turns = createTurns(options);
  const granted: string[] = [];
  const dismissed: string[] = [];
  return {
    turns,
    granted,
    dismissed,
    take: (credential: string, name = credential): Turn | undefined =>
      turns.take(credential, {
        granted: () => granted.push(name),
        dismissed: () => dismissed.push(name),
      }),
  };
};

const count = (times: number, each: () => Turn | undefined): (Turn | undefined)[] =>
  Array.from({ length: times }, each);

const statesOf = (taken: readonly (Turn | undefined)[]) => ({
  placed: taken.filter((turn) => turn && !turn.waits).length,
  waiting: taken.filter((turn) => turn?.waits).length,
  refused: taken.filter((turn) => !turn).length,
});

describe('of 64 places and a queue of 1000,', () => {
  const options = { places: 64, maxWaiting: 1000 };

  it('one credential has 16 and 250, and others still have theirs', () => {
    const { take } = noting(options);
    expect(statesOf(count(2000, () => take('one')))).toEqual({
      placed: 16,
      waiting: 250,
      refused: 1734,
    });
    for (const other of ['two', 'three', 'four']) {
      expect(statesOf(count(16, () => take(other)))).toEqual({
        placed: 16,
        waiting: 0,
        refused: 0,
      });
    }
    expect(take('five')?.waits).toBe(true);
  });

  it('no more than 1000 wait in all', () => {
    const { take } = noting(options);
    const taken = Array.from({ length: 10 }, (_, index) => count(300, () => take(`${index}`)));
    expect(statesOf(taken.flat())).toMatchObject({ placed: 64, waiting: 1000 });
    expect(take('another')).toBeUndefined();
  });
});

it.each([
  [
    { places: 1, maxWaiting: 1 },
    { placed: 1, waiting: 1, refused: 8 },
  ],
  [
    { places: 3, maxWaiting: 2 },
    { placed: 1, waiting: 1, refused: 8 },
  ],
  [
    { places: 1, maxWaiting: 0 },
    { placed: 1, waiting: 0, refused: 9 },
  ],
  [
    { places: 8, maxWaiting: 12 },
    { placed: 2, waiting: 3, refused: 5 },
  ],
])('one credential has at least one place of few: %j', (options, expected) => {
  const { take } = noting(options);
  expect(statesOf(count(10, () => take('one')))).toEqual(expected);
});

it('credentials that wait get places in turn, and the calls of each in their order', () => {
  const { take, granted } = noting({ places: 1, maxWaiting: 100 });
  const first = take('zero');
  const held = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => take(name.charAt(0), name));
  first?.end();
  for (let next = 0; next < held.length; next += 1) {
    const name = granted.at(-1);
    held[['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].indexOf(name ?? '')]?.end();
  }
  expect(granted).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('a call that waits no longer leaves its place in the queue to another', () => {
  const { take, granted } = noting({ places: 1, maxWaiting: 4 });
  const placed = take('one', 'placed');
  const left = take('one', 'left');
  expect(take('one')).toBeUndefined();
  left?.end();
  left?.end();
  expect(take('one', 'stays')?.waits).toBe(true);
  expect(take('one')).toBeUndefined();
  placed?.end();
  expect(granted).toEqual(['stays']);
});

it('a place is given back once, however often that is said', () => {
  const { take, granted } = noting({ places: 1, maxWaiting: 100 });
  const placed = take('one');
  take('two');
  take('three');
  placed?.end();
  placed?.end();
  expect(granted).toEqual(['two']);
});

it('all who wait can be dismissed, and nobody who has a place is', () => {
  const { turns, take, granted, dismissed } = noting({ places: 1, maxWaiting: 100 });
  const placed = take('one');
  const waiting = [take('one', 'a'), take('two', 'b')];
  turns.dismiss();
  expect(dismissed).toEqual(['a', 'b']);
  expect(waiting.map((turn) => turn?.waits)).toEqual([false, false]);
  for (const turn of waiting) turn?.end();
  placed?.end();
  expect(granted).toEqual([]);
  expect(take('two')?.waits).toBe(false);
});

it('ten thousand that end as they are granted a place are served one after the other', () => {
  const turns = createTurns({ places: 1, maxWaiting: 100_000 });
  const placed = turns.take('first', { granted: () => undefined, dismissed: () => undefined });
  let served = 0;
  for (let index = 0; index < 10_000; index += 1) {
    const turn = turns.take(`${index % 7}`, {
      granted: () => {
        served += 1;
        turn?.end();
      },
      dismissed: () => undefined,
    });
  }
  placed?.end();
  expect(served).toBe(10_000);
  expect(turns.take('last', { granted: () => undefined, dismissed: () => undefined })?.waits).toBe(
    false,
  );
});

/** A call as a slow and simple model of the rules sees it. */
interface Modelled {
  readonly credential: string;
  readonly turn: Turn;
  readonly number: number;
}

describe('whatever is taken, given back and cancelled,', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ take: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }) },
    { weight: 3, arbitrary: fc.record({ end: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ cancel: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ dismiss: fc.constant(true) }) },
  );

  it('the shares are kept, no place stays free that somebody may take, and calls keep their order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 24 }),
        fc.array(step, { maxLength: 200 }),
        (places, maxWaiting, steps) => {
          const share = Math.max(1, Math.floor(places / 4));
          const queueShare = Math.min(maxWaiting, Math.max(1, Math.floor(maxWaiting / 4)));
          const turns = createTurns({ places, maxWaiting });
          const placed: Modelled[] = [];
          let waiting: Modelled[] = [];
          let number = 0;
          const of = (list: readonly Modelled[], credential: string) =>
            list.filter((each) => each.credential === credential);

          const take = (credential: string): void => {
            const mine = number++;
            const turn = turns.take(credential, {
              granted: () => {
                const [longest] = of(waiting, credential);
                expect(longest?.number).toBe(mine);
                waiting = waiting.filter((each) => each !== longest);
                if (longest) placed.push(longest);
              },
              dismissed: () => {
                waiting = waiting.filter((each) => each.number !== mine);
              },
            });
            if (!turn) {
              // Refused only where a queue is full.
              expect(
                waiting.length === maxWaiting || of(waiting, credential).length === queueShare,
              ).toBe(true);
            } else (turn.waits ? waiting : placed).push({ credential, turn, number: mine });
          };

          for (const each of steps) {
            if ('take' in each) take(each.take);
            else if ('end' in each && placed.length > 0) {
              placed.splice(each.end % placed.length, 1)[0]?.turn.end();
            } else if ('cancel' in each && waiting.length > 0) {
              waiting.splice(each.cancel % waiting.length, 1)[0]?.turn.end();
            } else if ('dismiss' in each) {
              turns.dismiss();
              expect(waiting).toEqual([]);
            }
            expect(placed.length).toBeLessThanOrEqual(places);
            expect(waiting.length).toBeLessThanOrEqual(maxWaiting);
            for (const credential of ['a', 'b', 'c', 'd', 'e', 'f']) {
              const has = of(placed, credential).length;
              expect(has).toBeLessThanOrEqual(share);
              const waits = of(waiting, credential).length;
              expect(waits).toBeLessThanOrEqual(queueShare);
              if (waits > 0) expect(placed.length === places || has === share).toBe(true);
            }
            expect(placed.every(({ turn }) => !turn.waits)).toBe(true);
            expect(waiting.every(({ turn }) => turn.waits)).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
