import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSchedule, type Polled, type PollOutcome } from '../../src/live/schedule.ts';
import type { Rate } from '../../src/upstream/gate/slots.ts';

const tenInTen: Rate = { calls: 10, windowMs: 10_000 };

/** A schedule on a clock that goes on when told to. */
const start = (rate: Rate | undefined, leastMs = 5000) => {
  let time = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const polls: { name: string; at: number }[] = [];
  const outcomes = new Map<string, PollOutcome>();
  const schedule = createSchedule({
    leastMs,
    rate,
    now: () => time,
    later: (callback, milliseconds) => {
      const timer = { at: time + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  });
  const settle = async () => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  };
  return {
    schedule,
    outcomes,
    polls,
    timers: () => timers.length,
    settle,
    times: (name: string) => polls.filter((poll) => poll.name === name).map(({ at }) => at),
    /** A read that was read now. */
    read: (name: string) => {
      const read = {
        sentAt: time,
        readAt: time,
        isResting: false,
        poll: async () => {
          polls.push({ name, at: time });
          const outcome = outcomes.get(name) ?? 'read';
          if (outcome === 'read') read.sentAt = read.readAt = time;
          return outcome;
        },
      } satisfies Polled;
      schedule.add(read);
      return read;
    },
    pass: async (milliseconds: number) => {
      const end = time + milliseconds;
      await settle();
      for (;;) {
        const next = timers.toSorted((one, other) => one.at - other.at)[0];
        if (!next || next.at > end) break;
        timers = timers.filter((each) => each !== next);
        time = next.at;
        next.callback();
        await settle();
      }
      time = end;
    },
  };
};

const most = (times: readonly number[], windowMs: number): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));

describe('polls of one credential', () => {
  it('come no earlier than the least time after the read was read', async () => {
    const { read, pass, times } = start(tenInTen);
    read('a');
    await pass(20_000);
    expect(times('a')).toEqual([5000, 10_000, 15_000, 20_000]);
  });

  it('take three calls of ten, evenly, however much is watched: the interval grows', async () => {
    const { read, pass, polls, times } = start(tenInTen);
    for (let index = 0; index < 10; index += 1) read(`${index}`);
    await pass(100_000);
    expect(
      most(
        polls.map(({ at }) => at),
        10_000,
      ),
    ).toBe(3);
    for (let index = 0; index < 10; index += 1) {
      expect([2, 3]).toContain(times(`${index}`).length);
    }
    expect(polls.length).toBeGreaterThanOrEqual(28);
  });

  it('are one a window where the rate has room for less', async () => {
    const { read, pass, polls } = start({ calls: 2, windowMs: 10_000 }, 1000);
    read('a');
    await pass(50_000);
    expect(polls.map(({ at }) => at)).toEqual([1000, 11_000, 21_000, 31_000, 41_000]);
  });

  it('are held back by the least time alone where no rate is kept', async () => {
    const { read, pass, polls } = start(undefined, 3000);
    for (let index = 0; index < 10; index += 1) read(`${index}`);
    await pass(3000);
    expect(polls).toHaveLength(10);
  });

  it('leave out what somebody else has read meanwhile', async () => {
    const { read, pass, times } = start(tenInTen);
    const a = read('a');
    await pass(4000);
    a.readAt = 4000;
    await pass(4900);
    expect(times('a')).toEqual([]);
    await pass(100);
    expect(times('a')).toEqual([9000]);
  });

  it('come at once after a write, and the others later by as much', async () => {
    const { read, schedule, pass, times } = start(tenInTen);
    const a = read('a');
    read('b');
    await pass(1000);
    schedule.hurry(a, 0);
    await pass(0);
    expect(times('a')).toEqual([1000]);
    await pass(20_000);
    // 3333 ms apart from the one after the write on.
    expect(times('b')[0]).toBeGreaterThanOrEqual(5000);
    expect([...times('a'), ...times('b')].length).toBeLessThanOrEqual(7);
  });

  it('come at once after a write for a share of a window, and then in turn', async () => {
    const { read, schedule, pass, polls } = start(tenInTen);
    const reads = Array.from({ length: 6 }, (_, index) => read(`${index}`));
    await pass(100);
    for (const each of reads) schedule.hurry(each, 0);
    await pass(0);
    expect(polls).toHaveLength(3);
    await pass(30_000);
    expect(polls.slice(0, 6).map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('come again after a write that ended while the read was under way', async () => {
    const { read, schedule, pass, settle, times } = start(tenInTen);
    const a = read('a');
    const answered = Promise.withResolvers<PollOutcome>();
    const { poll } = a;
    a.poll = async () => {
      await poll();
      return answered.promise;
    };
    await pass(5000);
    schedule.hurry(a, 0);
    a.poll = poll;
    await settle();
    expect(times('a')).toEqual([5000]);
    answered.resolve('read');
    await settle();
    expect(times('a')).toEqual([5000, 5000]);
  });

  it('back off while they fail, up to half a minute, and no longer once somebody has read it', async () => {
    const { read, schedule, outcomes, pass, times } = start(tenInTen);
    const a = read('a');
    outcomes.set('a', 'failed');
    await pass(290_000);
    const waits = times('a').map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(waits).toEqual([5000, 10_000, 20_000, ...Array.from({ length: 8 }, () => 30_000)]);
    outcomes.set('a', 'read');
    a.readAt = 290_000;
    schedule.revive(a);
    await pass(5000);
    expect(times('a').at(-1)).toBe(295_000);
  });

  it('leave their turns to what can be read, however many fail', async () => {
    const { read, outcomes, pass, times } = start(tenInTen);
    for (let index = 0; index < 30; index += 1) {
      outcomes.set(`${index}`, 'failed');
      read(`${index}`);
    }
    read('a');
    await pass(600_000);
    // 31 reads share 18 polls a minute.
    expect(times('a').length).toBeGreaterThanOrEqual(5);
  });

  it('do not back off where the gateway itself had no call left', async () => {
    const { read, outcomes, pass, times } = start(tenInTen);
    read('a');
    outcomes.set('a', 'refused');
    await pass(20_000);
    expect(times('a')).toEqual([5000, 10_000, 15_000, 20_000]);
  });

  it('end with the last read, and their timer with them', async () => {
    const { read, schedule, pass, polls, timers } = start(tenInTen);
    const a = read('a');
    await pass(100);
    expect(timers()).toBe(1);
    schedule.delete(a);
    await pass(0);
    expect([timers(), schedule.size]).toEqual([0, 0]);
    await pass(20_000);
    expect(polls).toEqual([]);
  });

  it('leave alone what rests, until it is revived', async () => {
    const { read, schedule, pass, times, timers } = start(tenInTen);
    const a: { isResting: boolean } & Polled = read('a');
    a.isResting = true;
    await pass(20_000);
    expect([times('a'), timers()]).toEqual([[], 0]);
    a.isResting = false;
    schedule.revive(a);
    await pass(0);
    expect(times('a')).toEqual([20_000]);
  });

  it('take no more than their share of any window, however often a write comes', async () => {
    const { read, schedule, pass, polls } = start(tenInTen);
    const reads = Array.from({ length: 6 }, (_, index) => read(`${index}`));
    await pass(30_000);
    for (let second = 0; second < 30; second += 1) {
      for (const each of reads) schedule.hurry(each, 3);
      await pass(1000);
    }
    const times = polls.map(({ at }) => at);
    expect(most(times, 10_000)).toBe(3);
    expect(times.length).toBeGreaterThanOrEqual(16);
  });

  it('take no more of any window where each waits long before it is sent', async () => {
    const { read, schedule, pass, settle, polls } = start(tenInTen);
    const waiting: (() => void)[] = [];
    for (let index = 0; index < 10; index += 1) {
      const each = read(`${index}`);
      const { poll } = each;
      each.poll = async () => {
        polls.push({ name: 'started', at: 0 });
        await new Promise<void>((resolve) => waiting.push(resolve));
        return poll();
      };
      schedule.hurry(each, 0);
    }
    const started = () => polls.filter(({ name }) => name === 'started').length;
    await pass(100_000);
    expect(started()).toBe(3);
    for (const go of waiting.splice(0)) go();
    await settle();
    await pass(9000);
    expect(started()).toBe(3);
    await pass(1000);
    expect(started()).toBe(6);
  });

  it('come again, before others, for what a write has changed', async () => {
    const { read, schedule, pass, times } = start(tenInTen);
    const a = read('a');
    for (let index = 0; index < 6; index += 1) read(`${index}`);
    await pass(100);
    schedule.hurry(a, 3);
    await pass(30_000);
    expect(times('a').slice(0, 4)).toEqual([100, 5100, 10_100, 15_100]);
    expect(times('a').length).toBeLessThanOrEqual(5);
  });

  it('go on for a read whose poll has failed in no foreseen way', async () => {
    const { read, pass, times } = start(tenInTen);
    const a = read('a');
    const { poll } = a;
    // It is the process that learns of it.
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const thrown = once(process, 'unhandledRejection');
    a.poll = () => Promise.reject(new TypeError('unforeseen'));
    await pass(5000);
    const [error] = await thrown;
    expect(error.message).toBe('unforeseen');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    a.poll = poll;
    await pass(20_000);
    expect(times('a')).toEqual([15_000, 20_000, 25_000]);
  });
});
