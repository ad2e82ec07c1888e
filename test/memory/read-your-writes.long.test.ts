import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runsOf, seed } from '../support/random/runs.ts';
import { topics } from '../support/read-your-writes/operations.ts';
import { createRun, type Seen } from '../support/read-your-writes/run.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';

vi.mock(
  '../../src/upstream/call/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const runs = runsOf(150, Infinity, 10_000);

let clock: Clock;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.restore());

const who = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 2, 2, 3);
/** How long after a command the next one comes, in milliseconds. */
const wait = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, 0, 20, 100, 400) },
  { weight: 10, arbitrary: fc.constantFrom(800, 1500, 3100) },
  { weight: 1, arbitrary: fc.constantFrom(6000, 12_000, 31_000) },
);
const operation = fc.nat(999);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      read: operation,
      who,
      // no-cache, and two of `max-age`
      maxAge: fc.constantFrom(...Array<undefined>(12).fill(undefined), 0, 2, 20),
      pause: fc.constantFrom(0, 0, 0, 200, 600),
      wait,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      write: operation,
      who,
      before: fc.option(operation),
      after: fc.option(operation),
      wait,
    }),
  },
  { weight: 1, arbitrary: fc.record({ leave: fc.nat(), wait }) },
);
const rates = fc.constantFrom(
  undefined,
  { calls: 1, windowMs: 2000 },
  { calls: 2, windowMs: 5000 },
  { calls: 3, windowMs: 2000 },
  { calls: 5, windowMs: 10_000 },
);
const gateways = fc.record({
  topic: fc.nat(topics.length - 1),
  rate: rates,
  shareInFlight: fc.boolean(),
  draws: fc.nat(),
  faulty: fc.constantFrom(0, 0, 5, 25),
});

it(
  'a read that was sent before a write is never answered to a request that came after the answer of the mutation',
  async () => {
    const seen: Seen = { reads: 0, kept: 0, stale: 0, failures: 0, writes: 0, failedWrites: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 2, maxLength: 40, size: 'max' }),
        gateways,
        async (commands, { topic, ...gateway }) => {
          const run = createRun({ ...gateway, topic: topics[topic] ?? topics[0], seen });
          for (const each of commands) {
            if ('leave' in each) run.leave(each.leave);
            else run.request(each);
            await clock.advance(each.wait);
            expect(run.faults).toEqual([]);
          }
          await clock.advance(120_000);
          await run.end();
          expect(run.faults).toEqual([]);
          // Nothing is left that somebody would have to wait for.
          expect(clock.timers).toBe(0);
        },
      ),
      { numRuns: runs, seed },
    );
    // The runs are neither too odd nor too tame.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 10);
  },
  60_000 + runs * 100,
);
