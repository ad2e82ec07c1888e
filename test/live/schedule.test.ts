import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { createQuota } from '../../src/upstream/polls/quota.ts';
import { createSchedule, type PollEnd, type Polled } from '../../src/upstream/polls/schedule.ts';
import { carryOutWith, type Step } from '../support/steps.ts';

type Read = { -readonly [Name in keyof Polled]: Polled[Name] };

const windowMs = 10_000;
/** A schedule on a clock that goes on when told to. */
const start = (calls = 10, leastMs = 5000) => {
  let time = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const polls: { name: string; at: number }[] = [];
  const sent: number[] = [];
  const reads = new Map<string, Read>();
  const outcomes = new Map<string, PollEnd>();
  const held = new Map<string, PromiseWithResolvers<void>>();
  const schedule = createSchedule({
    leastMs,
    rate: calls === Infinity ? undefined : { calls, windowMs },
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
  const pass = async (seconds: number) => {
    const end = time + seconds * 1000;
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
  };
  /** A read that was read now. */
  const read = (name: string): Read => {
    const one: Read = {
      ...{
        sentAt: time,
        readAt: time,
        restMs: name === 'costs' ? 600_000 : 0,
        isResting: false,
      },
      poll: async () => {
        polls.push({ name, at: time });
        const at = time;
        await held.get(name)?.promise;
        const outcome = outcomes.get(name) ?? 'read';
        if (outcome === 'read' || outcome === 'failed') sent.push(at);
        if (outcome === 'read' || outcome === 'found') one.sentAt = one.readAt = time;
        return outcome;
      },
    };
    reads.set(name, one);
    schedule.add(one);
    return one;
  };
  const resume = (one: Read, changes: Partial<Read>): void => {
    Object.assign(one, changes);
    schedule.revive(one);
  };
  return {
    ...{ schedule, reads, outcomes, held, read, resume, pass, settle },
    now: () => time,
    /** At which seconds each read was polled. */
    told: () => {
      const told = [...Map.groupBy(polls, ({ name }) => name)].map(
        ([name, all]) => `${name}: ${all.map(({ at }) => Math.round(at / 100) / 10).join(' ')}`,
      );
      expect(most(sent)).toBeLessThanOrEqual(Math.max(1, calls * 0.3));
      return [...told, ...(timers.length === 0 ? ['no timer'] : [])].join(' | ');
    },
    times: (name?: string) =>
      polls.filter((poll) => (name ?? poll.name) === poll.name).map(({ at }) => at),
  };
};

/** The most polls in any window. */
const most = (times: readonly number[]): number =>
  Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );

let world: ReturnType<typeof start>;
beforeEach(() => {
  world = start();
});

/** Does something to reads, which begin when they are named first, and were read then. */
const each =
  (act: (read: Read, name: string) => unknown) =>
  (...names: readonly string[]): Step =>
  () => {
    for (const name of names) act(world.reads.get(name) ?? world.read(name), name);
  };
const begin = each(() => undefined);
const changeAgain = (again: number, ...names: readonly string[]): Step =>
  each((one) => world.schedule.hurry(one, again))(...names);
const change = each((one) => world.schedule.hurry(one, 0));
const rest = each((one) => Object.assign(one, { isResting: true }));
const neverRead = each((one) => Object.assign(one, { sentAt: -Infinity }));
const wake = each((one) => world.resume(one, { isResting: false }));
const renew = each((one) => world.resume(one, { readAt: world.now() }));
const end = each((one) => world.schedule.delete(one));
const hang = each((_, name) => world.held.set(name, Promise.withResolvers()));
const answer = each((_, name) => world.held.get(name)?.resolve());
/** How polls end from now on. */
const pollsEnd = (how: PollEnd, ...names: readonly string[]): Step =>
  each((_, name) => world.outcomes.set(name, how))(...names);
const recover: Step = () => world.schedule.recover();
const after =
  (seconds: number): Step =>
  () =>
    world.pass(seconds);
const carryOut = carryOutWith(() => world.settle());
const row = async (expected: string, ...steps: readonly Step[]): Promise<void> => {
  await carryOut(...steps);
  expect(world.told()).toBe(expected);
};

it('polls of one credential come no earlier than five seconds after the read', () =>
  row('a: 5 10 15', begin('a'), after(15)));
it('polls of one credential come no earlier than the answer stops being fresh', () =>
  row('costs: 600 1200', begin('costs'), after(1201)));
it('polls of one credential come sooner for what a write has changed, and after a failure', async () => {
  await carryOut(begin('costs'), after(1), changeAgain(2, 'costs'));
  await row('costs: 1 6 11 611 1211 1221', after(620), pollsEnd('failed', 'costs'), after(600));
});
it('polls of one credential are one a window where the rate has room for less', async () => {
  world = start(2, 1000);
  await row('a: 1 11 21', begin('a'), after(21));
});
it('polls of one credential have the least time alone', async () => {
  world = start(Infinity, 9000);
  await row('a: 9 18 27', begin('a'), after(27));
});
it('polls of one credential take no more where each waits long before it is sent', async () => {
  await carryOut(hang('1', '2', '3', '4', '5', '6', '7'));
  await carryOut(change('1', '2', '3', '4', '5', '6', '7'), after(100), answer('1', '2', '3'));
  await row('1: 0 | 2: 0 | 3: 0 | 4: 110 | 5: 110 | 6: 110 | no timer', after(10));
});
it('polls of one credential leave out what somebody else has read meanwhile', () =>
  row('a: 9', begin('a'), after(4), renew('a'), after(5)));
it('polls of one credential come at once after a write for a share of a window, and then in turn, the others later by as much', async () => {
  await carryOut(begin('1', '2', '3', '4', '5', '6', 'other'), after(1));
  await carryOut(change('1', '2', '3', '4', '5', '6'));
  await row('1: 1 24.3 | 2: 1 27.7 | 3: 1 | 4: 11 | 5: 11 | 6: 11 | other: 21', after(30));
});
it('polls of one credential come again, before others, for what a write has changed', async () => {
  await carryOut(begin('a', '1', '2', '3', '4', '5', '6'), after(1), changeAgain(3, 'a'));
  await row('a: 1 6 11 16 | 1: 5 | 2: 15 | 3: 21 | 4: 25 | 5: 28.3', after(30));
});
it('polls of one credential come again for what a write has changed, whatever later writes ask for', async () => {
  await carryOut(begin('a', '1', '2', '3', '4', '5', '6'), after(1), changeAgain(3, 'a'));
  await row('a: 1 1 11 16 21 | 1: 5 | 2: 14.3 | 3: 24.3 | 4: 27.7', change('a'), after(30));
});
it('polls of one credential come again after a write that ended while the read was under way', () =>
  row('a: 5 5', hang('a'), after(5), change('a'), answer('a')));
it('polls of one credential back off while they fail, up to half a minute, and no longer once somebody has read it', async () => {
  await carryOut(pollsEnd('failed', 'a'), after(290), pollsEnd('read', 'a'));
  await row('a: 5 15 35 65 95 125 155 185 215 245 275 295', renew('a'), after(5));
});
it('polls of one credential do not back off when the gateway itself had no call left', () =>
  row('a: 5 10 15 20', pollsEnd('refused', 'a'), after(20)));
it('polls of one credential do not back off when the gateway itself refuses what has failed before', () =>
  row('a: 5 15 35 40 45', pollsEnd('failed', 'a'), after(15), pollsEnd('refused', 'a'), after(30)));
it('polls of one credential use up no quota if the gateway itself refuses them, but come in turn', async () => {
  await carryOut(pollsEnd('refused', '1', '2', '3', '4', '5', '6', 'a'));
  await row('1: 5 | 2: 8.3 | 3: 11.7 | a: 12', after(12), changeAgain(2, 'a'));
});
it('polls of one credential come within the quota for all that failed, and for nothing else, when the upstream is up again', async () => {
  await carryOut(begin('1', '2', '3', '4', 'costs'), pollsEnd('failed', '1', '2', '3', '4'));
  await carryOut(after(14), pollsEnd('refused', '1', '2', '3', '4'), after(16));
  await carryOut(pollsEnd('read', '1', '2', '3', '4'));
  await row('1: 5 18.3 30 | 2: 8.3 21.7 30 | 3: 11.7 25 30 | 4: 15 28.3 40', recover, after(10));
});
it('polls of one credential come at once for all that failed when one of them is answered again, whatever the breaker says', async () => {
  await carryOut(begin('a'), pollsEnd('failed', 'a'), after(22), begin('b'));
  await carryOut(pollsEnd('failed', 'b'), after(42));
  await row('a: 5 15 35 65 70 | b: 27 38.3 58.3 65', pollsEnd('read', 'a', 'b'), after(8));
});
it('polls of one credential come at once, once the upstream is up again, for what was never read', () =>
  row('never: 1', begin('a'), begin('never'), after(1), neverRead('never'), recover, after(1)));
it('polls of one credential do not back off when another process had read it, which uses up no quota', () =>
  row('1: 5 | 2: 5 | 3: 5 | 4: 5 | 5: 5', pollsEnd('found', '1', '2', '3', '4', '5'), after(5)));
it('polls of one credential leave alone what rests, and have no timer then', () =>
  row('no timer', rest('a'), after(20)));
it('polls of one credential come at once for what no longer rests, and end with the last read, and their timer with them', () =>
  row('a: 20 | no timer', rest('a'), after(20), wake('a'), end('a'), after(20)));

describe('polls of one credential', () => {
  it('take three calls of ten of any window, evenly, however much is watched and however often a write comes', async () => {
    const { read, schedule, pass, times } = start();
    const names = Array.from({ length: 10 }, (_, index) => `${index}`);
    const all = names.map(read);
    await pass(100);
    expect(most(times())).toBe(3);
    expect(times().length).toBeGreaterThanOrEqual(28);
    for (const name of names) expect([2, 3]).toContain(times(name).length);
    for (let second = 0; second < 30; second += 1) {
      for (const each of all) schedule.hurry(each, 3);
      await pass(1);
    }
    expect(most(times())).toBe(3);
    expect(times().length).toBeGreaterThanOrEqual(28 + 8);
  });

  it('leave their turns to what can be read, however many fail', async () => {
    const { read, outcomes, pass, times } = start();
    for (let name = 0; name < 30; name += 1) {
      read(`${name}`);
      outcomes.set(`${name}`, 'failed');
    }
    read('a');
    await pass(600);
    // 31 reads share 18 polls a minute.
    expect(times('a').length).toBeGreaterThanOrEqual(5);
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
    await pass(5);
    const [error] = await thrown;
    expect(error.message).toBe('unforeseen');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    a.poll = poll;
    await pass(20);
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
