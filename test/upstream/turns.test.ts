import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTurns, type Release, type TurnsOptions } from '../../src/upstream/gate/turns.ts';
import { settled } from '../support/upstream/calls.ts';

type Outcome = 'placed' | 'released' | 'waiting' | 'full' | 'dismissed' | 'aborted';

/** A call that takes a place, or waits for one. */
interface Taker {
  readonly credential: string;
  readonly name: string;
  outcome: Outcome;
  release: Release;
  leave(): void;
}

/** Turns, with what became of all who asked; `granted` in the order in which those who waited got places. */
const noting = (options: TurnsOptions) => {
  const turns = createTurns(options);
  const granted: string[] = [];
  const takers: Taker[] = [];
  const take = async (credential: string, name = credential): Promise<Taker> => {
    const controller = new AbortController();
    const taker: Taker = {
      credential,
      name,
      outcome: 'waiting',
      release: () => undefined,
      leave: () => controller.abort(),
    };
    takers.push(taker);
    const place = turns.take(credential);
    if (place) {
      taker.outcome = 'placed';
      taker.release = place;
      return taker;
    }
    void turns.wait(credential, controller.signal).then((turn) => {
      if (typeof turn === 'string') taker.outcome = turn;
      else {
        granted.push(name);
        taker.outcome = 'placed';
        taker.release = turn;
      }
    });
    await settled();
    return taker;
  };
  return { turns, granted, takers, take };
};

const count = async (times: number, each: () => Promise<Taker>) =>
  statesOf(await Promise.all(Array.from({ length: times }, each)));

const statesOf = (takers: readonly Taker[]) => {
  const having = (outcome: Outcome) => takers.filter((taker) => taker.outcome === outcome).length;
  return { placed: having('placed'), waiting: having('waiting'), refused: having('full') };
};

describe('of 64 places and a queue of 1000,', () => {
  const options = { places: 64, maxWaiting: 1000 };

  it('one credential has 16 and 250, and others still have theirs', async () => {
    const { take } = noting(options);
    expect(await count(2000, () => take('one'))).toEqual({
      placed: 16,
      waiting: 250,
      refused: 1734,
    });
    for (const other of ['two', 'three', 'four']) {
      expect(await count(16, () => take(other))).toEqual({ placed: 16, waiting: 0, refused: 0 });
    }
    expect((await take('five')).outcome).toBe('waiting');
  });

  it('no more than 1000 wait in all', async () => {
    const { take, takers } = noting(options);
    for (let credential = 0; credential < 10; credential += 1) {
      await count(300, () => take(`${credential}`));
    }
    expect(statesOf(takers)).toMatchObject({ placed: 64, waiting: 1000 });
    expect((await take('another')).outcome).toBe('full');
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
])('one credential has at least one place of few: %j', async (options, expected) => {
  const { take } = noting(options);
  expect(await count(10, () => take('one'))).toEqual(expected);
});

it('credentials that wait get places in turn, and the calls of each in their order', async () => {
  const { take, takers, granted } = noting({ places: 1, maxWaiting: 100 });
  const first = await take('zero');
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) await take(name.charAt(0), name);
  first.release();
  for (let next = 0; next < 6; next += 1) {
    await settled();
    takers.find(({ name }) => name === granted.at(-1))?.release();
  }
  expect(granted).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('credentials that may have several places get them in turn too', async () => {
  const { take, takers, granted } = noting({ places: 8, maxWaiting: 100 });
  for (const name of ['w', 'w', 'x', 'x', 'y', 'y', 'z', 'z']) await take(name);
  const holding = takers.slice(0, 4);
  for (const name of ['a1', 'a2', 'b1', 'b2']) await take(name.charAt(0), name);
  for (const { release } of holding) release();
  await settled();
  expect(granted).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('a call that waits no longer leaves its place in the queue to another', async () => {
  const { take, granted } = noting({ places: 1, maxWaiting: 4 });
  const placed = await take('one', 'placed');
  const left = await take('one', 'left');
  expect((await take('one')).outcome).toBe('full');
  left.leave();
  left.leave();
  expect((await take('one', 'stays')).outcome).toBe('waiting');
  expect((await take('one')).outcome).toBe('full');
  placed.release();
  await settled();
  expect(granted).toEqual(['stays']);
  expect(left.outcome).toBe('aborted');
});

it('a call that has left already does not wait', async () => {
  const turns = createTurns({ places: 1, maxWaiting: 4 });
  const place = turns.take('one');
  expect(await turns.wait('two', AbortSignal.abort())).toBe('aborted');
  place?.();
  expect(turns.take('three')).toBeDefined();
});

it('a call that leaves as it is granted a place has it to give back', async () => {
  const turns = createTurns({ places: 1, maxWaiting: 4 });
  const controller = new AbortController();
  const place = turns.take('one');
  const waiting = turns.wait('two', controller.signal);
  place?.();
  controller.abort();
  expect(turns.take('three')).toBeUndefined();
  const turn = await waiting;
  if (typeof turn === 'string') throw new Error(turn);
  turn();
  expect(turns.take('three')).toBeDefined();
});

it('a place is given back once, however often that is said', async () => {
  const { take, granted } = noting({ places: 1, maxWaiting: 100 });
  const placed = await take('one');
  await take('two');
  await take('three');
  placed.release();
  placed.release();
  await settled();
  expect(granted).toEqual(['two']);
});

it('all who wait can be dismissed, and nobody who has a place is', async () => {
  const { turns, take, granted } = noting({ places: 1, maxWaiting: 100 });
  const placed = await take('one');
  const waiting = [await take('one'), await take('two')];
  turns.dismiss();
  await settled();
  expect(waiting.map(({ outcome }) => outcome)).toEqual(['dismissed', 'dismissed']);
  for (const taker of waiting) taker.leave();
  placed.release();
  await settled();
  expect(granted).toEqual([]);
  expect((await take('two')).outcome).toBe('placed');
});

describe('whatever is taken, given back and cancelled,', () => {
  const credentials = ['a', 'b', 'c', 'd', 'e', 'f'];
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ take: fc.constantFrom(...credentials) }) },
    { weight: 3, arbitrary: fc.record({ release: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ leave: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ dismiss: fc.constant(true) }) },
  );

  it('the shares are kept, no place stays free that somebody may take, and calls get places in turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 0, max: 24 }),
        fc.array(step, { maxLength: 100 }),
        async (places, maxWaiting, steps) => {
          const share = Math.max(1, Math.floor(places / 4));
          const queueShare = Math.min(maxWaiting, Math.max(1, Math.floor(maxWaiting / 4)));
          const { turns, takers, granted, take } = noting({ places, maxWaiting });
          const having = (outcome: Outcome, credential?: string): readonly Taker[] =>
            takers.filter(
              (taker) =>
                taker.outcome === outcome &&
                (credential === undefined || taker.credential === credential),
            );
          /** Who was served while a credential waited for a place that it may have, since it was served itself. */
          let passed = new Map<string, string[]>();
          const mayHaveOne = (credential: string) =>
            having('waiting', credential).length > 0 && having('placed', credential).length < share;

          for (const [index, each] of steps.entries()) {
            const placed = having('placed');
            const waiting = having('waiting');
            const hopeful = credentials.filter(mayHaveOne);
            const before = granted.length;
            if ('take' in each) {
              const queues = [waiting.length, having('waiting', each.take).length] as const;
              const taker = await take(each.take, `${each.take}-${index}`);
              if (taker.outcome === 'full') {
                expect(queues[0] === maxWaiting || queues[1] === queueShare).toBe(true);
              }
            } else if ('release' in each && placed.length > 0) {
              const taker = placed[each.release % placed.length];
              taker?.release();
              if (taker) taker.outcome = 'released';
            } else if ('leave' in each && waiting.length > 0) {
              waiting[each.leave % waiting.length]?.leave();
            } else if ('dismiss' in each) turns.dismiss();
            await settled();
            if ('dismiss' in each) expect(having('waiting')).toEqual([]);

            // Turns between credentials: nobody is served twice while another one waits that may be.
            const served = granted.slice(before).map((name) => name.charAt(0));
            passed = new Map(
              hopeful.filter(mayHaveOne).map((credential) => {
                const seen = [...(passed.get(credential) ?? []), ...served];
                expect(new Set(seen).size).toBe(seen.length);
                return [credential, served.includes(credential) ? [] : seen];
              }),
            );
            expect(having('placed').length).toBeLessThanOrEqual(places);
            expect(having('waiting').length).toBeLessThanOrEqual(maxWaiting);
            for (const credential of credentials) {
              const has = having('placed', credential).length;
              expect(has).toBeLessThanOrEqual(share);
              const waits = having('waiting', credential).length;
              expect(waits).toBeLessThanOrEqual(queueShare);
              if (waits > 0) expect(having('placed').length === places || has === share).toBe(true);
            }
          }
          // The calls of one credential are served in the order in which they came.
          for (const credential of credentials) {
            const numbers = granted
              .filter((name) => name.startsWith(credential))
              .map((name) => Number(name.slice(2)));
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
