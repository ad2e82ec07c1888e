import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { createNames } from '../../src/redis/names.ts';
import { createRedisSlots } from '../../src/redis/slots.ts';
import type { Rate, Slot, SlotLog } from '../../src/upstream/gate/slots.ts';
import { cacheSecret, rotations } from '../support/redis/stacks.ts';
import { type Redis, redisPath, startAgedRedis, untilShared } from '../support/redis.ts';
import { carryOut, rowsOf, type Step } from '../support/rows.ts';

interface Options {
  readonly rate: Rate;
  readonly longestCallMs: number;
  /** Of both processes, if their secrets differ. */
  readonly secrets?: readonly [string, string];
}

/** The log of a credential's calls in one of some processes, over a connection of its own, until the test ends. */
const openLog = async (redis: Redis, secret: string, { rate, longestCallMs }: Options) => {
  let state = 'unknown';
  const connection = connectRedis({
    ...{ url: redis.url, timeoutMs: 300 },
    onChange: (next) => {
      state = next;
    },
  });
  const names = createNames(secret);
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

/** What two logs do, `one` and `other`, and what happens to Redis. */
const stepsOf = (redis: Redis, options: Options, told: unknown[]): readonly Step[] => {
  let opened: Promise<readonly [Log, Log]> | undefined;
  const both = () => {
    const [one, other] = options.secrets ?? [cacheSecret, cacheSecret];
    opened ??= Promise.all([openLog(redis, one, options), openLog(redis, other, options)]);
    return opened;
  };
  const of =
    (act: (log: Log, ...parts: (string | undefined)[]) => unknown): Step[1] =>
    async (name, ...parts) =>
      act((await both())[name === 'one' ? 0 : 1], ...parts);
  const end = (how: 'answered' | 'giveBack') =>
    of(({ taken }) => {
      for (const slot of taken.splice(0)) slot[how]();
    });
  return [
    [
      /^(\w+) takes all(?: but (\d+))?$/,
      of(async ({ log, taken }, reserve = '0') => {
        const before = taken.length;
        for (;;) {
          const slot = await log.take(Number(reserve));
          if (!slot) return told.push(taken.length - before);
          taken.push(slot);
        }
      }),
    ],
    [
      /^(\w+) asks for (\d+) at once$/,
      of(async ({ log, taken }, count) => {
        const asked = Array.from({ length: Number(count) }, () => log.take(0));
        const given = (await Promise.all(asked)).filter((slot) => slot !== undefined);
        taken.push(...given);
        told.push(given.length);
      }),
    ],
    [
      /^(\w+) waits for (\d+)$/,
      of(async ({ log, taken }, count) => {
        const enough = taken.length + Number(count);
        while (taken.length < enough) {
          const slot = await log.take(0);
          if (slot) taken.push(slot);
          else await pause(5);
        }
      }),
    ],
    [/^those of (\w+) are answered$/, end('answered')],
    [/^those of (\w+) are given back$/, end('giveBack')],
    [/^(\w+) holds for ([\d.]+) s$/, of(({ log }, seconds) => log.holdFor(Number(seconds) * 1000))],
    [
      /^(\w+) hears that (\d+) are left for 60 s$/,
      of(({ log }, calls) => log.learnLeft(Number(calls), 60_000)),
    ],
    [/^(\w+) refreshes$/, of(({ log }) => log.refresh())],
    [/^is (\w+) held$/, of(({ log }) => told.push(log.isHeld ? 'held' : 'free'))],
    [/^(\w+) is killed$/, of(({ kill }) => kill())],
    [/^(\w+) closes$/, of(({ close }) => close())],
    [
      /^Redis (hangs|resumes|dies|restarts|is flushed)$/,
      async (what) => {
        // Both are there before, unless it was never there.
        if (what !== 'dies') await both();
        if (what === 'hangs') await redis.hang();
        if (what === 'resumes') redis.resume();
        if (what === 'dies') await redis.kill();
        if (what === 'restarts') await redis.restart();
        if (what === 'is flushed') await redis.flush();
      },
    ],
    [
      /^both are (up|down)$/,
      async (state = '') => Promise.all((await both()).map(({ until }) => until(state))),
    ],
    [/^what was before counts no more$/, () => untilShared(redis, options.rate)],
    [/^([\d.]+) s$/, (seconds) => pause(Number(seconds) * 1000)],
    [
      /^nothing is left in Redis$/,
      async () => expect.poll(async () => (await redis.dump()).length).toBe(1),
    ],
  ];
};

const tables: readonly (readonly [kind: string, options: Options, rows: string])[] = [
  [
    'ten calls in ten seconds',
    { rate: { calls: 10, windowMs: 10_000 }, longestCallMs: 30_000 },
    `
  both leave a reserve free for those who are to have it
    one takes all but 2, other takes all but 2, other takes all -> 8 0 2
  both keep the longest hold
    one holds for 60 s, one refreshes, other holds for 0.01 s, other refreshes, 0.02 s, is one held,
    is other held, other takes all -> held held 0
  both learn how many calls the upstream has left
    one hears that 3 are left for 60 s, one refreshes, other takes all,
    one hears that 8 are left for 60 s, one refreshes, one takes all -> 3 0
  Redis is told what has ended before one closes
    one takes all, those of one are given back, one closes, other takes all -> 10 10
  while Redis hangs each takes its part, and what Redis gives too late goes back
    one asks for 8 at once, those of one are given back, one refreshes, Redis hangs,
    one asks for 8 at once, both are down, Redis resumes, both are up, other takes all -> 8 5 5
  while Redis is down each keeps to its part, and counts all its calls on it
    one asks for 2 at once, Redis dies, both are down, one takes all, other takes all -> 2 3 5
  while it is down what the upstream says counts, and the others hear of a hold afterwards
    one refreshes, Redis hangs, both are down, other hears that 1 are left for 60 s, other takes all,
    one holds for 60 s, one takes all, Redis resumes, both are up, other refreshes, is other held
    -> 1 0 held
  once it is back it is told of the calls that were made meanwhile
    one refreshes, Redis hangs, both are down, one takes all, Redis resumes, both are up,
    other takes all -> 5 5
  and of slots that were given back
    one takes all, Redis hangs, those of one are given back, both are down, Redis resumes,
    both are up, other takes all -> 10 10
  after a flush each keeps to its part for a window: another may have ended whose calls count
    one takes all, those of one are answered, one is killed, Redis is flushed, other refreshes, 2.5 s,
    other takes all -> 10 5
`,
  ],
  [
    'ten calls in half a second',
    { rate: { calls: 10, windowMs: 500 }, longestCallMs: 30_000 },
    `
  nothing is left in Redis once all is over
    one takes all, those of one are answered, other holds for 0.05 s, nothing is left in Redis -> 10
  calls that end and stop counting while Redis hangs count no more once it is back
    one takes all, Redis hangs, both are down, those of one are answered, 0.6 s, Redis resumes,
    both are up, other takes all -> 10 10
  after a flush each keeps to its part until the calls from before count no more
    one takes all, Redis is flushed, one takes all, other takes all, both are up,
    those of one are answered, what was before counts no more, one takes all -> 10 0 5 5
  and after a new start
    one takes all, Redis restarts, both are down, one takes all, other takes all, both are up,
    those of one are answered, what was before counts no more, one takes all -> 10 0 5 5
  where Redis is not there at the start each keeps to its part, and they share it later
    Redis dies, one takes all, Redis restarts, both are up, what was before counts no more,
    other takes all, one takes all -> 5 5 0
`,
  ],
  [
    'two calls in a tenth of a second, which take a second at most',
    { rate: { calls: 2, windowMs: 100 }, longestCallMs: 1000 },
    `
  the slots of a process that was killed are free after its longest call and a window
    one takes all, one is killed, other takes all, other waits for 2 -> 2 0
  slots of calls that take longer are kept
    one takes all, 2.8 s, other takes all, those of one are answered, other waits for 2 -> 2 0
`,
  ],
  ...rotations.map((secrets, index): (typeof tables)[number] => [
    `ten calls in ten seconds, while the secret is changed (${index + 1})`,
    { rate: { calls: 10, windowMs: 10_000 }, longestCallMs: 30_000, secrets },
    `
  each counts the calls of both
    one takes all but 6, other takes all but 2, one takes all, other takes all -> 4 4 2 0
  each learns of a hold, how many calls are left, and what was given back
    one hears that 3 are left for 60 s, one refreshes, other takes all, those of other are given back,
    other refreshes, one takes all, other holds for 60 s, other refreshes, one refreshes, is one held
    -> 3 3 held
`,
  ]),
];

describe.skipIf(redisPath === undefined)('logs over one Redis', () => {
  for (const [kind, options, rows] of tables) {
    it.each(rowsOf(rows))(`of ${kind}: %s`, async (_, row, expected) => {
      const told: unknown[] = [];
      await carryOut(row, stepsOf(await startAgedRedis(), options, told));
      expect(told.join(' ')).toBe(expected);
    });
  }
});
