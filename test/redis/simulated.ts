import type { Redis } from 'ioredis';
import type { Era, RedisConnection, Run } from '../../src/redis/connection.ts';
import { isForAnyEra, type Script, scriptCommands } from '../../src/redis/scripts.ts';
import { orNothing, RedisUnavailable, reasonOf, within } from '../../src/redis/unavailable.ts';
import type { Random } from '../support/random/random.ts';
import { settled } from '../support/upstream/calls.ts';

const eraName = 'era';

/** The eras of all runs, since Redis goes on from one run to the next. */
let eras = 0;

/** How long a process may take to notice a flush, if none of its commands does, in milliseconds. */
const beatMs = 1000;

/** The script with another clock: its last argument. */
const timed = (script: Script): string =>
  String(scriptCommands[script]?.lua).replace(
    /^local now = .*$/m,
    'local now = tonumber(table.remove(ARGV))',
  );

/**
 * Runs the scripts of several processes in a real Redis, with the time of the current clock. Keys do not expire, since that
 * needs real time. A command takes a moment to arrive, and the commands of one process keep their order.
 */
export const createSimulatedRedis = (client: Redis, random: Random) => {
  const connections: { review(): void }[] = [];
  let flushedAt = -Infinity;
  const underWay = new Set<Promise<unknown>>();
  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    underWay.add(work);
    const done = () => void underWay.delete(work);
    work.then(done, done);
    return work;
  };
  const pause = (milliseconds: number) => new Promise((go) => setTimeout(go, milliseconds));

  const evaluate = (id: string, ...[script, keys, args]: Parameters<Run>): Promise<unknown> => {
    const era = isForAnyEra(script) ? '' : id;
    const all = [keys.length + 1, eraName, ...keys, era, 1e9, ...args, performance.now()];
    return track(client.callBuffer('EVAL', timed(script), ...all));
  };

  /** The era of Redis, or a new one if there is none. */
  const findEra = async (): Promise<Era> => {
    eras += 1;
    await track(client.set(eraName, `era-${eras}`, 'NX'));
    return { id: String(await track(client.get(eraName))), bornAt: 0 };
  };

  /** One process's connection. */
  const connect = () => {
    const listeners: Parameters<RedisConnection['onBeat']>[0][] = [];
    const downs: { from: number; to: number }[] = [];
    let answers = true;
    let era: Era | undefined;
    let joining: Promise<void> = Promise.resolve();
    const onLost = new Set<(error: RedisUnavailable) => void>();
    let before: Promise<unknown> = Promise.resolve();

    const send = (id: string, ...command: Parameters<Run>): Promise<unknown> => {
      const latency = random.chance(80) ? random.below(3) : random.below(45);
      const arrived = Promise.all([before, pause(latency)]);
      const reply = arrived.then(() => evaluate(id, ...command));
      before = reply.catch(() => undefined);
      return reply;
    };
    const runIn =
      (id: string): Run =>
      async (...command) => {
        if (!answers) throw new RedisUnavailable('down');
        const lost = Promise.withResolvers<never>();
        onLost.add(lost.reject);
        try {
          return await Promise.race([send(id, ...command), lost.promise]);
        } catch (error) {
          const reason = reasonOf(error);
          if (reason === 'ERA' && era?.id === id) leaveEra();
          throw new RedisUnavailable(reason);
        } finally {
          onLost.delete(lost.reject);
        }
      };
    const join = async (): Promise<void> => {
      while (answers && !era) {
        const found = await findEra();
        const report = async () => {
          for (const listener of listeners) await listener(runIn(found.id), found);
          return found;
        };
        era = await orNothing(report());
      }
    };
    const leaveEra = (): void => {
      era = undefined;
      joining = join();
    };
    /** Breaks the connection for this time; commands under way may still be carried out. */
    const cut = (milliseconds: number): void => {
      if (!answers) return;
      answers = false;
      era = undefined;
      const down = { from: performance.now(), to: Infinity };
      downs.push(down);
      for (const reject of onLost) reject(new RedisUnavailable('lost'));
      setTimeout(() => {
        answers = true;
        joining = join().then(() => {
          down.to = performance.now();
        });
      }, milliseconds);
    };
    const connection: RedisConnection = {
      get state() {
        return era ? 'up' : 'down';
      },
      problem: undefined,
      info: undefined,
      get era() {
        return era;
      },
      get answers() {
        return answers;
      },
      doubtfulUntil: -Infinity,
      rejoined: async () => {
        await orNothing(within(joining, 100));
        return era !== undefined;
      },
      run: async (...command) => {
        if (!era && !isForAnyEra(command[0])) throw new RedisUnavailable('down');
        return runIn(era?.id ?? '')(...command);
      },
      ...{ toRedis: (time) => time, fromRedis: (time) => time },
      // Pending changes are announced at each look too, so this is called only when the process joins an era.
      onBeat: (listener) => void listeners.push(listener),
      close: () => undefined,
    };
    connections.push({
      review: () => {
        if (answers && era) leaveEra();
      },
    });
    joining = join();
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
    /** Removes all keys. Each process notices this with its next command that depends on the era, or its next beat. */
    flush: async (): Promise<void> => {
      flushedAt = performance.now();
      await track(client.call('FLUSHALL'));
      for (const { review } of connections) setTimeout(review, random.below(beatMs));
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
