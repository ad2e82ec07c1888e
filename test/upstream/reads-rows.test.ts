import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../src/upstream/operation.ts';
import { allReads, observabilityReads, writes } from '../support/upstream/cache-operations.ts';
import { latency, startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Asking } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

const caller = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer token' };
const other = { management: 'Basic b3RoZXI6c2VjcmV0', observability: 'Bearer other' };

let world: World;
beforeEach(() => {
  world = startWorld({ maxRetries: 0 });
});
afterEach(() => world.close());

/** Does all reads at once, and gives the names of those for which a call was sent. */
const sentFor = async (by: Asking, reads = allReads): Promise<readonly string[]> => {
  const sent = await Promise.all(
    Object.entries(reads).map(async ([name, does]) => {
      const request = world.ask(by);
      await does(request);
      return request.caller.calls.list().some(({ cache }) => cache === 'miss') ? [name] : [];
    }),
  );
  return sent.flat();
};
const reading = (by: Asking, reads = allReads) => world.until(sentFor(by, reads), 100);

/** Those that every profile has. */
const rows = Object.entries<AnyOperation>({
  ...managementOperations('command'),
  ...observabilityOperations,
}).filter(([, { onlyIn }]) => onlyIn === undefined);

describe('a read is fresh for', () => {
  const seconds: Readonly<Record<string, number>> = {
    listPipes: 3,
    getPipe: 3,
    listAlerts: 3,
    getAlert: 3,
    listServices: 5,
    getService: 5,
    listDashboards: 5,
    getDashboard: 5,
    listOrganizations: 10,
    getOrganization: 10,
    listInvitations: 30,
    getBackupConfiguration: 30,
  };

  it('the seconds of its row, which every read has', () => {
    const reads = rows.filter(([, { method }]) => method === 'GET');
    expect(
      Object.fromEntries(reads.map(([name, { freshSeconds }]) => [name, freshSeconds])),
    ).toEqual(seconds);
  });

  it.each(Object.entries(seconds))(
    '%s: %i seconds from its answer, and no longer',
    async (row, fresh) => {
      const reads = Object.fromEntries(
        Object.entries(allReads).filter(([name]) => name.split(' ')[0] === row),
      );
      const names = Object.keys(reads);
      expect(names.length).toBeGreaterThan(0);
      expect(await world.until(sentFor(caller, reads), latency + 1)).toEqual(names);
      await world.clock.advance(fresh * 1000 - 10);
      expect(await world.until(sentFor(caller, reads), 0)).toEqual([]);
      await world.clock.advance(20);
      expect(await world.until(sentFor(caller, reads), latency + 1)).toEqual(names);
    },
  );
});

it('every write has a row in the table below', () => {
  const names = rows.filter(([, { method }]) => method !== 'GET').map(([name]) => name);
  expect(writes.map(({ name }) => name).sort()).toEqual(names.sort());
});

describe.each(writes)(
  '$name drops what it changes, and nothing else:',
  ({ upstream, does, drops }) => {
    const refused = (code: number) => {
      world.answerNext((received) => received.answer({ error: 'no', message: 'no' }, code));
    };
    /** What was read anew by another, of the reads that another keeps for their seconds. */
    const ofOthers = upstream === 'management' ? drops : [];

    beforeEach(async () => {
      await reading(caller);
      await reading(other);
      world.calls();
    });

    it('of its own credential, and in management of all, when it has succeeded', async () => {
      await world.once(caller, does);
      expect(await reading(caller)).toEqual(drops);
      expect(await reading(other)).toEqual(ofOthers);
    });

    it.each([400, 404, 409, 429, 503])(
      'of its own credential alone when it fails with %i',
      async (code) => {
        refused(code);
        await expect(world.once(caller, does)).rejects.toThrow();
        expect(await reading(caller)).toEqual(drops);
        expect(await reading(other)).toEqual([]);
      },
    );

    it('of its own credential all, and of others nothing, when it fails with 401', async () => {
      refused(401);
      await expect(world.once(caller, does)).rejects.toThrow();
      const isOfOther = (name: string): boolean =>
        (upstream === 'observability') === name in observabilityReads;
      expect(await reading(caller)).toEqual(Object.keys(allReads).filter(isOfOther));
      expect(await reading(other)).toEqual([]);
    });

    it('of its own credential as soon as it starts', async () => {
      world.answerNext((received) => setTimeout(() => received.answer({}), 500));
      const writing = does(world.ask(caller)).catch(() => undefined);
      await world.clock.advance(10);
      expect(await reading(caller)).toEqual(drops);
      expect(await reading(other)).toEqual([]);
      // What was read beside it is handed out while it is under way, and not afterwards.
      expect(await reading(caller)).toEqual([]);
      await world.until(writing, 500);
      expect(await reading(caller)).toEqual(drops);
    });

    it.each(['cut-off', 'timeout', 500, 502, 504] as const)(
      'of its own credential when nobody knows what became of it, for 30 seconds: %s',
      async (outcome) => {
        world.answerNext((received) =>
          typeof outcome === 'number' ? received.answer({}, outcome) : received.fail(outcome),
        );
        await expect(world.once(caller, does)).rejects.toThrow();
        expect(await reading(caller)).toEqual(drops);
        expect(await reading(other)).toEqual([]);
        expect(await reading(caller)).toEqual(drops);
        await world.clock.advance(29_000);
        await reading(caller);
        expect(await reading(caller)).toEqual(drops);
        await world.clock.advance(1000);
        expect(await reading(caller)).toEqual(expect.arrayContaining([...drops]));
        expect(await reading(caller)).toEqual([]);
      },
    );
  },
);
