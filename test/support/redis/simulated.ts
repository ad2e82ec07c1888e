import type { Redis } from 'ioredis';
import { type Era, type RedisConnection, RedisUnavailable } from '../../../src/redis/connection.ts';
import type { Random } from '../random/random.ts';
import { settled } from '../upstream/calls.ts';

/** One process's connection to a real Redis, on the current clock. */
export interface SimulatedConnection extends RedisConnection {
  /** Breaks the connection for this time; commands under way may still be carried out. */
  cut(milliseconds: number): void;
  /** Whether it was down at any moment from then until now. */
  wasDownSince(time: number): boolean;
  /** The first time from then on at which it was up; Infinity if it was not yet. */
  upFrom(time: number): number;
}

/**
 * Runs the scripts of several processes in a real Redis, with the time of the current clock. Keys do not expire, since that
 * needs real time. A command takes a moment to arrive, and the commands of one process keep their order.
 */
export const createSimulatedRedis = (client: Redis, random: Random) => {
  const connections: { lose(): void; join(): Promise<void> }[] = [];
  const eraOf = (number: number): Era => ({ id: `era-${number}`, bornAt: 0 });
  let era = 0;
  let flushedAt = -Infinity;
  let underWay = 0;
  const idle: (() => void)[] = [];

  const evaluate: RedisConnection['run'] = async (script, keys, args) => {
    underWay += 1;
    try {
      const now = performance.now();
      const timed = `local now, id = tonumber(ARGV[1]), '${eraOf(era).id}'\n${script}`;
      return await client.callBuffer('EVAL', timed, keys.length + 1, 'era', ...keys, now, ...args);
    } finally {
      underWay -= 1;
      if (underWay === 0) for (const go of idle.splice(0)) go();
    }
  };

  const connect = (): SimulatedConnection => {
    const listeners: Parameters<RedisConnection['beforeUp']>[0][] = [];
    const downs: { from: number; to: number }[] = [];
    let known: number | undefined = era;
    let lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    let before: Promise<unknown> = Promise.resolve();
    const send: RedisConnection['run'] = async (...command) => {
      const others = before;
      const done = Promise.withResolvers<void>();
      before = done.promise;
      const latency = random.chance(80) ? random.below(3) : random.below(45);
      await Promise.all([others, new Promise((go) => setTimeout(go, latency))]);
      try {
        return await evaluate(...command);
      } finally {
        done.resolve();
      }
    };

    const lose = (): void => {
      if (known === undefined) return;
      known = undefined;
      downs.push({ from: performance.now(), to: Infinity });
      lost.reject(new RedisUnavailable('lost'));
      lost = Promise.withResolvers<never>();
      lost.promise.catch(() => undefined);
    };
    const join = async (): Promise<void> => {
      const found = era;
      for (const listener of listeners) await listener(send, eraOf(found));
      known = found;
      const last = downs.at(-1);
      if (last) last.to = performance.now();
      if (found !== era) connection.cut(1);
    };
    const connection: SimulatedConnection = {
      get state() {
        return known === undefined ? 'down' : 'up';
      },
      get era() {
        return known === undefined ? undefined : eraOf(known);
      },
      settledAt: -Infinity,
      doubtfulUntil: -Infinity,
      rejoined: async () => known !== undefined,
      run: (script, keys, args) =>
        known === undefined
          ? Promise.reject(new RedisUnavailable('down'))
          : Promise.race([send(script, keys, args), lost.promise]),
      toRedis: (time) => time,
      fromRedis: (time) => time,
      // The state is reported at each access, so no beat is needed here.
      onBeat: () => undefined,
      beforeUp: (listener) => {
        listeners.push(listener);
      },
      close: lose,
      cut: (milliseconds) => {
        if (known === undefined) return;
        lose();
        setTimeout(() => void join(), milliseconds);
      },
      wasDownSince: (time) => downs.some(({ to }) => to >= time),
      upFrom: (time) => {
        const during = downs.find(({ from, to }) => from <= time && time <= to);
        return during ? during.to : time;
      },
    };
    connections.push({ lose, join });
    return connection;
  };

  return {
    connect,
    /** Removes all keys. Each process notices this, and is up again a millisecond later. */
    flush: async (): Promise<void> => {
      era += 1;
      flushedAt = performance.now();
      for (const { lose } of connections) lose();
      underWay += 1;
      await client.call('FLUSHALL');
      underWay -= 1;
      for (const { join } of connections) setTimeout(() => void join(), 1);
    },
    get flushedAt() {
      return flushedAt;
    },
    /** Waits for all pending work, including Redis. */
    settled: async (): Promise<void> => {
      await settled();
      while (underWay > 0) {
        await new Promise<void>((resolve) => idle.push(resolve));
        await settled();
      }
    },
  };
};

export type SimulatedRedis = ReturnType<typeof createSimulatedRedis>;
