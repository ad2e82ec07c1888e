import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLong } from '../support/random/runs.ts';
import { allReads, writes } from '../support/upstream/cache-operations.ts';
import { answerWith, startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Asking, Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

/** What is in use of the heap and in buffers, in bytes. */
const bytesInUse = (): number => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The second time waits for the first one's sweepers.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

let world: World;
afterEach(() => world.close());

const credentialsOf = (name: string): Asking => ({
  management: `Basic ${btoa(`${name}:secret`)}`,
  observability: `Bearer ${name}`,
});
const alerts = ({ observability }: Request) => observability.listAlerts();
const organizations = ({ management }: Request) => management.listOrganizations();
const alertPath = 'GET /api/v2/alerts';

describe('a kept read answers', () => {
  beforeEach(() => {
    world = startWorld();
  });

  it('every spelling of a credential', async () => {
    const { once, calls } = world;
    await once({ observability: 'Bearer one' }, alerts);
    const [record] = await once({ observability: 'BEARER one' }, alerts);
    expect(record?.name).toBe('Bearer one 1');
    expect(calls()).toEqual([alertPath]);
  });

  it('no other upstream that is given the same credential', async () => {
    const same = { management: 'Basic b25lOng=', observability: 'Basic b25lOng=' };
    await world.once(same, alerts);
    await world.once(same, organizations);
    expect(world.calls()).toEqual([alertPath, 'GET /v1/organizations']);
  });
});

it('nothing is kept where reads are not to be kept', async () => {
  world = startWorld({ readCacheBytes: 0 });
  const caller = credentialsOf('one');
  await world.once(caller, alerts);
  await world.once(caller, alerts);
  const request = world.ask(caller);
  await world.until(Promise.all([alerts(request), alerts(request), alerts(world.ask(caller))]));
  expect(world.calls()).toEqual([alertPath, alertPath, alertPath]);
  expect(request.caller.ages.oldestSeconds).toBeUndefined();
});

describe('invented credentials', () => {
  const owner = credentialsOf('owner');
  /** Upstreams that know the owner alone, and answer all others with that status. */
  const startGuarded = (status: number, options: Parameters<typeof startWorld>[0] = {}): void => {
    world = startWorld(options);
    world.answerAll((received, number) => {
      const { credential } = received.call;
      if (Object.values(owner).includes(credential)) answerWith(received, number);
      else received.answer({ error: 'no', message: 'no' }, status);
    });
  };
  /** Does each thing in a request of its own, whatever comes of it, and counts the calls that were sent. */
  const doAll = async (by: Asking, all: readonly ((request: Request) => Promise<unknown>)[]) => {
    const sent = await Promise.all(
      all.map(async (does) => {
        const request = world.ask(by);
        await does(request).catch(() => undefined);
        return request.caller.calls.list().filter(({ cache }) => cache === 'miss').length;
      }),
    );
    return sent.reduce((sum, each) => sum + each, 0);
  };
  const reads = Object.values(allReads);
  const everything = [...writes.map(({ does }) => does), ...reads];

  it.each([401, 403, 404])(
    "clear nothing by another's identifiers, in writes and reads that are answered %i",
    async (status) => {
      startGuarded(status);
      expect(await world.until(doAll(owner, reads))).toBe(reads.length);
      for (let attacker = 0; attacker < 20; attacker += 1) {
        const by = credentialsOf(`invented-${attacker}`);
        const sent = await world.until(doAll(by, everything.slice(attacker)));
        expect(sent).toBe(everything.length - attacker);
      }
      expect(await world.until(doAll(owner, reads), 0)).toBe(0);
    },
  );

  it.runIf(isLong)(
    'leave nothing in memory, ten thousand of them, and little elsewhere',
    async () => {
      startGuarded(401, {
        managementRate: { calls: 10, windowMs: 10_000 },
        observabilityRate: { calls: 100, windowMs: 60_000 },
      });
      const tries = [alerts, writes.at(-1)?.does ?? alerts];
      const before = bytesInUse();
      for (let group = 0; group < 100; group += 1) {
        const names = Array.from({ length: 100 }, (_, index) => `invented-${group}-${index}`);
        // They have three quarters of the connections together.
        await world.until(Promise.all(names.map((name) => doAll(credentialsOf(name), tries))), 200);
      }
      expect(world.calls()).toHaveLength(20_000);
      // Whatever is kept has a timer that takes it away.
      expect(world.clock.timers).toBe(0);
      expect(bytesInUse() - before).toBeLessThan(60_000_000);
    },
  );
});

it.each([
  ['kept', 4 * 1024 * 1024, 1],
  ['not kept', 4 * 1024 * 1024 + 1, 2],
])('a body is %s where it has %i bytes', async (_, bytes, sent) => {
  world = startWorld();
  const start = '{"data":[{"id":"a1","name":"';
  const body = `${start.padEnd(bytes - 4, 'x')}"}]}`;
  world.answerAll((received) => received.answer(body));
  for (let time = 0; time < 2; time += 1) await world.once(credentialsOf('one'), alerts);
  expect(body).toHaveLength(bytes);
  expect(world.calls()).toHaveLength(sent);
});

it.runIf(isLong)(
  'ten thousand credentials that are known hold no more than READ_CACHE_MB allows',
  async () => {
    const bound = 16 * 1024 * 1024;
    world = startWorld({ readCacheBytes: bound });
    const long = 'x'.repeat(10_000);
    world.answerAll((received) => received.answer({ data: [{ id: 'a1', name: long }] }));
    const before = bytesInUse();
    for (let group = 0; group < 100; group += 1) {
      const readings = Array.from({ length: 100 }, (_, index) =>
        alerts(world.ask(credentialsOf(`known-${group}-${index}`))),
      );
      await world.until(Promise.all(readings));
    }
    expect(world.calls()).toHaveLength(10_000);
    // And the gate knows each of them, by some hundreds of bytes.
    expect(bytesInUse() - before).toBeLessThan(1.5 * bound + 10_000 * 1000);
    await world.once(credentialsOf('known-99-99'), alerts, 0);
    expect(world.calls()).toEqual([]);
  },
);
