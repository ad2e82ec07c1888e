import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runsOf, seed } from '../support/random/runs.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';
import { commandAt, createRun, type Seen, settings } from './read-your-writes/run.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const runs = runsOf(150, Infinity, 10_000);

let clock: Clock;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.restore());

it(
  'a read that was sent before a write is never answered to a request that came after the answer of the mutation',
  async () => {
    const seen: Seen = { reads: 0, kept: 0, stale: 0, failures: 0, writes: 0, failedWrites: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(commandAt(1), { minLength: 2, maxLength: 40, size: 'max' }),
        settings,
        async (commands, options) => {
          const run = createRun({ ...options, seen });
          for (const each of commands) {
            if ('leave' in each) run.leave(each.leave);
            else run.request(each);
            await clock.advance(each.wait);
            expect(run.faults).toEqual([]);
          }
          // What is kept longest, and what is read in the background for as long, is over then.
          await clock.advance(720_000);
          await run.end();
          expect(run.faults).toEqual([]);
          // Nothing is left that somebody would have to wait for.
          expect(clock.timers).toBe(0);
        },
      ),
      { numRuns: runs, seed, endOnFailure: true },
    );
    // The runs are neither too odd nor too tame.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 10);
  },
  60_000 + runs * 100,
);
