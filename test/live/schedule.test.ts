import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createQuota } from '../../src/upstream/polls/quota.ts';
import { createSchedule, type PollEnd, type Polled } from '../../src/upstream/polls/schedule.ts';
import { rowsOf } from '../support/rows.ts';

type Read = { -readonly [Name in keyof Polled]: Polled[Name] };

const windowMs = 10_000;
/** The rates of credentials by the words that titles end with: ten calls in ten seconds where there is none. */
const rates: Readonly<Record<string, readonly [calls: number, leastMs: number]>> = {
  'two calls a window': [2, 1000],
  'no rate': [Infinity, 9000],
};

/** A schedule on a clock that goes on when told to. */
const start = (title = '') => {
  const [calls, leastMs] = rates[title.split(': ')[1] ?? ''] ?? [10, 5000];
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
  /** What rows do to reads; all other verbs say how polls end from then on. */
  const acts: Readonly<Record<string, (read: Read, name: string, again: number) => unknown>> = {
    changed: (one, _, again) => schedule.hurry(one, again),
    rests: (one) => Object.assign(one, { isResting: true }),
    'was never read': (one) => Object.assign(one, { sentAt: -Infinity }),
    wakes: (one) => resume(one, { isResting: false }),
    'renewed elsewhere': (one) => resume(one, { readAt: time }),
    ends: (one) => schedule.delete(one),
    hangs: (_, name) => held.set(name, Promise.withResolvers()),
    answered: (_, name) => held.get(name)?.resolve(),
  };
  const act = async (step: string) => {
    const [, names = '', verb = '', again] =
      /^((?:\w+,)*\w+)(?: ([a-z ]+))?(?: (\d))?$/.exec(step) ?? [];
    if (verb === 's') return pass(Number(names));
    if (step === 'the upstream recovers') return schedule.recover();
    for (const name of names.split(',')) {
      const one = reads.get(name) ?? read(name);
      if (acts[verb]) acts[verb](one, name, Number(again ?? 0));
      else outcomes.set(name, (verb || 'read') as PollEnd);
    }
    await settle();
  };
  return {
    ...{ schedule, outcomes, read, pass },
    /** Does the steps of a row, and tells at which seconds each read was polled. */
    outcomeOf: async (steps: string) => {
      for (const step of steps.split(', ')) await act(step);
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

describe('polls of one credential', () => {
  // Reads begin when they are named first, and were read then.
  it.each(
    rowsOf(`
  come no earlier than five seconds after the read
    a, 15 s -> a: 5 10 15
  come no earlier than the answer stops being fresh
    costs, 1201 s -> costs: 600 1200
  come sooner for what a write has changed, and after a failure
    costs, 1 s, costs changed 2, 620 s, costs failed, 600 s -> costs: 1 6 11 611 1211 1221
  are one a window where the rate has room for less: two calls a window
    a, 21 s -> a: 1 11 21
  have the least time alone: no rate
    a, 27 s -> a: 9 18 27
  take no more where each waits long before it is sent
    1,2,3,4,5,6,7 hangs, 1,2,3,4,5,6,7 changed, 100 s, 1,2,3 answered, 10 s ->
    1: 0 | 2: 0 | 3: 0 | 4: 110 | 5: 110 | 6: 110 | no timer
  leave out what somebody else has read meanwhile
    a, 4 s, a renewed elsewhere, 5 s -> a: 9
  come at once after a write for a share of a window, and then in turn, the others later by as much
    1,2,3,4,5,6,other, 1 s, 1,2,3,4,5,6 changed, 30 s ->
    1: 1 24.3 | 2: 1 27.7 | 3: 1 | 4: 11 | 5: 11 | 6: 11 | other: 21
  come again, before others, for what a write has changed
    a,1,2,3,4,5,6, 1 s, a changed 3, 30 s ->
    a: 1 6 11 16 | 1: 5 | 2: 15 | 3: 21 | 4: 25 | 5: 28.3
  come again for what a write has changed, whatever later writes ask for
    a,1,2,3,4,5,6, 1 s, a changed 3, a changed, 30 s ->
    a: 1 1 11 16 21 | 1: 5 | 2: 14.3 | 3: 24.3 | 4: 27.7
  come again after a write that ended while the read was under way
    a hangs, 5 s, a changed, a answered -> a: 5 5
  back off while they fail, up to half a minute, and no longer once somebody has read it
    a failed, 290 s, a read, a renewed elsewhere, 5 s ->
    a: 5 15 35 65 95 125 155 185 215 245 275 295
  do not back off when the gateway itself had no call left
    a refused, 20 s -> a: 5 10 15 20
  do not back off when the gateway itself refuses what has failed before
    a failed, 15 s, a refused, 30 s -> a: 5 15 35 40 45
  use up no quota if the gateway itself refuses them, but come in turn
    1,2,3,4,5,6,a refused, 12 s, a changed 2 -> 1: 5 | 2: 8.3 | 3: 11.7 | a: 12
  come within the quota for all that failed, and for nothing else, when the upstream is up again
    1,2,3,4,costs, 1,2,3,4 failed, 14 s, 1,2,3,4 refused, 16 s, 1,2,3,4 read, the upstream recovers, 10 s ->
    1: 5 18.3 30 | 2: 8.3 21.7 30 | 3: 11.7 25 30 | 4: 15 28.3 40
  come at once for all that failed when one of them is answered again, whatever the breaker says
    a, a failed, 22 s, b, b failed, 42 s, a,b read, 8 s -> a: 5 15 35 65 70 | b: 27 38.3 58.3 65
  come at once, once the upstream is up again, for what was never read
    a, never, 1 s, never was never read, the upstream recovers, 1 s -> never: 1
  do not back off when another process had read it, which uses up no quota
    1,2,3,4,5 found, 5 s -> 1: 5 | 2: 5 | 3: 5 | 4: 5 | 5: 5
  leave alone what rests, and have no timer then
    a rests, 20 s -> no timer
  come at once for what no longer rests, and end with the last read, and their timer with them
    a rests, 20 s, a wakes, a ends, 20 s -> a: 20 | no timer
  `),
  )('%s', async (title, steps, outcome) => {
    expect(await start(title).outcomeOf(steps)).toBe(outcome);
  });

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
