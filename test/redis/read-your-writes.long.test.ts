import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedisMemory } from '../../src/redis/memory.ts';
import { createNames } from '../../src/redis/names.ts';
import { createSeal } from '../../src/redis/seal.ts';
import { createSlotLog } from '../../src/upstream/gate/slots.ts';
import type { Shared } from '../../src/upstream/shared.ts';
import {
  commandAt,
  createRun,
  type RunOptions,
  type Seen,
  settings,
  wait,
} from '../memory/read-your-writes/run.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { launchRedis, type Redis as RedisServer } from '../support/redis/server.ts';
import { redisPath } from '../support/redis.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';
import { createSimulatedRedis, type SimulatedRedis } from './simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const gateways = 3;
const runs = runsOf(40);
const timeout = 60_000 + runs * 500;

const outage = fc.oneof(
  { weight: 1, arbitrary: fc.record({ cut: fc.nat(gateways - 1), for: fc.nat(4000), wait }) },
  { weight: 1, arbitrary: fc.record({ flush: fc.constant(true), wait }) },
);
/** Few calls, so that there is something to wait for, though each gateway counts for itself here. */
const rate = fc.constantFrom(
  undefined,
  { calls: 1, windowMs: 5000 },
  { calls: 1, windowMs: 12_000 },
  { calls: 2, windowMs: 5000 },
);
/** While the secret is changed, a gateway has the old one, both, or the new one. */
const secretsOfAll = fc.constantFrom(
  ['old', 'old', 'old'],
  ['old', 'new,old', 'new,old'],
  ['new,old', 'new', 'new,old'],
);
const faultless = commandAt(gateways);
const faulty = fc.oneof({ weight: 8, arbitrary: faultless }, { weight: 1, arbitrary: outage });
type Command = typeof faulty extends fc.Arbitrary<infer Value> ? Value : never;

const nothing = (): Seen => ({
  ...{ reads: 0, kept: 0, stale: 0, elsewhere: 0, failures: 0, writes: 0, failedWrites: 0 },
});

describe.skipIf(redisPath === undefined)('three gateways over one Redis', () => {
  let server: RedisServer;
  let client: Redis;
  let redis: SimulatedRedis;
  let clock: Clock;
  beforeAll(async () => {
    server = await launchRedis();
    client = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    redis = createSimulatedRedis(client, createRandom(0));
    clock = startClock(() => redis.settled());
  });
  afterEach(() => clock.restore());

  let run = 0;
  /** Three gateways whose reads no earlier run has kept, and what comes to them. */
  const carryOut = async (
    commands: readonly Command[],
    secrets: readonly string[],
    options: Omit<RunOptions, 'shared' | 'isApart'>,
  ): Promise<void> => {
    run += 1;
    redis = createSimulatedRedis(client, createRandom(options.draws));
    const connections = Array.from({ length: gateways }, redis.connect);
    const { faults, ...asking } = createRun({
      ...options,
      shared: connections.map(({ connection }, index): Shared => {
        const secret = (secrets[index] ?? '').replace(/\w+/g, `$& in run ${run}`);
        const names = createNames(secret);
        const memory = createRedisMemory({ connection, names, seal: createSeal(secret) });
        // Each counts its calls for itself: no test of reads is to wait for another.
        return { memory, slots: (_, rate) => () => createSlotLog(rate, () => performance.now()) };
      }),
      isApart: ({ gateway, request: { caller } }, write) => {
        if (gateway === write.gateway) return false;
        const [reader, teller] = [connections[gateway], connections[write.gateway]];
        if (!reader || !teller) throw new Error('there is no such gateway');
        return (
          reader.wasDownSince(caller.arrivedAt) ||
          teller.upFrom(write.at) > caller.arrivedAt ||
          // Others may show what they read before they learn again that a failed write may still be carried out.
          (write.hasFailed && redis.flushedAt >= write.at)
        );
      },
    });
    for (const each of commands) {
      if ('flush' in each) await redis.flush();
      else if ('cut' in each) connections[each.cut]?.cut(each.for);
      else if ('leave' in each) asking.leave(each.leave);
      else asking.request(each);
      await clock.advance(each.wait);
      expect(faults).toEqual([]);
    }
    // What is kept has timers until it is too old to be shown, and may have waited in the background for as long before.
    await clock.advance(1_400_000);
    await asking.end();
    await redis.settled();
    expect(faults).toEqual([]);
    // A process tells once it has turned to other things that it reads something no longer.
    await clock.advance(1000);
    expect(clock.timers).toBe(0);
  };

  it.each([
    ['', faultless],
    [', but where Redis was out of reach in between', faulty],
  ])(
    'no request that came after the answer of a mutation, to whichever gateway, is answered with what was read before%s',
    async (_, command) => {
      const seen = nothing();
      await fc.assert(
        fc.asyncProperty(
          fc.array<Command>(command, { minLength: 2, maxLength: 40, size: 'max' }),
          settings,
          rate,
          secretsOfAll,
          (commands, options, few, secrets) =>
            carryOut(commands, secrets, { ...options, rate: few, seen }),
        ),
        { numRuns: runs, seed, endOnFailure: true },
      );
      // The runs are neither too odd nor too tame.
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 20);
    },
    timeout,
  );
});
