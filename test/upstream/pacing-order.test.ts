import { describe, expect, it } from 'vitest';
import {
  type AskedCall,
  createQueueWorld,
  having,
  refusalOf,
  used,
} from '../support/upstream/queue-world.ts';

const statesOf = (calls: readonly AskedCall[]): readonly string[] =>
  calls.map(({ state }) => state);

describe('operations of one credential', () => {
  it.each(['before', 'beside'])(
    'of two calls each get theirs within two grants %s one of fifty, which gets what fits its time',
    async (when) => {
      const world = createQueueWorld();
      const large = world.askMany('large', 50, { latest: 29_000 });
      if (when === 'before') await world.clock.pass(0);
      const small = Array.from({ length: 8 }, (_, index) =>
        world.askMany(`small${index}-`, 2, { latest: 29_000 }),
      ).flat();
      for (let second = 0; second < 30; second += 1) {
        await world.clock.pass(1000);
        world.answer();
      }
      const times = (calls: readonly AskedCall[]) =>
        calls.flatMap(({ grantedAt }) => grantedAt ?? []).sort((one, other) => one - other);
      const grants = [...new Set(times([...large, ...small]))];
      expect(grants).toHaveLength(3);
      expect(having(small, 'granted')).toBe(16);
      // The large one has had the first ten slots where it came before.
      expect(new Set(times(small))).toEqual(
        new Set(grants.slice(when === 'before' ? 1 : 0).slice(0, 2)),
      );
      expect([having(large, 'granted'), having(large, 'gone')]).toEqual([14, 36]);
    },
  );

  it('get one call each in turn', async () => {
    const world = createQueueWorld({ calls: 1, windowMs: 1000 });
    await used(world, 1);
    world.askMany('a', 3);
    world.askMany('b', 1);
    world.askMany('c', 2);
    for (let window = 0; window < 6; window += 1) {
      await world.clock.pass(1000);
      world.answer();
    }
    expect(world.granted).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('that have had slots come after those that have not', async () => {
    const world = createQueueWorld({ calls: 2, windowMs: 1000 });
    const old = world.askMany('old', 3);
    await world.clock.pass(0);
    world.answer();
    const fresh = world.askMany('new', 2);
    await world.clock.pass(1000);
    expect([...fresh, ...old].map(({ state }) => state)).toEqual([
      'granted',
      'granted',
      'granted',
      'granted',
      'waiting',
    ]);
  });
});

describe('priority:', () => {
  it('a write goes first, then reads with nothing to show, then those of later parts, then those that have, then renewals', async () => {
    const world = createQueueWorld({ calls: 1, windowMs: 1000 });
    await used(world, 1);
    for (const priority of ['renewal', 'refresh', 'deferred', 'read', 'write'] as const) {
      world.ask(`${priority}1`, { priority });
      world.ask(`${priority}2`, { priority });
    }
    for (let window = 0; window < 10; window += 1) {
      await world.clock.pass(1000);
      world.answer();
    }
    expect(world.granted).toEqual(
      ['write', 'read', 'deferred', 'refresh', 'renewal'].flatMap((name) => [
        `${name}1`,
        `${name}2`,
      ]),
    );
  });

  it('writes of one operation do not take turns with those of others', async () => {
    const world = createQueueWorld({ calls: 1, windowMs: 1000 });
    await used(world, 1);
    world.askMany('a', 2, { priority: 'write' });
    world.askMany('b', 1, { priority: 'write' });
    for (let window = 0; window < 3; window += 1) {
      await world.clock.pass(1000);
      world.answer();
    }
    expect(world.granted).toEqual(['a1', 'a2', 'b1']);
  });

  it('what has been shown longest is renewed first', async () => {
    const world = createQueueWorld({ calls: 1, windowMs: 1000 });
    await used(world, 1);
    for (const [name, shownReadAt] of [
      ['newer', 200],
      ['oldest', 50],
      ['older', 100],
    ] as const) {
      world.ask(name, { priority: 'renewal', shownReadAt });
    }
    for (let window = 0; window < 3; window += 1) {
      await world.clock.pass(1000);
      world.answer();
    }
    expect(world.granted).toEqual(['oldest', 'older', 'newer']);
  });

  it.each(['refresh', 'renewal'] as const)(
    'each %s leaves two slots of ten free',
    async (priority) => {
      const world = createQueueWorld();
      const low = world.askMany('low', 10, { priority });
      await world.clock.pass(0);
      expect([having(low, 'granted'), world.log.left]).toEqual([8, 2]);
      const high = world.askMany('high', 2);
      await world.clock.pass(0);
      expect(having(high, 'granted')).toBe(2);
      world.answer();
      await world.clock.pass(10_000);
      expect([having(low, 'granted'), world.log.left]).toEqual([10, 8]);
    },
  );

  it('a refresh that is refused is told when one slot more than those kept free will be free', async () => {
    const world = createQueueWorld();
    await used(world, 8);
    await world.clock.pass(3000);
    const low = world.ask('low', { priority: 'refresh', latest: 3500 });
    await world.clock.pass(0);
    expect(refusalOf(low)).toBe(7);
  });

  it('of one is raised by who joins', async () => {
    const world = createQueueWorld({ calls: 5 });
    await used(world, 4);
    const renewals = world.askMany('renewal', 2, { priority: 'renewal' });
    await world.clock.pass(100);
    expect(statesOf(renewals)).toEqual(['waiting', 'waiting']);
    renewals[1]?.join({ priority: 'read' });
    await world.clock.pass(0);
    expect(statesOf(renewals)).toEqual(['waiting', 'granted']);
  });

  it('falls again when who has joined leaves', async () => {
    const world = createQueueWorld({ calls: 5 });
    await used(world, 5);
    const renewals = world.askMany('renewal', 2, { priority: 'renewal' });
    const joined = renewals[1]?.join({ priority: 'read' });
    await world.clock.pass(100);
    joined?.leave();
    const read = world.ask('read');
    await world.clock.pass(9900);
    expect(world.granted).toEqual(['read', 'renewal1', 'renewal2']);
    expect(read.grantedAt).toBe(10_000);
  });
});

describe('several who wait for one call', () => {
  it('are each refused for want of their own time; the call waits on for the others', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    await world.clock.pass(2000);
    const call = world.ask('call', { latest: 5000 });
    const long = call.join({ latest: 20_000 });
    await world.clock.pass(0);
    expect([refusalOf(call), call.state, long.retryAfterSeconds]).toEqual([
      8,
      'waiting',
      undefined,
    ]);
    await world.clock.pass(8000);
    expect(call.grantedAt).toBe(10_000);
  });

  it('are refused later where a write comes between, the one without time alone', async () => {
    const world = createQueueWorld({ calls: 1 });
    await used(world, 1);
    const call = world.ask('call', { latest: 15_000 });
    const long = call.join({ latest: 24_000 });
    world.ask('write', { priority: 'write' });
    await world.clock.pass(0);
    expect([refusalOf(call), long.retryAfterSeconds, call.state]).toEqual([
      20,
      undefined,
      'waiting',
    ]);
  });

  it('wait since each has come: who joins later waits longer', async () => {
    const world = createQueueWorld({ waitMs: 9000 });
    await used(world, 10);
    await world.clock.pass(1500);
    const call = world.ask('call');
    await world.clock.pass(2500);
    const joined = call.join();
    await world.clock.pass(1000);
    world.log.holdFor(7000);
    world.queue.review();
    await world.clock.pass(0);
    expect([refusalOf(call), joined.retryAfterSeconds]).toEqual([7, undefined]);
    await world.clock.pass(7000);
    expect(call.grantedAt).toBe(12_000);
  });

  it('one who is refused leaves the others no better place', async () => {
    const world = createQueueWorld({ calls: 1, reserve: 0 });
    await used(world, 1);
    const renewal = world.ask('renewal', { priority: 'renewal' });
    const late = renewal.join({ priority: 'read', latest: 5000 });
    const read = world.ask('read', { latest: 12_000 });
    await world.clock.pass(0);
    expect([late.retryAfterSeconds, refusalOf(read)]).toEqual([10, undefined]);
    await world.clock.pass(10_000);
    expect(read.grantedAt).toBe(10_000);
  });
});
