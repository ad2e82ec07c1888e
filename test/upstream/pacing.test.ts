import { describe, expect, it } from 'vitest';
import {
  type AskedCall,
  createQueueWorld,
  having,
  refusalOf,
  used,
} from '../support/upstream/queue-world.ts';

const statesOf = (calls: readonly AskedCall[]) => calls.map(({ state }) => state);

describe('a call', () => {
  it('is granted at once while slots are free: a cold page gets all ten', async () => {
    const world = createQueueWorld();
    const page = world.askMany('page', 12);
    await world.clock.pass(0);
    expect(having(page, 'granted')).toBe(10);
    expect(statesOf(page.slice(10))).toEqual(['waiting', 'waiting']);
  });

  it('waits until a slot is free, and no longer', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    const call = world.ask('call');
    await world.clock.pass(9999);
    expect(call.state).toBe('waiting');
    await world.clock.pass(1);
    expect(call).toMatchObject({ state: 'granted', grantedAt: 10_000 });
    expect(world.clock.timers).toBe(0);
  });

  it('is granted as soon as another slot is given back', async () => {
    const world = createQueueWorld({ calls: 1 });
    const first = world.ask('first');
    const second = world.ask('second');
    await world.clock.pass(100);
    first.slot?.giveBack();
    world.queue.review();
    await world.clock.pass(0);
    expect(second.state).toBe('granted');
  });

  it('goes on waiting, within its time, while those under way are not answered', async () => {
    const world = createQueueWorld({ calls: 1 });
    const first = world.ask('first');
    const second = world.ask('second', { latest: 20_500 });
    await world.clock.pass(10_400);
    first.slot?.answered();
    world.queue.review();
    await world.clock.pass(10_000);
    expect(second).toMatchObject({ state: 'granted', grantedAt: 20_400 });
  });
});

describe('a refusal', () => {
  it('comes at once, names the whole seconds until the turn would come, rounded up, and reserves nothing', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    await world.clock.pass(1700);
    const late = world.ask('late', { latest: 9999 });
    const inTime = world.ask('inTime', { latest: 10_000 });
    await world.clock.pass(0);
    expect([late.state, refusalOf(late)]).toEqual(['gone', 9]);
    expect(inTime.state).toBe('waiting');
    const others = world.askMany('other', 9, { latest: 10_000 });
    await world.clock.pass(8300);
    expect([inTime, ...others].map(({ grantedAt }) => grantedAt)).toEqual(Array(10).fill(10_000));
  });

  it('names what is left of a hold', async () => {
    const world = createQueueWorld();
    world.log.holdFor(30_000);
    await world.clock.pass(2500);
    const call = world.ask('call');
    await world.clock.pass(0);
    expect(refusalOf(call)).toBe(28);
  });

  it('counts those that wait before it', async () => {
    const world = createQueueWorld({ calls: 2 });
    await used(world, 2);
    const calls = world.askMany('call', 6);
    await world.clock.pass(0);
    expect(calls.map(refusalOf)).toEqual([...Array(4).fill(undefined), 30, 30]);
  });

  it('counts slots that are free again sooner than others', async () => {
    const world = createQueueWorld({ calls: 2 });
    await used(world, 1);
    world.log.learnLeft(0, 40_000);
    const calls = world.askMany('call', 3);
    await world.clock.pass(0);
    expect(calls.map(refusalOf)).toEqual([undefined, undefined, 30]);
  });

  // At the second time a window later is a trifle more than a window away, as doubles are added.
  it.each([0, 6391.10634543])(
    'names one window from %s ms where all slots are taken',
    async (at) => {
      const world = createQueueWorld({ calls: 1 });
      await world.clock.pass(at);
      world.ask('under way');
      const late = world.ask('late', { latest: at + 8000 });
      await world.clock.pass(0);
      expect(refusalOf(late)).toBe(10);
    },
  );

  it('comes for want of time: that of the operation, or the longest wait', async () => {
    const world = createQueueWorld({ waitMs: 9000 });
    await used(world, 10);
    const patient = world.ask('patient');
    await world.clock.pass(2000);
    const later = world.ask('later');
    await world.clock.pass(8000);
    expect([refusalOf(patient), later.grantedAt]).toEqual([10, 10_000]);
  });

  it('does not come where a slot is free, however little time is left', async () => {
    const world = createQueueWorld();
    await world.clock.pass(5000);
    const late = world.ask('late', { latest: 4999 });
    await world.clock.pass(0);
    expect([refusalOf(late), late.state]).toEqual([undefined, 'granted']);
  });

  it('does not come where nothing has to be waited for, however short the wait may be', async () => {
    const world = createQueueWorld({ waitMs: 0 });
    const calls = world.askMany('call', 11);
    await world.clock.pass(0);
    expect(statesOf(calls)).toEqual([...Array(10).fill('granted'), 'gone']);
  });
});

describe('who was let in', () => {
  it('leaves nothing behind when it is given up', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    const call = world.ask('call');
    await world.clock.pass(0);
    expect(world.clock.timers).toBe(1);
    call.waiters[0]?.leave();
    await world.clock.pass(0);
    expect(world.clock.timers).toBe(0);
  });

  it('is refused when a write pushes it out of its time', async () => {
    const world = createQueueWorld({ calls: 1 });
    await used(world, 1);
    const read = world.ask('read', { latest: 15_000 });
    await world.clock.pass(4000);
    expect(read.state).toBe('waiting');
    const write = world.ask('write', { priority: 'write' });
    await world.clock.pass(0);
    expect(refusalOf(read)).toBe(16);
    await world.clock.pass(6000);
    expect(write.grantedAt).toBe(10_000);
  });

  it('is refused when a hold pushes it out of its time, and waits where it does not', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    const short = world.ask('short', { latest: 12_000 });
    const long = world.ask('long', { latest: 20_000 });
    await world.clock.pass(4000);
    world.log.holdFor(14_000);
    world.queue.review();
    await world.clock.pass(0);
    expect([refusalOf(short), long.state]).toEqual([14, 'waiting']);
    await world.clock.pass(14_000);
    expect(long.grantedAt).toBe(18_000);
  });

  it('leaves its place to the next when it is given up', async () => {
    const world = createQueueWorld({ calls: 1 });
    await used(world, 1);
    const first = world.ask('first', { latest: 12_000 });
    const second = world.ask('second', { latest: 12_000 });
    await world.clock.pass(0);
    expect(refusalOf(second)).toBe(20);
    first.waiters[0]?.leave();
    const third = world.ask('third', { latest: 12_000 });
    await world.clock.pass(10_000);
    expect([first.state, third.grantedAt]).toEqual(['gone', 10_000]);
  });
});

describe('while the upstream is down', () => {
  it('nothing begins to wait', async () => {
    const world = createQueueWorld();
    await used(world, 9);
    world.upstream.isDown = true;
    const calls = world.askMany('call', 2);
    await world.clock.pass(0);
    // The one with a slot goes on, to be refused by the breaker or to try the upstream.
    expect(statesOf(calls)).toEqual(['granted', 'dismissed']);
    expect(world.clock.timers).toBe(0);
  });

  it('nothing goes on waiting', async () => {
    const world = createQueueWorld();
    await used(world, 10);
    const calls = world.askMany('call', 3);
    await world.clock.pass(1000);
    world.queue.dismissAll();
    await world.clock.pass(0);
    expect(statesOf(calls)).toEqual(['dismissed', 'dismissed', 'dismissed']);
    expect(world.clock.timers).toBe(0);
  });
});

describe('what is left', () => {
  it('is what could be sent now by somebody who has nothing to show', async () => {
    const { askMany, clock, queue } = createQueueWorld();
    askMany('call', 7);
    expect(queue.left).toBe(3);
    await clock.pass(0);
    expect(queue.left).toBe(3);
    askMany('more', 5);
    expect(queue.left).toBe(0);
  });

  it('counts none who would be sent later than that', async () => {
    const world = createQueueWorld();
    const renewals = world.askMany('renewal', 12, { priority: 'renewal' });
    await world.clock.pass(0);
    expect(having(renewals, 'waiting')).toBe(4);
    expect(world.queue.left).toBe(2);
    const reads = world.askMany('read', 2);
    await world.clock.pass(0);
    expect(having(reads, 'granted')).toBe(2);
  });
});

it('a queue is idle once nothing waits and nothing is remembered', async () => {
  const { askMany, answer, clock, queue } = createQueueWorld();
  expect(queue.isIdle).toBe(true);
  askMany('call', 11);
  expect(queue.isIdle).toBe(false);
  await clock.pass(0);
  answer();
  await clock.pass(10_000);
  answer();
  await clock.pass(9999);
  expect(queue.isIdle).toBe(false);
  await clock.pass(1);
  expect(queue.isIdle).toBe(true);
});
