import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { connectRedis, namePrefix } from '../../../src/redis/connection.ts';
import { createNames } from '../../../src/redis/names.ts';
import { createRedisSlots } from '../../../src/redis/slots.ts';
import type { Rate, SlotLog } from '../../../src/upstream/gate/slots.ts';
import { startRedis } from '../redis.ts';
import type { Redis } from './server.ts';

/** Makes the data in Redis an hour old, so that replicas share rate limits from their start. */
export const age = async (redis: Redis): Promise<void> => {
  await redis.command('SET', `${namePrefix}era`, `aged ${Date.now() - 3_600_000}`);
};

/** Waits until the data in Redis is older than a window, so that replicas share rate limits. */
export const untilShared = async (redis: Redis, { windowMs }: Rate): Promise<void> => {
  for (;;) {
    const [, bornAt] = String(await redis.command('GET', `${namePrefix}era`)).split(' ');
    // One second for late calls, and one until each replica knows.
    if (Number(bornAt) + windowMs + 2000 < Date.now()) return;
    await pause(20);
  }
};

interface LogsOptions {
  readonly redis: Redis;
  readonly rate: Rate;
  readonly credential?: string;
  readonly timeoutMs?: number;
  readonly replicas?: number;
  readonly longestCallMs?: number;
}

/** One replica's log of a credential's calls, over a separate connection, until the test ends. */
export const openLog = async (options: LogsOptions) => {
  const { redis, rate, credential = 'Bearer one', timeoutMs = 2000 } = options;
  const { replicas = 2, longestCallMs = 30_000 } = options;
  const state = { redis: 'unknown' };
  const connection = connectRedis({
    ...{ url: redis.url, timeoutMs },
    onChange: (next) => {
      state.redis = next;
    },
  });
  /** The number of scripts run. */
  const counts = { scripts: 0 };
  const counted = {
    ...connection,
    get era() {
      return connection.era;
    },
    get settledAt() {
      return connection.settledAt;
    },
    run: (...asked: Parameters<typeof connection.run>) => {
      counts.scripts += 1;
      return connection.run(...asked);
    },
  };
  const nameOf = createNames('a-secret-that-all-replicas-have-in-common');
  const slots = createRedisSlots({ connection: counted, nameOf, replicas, longestCallMs });
  const log: SlotLog = slots.of('management', rate)(credential);
  const close = async (): Promise<void> => {
    await slots.close();
    connection.close();
  };
  onTestFinished(close);
  const untilRedisIs = async (wanted: 'up' | 'down'): Promise<void> => {
    while (state.redis !== wanted) await pause(5);
  };
  while (state.redis === 'unknown') await pause(5);
  return {
    log,
    counts,
    close,
    /** Closes it like a killed process. */
    kill: () => connection.close(),
    untilRedisIs,
  };
};

export const openLogs = (count: number, options: LogsOptions) =>
  Promise.all(Array.from({ length: count }, () => openLog({ replicas: count, ...options })));

/** Two or more logs with a new Redis whose data is an hour old. */
export const startLogs = async ({ replicas = 2, ...options }: Omit<LogsOptions, 'redis'>) => {
  const redis = await startRedis();
  await age(redis);
  const all = await openLogs(replicas, { redis, ...options });
  const [one, other] = all;
  if (!one || !other) throw new Error('two are needed');
  const untilBothAre = (state: 'up' | 'down') =>
    Promise.all([one.untilRedisIs(state), other.untilRedisIs(state)]);
  return { redis, one, other, all, untilBothAre };
};

/** Requests slots until one is given. */
export const takeOne = async (log: SlotLog, reserve = 0) => {
  for (;;) {
    const slot = await log.take(reserve);
    if (slot) return slot;
    await pause(5);
  }
};

/** The number of slots that could be taken one after another. */
export const takeAll = async (log: SlotLog, reserve = 0) => {
  const slots = [];
  for (;;) {
    const slot = await log.take(reserve);
    if (!slot) return slots;
    slots.push(slot);
  }
};
