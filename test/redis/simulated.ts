import type { Redis } from 'ioredis';
import { type Era, type RedisConnection, RedisUnavailable } from '../../src/redis/connection.ts';
import type { Random } from '../support/random/random.ts';
import { settled } from '../support/upstream/calls.ts';

/**
 * Runs the scripts of several processes in a real Redis, with the time of the current clock. Keys do not expire, since that
 * needs real time. A command takes a moment to arrive, and the commands of one process keep their order.
 */
export const createSimulatedRedis = (client: Redis, random: Random) => {
  const connections: { lose(): void; join(): Promise<void> }[] = [];
  const eraOf = (number: number): Era => ({ id: `era-${number}`, bornAt: 0 });
  let era = 0;
  let flushedAt = -Infinity;
  const underWay = new Set<Promise<unknown>>();
  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    underWay.add(work);
    const done = () => void underWay.delete(work);
    work.then(done, done);
    return work;
  };

  const evaluate: RedisConnection['run'] = (script, keys, args) => {
    const now = performance.now();
    const timed = `local now, id = tonumber(ARGV[1]), '${eraOf(era).id}'\n${script}`;
    return track(client.callBuffer('EVAL', timed, keys.length + 1, 'era', ...keys, now, ...args));
  };

  /** One process's connection. */
  const connect = () => {
    const listeners: Parameters<RedisConnection['beforeUp']>[0][] = [];
    const downs: { from: number; to: number }[] = [];
    let known: number | undefined = era;
    let onLost: ((error: RedisUnavailable) => void)[] = [];
    let before: Promise<unknown> = Promise.resolve();
    const send: RedisConnection['run'] = (...command) => {
      const latency = random.chance(80) ? random.below(3) : random.below(45);
      const arrived = Promise.all([before, new Promise((go) => setTimeout(go, latency))]);
      const reply = arrived.then(() => evaluate(...command));
      before = reply.catch(() => undefined);
      return reply;
    };
    const lose = (): void => {
      if (known === undefined) return;
      known = undefined;
      downs.push({ from: performance.now(), to: Infinity });
      for (const reject of onLost) reject(new RedisUnavailable('lost'));
      onLost = [];
    };
    /** Breaks the connection for this time; commands under way may still be carried out. */
    const cut = (milliseconds: number): void => {
      if (known === undefined) return;
      lose();
      setTimeout(() => void join(), milliseconds);
    };
    const join = async (): Promise<void> => {
      const found = era;
      for (const listener of listeners) await listener(send, eraOf(found));
      known = found;
      const last = downs.at(-1);
      if (last) last.to = performance.now();
      if (found !== era) cut(1);
    };
    const connection: RedisConnection = {
      get state() {
        return known === undefined ? 'down' : 'up';
      },
      problem: undefined,
      get era() {
        return known === undefined ? undefined : eraOf(known);
      },
      ...{ settledAt: -Infinity, doubtfulUntil: -Infinity },
      rejoined: async () => known !== undefined,
      run: (...command) =>
        new Promise((resolve, reject) => {
          if (known === undefined) return reject(new RedisUnavailable('down'));
          onLost.push(reject);
          return send(...command).then(resolve, reject);
        }),
      ...{ toRedis: (time) => time, fromRedis: (time) => time },
      // The state is reported at each access, so no beat is needed here.
      onBeat: () => undefined,
      beforeUp: (listener) => void listeners.push(listener),
      close: lose,
    };
    connections.push({ lose, join });
    return {
      ...{ connection, cut },
      /** Whether it was down at any moment from then until now. */
      wasDownSince: (time: number): boolean => downs.some(({ to }) => to >= time),
      /** The first time from then on at which it was up; Infinity if it was not yet. */
      upFrom: (time: number): number =>
        downs.find(({ from, to }) => from <= time && time <= to)?.to ?? time,
    };
  };

  return {
    connect,
    /** Removes all keys. Each process notices this, and is up again a millisecond later. */
    flush: async (): Promise<void> => {
      era += 1;
      flushedAt = performance.now();
      for (const { lose } of connections) lose();
      await track(client.call('FLUSHALL'));
      for (const { join } of connections) setTimeout(() => void join(), 1);
    },
    get flushedAt() {
      return flushedAt;
    },
    /** Waits for all pending work, including Redis. */
    settled: async (): Promise<void> => {
      await settled();
      while (underWay.size > 0) {
        await Promise.allSettled(underWay);
        await settled();
      }
    },
  };
};

export type SimulatedRedis = ReturnType<typeof createSimulatedRedis>;
