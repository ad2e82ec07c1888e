import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UpstreamError } from '../src/upstream/error.ts';
import { createRandom } from './fuzz-random.ts';
import {
  type AskedRead,
  type AskedWrite,
  faultOfError,
  faultOfRead,
  type Refusal,
  type Who,
} from './read-your-writes-check.ts';
import { topics } from './read-your-writes-operations.ts';
import { createModel } from './read-your-writes-upstream.ts';
import { type Clock, startClock } from './upstream/clock.ts';
import { type Request, startSimulated } from './upstream/simulated.ts';
import { receiveWith } from './upstream/simulated-transport.ts';

vi.mock('../src/upstream/call/send.ts', () => import('./upstream/simulated-transport.ts'));
vi.mock('node:timers/promises', () => import('./upstream/timers-promises.ts'));

/** The long run takes FUZZ_RUNS=10000; FUZZ_SEED varies it. */
const runs = Number(process.env.FUZZ_RUNS ?? 1000);
const seed = Number(process.env.FUZZ_SEED ?? 1);

let clock: Clock;
beforeEach(() => {
  clock = startClock();
});
afterEach(() => clock.restore());

/** The second is the first, spelt in another way; the last one is known to no upstream. */
const callers: readonly { readonly management: string; readonly observability: string }[] = [
  { management: 'Basic a2V5LTE6c2VjcmV0', observability: 'Bearer token-1' },
  { management: 'basic  a2V5LTE6c2VjcmV0', observability: 'bearer  token-1' },
  { management: 'Basic a2V5LTI6c2VjcmV0', observability: 'Bearer token-2' },
  { management: 'Basic aW52ZW50ZWQ6eA==', observability: 'Bearer invented' },
];
const holders = ['one', 'one', 'two', 'invented'];
const isKnown = (credential: string): boolean => !/aW52ZW50ZWQ6eA|invented/.test(credential);

const who = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 2, 2, 3);
const wait = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, 0, 20, 100, 400) },
  { weight: 10, arbitrary: fc.constantFrom(800, 1500, 3100) },
  { weight: 1, arbitrary: fc.constantFrom(6000, 12_000, 31_000) },
);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      read: fc.nat(999),
      who,
      maxAge: fc.constantFrom(...Array(12).fill(undefined), 0, 2, 20),
      pause: fc.constantFrom(0, 0, 0, 200, 600),
      wait,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.nat(999),
      who,
      before: fc.option(fc.nat(999)),
      after: fc.option(fc.nat(999)),
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

it(
  'a read that was sent before a write is never answered to a request that came after the answer of the mutation',
  async () => {
    const seen = { kept: 0, stale: 0, reads: 0, failures: 0, writes: 0, failedWrites: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 2, maxLength: 40, size: 'max' }),
        fc.nat(topics.length - 1),
        rates,
        fc.record({ draws: fc.nat(), faulty: fc.constantFrom(0, 0, 5, 25), share: fc.boolean() }),
        async (commands, about, rate, { draws, faulty, share }) => {
          const topic = topics[about] ?? topics[0];
          const writes: AskedWrite[] = [];
          const refusals: Refusal[] = [];
          const model = createModel({
            random: createRandom(draws),
            faulty,
            isKnown,
            changesOf: (id) =>
              writes.find(({ request }) => request.caller.requestId === id)?.kind.changes ?? [],
          });
          receiveWith(model.receive);
          const { ask, upstreams } = startSimulated({
            managementRate: rate,
            observabilityRate: rate,
            shareInFlight: share,
          });
          const world = { model, writes, refusals, mayBeRefused: rate !== undefined || faulty > 0 };
          const faults: string[] = [];
          const underWay = new Set<Request>();
          const readBy = new Map<Request, ReadonlySet<string>>();
          const outcomes: Promise<void>[] = [];

          const noteRefusal = (by: Who, upstream: Refusal['upstream'], error: unknown): void => {
            const status = error instanceof UpstreamError ? error.failure.status : undefined;
            if (status !== 401 && status !== 403) return;
            refusals.push({ who: by, upstream, toldAt: performance.now() });
          };
          const whoOf = (caller: number, upstream: Refusal['upstream']): Who => ({
            holder: holders[caller] ?? '',
            spelling: callers[caller]?.[upstream] ?? '',
          });
          const readNow = async (
            request: Request,
            caller: number,
            index: number,
            maxAge?: number,
          ) => {
            const kind = topic.reads[index % topic.reads.length];
            if (!kind) return;
            const asked: AskedRead = {
              ...{ kind, who: whoOf(caller, kind.upstream), request, maxAge },
              askedAt: performance.now(),
              isAgain: readBy.get(request)?.has(kind.path) === true,
            };
            readBy.set(request, new Set([...(readBy.get(request) ?? []), kind.path]));
            seen.reads += 1;
            let fault: string | undefined;
            try {
              const record = await kind.read(request);
              fault = faultOfRead(world, asked, record);
              if (request.caller.ages.oldestSeconds !== undefined) seen.kept += 1;
              if (request.caller.ages.stalestSeconds !== undefined) seen.stale += 1;
            } catch (error) {
              seen.failures += 1;
              fault = faultOfError(world, asked, error);
              noteRefusal(asked.who, kind.upstream, error);
            }
            if (fault) faults.push(`${kind.path} ${fault}`);
          };
          const writeNow = async (request: Request, caller: number, index: number) => {
            const kind = topic.writes[index % topic.writes.length];
            if (!kind) return;
            const asked: AskedWrite = { kind, who: whoOf(caller, kind.upstream), request };
            writes.push(asked);
            seen.writes += 1;
            try {
              await kind.write(request);
            } catch (error) {
              seen.failedWrites += 1;
              asked.error = error;
              noteRefusal(asked.who, kind.upstream, error);
            }
            asked.settledAt = performance.now();
          };
          const run = async (request: Request, steps: () => Promise<void>): Promise<void> => {
            underWay.add(request);
            await steps();
            underWay.delete(request);
          };

          for (const each of commands) {
            if ('leave' in each) {
              const request = [...underWay][each.leave % underWay.size];
              request?.leave();
            } else {
              const request = ask({
                ...callers[each.who],
                ...('maxAge' in each && each.maxAge !== undefined && { maxAge: each.maxAge }),
              });
              outcomes.push(
                run(request, async () => {
                  if ('read' in each) {
                    if (each.pause > 0) await new Promise((go) => setTimeout(go, each.pause));
                    await readNow(request, each.who, each.read, each.maxAge);
                  } else {
                    if (each.before !== null) await readNow(request, each.who, each.before);
                    await writeNow(request, each.who, each.write);
                    if (each.after !== null) await readNow(request, each.who, each.after);
                  }
                }),
              );
            }
            await clock.advance(each.wait);
            expect(faults).toEqual([]);
          }
          await clock.advance(120_000);
          await Promise.all(outcomes);
          await upstreams.close(new AbortController().signal);
          expect(faults).toEqual([]);
          // Nothing is left that somebody would have to wait for.
          expect(clock.timers).toBe(0);
        },
      ),
      { numRuns: runs, seed },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 10);
  },
  60_000 + runs * 100,
);
