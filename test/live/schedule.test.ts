import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createQuota } from '../../src/live/quota.ts';
import { createSchedule, type Polled, type PollOutcome } from '../../src/live/schedule.ts';
import type { Rate } from '../../src/upstream/gate/slots.ts';

const [tenInTen, twoInTen] = [10, 2].map((calls): Rate => ({ calls, windowMs: 10_000 }));

/** A schedule on a clock that goes on when told to. */
const start = (rate: Rate | null | undefined = tenInTen, leastMs = 5000) => {
  let time = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const polls: { name: string; at: number }[] = [];
  const outcomes = new Map<string, PollOutcome>();
  const schedule = createSchedule({
    leastMs,
    rate: rate ?? undefined,
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
  /** A read that was read now. */
  const read = (name: string) => {
    const one = {
      sentAt: time,
      readAt: time,
      isResting: false,
      poll: async () => {
        polls.push({ name, at: time });
        const outcome = outcomes.get(name) ?? 'read';
        if (/read|found/.test(outcome)) one.sentAt = one.readAt = time;
        return outcome;
      },
    } satisfies Polled;
    schedule.add(one);
    return one;
  };
  return {
    ...{ schedule, outcomes, polls, settle, read, timers: () => timers.length },
    reads: (count: number) => Array.from({ length: count }, (_, index) => read(`${index}`)),
    times: (name?: string) =>
      polls.filter((poll) => (name ?? poll.name) === poll.name).map(({ at }) => at),
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

const most = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 10_000).length));

describe('polls of one credential', () => {
  it.each<[string, Rate | null | undefined, least: number, times: readonly number[]]>([
    ['come no earlier than the least time after the read', tenInTen, 5000, [5000, 10_000, 15_000]],
    ['are one a window where the rate has room for less', twoInTen, 1000, [1000, 11_000, 21_000]],
    ['have the least time alone where no rate is kept', null, 9000, [9000, 18_000, 27_000]],
  ])('%s', async (_, rate, least, expected) => {
    const { read, pass, times } = start(rate, least);
    read('a');
    await pass(expected.at(-1) ?? 0);
    expect(times()).toEqual(expected);
  });

  it('take three calls of ten of any window, evenly, however much is watched and however often a write comes', async () => {
    const { reads, schedule, pass, times } = start();
    const all = reads(10);
    await pass(100_000);
    expect(most(times())).toBe(3);
    expect(times().length).toBeGreaterThanOrEqual(28);
    for (const index of all.keys()) expect([2, 3]).toContain(times(`${index}`).length);
    for (let second = 0; second < 30; second += 1) {
      for (const each of all) schedule.hurry(each, 3);
      await pass(1000);
    }
    expect(most(times())).toBe(3);
    expect(times().length).toBeGreaterThanOrEqual(28 + 8);
  });

  it('take no more where each waits long before it is sent', async () => {
    const { reads, schedule, pass, settle } = start();
    const waiting: (() => void)[] = [];
    let started = 0;
    for (const each of reads(10)) {
      const { poll } = each;
      each.poll = async () => {
        started += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
        return poll();
      };
      schedule.hurry(each, 0);
    }
    await pass(100_000);
    expect(started).toBe(3);
    for (const go of waiting.splice(0)) go();
    await settle();
    await pass(9000);
    expect(started).toBe(3);
    await pass(1000);
    expect(started).toBe(6);
  });

  it('leave out what somebody else has read meanwhile', async () => {
    const { read, pass, times } = start();
    const a = read('a');
    await pass(4000);
    a.readAt = 4000;
    await pass(5000);
    expect(times('a')).toEqual([9000]);
  });

  it('come at once after a write for a share of a window, and then in turn, the others later by as much', async () => {
    const { reads, read, schedule, pass, polls, times } = start();
    const changed = reads(6);
    read('other');
    await pass(100);
    for (const each of changed) schedule.hurry(each, 0);
    await pass(0);
    expect(times()).toEqual([100, 100, 100]);
    await pass(30_000);
    const names = polls.slice(0, 7).map(({ name }) => name);
    expect(names.join(' ')).toBe('0 1 2 3 4 5 other');
  });

  it.each([[[3]], [[3, 0]]])(
    'come again, before others, for what a write has changed, whatever later ones ask for: %j',
    async (hurries) => {
      const { read, reads, schedule, pass, times } = start();
      const a = read('a');
      reads(6);
      await pass(100);
      for (const again of hurries) schedule.hurry(a, again);
      await pass(30_000);
      expect(times('a').slice(0, 4)).toEqual([100, 5100, 10_100, 15_100]);
      expect(times('a').length).toBeLessThanOrEqual(5);
    },
  );

  it('come again after a write that ended while the read was under way', async () => {
    const { read, schedule, pass, settle, times } = start();
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
    const { read, schedule, outcomes, pass, times } = start();
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
    const { read, reads, outcomes, pass, times } = start();
    for (const index of reads(30).keys()) outcomes.set(`${index}`, 'failed');
    read('a');
    await pass(600_000);
    // 31 reads share 18 polls a minute.
    expect(times('a').length).toBeGreaterThanOrEqual(5);
  });

  it.each<[PollOutcome, reads: number, times: readonly number[], why: string]>([
    ['refused', 1, [5000, 10_000, 15_000, 20_000], 'the gateway itself had no call left'],
    ['found', 9, Array(9).fill(5000), 'another process had read it, which uses up no quota'],
  ])('do not back off when %s, with %i reads', async (outcome, count, expected) => {
    const { reads, outcomes, pass, times } = start();
    for (const index of reads(count).keys()) outcomes.set(`${index}`, outcome);
    await pass(expected.at(-1) ?? 0);
    expect(times()).toEqual(expected);
  });

  it('leave alone what rests, until it is revived, and end with the last read, and their timer with them', async () => {
    const { read, schedule, pass, times, timers } = start();
    const a: { isResting: boolean } & Polled = read('a');
    a.isResting = true;
    await pass(20_000);
    expect([times('a'), timers()]).toEqual([[], 0]);
    a.isResting = false;
    schedule.revive(a);
    await pass(0);
    expect([times('a'), timers()]).toEqual([[20_000], 1]);
    schedule.delete(a);
    await pass(20_000);
    expect([times('a'), timers(), schedule.size]).toEqual([[20_000], 0, 0]);
  });

  it('go on for a read whose poll has failed in no foreseen way', async () => {
    const { read, pass, times } = start();
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

describe('the polls of a credential in several processes', () => {
  const rate = { calls: 20, windowMs: 10_000 };

  it('are a share of the window in each, and one at least', () => {
    const counts = [1, 2, 3, 20].map((sharers) => {
      const quota = createQuota(rate, () => 0, sharers);
      let count = 0;
      for (; quota.roomAt <= 0; count += 1) quota.take();
      return count;
    });
    expect(counts).toEqual([6, 3, 2, 1]);
  });

  it('are the share of all together, and are not used up by what another process had read', () => {
    let time = 0;
    const quota = createQuota(rate, () => time, 20);
    quota.take()(false);
    expect([quota.roomAt, quota.turnAt]).toEqual([-Infinity, -Infinity]);
    quota.take()(true);
    // A third of a call in each window is one in three and a third.
    expect(quota.roomAt).toBeCloseTo(10_000 / 0.3, 3);
    time = 34_000;
    quota.take();
    expect(quota.roomAt).toBe(Infinity);
  });
});
