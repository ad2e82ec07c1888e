import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { createNames } from '../../src/redis/names.ts';
import { createRedisSlots } from '../../src/redis/slots.ts';
import type { Rate, Slot, SlotLog } from '../../src/upstream/gate/slots.ts';
import { cacheSecret } from '../support/redis/stacks.ts';
import { type Redis, redisPath, startAgedRedis, untilShared } from '../support/redis.ts';
import { carryOutWith } from '../support/steps.ts';

interface Options {
  readonly rate: Rate;
  readonly longestCallMs: number;
}

/** The log of a credential's calls in one of some processes, over a connection of its own, until the test ends. */
const openLog = async (redis: Redis, { rate, longestCallMs }: Options) => {
  let state = 'unknown';
  const connection = connectRedis({
    ...{ url: redis.url, timeoutMs: 300 },
    onChange: (next) => {
      state = next;
    },
  });
  const names = createNames(cacheSecret);
  const slots = createRedisSlots({ connection, names, replicas: 2, longestCallMs });
  const close = async (): Promise<void> => {
    await slots.close();
    connection.close();
  };
  onTestFinished(close);
  const until = (wanted: string) =>
    expect.poll(() => wanted.includes(state), { interval: 5 }).toBe(true);
  await until('up|down');
  const log: SlotLog = slots.of('management', rate)('Bearer one');
  return { log, close, kill: connection.close, until, taken: [] as Slot[] };
};
type Log = Awaited<ReturnType<typeof openLog>>;

const tenSeconds: Options = { rate: { calls: 10, windowMs: 10_000 }, longestCallMs: 30_000 };
const halfASecond: Options = { rate: { calls: 10, windowMs: 500 }, longestCallMs: 30_000 };
const tenth: Options = { rate: { calls: 2, windowMs: 100 }, longestCallMs: 1000 };
let options: Options;
let server: Redis;
/** Both logs, opened when the first of them does something. */
let opened: Promise<readonly [Log, Log]> | undefined;
const both = () => {
  opened ??= Promise.all([openLog(server, options), openLog(server, options)]);
  return opened;
};

/** What one of the logs does. */
const logAt = (index: 0 | 1) => {
  const log = async (act: (log: Log) => unknown) => act((await both())[index]);
  const end = (how: 'answered' | 'giveBack') => () =>
    log(({ taken }) => {
      for (const slot of taken.splice(0)) slot[how]();
    });
  return {
    takesAll:
      (expected: number, reserve = 0) =>
      () =>
        log(async ({ log, taken }) => {
          const before = taken.length;
          for (;;) {
            const slot = await log.take(reserve);
            if (!slot) break;
            taken.push(slot);
          }
          expect(taken.length - before).toBe(expected);
        }),
    /** All at once. */
    asksFor: (count: number, expected: number) => () =>
      log(async ({ log, taken }) => {
        const asked = Array.from({ length: count }, () => log.take(0));
        const given = (await Promise.all(asked)).filter((slot) => slot !== undefined);
        taken.push(...given);
        expect(given).toHaveLength(expected);
      }),
    waitsFor: (count: number) => () =>
      log(async ({ log, taken }) => {
        const enough = taken.length + count;
        while (taken.length < enough) {
          const slot = await log.take(0);
          if (slot) taken.push(slot);
          else await pause(5);
        }
      }),
    areAnswered: end('answered'),
    givesBack: end('giveBack'),
    holds: (seconds: number) => () => log((each) => each.log.holdFor(seconds * 1000)),
    learns: (left: number) => () => log((each) => each.log.learnLeft(left, 60_000)),
    refreshes: () => log((each) => each.log.refresh()),
    isHeld: () => log((each) => expect(each.log.isHeld).toBe(true)),
    isKilled: () => log(({ kill }) => kill()),
    closes: () => log(({ close }) => close()),
  };
};
const [one, other] = [logAt(0), logAt(1)];
/** Both logs are there before, unless Redis dies first. */
const redis = {
  hangs: () => both().then(() => server.hang()),
  resumes: () => server.resume(),
  dies: () => server.kill(),
  restarts: () => both().then(() => server.restart()),
  isFlushed: () => both().then(() => server.flush()),
};
const bothAre = (state: string) => async () =>
  Promise.all((await both()).map(({ until }) => until(state)));
const earlierCallsExpire = () => untilShared(server, options.rate);
const pass = (seconds: number) => () => pause(seconds * 1000);
const nothingIsLeft = () => expect.poll(async () => (await server.dump()).length).toBe(1);
const carryOut = carryOutWith(() => undefined);

describe.skipIf(redisPath === undefined)('logs over one Redis', () => {
  beforeEach(async () => {
    [options, opened] = [tenSeconds, undefined];
    server = await startAgedRedis();
  });

  it('of ten calls in ten seconds: both leave a reserve free for those who are to have it', () =>
    carryOut(one.takesAll(8, 2), other.takesAll(0, 2), other.takesAll(2)));
  it('of ten calls in ten seconds: both keep the longest hold', async () => {
    await carryOut(one.holds(60), one.refreshes, other.holds(0.01));
    await carryOut(other.refreshes, pass(0.02), one.isHeld, other.isHeld, other.takesAll(0));
  });
  it('of ten calls in ten seconds: both learn how many calls the upstream has left', async () => {
    await carryOut(one.learns(3));
    await carryOut(one.refreshes, other.takesAll(3), one.learns(8), one.refreshes, one.takesAll(0));
  });
  it('of ten calls in ten seconds: Redis is told what has ended before one closes', () =>
    carryOut(one.takesAll(10), one.givesBack, one.closes, other.takesAll(10)));
  it('of ten calls in ten seconds: while Redis hangs each takes its part, and what Redis gives too late goes back', async () => {
    await carryOut(one.asksFor(8, 8), one.givesBack, one.refreshes, redis.hangs, one.asksFor(8, 5));
    await carryOut(bothAre('down'), redis.resumes, bothAre('up'), other.takesAll(5));
  });
  it('of ten calls in ten seconds: while Redis is down each keeps to its part, and counts all its calls on it', () =>
    carryOut(one.asksFor(2, 2), redis.dies, bothAre('down'), one.takesAll(3), other.takesAll(5)));
  it('of ten calls in ten seconds: while Redis is down what the upstream says counts, and the others hear of a hold afterwards', async () => {
    await carryOut(one.refreshes, redis.hangs, bothAre('down'), other.learns(1), other.takesAll(1));
    await carryOut(one.holds(60));
    await carryOut(one.takesAll(0), redis.resumes, bothAre('up'), other.refreshes, other.isHeld);
  });
  it('of ten calls in ten seconds: once Redis is back it is told of the calls that were made meanwhile', async () => {
    await carryOut(one.refreshes, redis.hangs, bothAre('down'));
    await carryOut(one.takesAll(5), redis.resumes, bothAre('up'), other.takesAll(5));
  });
  it('of ten calls in ten seconds: once Redis is back it is told of slots that were given back', async () => {
    await carryOut(one.takesAll(10), redis.hangs, one.givesBack);
    await carryOut(bothAre('down'), redis.resumes, bothAre('up'), other.takesAll(10));
  });
  it('of ten calls in ten seconds: after a flush each keeps to its part for a window: another may have ended whose calls count', async () => {
    await carryOut(one.takesAll(10), one.areAnswered);
    await carryOut(one.isKilled, redis.isFlushed, other.refreshes, pass(2.5), other.takesAll(5));
  });
  it('of ten calls in half a second: nothing is left in Redis once all is over', async () => {
    options = halfASecond;
    await carryOut(one.takesAll(10), one.areAnswered, other.holds(0.05), nothingIsLeft);
  });
  it('of ten calls in half a second: calls that end and stop counting while Redis hangs count no more once it is back', async () => {
    options = halfASecond;
    await carryOut(one.takesAll(10), redis.hangs, bothAre('down'));
    await carryOut(one.areAnswered, pass(0.6), redis.resumes, bothAre('up'), other.takesAll(10));
  });
  it('of ten calls in half a second: after a flush each keeps to its part until the calls from before count no more', async () => {
    options = halfASecond;
    await carryOut(one.takesAll(10), redis.isFlushed, one.takesAll(0), other.takesAll(5));
    await carryOut(bothAre('up'), one.areAnswered, earlierCallsExpire, one.takesAll(5));
  });
  it('of ten calls in half a second: where Redis is not there at the start each keeps to its part, and they share it later', async () => {
    options = halfASecond;
    await carryOut(redis.dies, one.takesAll(5), redis.restarts);
    await carryOut(bothAre('up'), earlierCallsExpire, other.takesAll(5), one.takesAll(0));
  });
  it('of two calls in a tenth of a second, which take a second at most: the slots of a process that was killed are free after its longest call and a window', async () => {
    options = tenth;
    await carryOut(one.takesAll(2), one.isKilled, other.takesAll(0), other.waitsFor(2));
  });
  it('of two calls in a tenth of a second, which take a second at most: slots of calls that take longer are kept', async () => {
    options = tenth;
    await carryOut(one.takesAll(2));
    await carryOut(pass(2.8), other.takesAll(0), one.areAnswered, other.waitsFor(2));
  });
});
